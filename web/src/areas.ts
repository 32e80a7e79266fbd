// Areas of a GeoJSON file that a person drops onto the page: districts, zones. They stay in the page, and where they
// are small enough travel in its address.
import { bytesOfText, gunzip, gzip, textOfBytes } from "./bytes";

export interface Area {
  name: string;
  geometry: { type: string; coordinates: unknown };
  rings: [number, number][][]; // all of them, for drawing and for finding what is under a click (even-odd)
}

const kNames = ["name", "NAME", "Name", "zone", "ZONE", "id", "ID"];
export const kMostAreas = 2000;

export function readAreas(text: string): Area[] {
  const json = JSON.parse(text) as { type?: string; features?: unknown[] };
  const features = (json.type === "FeatureCollection" ? json.features : json.type === "Feature" ? [json] : null) as
    | {
        id?: unknown;
        properties?: Record<string, unknown> | null;
        geometry?: { type: string; coordinates: unknown } | null;
      }[]
    | null;
  if (!features) throw new Error("this is not a GeoJSON FeatureCollection");
  const key = kNames.find((k) =>
    features.every((f) => f.properties && f.properties[k] !== undefined && f.properties[k] !== null),
  );
  const areas: Area[] = [];
  features.forEach((feature, i) => {
    const g = feature.geometry;
    if (!g || (g.type !== "Polygon" && g.type !== "MultiPolygon")) return;
    const polygons = (g.type === "Polygon" ? [g.coordinates] : g.coordinates) as [number, number][][][];
    const rings = polygons.flat().map((ring) => ring.map((q): [number, number] => [Number(q[0]), Number(q[1])]));
    if (rings.some((ring) => ring.some((q) => !Number.isFinite(q[0]) || !Number.isFinite(q[1]))))
      throw new Error("a coordinate is not a number");
    areas.push({ name: String(key ? feature.properties![key] : (feature.id ?? i + 1)), geometry: g, rings });
  });
  if (areas.length === 0) throw new Error("there is no polygon in it");
  if (areas.length > kMostAreas) throw new Error(`more than ${kMostAreas} areas`);
  return areas;
}

// Names and corners as a short text for the address, six decimals kept; null where it would be longer than
// kMostAddress.
export const kMostAddress = 12_000;

export async function packAreas(areas: Area[]): Promise<string | null> {
  const near = (v: unknown): unknown =>
    Array.isArray(v) ? v.map(near) : typeof v === "number" ? Number(v.toFixed(6)) : 0;
  const plain = areas.map((a) => [
    a.name,
    a.geometry.type === "Polygon" ? [near(a.geometry.coordinates)] : near(a.geometry.coordinates),
  ]);
  const text = textOfBytes(await gzip(new TextEncoder().encode(JSON.stringify(plain))));
  return text.length <= kMostAddress ? text : null;
}

// Throws on what packAreas did not make.
export async function unpackAreas(text: string): Promise<Area[]> {
  const plain = JSON.parse(new TextDecoder().decode(await gunzip(bytesOfText(text)))) as [string, unknown][];
  const feature = ([name, coordinates]: [string, unknown]) => ({
    type: "Feature",
    properties: { name: String(name) },
    geometry: { type: "MultiPolygon", coordinates },
  });
  return readAreas(JSON.stringify({ type: "FeatureCollection", features: plain.map(feature) }));
}

export const insideRing = (ring: [number, number][], x: number, y: number): boolean => {
  let inside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [ax, ay] = ring[i]!;
    const [bx, by] = ring[j]!;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
};

export function areaUnder(areas: Area[], x: number, y: number): Area | null {
  return areas.find((area) => area.rings.filter((ring) => insideRing(ring, x, y)).length % 2 === 1) ?? null;
}
