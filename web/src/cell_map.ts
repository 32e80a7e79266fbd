// Cells of a stop's map with their answers, and the difference between two such maps.
import { cellAt, type MapStop, type ReleaseInfo } from "./data";
import { intervalColumns, intervalsAt, kIntervalColumns, type IntervalColumns, type Intervals } from "./engine";
import type { Extent } from "./plane";

export interface CellMap {
  own: boolean;
  rects: Float64Array; // x.lo, x.hi, y.lo, y.hi in cells
  estimate: Float64Array;
  intervals: IntervalColumns | null; // null while they are not known yet
}

// A rectangle in cells of a stop's map.
export const rectOf = (info: ReleaseInfo, stop: MapStop, r: Extent): [number, number, number, number] => {
  const cell = (axis: number, v: number) => {
    const at = cellAt(info, axis, v);
    const near = Math.round(at);
    return Math.min(info.axes[axis]!.cells, Math.max(0, Math.abs(at - near) < 1e-6 ? near : at));
  };
  return [cell(stop.x, r.west), cell(stop.x, r.east), cell(stop.y, r.south), cell(stop.y, r.north)];
};

// Every cell of one axis, as a rectangle of that axis twice.
export const everyCell = (cells: number): Float64Array =>
  Float64Array.from({ length: 4 * cells }, (_, i) => Math.floor(i / 4) + (i % 2));

// One map less another of the same cells. Noise of two releases is drawn apart: what each leaves open is joined by the
// root of the sum of squares.
export function less(a: CellMap, b: CellMap): CellMap {
  const n = a.estimate.length;
  const estimate = a.estimate.map((v, i) => v - b.estimate[i]!);
  const intervals = intervalColumns(n);
  for (let i = 0; i < n; i++) {
    const d = differenceOf(
      { estimate: a.estimate[i]!, ...intervalsAt(a.intervals!, i) },
      { estimate: b.estimate[i]!, ...intervalsAt(b.intervals!, i) },
    );
    for (const column of kIntervalColumns) intervals[column][i] = d[column];
  }
  return { own: a.own, rects: a.rects, estimate, intervals };
}

type Estimated = Intervals & { estimate: number };
export function differenceOf(a: Estimated, b: Estimated): Estimated {
  const reach = (x: number, y: number) => Math.hypot(Math.max(0, x), Math.max(0, y));
  // Noise's intervals are about counts that the estimate may have left: about their own middles.
  const [am, bm] = [(a.noiseLower + a.noiseUpper) / 2, (b.noiseLower + b.noiseUpper) / 2];
  const noise = reach(a.noiseUpper - am, b.noiseUpper - bm);
  const estimate = a.estimate - b.estimate;
  return {
    estimate,
    noiseLower: am - bm - noise,
    noiseUpper: am - bm + noise,
    lower: estimate - reach(a.estimate - a.lower, b.upper - b.estimate),
    upper: estimate + reach(a.upper - a.estimate, b.estimate - b.lower),
  };
}
