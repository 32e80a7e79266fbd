// What colour a cell or zone has, by its trips, by how sure they are, or by how two releases differ.
import type { CellMap } from "./cell_map";
import { coordinate, type MapStop, type ReleaseInfo } from "./data";
import { distinct } from "./model";
import { grouped } from "./number";
import { along, type Palette } from "./palette";
import type { Plane } from "./plane";

export interface Shade {
  color(i: number): string | null; // null: not shown
  opacity(i: number): number; // near-empty cells let the ground through
  ticks: { t: number; words: string }[];
  ramp: [number, number, number][];
  unit: string;
  most: number; // trips of the fullest cell: circles of points are as large as their part of it
  fades: boolean; // near-empty cells are see-through
  sizes: boolean; // circles whose area is the trips; the colours say nothing
  hidden: number; // cells
  hiddenTrips: number;
}

export function shadeOf(
  map: CellMap,
  info: ReleaseInfo,
  stop: MapStop,
  plane: Plane,
  palette: Palette,
  doubt: boolean,
  hide: boolean,
  calibrated: boolean,
  beside: CellMap[] = [], // maps of the same cells that are on one scale with it
): Shade {
  const n = map.estimate.length;
  const density = new Float64Array(n);
  const points = stop.zones?.points ?? false;
  const out = (i: number) => map.intervals !== null && !distinct(map.intervals.noiseLower[i]!);
  let hidden = 0;
  let hiddenTrips = 0;
  const shown: number[] = [];
  for (let i = 0; i < n; i++) {
    density[i] = map.estimate[i]! / areaOf(map, info, stop, plane, i);
    if (out(i)) {
      hidden++;
      hiddenTrips += map.estimate[i]!;
    } else if (map.estimate[i]! > 0) {
      shown.push(density[i]!);
    }
  }
  for (const other of beside) {
    for (let i = 0; i < n; i++) {
      if (other.estimate[i]! > 0) shown.push(other.estimate[i]! / areaOf(other, info, stop, plane, i));
    }
  }
  shown.sort((a, b) => a - b);
  const quantile = (q: number) => shown[Math.floor(q * (shown.length - 1))] ?? 1;
  // A city has few full cells and many nearly empty ones: shades follow the logarithm.
  const most = quantile(0.998);
  const least = Math.max(quantile(0.1), most / 1e5);
  const t = (v: number) => (most > least ? 0.06 + (0.94 * Math.log(v / least)) / Math.log(most / least) : 0.6);
  const total = [map, ...beside].reduce((most, one) => one.estimate.reduce((a, b) => Math.max(a, b), most), 1);
  const unit = points
    ? "trips, by the size of the circle"
    : plane.geographic
      ? "trips per km²"
      : "trips per unit of area";
  if (doubt) {
    const relative = (i: number) =>
      map.intervals ? (map.intervals.upper[i]! - map.intervals.lower[i]!) / 2 / Math.max(1, map.estimate[i]!) : 0;
    return {
      color: (i) =>
        out(i) ? (hide ? null : palette.empty) : along(palette.doubt, Math.sqrt(Math.min(1, relative(i)))),
      opacity: () => 1,
      ticks: [0, 0.1, 0.3, 1].map((v) => ({ t: Math.sqrt(v), words: v === 1 ? "≥ 100" : `${v * 100}` })),
      ramp: palette.doubt,
      unit: `${calibrated ? "likely" : "noise"}, ± % of the ${stop.zones ? "zone" : "cell"}'s trips`,
      most: total,
      fades: false,
      sizes: false,
      hidden,
      hiddenTrips,
    };
  }
  const values: number[] = [];
  for (let power = Math.ceil(Math.log10(least)); 10 ** power <= most * 1.0001; power++) values.push(10 ** power);
  return {
    color: (i) =>
      out(i) && hide
        ? null
        : out(i)
          ? palette.empty
          : map.estimate[i]! <= 0
            ? null
            : along(palette.ramp, points ? kPointShade : Math.max(0, t(density[i]!))),
    opacity: (i) => (points || out(i) ? 1 : cover(t(density[i]!))),
    ticks: (values.length > 4 ? values.filter((_, i) => i % 2 === 0) : values).map((v) => ({
      t: t(v),
      words: compact(v),
    })),
    ramp: palette.ramp,
    unit,
    most: total,
    fades: !points,
    sizes: points,
    hidden,
    hiddenTrips,
  };
}

// More trips here or more there. A cell is out where what is likely of the difference has both signs.
export function shadeOfDifference(
  map: CellMap,
  info: ReleaseInfo,
  stop: MapStop,
  plane: Plane,
  palette: Palette,
  hide: boolean,
  other: string,
): Shade {
  const n = map.estimate.length;
  const points = stop.zones?.points ?? false;
  const density = Float64Array.from(
    { length: n },
    (_, i) => map.estimate[i]! / (points ? 1 : areaOf(map, info, stop, plane, i)),
  );
  const out = (i: number) => map.intervals!.lower[i]! <= 0 && map.intervals!.upper[i]! >= 0;
  const shown = [...density.keys()].filter((i) => !out(i));
  const sizes = shown.map((i) => Math.abs(density[i]!)).sort((a, b) => a - b);
  // As elsewhere shades follow the logarithm, to both sides of as many.
  const most = sizes[Math.floor(0.99 * (sizes.length - 1))] ?? 1;
  const least = Math.max(sizes[Math.floor(0.1 * (sizes.length - 1))] ?? 1, most / 1e4);
  const far = (v: number) =>
    most > least ? Math.min(1, Math.max(0, Math.log(Math.abs(v) / least) / Math.log(most / least))) : 1;
  const t = (v: number) => (v === 0 ? 0.5 : 0.5 + 0.5 * Math.sign(v) * (0.2 + 0.8 * far(v)));
  const round = 10 ** Math.floor(Math.log10(most));
  return {
    color: (i) => (out(i) ? (hide ? null : palette.empty) : along(palette.differs, t(density[i]!))),
    opacity: (i) => (out(i) || points ? 1 : 0.4 + 0.55 * far(density[i]!)),
    ticks: [-round, 0, round].map((v) => ({
      t: t(v),
      words: v === 0 ? "0" : `${v < 0 ? "−" : "+"}${compact(Math.abs(v))}`,
    })),
    ramp: palette.differs,
    unit: `trips${points ? "" : plane.geographic ? " per km²" : " per unit of area"}, less those of ${other}`,
    most: map.estimate.reduce((a, b) => Math.max(a, Math.abs(b)), 1),
    fades: false,
    sizes: false,
    hidden: n - shown.length,
    hiddenTrips: 0,
  };
}

// Square kilometres of a cell or zone; of points 1.
function areaOf(map: CellMap, info: ReleaseInfo, stop: MapStop, plane: Plane, i: number): number {
  if (stop.zones) return stop.zones.points ? 1 : stop.zones.km2(i);
  const [x0, x1, y0, y1] = map.rects.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
  const dx = coordinate(info, stop.x, x1) - coordinate(info, stop.x, x0);
  const dy = coordinate(info, stop.y, y1) - coordinate(info, stop.y, y0);
  return plane.geographic ? dx * dy * 111.195 ** 2 * (plane.kx / plane.scale) : dx * dy;
}

export const kPointShade = 0.72; // of the ramp

// How much of the ground a cell covers, by its place on the ramp.
export const cover = (t: number): number => 0.15 + 0.77 * Math.min(1, Math.max(0, t / 0.45));

const compact = (v: number) =>
  v >= 1e6 ? `${v / 1e6}M` : v >= 1e4 ? `${v / 1e3}k` : v >= 1 ? grouped(v) : String(Number(v.toPrecision(1)));
