// What a person has chosen to see. All of it is in the address bar, so that a link shows the same.
import type { Area } from "./areas";
import { takesAreas, type MapStop, type ReleaseInfo } from "./data";
import { parseRegion, regionText, type Region } from "./region";

export interface View {
  release: number;
  stop: number; // which of the map stops is on the large map
  regions: (Region | null)[]; // one per map stop
  filters: Record<number, [number, number]>; // cells of axes that are on no map, half-open
  zones: number; // squares along a side of the chessboard
  flows: boolean;
  hide: boolean; // cells that are not distinguishable from zero
  shade: "density" | "doubt";
  base: boolean; // map tiles under the cells, where the page has some
  areas: string; // zones that were dropped, packed (areas.ts); "" for none, or too many
}

export const startView = (stops: MapStop[]): View => ({
  release: 0,
  stop: 0,
  regions: stops.map(() => null),
  filters: {},
  zones: 8,
  flows: stops.length > 1,
  hide: true,
  shade: "density",
  base: true,
  areas: "",
});

// Whether a region can be asked at a stop.
export const allowed = (stop: MapStop, region: Region): boolean =>
  region.kind === "zone" || (stop.geographic ? takesAreas(stop) : region.kind === "bbox");

export function writeView(view: View, info: ReleaseInfo, stops: MapStop[]): string {
  const start = startView(stops);
  const parts: string[] = [];
  const put = (key: string, value: string) =>
    parts.push(`${encodeURIComponent(key)}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%3A/g, ":")}`);
  if (view.release !== start.release) put("release", String(view.release));
  if (view.stop !== start.stop) put("stop", stops[view.stop]?.name ?? "");
  view.regions.forEach(
    (region, i) => region && (region.kind !== "area" || view.areas) && put(`at.${stops[i]!.name}`, regionText(region)),
  );
  for (const [axis, [lo, hi]] of Object.entries(view.filters))
    put(`in.${info.axes[Number(axis)]!.name}`, `${lo}-${hi}`);
  if (view.zones !== start.zones) put("zones", String(view.zones));
  if (view.flows !== start.flows) put("flows", view.flows ? "1" : "0");
  if (view.hide !== start.hide) put("hide", view.hide ? "1" : "0");
  if (view.shade !== start.shade) put("shade", view.shade);
  if (view.base !== start.base) put("base", view.base ? "1" : "0");
  if (view.areas) put("areas", view.areas);
  return parts.join("&");
}

// Whatever stands in the address bar: what makes no sense is left out. `areas`: the zones of the page, once they are
// unpacked.
export function readView(
  hash: string,
  infos: ReleaseInfo[],
  stopsOf: (info: ReleaseInfo) => MapStop[],
  areas: Area[] = [],
): View {
  const values = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    try {
      values.set(decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1)));
    } catch {
      continue;
    }
  }
  const release = Number(values.get("release") ?? 0);
  const info = infos[release] ?? infos[0]!;
  const stops = stopsOf(info);
  const view = startView(stops);
  view.release = infos[release] ? release : 0;
  const stop = stops.findIndex((s) => s.name === values.get("stop"));
  if (stop >= 0) view.stop = stop;
  stops.forEach((s, i) => {
    const text = values.get(`at.${s.name}`);
    const region = text ? parseRegion(text, areas, s.zones) : null;
    if (region && allowed(s, region)) view.regions[i] = region;
  });
  info.axes.forEach((axis, i) => {
    const range = /^(\d+)-(\d+)$/.exec(values.get(`in.${axis.name}`) ?? "");
    const [lo, hi] = range ? [Number(range[1]), Number(range[2])] : [0, 0];
    if (lo < hi && hi <= axis.cells) view.filters[i] = [lo, hi];
  });
  const zones = Number(values.get("zones"));
  if ([4, 8, 16].includes(zones)) view.zones = zones;
  if (values.has("flows")) view.flows = values.get("flows") === "1";
  if (values.has("hide")) view.hide = values.get("hide") === "1";
  if (values.get("shade") === "doubt") view.shade = "doubt";
  if (values.has("base")) view.base = values.get("base") !== "0";
  if (/^[\w-]+$/.test(values.get("areas") ?? "")) view.areas = values.get("areas")!;
  return view;
}
