// The places between which flows go and by which lists are kept: areas that a person dropped, or clusters, made anew
// for what is in sight, as flow maps do when one comes nearer.
//
// A raster of the trips of all stops in sight is halved again and again where the trips are, at their median, across
// the longer side; no cluster is narrower than a part of the view, so that an eye can tell its flows from the
// neighbour's.
import { insideRing, type Area } from "./areas";
import { letters } from "./number";
import type { Extent } from "./plane";

export interface Place {
  name: string;
  centre: [number, number]; // of its trips, in coordinates
  rect: Extent | null; // of a cluster
  area: Area | null;
}

// Trips in rows of equal cells from the south-west, all stops together.
export interface Raster {
  xs: number[]; // edges, in coordinates
  ys: number[];
  trips: Float64Array; // row by row
  reach: Extent | null; // where the outermost clusters end, if further out
}

export const kRaster = 32; // cells along a side
const kNarrowest = 3; // cells of the raster that a cluster has along a side

interface Part {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  trips: number;
}

// `stretch`: how much shorter a step across is than one up.
export function clusters(raster: Raster, most: number, stretch: number): Place[] {
  const { xs, ys } = raster;
  const part = (x0: number, x1: number, y0: number, y1: number): Part => ({
    x0,
    x1,
    y0,
    y1,
    trips: columns(raster, x0, x1, y0, y1).reduce((a, b) => a + b, 0),
  });
  const parts = [part(0, xs.length - 1, 0, ys.length - 1)];
  const done: Part[] = [];
  while (parts.length > 0 && parts.length + done.length < most) {
    parts.sort((a, b) => a.trips - b.trips);
    const p = parts.pop()!;
    const wide = (xs[p.x1]! - xs[p.x0]!) * stretch;
    const high = ys[p.y1]! - ys[p.y0]!;
    const across = splittable(p.x1 - p.x0) && (wide >= high || !splittable(p.y1 - p.y0));
    if (p.trips <= 0 || (!across && !splittable(p.y1 - p.y0))) {
      done.push(p);
      continue;
    }
    const at = across
      ? median(columns(raster, p.x0, p.x1, p.y0, p.y1), p.x0)
      : median(rows(raster, p.x0, p.x1, p.y0, p.y1), p.y0);
    parts.push(across ? part(p.x0, at, p.y0, p.y1) : part(p.x0, p.x1, p.y0, at));
    parts.push(across ? part(at, p.x1, p.y0, p.y1) : part(p.x0, p.x1, at, p.y1));
  }
  return [...done, ...parts]
    .sort((a, b) => b.trips - a.trips)
    .map((p, i) => {
      const seen = { west: xs[p.x0]!, east: xs[p.x1]!, south: ys[p.y0]!, north: ys[p.y1]! };
      const all = raster.reach;
      const rect = {
        west: all && p.x0 === 0 ? all.west : seen.west,
        east: all && p.x1 === xs.length - 1 ? all.east : seen.east,
        south: all && p.y0 === 0 ? all.south : seen.south,
        north: all && p.y1 === ys.length - 1 ? all.north : seen.north,
      };
      const centre = centreOf(raster, (x, y) => x > seen.west && x < seen.east && y > seen.south && y < seen.north);
      return {
        name: letters(i),
        centre: centre ?? [(seen.west + seen.east) / 2, (seen.south + seen.north) / 2],
        rect,
        area: null,
      };
    });
}

const splittable = (cells: number) => cells >= 2 * kNarrowest;

// Trips of every column from x0, and of every row from y0.
function columns({ xs, trips }: Raster, x0: number, x1: number, y0: number, y1: number): number[] {
  const sums = Array.from({ length: x1 - x0 }, () => 0);
  for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) sums[x - x0]! += trips[y * (xs.length - 1) + x]!;
  return sums;
}
function rows({ xs, trips }: Raster, x0: number, x1: number, y0: number, y1: number): number[] {
  const sums = Array.from({ length: y1 - y0 }, () => 0);
  for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) sums[y - y0]! += trips[y * (xs.length - 1) + x]!;
  return sums;
}
function median(sums: number[], from: number): number {
  const half = sums.reduce((a, b) => a + b, 0) / 2;
  let at = 0;
  for (let sum = 0; at < sums.length && sum + sums[at]! / 2 < half; at++) sum += sums[at]!;
  return from + Math.min(sums.length - kNarrowest, Math.max(kNarrowest, at));
}

// The middle of the trips of those cells whose own middle is inside; null where there are none.
export function centreOf(
  { xs, ys, trips }: Raster,
  inside: (x: number, y: number) => boolean,
): [number, number] | null {
  let [sum, sx, sy] = [0, 0, 0];
  for (let j = 0; j + 1 < ys.length; j++)
    for (let i = 0; i + 1 < xs.length; i++) {
      const w = Math.max(0, trips[j * (xs.length - 1) + i]!);
      const x = (xs[i]! + xs[i + 1]!) / 2;
      const y = (ys[j]! + ys[j + 1]!) / 2;
      if (w === 0 || !inside(x, y)) continue;
      sum += w;
      sx += w * x;
      sy += w * y;
    }
  return sum > 0 ? [sx / sum, sy / sum] : null;
}

export const insideRings = (rings: [number, number][][], x: number, y: number): boolean =>
  rings.filter((ring) => insideRing(ring, x, y)).length % 2 === 1;

export function areaPlaces(areas: Area[], raster: Raster | null): Place[] {
  return areas.map((area) => ({
    name: area.name,
    centre: (raster && centreOf(raster, (x, y) => insideRings(area.rings, x, y))) ?? middleOf(area.rings[0]!),
    rect: null,
    area,
  }));
}

// The centre of gravity of a ring.
function middleOf(ring: [number, number][]): [number, number] {
  let [twice, x, y] = [0, 0, 0];
  const [ox, oy] = ring[0]!;
  ring.forEach(([ax, ay], i) => {
    const [bx, by] = ring[(i + 1) % ring.length]!;
    const cross = (ax - ox) * (by - oy) - (bx - ox) * (ay - oy);
    twice += cross;
    x += (ax - ox + bx - ox) * cross;
    y += (ay - oy + by - oy) * cross;
  });
  return twice === 0 ? [ox, oy] : [ox + x / (3 * twice), oy + y / (3 * twice)];
}

const kOutside = 0.01; // of the trips, that may lie outside of the opening box

// Of strips from west to east and from south to north, with their trips, those that are left when the outermost are
// taken away, the emptiest first, while they hold 1 % of the trips together at most. Half-open.
export function busyStrips(across: ArrayLike<number>, up: ArrayLike<number>): [number, number, number, number] {
  const total = Array.from(across).reduce((a, b) => a + Math.max(0, b), 0);
  let [x0, x1, y0, y1] = [0, across.length, 0, up.length];
  for (let rest = kOutside * total; ;) {
    const ends = [across[x0]!, across[x1 - 1]!, up[y0]!, up[y1 - 1]!].map((v) => Math.max(0, v));
    const least = ends.indexOf(Math.min(...ends));
    if (ends[least]! > rest || x1 - x0 < 2 || y1 - y0 < 2) return [x0, x1, y0, y1];
    rest -= ends[least]!;
    if (least === 0) x0++;
    else if (least === 1) x1--;
    else if (least === 2) y0++;
    else y1--;
  }
}

// Around boxes, with a margin; `all` where that is nearly everything.
export function opened(boxes: Extent[], all: Extent): Extent {
  if (boxes.length === 0) return all;
  const [west, east] = [Math.min(...boxes.map((b) => b.west)), Math.max(...boxes.map((b) => b.east))];
  const [south, north] = [Math.min(...boxes.map((b) => b.south)), Math.max(...boxes.map((b) => b.north))];
  const mx = 0.04 * (east - west);
  const my = 0.04 * (north - south);
  const wider = {
    west: Math.max(all.west, west - mx),
    east: Math.min(all.east, east + mx),
    south: Math.max(all.south, south - my),
    north: Math.min(all.north, north + my),
  };
  const most = Math.max(
    (wider.east - wider.west) / (all.east - all.west),
    (wider.north - wider.south) / (all.north - all.south),
  );
  return most > 0.8 || !(most > 0) ? all : wider;
}
