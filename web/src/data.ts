// What `stopover html` and `stopover serve` put into the page besides the packed release.

import { ZoneMap, type ZoneInfo } from "./zones";

export type AxisKind = "longitude" | "latitude" | "time" | "category" | "number" | "zone";

export interface Axis {
  name: string;
  kind: AxisKind;
  cells: number;
  lower: number;
  upper: number;
  labels: string[];
}

export interface Stop {
  name: string;
  axes: number[];
}

export interface Card {
  title: string;
  promise: string[];
  not_covered: string[];
}

export interface ReleaseInfo {
  name: string;
  // What its publisher says it is; each may be missing.
  description: Partial<Record<"title" | "about" | "covers" | "credit" | "licence" | "contact", string>>;
  mechanism: string;
  epsilon: string;
  spent: string;
  unit: string;
  max_trips_per_user: number;
  protects: string; // whose trips, in words
  most_epsilon: string; // what one person pays who is in every period of the release; else epsilon
  date: string;
  partitions: number; // of the release
  carried: number; // of those that the page has; fewer where small ones were joined
  answer_model: string;
  content_sha256: string;
  not_private: string; // why it protects nobody; empty where it does
  superseded: string; // when, by which and why; empty where it stands
  card: Card;
  axes: Axis[];
  stops: Stop[];
  zones: ZoneInfo | null;
  zoneMap?: ZoneMap; // where they lie; placeZones puts it there
}

// "0.5", or "0.5 a period, 6 for who is in all of them".
export const epsilonWords = ({ epsilon, most_epsilon }: Pick<ReleaseInfo, "epsilon" | "most_epsilon">): string =>
  most_epsilon === epsilon ? epsilon : `${epsilon} a period, ${most_epsilon} for who is in all of them`;

export interface Basemap {
  // Closed rings and open lines, longitude and latitude in turn, in ten-thousandths of a degree: the first pair as it
  // is, then steps.
  land: number[][];
  borders: number[][];
  places: [name: string, lon: number, lat: number][]; // the largest first; in degrees
}

export interface PageData {
  version: string;
  releases: ReleaseInfo[];
  basemap: Basemap | null;
  tiles: boolean; // the page's server has map tiles under basemap.pmtiles
}

// `numbers`: as the engine gives them.
export function placeZones(info: ReleaseInfo, numbers: Float64Array): void {
  const axis = info.axes.find((a) => a.kind === "zone");
  if (info.zones && info.zones.form !== "names" && axis) info.zoneMap = new ZoneMap(info.zones, axis.labels, numbers);
}

// A stop that can be drawn on a map: the axis across and the one up; of zones their one axis twice.
export interface MapStop {
  stop: number;
  name: string;
  x: number;
  y: number;
  geographic: boolean;
  zones: ZoneMap | null;
}

// Whether circles, boxes and shapes can be asked at it: areas that were simplified for the page would give other shares
// of the zones they cut than the release itself.
export const takesAreas = (stop: MapStop): boolean => stop.geographic && (stop.zones?.info.exact ?? true);

export function mapStops(info: ReleaseInfo): MapStop[] {
  const result: MapStop[] = [];
  info.stops.forEach((stop, number) => {
    const find = (kind: AxisKind) => stop.axes.find((a) => info.axes[a]!.kind === kind);
    const lon = find("longitude");
    const lat = find("latitude");
    if (lon !== undefined && lat !== undefined) {
      result.push({ stop: number, name: stop.name, x: lon, y: lat, geographic: true, zones: null });
      return;
    }
    const zone = find("zone");
    if (zone !== undefined && info.zoneMap) {
      result.push({ stop: number, name: stop.name, x: zone, y: zone, geographic: true, zones: info.zoneMap });
      return;
    }
    const plain = stop.axes.filter((a) => info.axes[a]!.kind === "number");
    if (plain.length >= 2)
      result.push({ stop: number, name: stop.name, x: plain[0]!, y: plain[1]!, geographic: false, zones: null });
  });
  return result;
}

// Axes that are on no map: time, category, zones that are names alone, single numbers.
export function otherAxes(info: ReleaseInfo): number[] {
  const used = new Set(mapStops(info).flatMap((m) => [m.x, m.y]));
  return info.axes.map((_, i) => i).filter((i) => !used.has(i) && info.axes[i]!.cells > 1);
}

// Cells to coordinates.
export const coordinate = (info: ReleaseInfo, axis: number, cell: number): number => {
  const a = info.axes[axis]!;
  return a.lower + ((a.upper - a.lower) * cell) / a.cells;
};
export const cellAt = (info: ReleaseInfo, axis: number, value: number): number => {
  const a = info.axes[axis]!;
  return ((value - a.lower) / (a.upper - a.lower)) * a.cells;
};

// Whether two releases have the same stops and axes, so that the cells of one are cells of the other.
export const comparable = (a: ReleaseInfo, b: ReleaseInfo): boolean => {
  const shape = (r: ReleaseInfo) =>
    JSON.stringify([r.axes.map((x) => [x.name, x.kind, x.cells, x.lower, x.upper, x.labels]), r.stops]);
  return shape(a) === shape(b);
};
