// Where at a stop: the shapes a person draws, and their text in the address bar and on the command line.
import type { Area } from "./areas";
import type { ZoneMap } from "./zones";

export type Region =
  | { kind: "circle"; lat: number; lon: number; km: number }
  | { kind: "bbox"; west: number; south: number; east: number; north: number }
  | { kind: "polygon"; points: [number, number][] } // lng, lat; open ring
  | { kind: "zone"; name: string; from: number; to: number; map: ZoneMap } // of the release: one, or a group
  | { kind: "area"; area: Area } // of a file that was dropped; in the address only with the areas themselves
  | { kind: "union"; parts: Exclude<Region, { kind: "union" }>[] }; // in one of them; two at least
type Single = Exclude<Region, { kind: "union" }>;

const short = (value: number) => String(Number(value.toFixed(6)));
// Edges of cells must stay edges of cells.
const exact = (value: number) => String(Number(value.toPrecision(12)));

// "circle:LAT,LNG,KM", "bbox:W,S,E,N", "polygon:LNG LAT,LNG LAT,...", "zone:NAME", as the command line and the engine read them
// (src/question/region_text.h), joined by | where one of them is meant; "area:NAME" is the page's own.
export function regionText(region: Region): string {
  switch (region.kind) {
    case "circle":
      return `circle:${short(region.lat)},${short(region.lon)},${short(region.km)}`;
    case "bbox":
      return `bbox:${[region.west, region.south, region.east, region.north].map(exact).join(",")}`;
    case "polygon":
      return `polygon:${region.points.map(([x, y]) => `${short(x)} ${short(y)}`).join(",")}`;
    case "zone":
      return `zone:${region.name}`;
    case "area":
      return `area:${region.area.name}`;
    case "union":
      return region.parts.map(regionText).join("|");
  }
}

// `zones`: of the stop, where it has some. A name may hold a |: it joins only where a region follows.
export function parseRegion(text: string, areas: Area[] = [], zones: ZoneMap | null = null): Region | null {
  const parts = text.split(/ *\| *(?=(?:circle|bbox|polygon|zone|area):)/).map((part) => parseOne(part, areas, zones));
  return parts.every((part) => part !== null) ? together(parts) : null;
}

// In one of them; each once.
export function together(regions: Region[]): Region | null {
  const parts = new Map<string, Single>();
  for (const region of regions) for (const part of partsOf(region)) parts.set(regionText(part), part);
  const list = [...parts.values()];
  return list.length > 1 ? { kind: "union", parts: list } : (list[0] ?? null);
}

export const partsOf = (region: Region | null): Single[] =>
  region === null ? [] : region.kind === "union" ? region.parts : [region];

// With a part more, or without it where it has that.
export function toggled(region: Region | null, part: Region): Region | null {
  const text = regionText(part);
  const rest = partsOf(region).filter((r) => regionText(r) !== text);
  return together(rest.length < partsOf(region).length ? rest : [...rest, part]);
}

function parseOne(text: string, areas: Area[], zones: ZoneMap | null): Single | null {
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const rest = text.slice(colon + 1);
  if (kind === "area") {
    const area = areas.find((a) => a.name === rest);
    return area ? { kind, area } : null;
  }
  if (kind === "zone") {
    const found = zones?.find(rest);
    return zones && found ? { kind, name: found.name, from: found.from, to: found.to, map: zones } : null;
  }
  if (kind === "polygon") {
    const points = rest.split(",").map((p) => p.trim().split(/[ +]+/).map(Number));
    if (points.length < 3 || points.some((p) => p.length !== 2 || !p.every(Number.isFinite))) return null;
    return { kind, points: points.map((p) => [p[0]!, p[1]!]) };
  }
  const n = rest.split(",").map(Number);
  if (!n.every(Number.isFinite)) return null;
  if (kind === "circle" && n.length === 3 && n[2]! > 0) return { kind, lat: n[0]!, lon: n[1]!, km: n[2]! };
  if (kind === "bbox" && n.length === 4 && n[0]! < n[2]! && n[1]! < n[3]!) {
    return { kind, west: n[0]!, south: n[1]!, east: n[2]!, north: n[3]! };
  }
  return null;
}

// What shapes keep when they pass through the address bar: six decimals, a tenth of a metre; boxes twelve digits.
export function settled(region: Region): Region {
  return region.kind === "area" || region.kind === "zone" || region.kind === "union"
    ? region
    : parseRegion(regionText(region))!;
}

export function regionWords(region: Region, geographic: boolean): string {
  switch (region.kind) {
    case "circle":
      return `a circle of ${Number(region.km.toPrecision(3))} km`;
    case "bbox":
      return geographic ? "a box" : `a box of cells`;
    case "polygon":
      return `a shape of ${region.points.length} corners`;
    case "zone":
      return region.to - region.from > 1 ? `${region.name} (${region.to - region.from} zones)` : region.name;
    case "area":
      return region.area.name;
    case "union":
      return region.parts.length === 2
        ? region.parts.map((part) => regionWords(part, geographic)).join(" or ")
        : `one of ${region.parts.length} places`;
  }
}

// The same with where it is, for whoever cannot see the map: on paper, in files.
export function regionPlace(region: Region, geographic: boolean): string {
  const near = (v: number) => String(Number(v.toFixed(4))).replace("-", "−");
  const words = regionWords(region, geographic);
  switch (region.kind) {
    case "circle":
      return `${words} around ${near(region.lat)}, ${near(region.lon)}`;
    case "bbox":
      return `${words} from ${near(region.south)}, ${near(region.west)} to ${near(region.north)}, ${near(region.east)}`;
    case "polygon": {
      const [x, y] = middle(region.points);
      return `${words} around ${near(y)}, ${near(x)}`;
    }
    case "zone":
    case "area":
      return words;
    case "union":
      return region.parts.map((part) => regionPlace(part, geographic)).join(" or ");
  }
}

export const middle = (points: [number, number][]): [number, number] => [
  points.reduce((sum, p) => sum + p[0], 0) / points.length,
  points.reduce((sum, p) => sum + p[1], 0) / points.length,
];

const kEarthKm = 6371.0088;

// Points on a sphere at a distance from a centre.
export function circleOutline(lat: number, lon: number, km: number, steps = 96): [number, number][] {
  const rad = Math.PI / 180;
  const d = km / kEarthKm;
  const points: [number, number][] = [];
  for (let i = 0; i < steps; i++) {
    const bearing = (2 * Math.PI * i) / steps;
    const φ = Math.asin(Math.sin(lat * rad) * Math.cos(d) + Math.cos(lat * rad) * Math.sin(d) * Math.cos(bearing));
    const λ = Math.atan2(
      Math.sin(bearing) * Math.sin(d) * Math.cos(lat * rad),
      Math.cos(d) - Math.sin(lat * rad) * Math.sin(φ),
    );
    points.push([lon + λ / rad, φ / rad]);
  }
  return points;
}

export function distanceKm(a: [number, number], b: [number, number]): number {
  const rad = Math.PI / 180;
  const dφ = (b[1] - a[1]) * rad;
  const dλ = (b[0] - a[0]) * rad;
  const h = Math.sin(dφ / 2) ** 2 + Math.cos(a[1] * rad) * Math.cos(b[1] * rad) * Math.sin(dλ / 2) ** 2;
  return 2 * kEarthKm * Math.asin(Math.min(1, Math.sqrt(h)));
}

// Lines around it: rings, but of a group of zones lines that need not close.
export const outlines = (region: Region): [number, number][][] =>
  region.kind === "area"
    ? region.area.rings
    : region.kind === "zone"
      ? region.map.border(region.from, region.to)
      : region.kind === "union"
        ? region.parts.flatMap(outlines)
        : [outline(region)];

// One ring around it; of zones their places, of several regions all corners.
export function outline(region: Region): [number, number][] {
  if (region.kind === "union") return region.parts.flatMap(outline);
  if (region.kind === "zone") return region.map.places.slice(region.from, region.to);
  if (region.kind === "area") return region.area.rings[0]!;
  if (region.kind === "circle") return circleOutline(region.lat, region.lon, region.km);
  if (region.kind === "polygon") return region.points;
  const { west: w, south: s, east: e, north: n } = region;
  return [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
  ];
}
