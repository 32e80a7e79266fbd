// What `stopover html` and `stopover serve` put into the page besides the packed release.

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
  mechanism: string;
  epsilon: string;
  spent: string;
  unit: string;
  max_trips_per_user: number;
  date: string;
  partitions: number;
  answer_model: string;
  content_sha256: string;
  not_private: string; // why it protects nobody; empty where it does
  card: Card;
  axes: Axis[];
  stops: Stop[];
}

export interface Basemap {
  // Closed rings and open lines, longitude and latitude in turn, in ten-thousandths of a degree: the first pair as it
  // is, then steps.
  land: number[][];
  borders: number[][];
}

export interface PageData {
  version: string;
  releases: ReleaseInfo[];
  basemap: Basemap | null;
  tiles: boolean; // the page's server has map tiles under basemap.pmtiles
}

// A stop that can be drawn on a map: the axis across and the one up.
export interface MapStop {
  stop: number;
  name: string;
  x: number;
  y: number;
  geographic: boolean;
}

export function mapStops(info: ReleaseInfo): MapStop[] {
  const result: MapStop[] = [];
  info.stops.forEach((stop, number) => {
    const find = (kind: AxisKind) => stop.axes.find((a) => info.axes[a]!.kind === kind);
    const lon = find("longitude");
    const lat = find("latitude");
    if (lon !== undefined && lat !== undefined) {
      result.push({ stop: number, name: stop.name, x: lon, y: lat, geographic: true });
      return;
    }
    const plain = stop.axes.filter((a) => info.axes[a]!.kind === "number");
    if (plain.length >= 2)
      result.push({ stop: number, name: stop.name, x: plain[0]!, y: plain[1]!, geographic: false });
  });
  return result;
}

// Axes that are on no map: time, category, zones, single numbers.
export function otherAxes(info: ReleaseInfo): number[] {
  const used = new Set(mapStops(info).flatMap((m) => [m.x, m.y]));
  return info.axes.map((_, i) => i).filter((i) => !used.has(i) && info.axes[i]!.cells > 1);
}
