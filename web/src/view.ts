// What a person has chosen to see. All of it is in the address bar, so that a link shows the same.
import type { Area } from "./areas";
import { comparable, takesAreas, type MapStop, type ReleaseInfo } from "./data";
import { readInquiry } from "./inquiry";
import type { Extent } from "./plane";
import { parseRegion, partsOf, regionText, type Region } from "./region";

// How many places the view is cut into, between which flows go.
export const kPlaces = [12, 24, 48] as const;

export interface View {
  release: number;
  stop: number; // which of the map stops is on the large map
  regions: (Region | null)[]; // one per map stop
  filters: Record<number, [number, number]>; // cells of axes that are on no map, half-open
  map: Extent | "all" | null; // what is in sight; null: where nearly all trips are
  places: number; // between which flows go, of kPlaces
  flows: boolean;
  hide: boolean; // cells that are not distinguishable from zero
  shade: "density" | "doubt";
  versus: number | null; // the release whose map is taken away from this one's
  base: boolean; // map tiles under the cells, where the page has some
  ask: string; // the question of the dialog "Ask" (inquiry.ts); "" for none
  areas: string; // zones that were dropped, packed (areas.ts); "" for none, or too many
}

export const startView = (stops: MapStop[]): View => ({
  release: 0,
  stop: 0,
  regions: stops.map(() => null),
  filters: {},
  map: null,
  places: 24,
  flows: stops.length > 1,
  hide: true,
  shade: "density",
  versus: null,
  base: true,
  ask: "",
  areas: "",
});

// Whether a region can be asked at a stop.
export const allowed = (stop: MapStop, region: Region): boolean =>
  partsOf(region).every((part) =>
    stop.geographic ? part.kind === "zone" || takesAreas(stop) : region.kind === "bbox",
  );

const hasArea = (region: Region): boolean => partsOf(region).some((part) => part.kind === "area");

export function writeView(view: View, info: ReleaseInfo, stops: MapStop[]): string {
  const start = startView(stops);
  const parts: string[] = [];
  const put = (key: string, value: string) =>
    parts.push(`${encodeURIComponent(key)}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%3A/g, ":")}`);
  if (view.release !== start.release) put("release", String(view.release));
  if (view.stop !== start.stop) put("stop", stops[view.stop]?.name ?? "");
  view.regions.forEach(
    (region, i) => region && (!hasArea(region) || view.areas) && put(`at.${stops[i]!.name}`, regionText(region)),
  );
  for (const [axis, [lo, hi]] of Object.entries(view.filters))
    put(`in.${info.axes[Number(axis)]!.name}`, `${lo}-${hi}`);
  if (view.map === "all") put("map", "all");
  else if (view.map) put("map", [view.map.west, view.map.south, view.map.east, view.map.north].map(Number).join(","));
  if (view.places !== start.places) put("places", String(view.places));
  if (view.flows !== start.flows) put("flows", view.flows ? "1" : "0");
  if (view.hide !== start.hide) put("hide", view.hide ? "1" : "0");
  if (view.shade !== start.shade) put("shade", view.shade);
  if (view.versus !== null) put("versus", String(view.versus));
  if (view.base !== start.base) put("base", view.base ? "1" : "0");
  if (view.ask) put("ask", view.ask);
  if (view.areas) put("areas", view.areas);
  return parts.join("&");
}

// Whatever stands in the address bar: what makes no sense is left out, and `wrong` says it. `areas`: the zones of the
// page, once they are unpacked.
export function readView(
  hash: string,
  infos: ReleaseInfo[],
  stopsOf: (info: ReleaseInfo) => MapStop[],
  areas: Area[] = [],
  wrong: string[] = [],
): View {
  const values = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    try {
      if (at >= 0) values.set(decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1)));
      else if (part !== "" && part !== "map") wrong.push(part); // "#map" is where the keyboard skips to
    } catch {
      wrong.push(part);
    }
  }
  // What `read` makes of a value; null: nothing.
  const take = <T>(key: string, read: (text: string) => T | null): T | null => {
    const text = values.get(key);
    if (text === undefined) return null;
    values.delete(key);
    const value = read(text);
    if (value === null) wrong.push(`${key}=${text}`);
    return value;
  };
  const flag = (key: string) => take(key, (text) => (text === "1" ? true : text === "0" ? false : null));
  const release = take("release", (text) => (infos[Number(text)] ? Number(text) : null)) ?? 0;
  const info = infos[release]!;
  const stops = stopsOf(info);
  const view = startView(stops);
  view.release = release;
  view.areas = take("areas", (text) => (/^[\w-]+$/.test(text) ? text : null)) ?? "";
  view.stop =
    take("stop", (text) => {
      const stop = stops.findIndex((s) => s.name === text);
      return stop >= 0 ? stop : null;
    }) ?? 0;
  stops.forEach((s, i) => {
    const waits = view.areas !== "" && areas.length === 0 && /(^|\|)\s*area:/.test(values.get(`at.${s.name}`) ?? "");
    if (waits) values.delete(`at.${s.name}`);
    view.regions[i] = take(`at.${s.name}`, (text) => {
      const region = parseRegion(text, areas, s.zones);
      return region && allowed(s, region) ? region : null;
    });
  });
  info.axes.forEach((axis, i) => {
    const range = take(`in.${axis.name}`, (text): [number, number] | null => {
      const [lo, hi] = (/^(\d+)-(\d+)$/.exec(text) ?? []).slice(1).map(Number);
      return lo !== undefined && lo < hi! && hi! <= axis.cells ? [lo, hi!] : null;
    });
    if (range) view.filters[i] = range;
  });
  view.map = take("map", (text): Extent | "all" | null => {
    if (text === "all") return text;
    const [west, south, east, north, more] = text.split(",").map(Number);
    return west! < east! && south! < north! && more === undefined
      ? { west: west!, south: south!, east: east!, north: north! }
      : null;
  });
  view.places = take("places", (text) => kPlaces.find((n) => String(n) === text) ?? null) ?? view.places;
  view.versus = take("versus", (text) => {
    const other = infos[Number(text)];
    return other && other !== info && comparable(info, other) ? Number(text) : null;
  });
  view.flows = flag("flows") ?? view.flows;
  view.hide = flag("hide") ?? view.hide;
  view.base = flag("base") ?? view.base;
  view.ask = take("ask", (text) => (readInquiry(text, infos, release) ? text : null)) ?? "";
  view.shade = take("shade", (text) => (text === "doubt" ? text : null)) ?? view.shade;
  for (const [key, text] of values) wrong.push(`${key}=${text}`);
  return view;
}
