// The large map, layer by layer, on any surface.
import type { Basemap, MapStop, ReleaseInfo } from "./data";
import { distinct, zoneRect, type CellMap } from "./model";
import { grouped, niceStep, zoneName } from "./number";
import { along, type Palette } from "./palette";
import { Plane } from "./plane";
import type { Area } from "./areas";
import { outline, outlines, type Region } from "./region";
import type { Surface } from "./surface";
import type { ZoneMap } from "./zones";

// Cells to coordinates.
export const coordinate = (info: ReleaseInfo, axis: number, cell: number): number => {
  const a = info.axes[axis]!;
  return a.lower + ((a.upper - a.lower) * cell) / a.cells;
};
export const cellAt = (info: ReleaseInfo, axis: number, value: number): number => {
  const a = info.axes[axis]!;
  return ((value - a.lower) / (a.upper - a.lower)) * a.cells;
};

// ---- shades

export interface Shade {
  color(i: number): string | null; // null: not shown
  ticks: { t: number; words: string }[];
  ramp: [number, number, number][];
  unit: string;
  most: number; // trips of the fullest cell: circles of points are as large as their part of it
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
): Shade {
  const n = map.estimate.length;
  const density = new Float64Array(n);
  const points = stop.zones?.points ?? false;
  const area = (i: number) => {
    if (stop.zones) return points ? 1 : stop.zones.km2(i);
    const [x0, x1, y0, y1] = map.rects.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
    const dx = coordinate(info, stop.x, x1) - coordinate(info, stop.x, x0);
    const dy = coordinate(info, stop.y, y1) - coordinate(info, stop.y, y0);
    return plane.geographic ? dx * dy * 111.195 ** 2 * (plane.kx / plane.scale) : dx * dy;
  };
  const out = (i: number) => map.intervals !== null && !distinct(map.intervals.noiseLower[i]!);
  let hidden = 0;
  let hiddenTrips = 0;
  const shown: number[] = [];
  for (let i = 0; i < n; i++) {
    density[i] = map.estimate[i]! / area(i);
    if (out(i)) {
      hidden++;
      hiddenTrips += map.estimate[i]!;
    } else if (map.estimate[i]! > 0) {
      shown.push(density[i]!);
    }
  }
  shown.sort((a, b) => a - b);
  const quantile = (q: number) => shown[Math.floor(q * (shown.length - 1))] ?? 1;
  // A city has few full cells and many nearly empty ones: shades follow the logarithm.
  const most = quantile(0.998);
  const least = Math.max(quantile(0.1), most / 1e5);
  const t = (v: number) => (most > least ? 0.06 + (0.94 * Math.log(v / least)) / Math.log(most / least) : 0.6);
  const total = map.estimate.reduce((a, b) => Math.max(a, b), 1);
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
      ticks: [0, 0.1, 0.3, 1].map((v) => ({ t: Math.sqrt(v), words: v === 1 ? "≥ 100" : `${v * 100}` })),
      ramp: palette.doubt,
      unit: `${calibrated ? "likely" : "noise"}, ± % of the ${stop.zones ? "zone" : "cell"}'s trips`,
      most: total,
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
    ticks: (values.length > 4 ? values.filter((_, i) => i % 2 === 0) : values).map((v) => ({
      t: t(v),
      words: compact(v),
    })),
    ramp: palette.ramp,
    unit,
    most: total,
    sizes: points,
    hidden,
    hiddenTrips,
  };
}

export const kPointShade = 0.72; // of the ramp

const compact = (v: number) =>
  v >= 1e6 ? `${v / 1e6}M` : v >= 1e4 ? `${v / 1e3}k` : v >= 1 ? grouped(v) : String(Number(v.toPrecision(1)));

// ---- layers

// The basemap's rings and lines as one path each, in coordinates; made once.
export class Ground {
  private readonly land: number[][];
  private readonly borders: number[][];
  constructor(basemap: Basemap | null) {
    const open = (line: number[]) => {
      const points: number[] = [];
      let x = 0;
      let y = 0;
      for (let i = 0; i + 1 < line.length; i += 2) {
        x += line[i]!;
        y += line[i + 1]!;
        points.push(x / 1e4, y / 1e4);
      }
      return points;
    };
    this.land = (basemap?.land ?? []).map(open);
    this.borders = (basemap?.borders ?? []).map(open);
  }
  get there(): boolean {
    return this.land.length > 0;
  }
  paint(s: Surface, plane: Plane, palette: Palette): void {
    const d = (lines: number[][], end: string) =>
      lines
        .map((line) => {
          let text = "";
          for (let i = 0; i + 1 < line.length; i += 2) {
            text += `${i ? "L" : "M"}${plane.x(line[i]!).toFixed(1)} ${plane.y(line[i + 1]!).toFixed(1)}`;
          }
          return text + end;
        })
        .join("");
    if (this.land.length) s.path(d(this.land, "Z"), { fill: palette.land, stroke: palette.line, width: 1 });
    if (this.borders.length)
      s.path(d(this.borders, ""), { stroke: palette.soft, width: 1, dash: [4, 3], opacity: 0.6 });
  }
}

export function paintFrame(s: Surface, plane: Plane, palette: Palette, ground: Ground): void {
  const e = plane.extent;
  s.rect(0, 0, s.width, s.height, { fill: palette.paper });
  const x = plane.x(e.west);
  const y = plane.y(e.north);
  s.rect(x, y, plane.x(e.east) - x, plane.y(e.south) - y, { fill: ground.there ? palette.sea : palette.land });
  if (ground.there) s.clip(x, y, plane.x(e.east) - x, plane.y(e.south) - y, () => ground.paint(s, plane, palette));
}

// Outside of where the release is, things are fainter.
export function paintVeil(s: Surface, plane: Plane, palette: Palette): void {
  const e = plane.extent;
  const [x0, x1, y0, y1] = [plane.x(e.west), plane.x(e.east), plane.y(e.north), plane.y(e.south)].map((v) =>
    v.toFixed(1),
  );
  s.path(`M0 0H${s.width}V${s.height}H0ZM${x0} ${y0}H${x1}V${y1}H${x0}Z`, { fill: palette.paper, opacity: 0.55 });
}

// Whose map it is, on a picture that leaves the page.
// On pictures that leave the page: that the release protects nobody.
export function paintNoPrivacy(s: Surface, info: ReleaseInfo, palette: Palette): void {
  if (info.not_private)
    s.text(8, 16, `No privacy: ${info.name} was ${info.not_private}`, {
      fill: palette.accent,
      size: 12,
      align: "start",
      halo: palette.paper,
    });
}

export function paintCredit(s: Surface, words: string, palette: Palette): void {
  if (words)
    s.text(s.width - 5, s.height - 4, words, { fill: palette.soft, size: 10, align: "end", halo: palette.paper });
}

export function paintCells(
  s: Surface,
  plane: Plane,
  map: CellMap,
  info: ReleaseInfo,
  stop: MapStop,
  shade: Shade,
  edges: string | null,
  opacity = 1,
): void {
  const r = map.rects;
  for (let i = 0; i < map.estimate.length; i++) {
    const color = shade.color(i);
    if (color === null) continue;
    const x0 = Math.round(plane.x(coordinate(info, stop.x, r[4 * i]!)));
    const x1 = Math.round(plane.x(coordinate(info, stop.x, r[4 * i + 1]!)));
    const y0 = Math.round(plane.y(coordinate(info, stop.y, r[4 * i + 3]!)));
    const y1 = Math.round(plane.y(coordinate(info, stop.y, r[4 * i + 2]!)));
    if (x1 < 0 || y1 < 0 || x0 > s.width || y0 > s.height) continue;
    const w = Math.max(1, x1 - x0);
    const h = Math.max(1, y1 - y0);
    s.rect(x0, y0, w, h, { fill: color, opacity });
    if (edges && w > 5 && h > 5) s.rect(x0 + 0.5, y0 + 0.5, w, h, { stroke: edges, width: 1, opacity: 0.35 });
  }
}

// Pixels of the circle of a point with so many trips, of `most`: larger where there are few points or one is near.
export function pointRadius(zones: ZoneMap, plane: Plane, trips: number, most: number): number {
  const nearer = Math.sqrt(plane.scale / Plane.fit(plane.extent, true, plane.width, plane.height, 10).scale);
  const room = Math.sqrt((plane.width * plane.height) / zones.size);
  return nearer * Math.min(16, Math.max(5, 0.32 * room)) * Math.sqrt(Math.max(0, trips) / most);
}

const disc = (x: number, y: number, r: number) =>
  `M${f1(x - r)} ${f1(y)}a${f1(r)} ${f1(r)} 0 1 0 ${f1(2 * r)} 0a${f1(r)} ${f1(r)} 0 1 0 ${f1(-2 * r)} 0Z`;

// Areas filled by their shade, all with their outlines; or circles for points. Without a map only where they are.
export function paintZones(
  s: Surface,
  plane: Plane,
  map: CellMap | null,
  zones: ZoneMap,
  shade: Shade | null,
  palette: Palette,
  opacity = 1,
): void {
  const color = (zone: number) => (map && shade ? shade.color(zone) : null);
  if (zones.points) {
    const order = zones.names.map((_, i) => i);
    if (map) order.sort((a, b) => map.estimate[b]! - map.estimate[a]!);
    for (const zone of order) {
      const x = plane.x(zones.places[zone]![0]);
      const y = plane.y(zones.places[zone]![1]);
      const fill = color(zone);
      if (fill === null || !map) s.path(disc(x, y, 1.7), { fill: palette.soft, opacity: 0.55 });
      else {
        const r = Math.max(1.7, pointRadius(zones, plane, map.estimate[zone]!, shade!.most));
        s.path(disc(x, y, r), { fill, stroke: palette.paper, width: 1, opacity: 0.88 * opacity });
      }
    }
    return;
  }
  const stretch = plane.stretched;
  const seen = zones.names
    .map((_, i) => i)
    .filter((i) => {
      const b = zones.box(i);
      return (
        plane.x(b.east) >= 0 && plane.x(b.west) <= s.width && plane.y(b.south) >= 0 && plane.y(b.north) <= s.height
      );
    });
  for (const zone of seen) {
    const fill = color(zone);
    if (fill !== null) s.rings(zones.rings[zone]!, stretch, { fill, opacity });
  }
  // Lines are thinner the smaller zones are, so that a fine city is not drowned in them.
  const across = (plane.x(plane.extent.east) - plane.x(plane.extent.west)) / Math.sqrt(zones.size);
  const width = Math.min(1, Math.max(0.25, across / 24));
  for (const zone of seen)
    s.rings(zones.rings[zone]!, stretch, {
      stroke: color(zone) === null ? palette.soft : palette.paper,
      width,
      opacity: color(zone) === null ? 0.4 : 0.7,
    });
}

// Around one zone, under the pointer.
export function paintOutline(
  s: Surface,
  plane: Plane,
  zones: ZoneMap,
  zone: number,
  map: CellMap,
  shade: Shade | null,
  palette: Palette,
): void {
  const draw = (stroke: string, width: number) => {
    if (!zones.points) return s.rings(zones.rings[zone]!, plane.stretched, { stroke, width });
    const [x, y] = zones.places[zone]!;
    const r = Math.max(4, 2 + pointRadius(zones, plane, map.estimate[zone]!, shade?.most ?? 1));
    return s.path(disc(plane.x(x), plane.y(y), r), { stroke, width });
  };
  draw(palette.paper, 4);
  draw(palette.ink, 1.5);
}

// Names where there is room for them, those with most trips first.
export function paintZoneNames(
  s: Surface,
  plane: Plane,
  map: CellMap,
  zones: ZoneMap,
  shade: Shade,
  palette: Palette,
): void {
  const size = 11;
  const taken: [number, number, number, number][] = [];
  const order = zones.names.map((_, i) => i).sort((a, b) => map.estimate[b]! - map.estimate[a]!);
  // Of points only the busiest: any other has room for its name somewhere, and the map would be full of words.
  for (const zone of zones.points ? order.slice(0, kMostNames) : order) {
    if (taken.length === kMostNames) break;
    if (shade.color(zone) === null) continue;
    const name = zones.names[zone]!;
    const w = 0.56 * size * name.length;
    const b = zones.box(zone);
    const r = zones.points ? pointRadius(zones, plane, map.estimate[zone]!, shade.most) : 0;
    const x = plane.x(zones.places[zone]![0]) + (zones.points ? r + 4 + w / 2 : 0);
    const y = plane.y(zones.places[zone]![1]);
    if (!zones.points && plane.x(b.east) - plane.x(b.west) < w + 10) continue;
    const box: [number, number, number, number] = [x - w / 2 - 3, x + w / 2 + 3, y - size, y + size];
    if (box[0] < 0 || box[1] > s.width || box[2] < 0 || box[3] > s.height) continue;
    if (taken.some((t) => t[0] < box[1] && box[0] < t[1] && t[2] < box[3] && box[2] < t[3])) continue;
    taken.push(box);
    s.text(x, y + 0.36 * size, name, { fill: palette.ink, size, align: "middle", halo: palette.paper });
  }
}
const kMostNames = 30;

const kLabelRoom = 66; // pixels that a longitude needs

// `foot`: pixels at the bottom that are taken.
export function paintGraticule(s: Surface, plane: Plane, palette: Palette, foot: number): void {
  const e = plane.extent;
  const left = Math.max(0, plane.x(e.west));
  const right = Math.min(s.width, plane.x(e.east));
  const top = Math.max(0, plane.y(e.north));
  const bottom = Math.min(s.height, plane.y(e.south));
  const label = (v: number, positive: string, negative: string, step: number) => {
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const zero = Math.abs(v) < step / 2;
    if (!plane.geographic) return (zero ? 0 : v).toFixed(decimals);
    return `${Math.abs(v).toFixed(decimals)}°${zero ? "" : v > 0 ? positive : negative}`;
  };
  const sx = niceStep(130 / plane.kx);
  for (let v = Math.ceil(plane.lon(left) / sx) * sx; v <= plane.lon(right); v += sx) {
    const x = plane.x(v);
    s.path(`M${x.toFixed(1)} ${top}V${bottom}`, { stroke: palette.soft, width: 1, opacity: 0.16 });
    if (x > left + 24 && x < right - 24 && (sx * plane.kx > kLabelRoom || Math.round(v / sx) % 2 === 0))
      s.text(x, Math.min(s.height - foot, bottom) - 6, label(v, "E", "W", sx), {
        fill: palette.soft,
        size: 10.5,
        align: "middle",
        halo: palette.land,
      });
  }
  const sy = niceStep(110 / plane.scale);
  for (let v = Math.ceil(plane.lat(bottom) / sy) * sy; v <= plane.lat(top); v += sy) {
    const y = plane.y(v);
    s.path(`M${left} ${y.toFixed(1)}H${right}`, { stroke: palette.soft, width: 1, opacity: 0.16 });
    if (y > top + 20 && y < bottom - 24)
      s.text(right - 6, y - 4, label(v, "N", "S", sy), {
        fill: palette.soft,
        size: 10.5,
        align: "end",
        halo: palette.land,
      });
  }
  s.rect(plane.x(e.west), plane.y(e.north), plane.x(e.east) - plane.x(e.west), plane.y(e.south) - plane.y(e.north), {
    stroke: palette.line,
    width: 1,
  });
}

export function paintBoard(
  s: Surface,
  plane: Plane,
  info: ReleaseInfo,
  stop: MapStop,
  zones: number,
  palette: Palette,
): void {
  const e = plane.extent;
  const edge = (axis: number, k: number) => coordinate(info, axis, Math.floor((info.axes[axis]!.cells * k) / zones));
  let d = "";
  for (let k = 1; k < zones; k++) {
    d += `M${plane.x(edge(stop.x, k)).toFixed(1)} ${plane.y(e.south).toFixed(1)}V${plane.y(e.north).toFixed(1)}`;
    d += `M${plane.x(e.west).toFixed(1)} ${plane.y(edge(stop.y, k)).toFixed(1)}H${plane.x(e.east).toFixed(1)}`;
  }
  s.path(d, { stroke: palette.ink, width: 1, opacity: 0.13, dash: [2, 4] });
  const top = Math.max(14, plane.y(e.north) + 14);
  const left = Math.max(6, plane.x(e.west) + 6);
  for (let k = 0; k < zones; k++) {
    const x = plane.x((edge(stop.x, k) + edge(stop.x, k + 1)) / 2);
    const y = plane.y((edge(stop.y, k) + edge(stop.y, k + 1)) / 2);
    const ink = { fill: palette.soft, size: 11, weight: 600, halo: palette.land };
    if (x > left + 16) s.text(x, top, String.fromCharCode(65 + k), { ...ink, align: "middle" });
    if (y > top + 10) s.text(left, y + 4, String(k + 1), ink);
  }
}

export interface Chain {
  points: [number, number][]; // coordinates, one per stop
  estimate: number;
}

const f1 = (v: number) => v.toFixed(1);

// A leg as a ribbon that bends to the left of its way and ends in a head.
function ribbon(ax: number, ay: number, bx: number, by: number, width: number): string | null {
  const length = Math.hypot(bx - ax, by - ay);
  if (length < 4) return null;
  const ux = (bx - ax) / length;
  const uy = (by - ay) / length;
  const bend = Math.min(60, 0.18 * length);
  const mx = (ax + bx) / 2 + uy * bend;
  const my = (ay + by) / 2 - ux * bend;
  const head = Math.min(0.4 * length, 5 + 1.6 * width);
  // The direction of arrival.
  const dl = Math.hypot(bx - mx, by - my);
  const dx = (bx - mx) / dl;
  const dy = (by - my) / dl;
  const hx = bx - dx * head;
  const hy = by - dy * head;
  const a = 0.28 * width;
  const b = 0.5 * width;
  const w = b + 2 + 0.45 * width;
  return (
    `M${f1(ax - uy * a)} ${f1(ay + ux * a)}Q${f1(mx - uy * 0.8 * b)} ${f1(my + ux * 0.8 * b)} ${f1(hx - dy * b)} ${f1(hy + dx * b)}` +
    `L${f1(hx - dy * w)} ${f1(hy + dx * w)}L${f1(bx)} ${f1(by)}L${f1(hx + dy * w)} ${f1(hy - dx * w)}L${f1(hx + dy * b)} ${f1(hy - dx * b)}` +
    `Q${f1(mx + uy * 0.8 * b)} ${f1(my - ux * 0.8 * b)} ${f1(ax + uy * a)} ${f1(ay - ux * a)}Z`
  );
}

export function paintChains(s: Surface, plane: Plane, chains: Chain[], palette: Palette, chosen: number | null): void {
  const most = Math.max(1, ...chains.map((c) => c.estimate));
  const order = chains.map((_, i) => i).filter((i) => i !== chosen);
  if (chosen !== null && chains[chosen]) order.push(chosen);
  for (const i of order) {
    const chain = chains[i]!;
    const wide = 1.5 + 9 * Math.sqrt(chain.estimate / most);
    const faded = chosen !== null && chosen !== i ? 0.16 : 0.9;
    const at = chain.points.map(([x, y]) => [plane.x(x), plane.y(y)] as const);
    for (let leg = 0; leg + 1 < at.length; leg++) {
      const length = Math.hypot(at[leg + 1]![0] - at[leg]![0], at[leg + 1]![1] - at[leg]![1]);
      const width = Math.min(wide, Math.max(1.5, length / 6)); // a short way is no blot
      const d = ribbon(at[leg]![0], at[leg]![1], at[leg + 1]![0], at[leg + 1]![1], width);
      if (!d) continue;
      s.path(d, { stroke: palette.paper, width: 2.5, opacity: faded });
      s.path(d, { fill: palette.legs[leg % palette.legs.length]!, opacity: faded });
    }
    const [x, y] = at[0]!;
    const r = 3 + 0.25 * Math.min(wide, Math.hypot(at[1]![0] - x, at[1]![1] - y) / 6);
    s.path(`M${f1(x - r)} ${f1(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`, {
      fill: palette.paper,
      stroke: palette.legs[0]!,
      width: 2,
      opacity: faded,
    });
  }
}

// Of zones that are points: circles of some pixels around them.
export function regionPath(plane: Plane, region: Region, radius = 7): string {
  if (region.kind !== "zone") return ringPath(plane, outlines(region));
  if (!region.map.points) return linePath(plane, outlines(region));
  return outline(region)
    .map(([x, y]) => disc(plane.x(x), plane.y(y), region.to - region.from > 1 ? 0.7 * radius : radius))
    .join("");
}

function linePath(plane: Plane, lines: [number, number][][]): string {
  return lines
    .map((line) => line.map(([x, y], i) => `${i ? "L" : "M"}${f1(plane.x(x))} ${f1(plane.y(y))}`).join(""))
    .join("");
}

const ringPath = (plane: Plane, rings: [number, number][][]): string =>
  rings.map((ring) => linePath(plane, [ring]) + "Z").join("");

export function paintAreas(s: Surface, plane: Plane, areas: Area[], palette: Palette): void {
  s.path(areas.map((area) => ringPath(plane, area.rings)).join(""), { stroke: palette.ink, width: 1, opacity: 0.55 });
}

export function paintRegion(
  s: Surface,
  plane: Plane,
  region: Region,
  palette: Palette,
  here: boolean,
  mark: string,
): void {
  const d = regionPath(plane, region);
  if (here) s.path(d, { stroke: palette.paper, width: 5, opacity: 0.9 });
  s.path(
    d,
    here
      ? { stroke: palette.accent, width: 2.5, fill: undefined }
      : { stroke: palette.ink, width: 1.5, dash: [5, 5], opacity: 0.75 },
  );
  const lines = region.kind === "zone" ? outlines(region).flat() : [];
  const points = lines.length ? lines : outline(region);
  const top = points.reduce((a, b) => (b[1] > a[1] ? b : a));
  const x = points.reduce((sum, p) => sum + p[0], 0) / points.length;
  s.text(plane.x(x), plane.y(top[1]) - 7, mark, {
    fill: here ? palette.accent : palette.ink,
    size: 12,
    weight: 650,
    align: "middle",
    halo: palette.paper,
  });
}

export function paintScale(s: Surface, plane: Plane, palette: Palette, foot: number): void {
  if (!plane.geographic) return;
  const km = niceStep(plane.kmPerPixel() * 120);
  const w = km / plane.kmPerPixel();
  const x = Math.min(s.width, plane.x(plane.extent.east)) - w - 62;
  const y = Math.min(s.height - foot, plane.y(plane.extent.south)) - 32;
  s.path(`M${x} ${y - 4}V${y}H${f1(x + w)}V${y - 4}`, { stroke: palette.paper, width: 4 });
  s.path(`M${x} ${y - 4}V${y}H${f1(x + w)}V${y - 4}`, { stroke: palette.ink, width: 1.5 });
  s.text(x + w / 2, y - 6, km >= 1 ? `${km} km` : `${km * 1000} m`, {
    fill: palette.ink,
    size: 11,
    align: "middle",
    halo: palette.paper,
  });
}

// The middle of a zone of the board, or the place of the stop's own, in coordinates.
export function zoneCentre(info: ReleaseInfo, stop: MapStop, zone: number, zones: number): [number, number] {
  if (stop.zones) return stop.zones.places[zone]!;
  const [x0, x1, y0, y1] = zoneRect(info, stop, zone, zones);
  return [coordinate(info, stop.x, (x0 + x1) / 2), coordinate(info, stop.y, (y0 + y1) / 2)];
}

export { zoneName };
