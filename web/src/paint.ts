// The large map, layer by layer, on any surface.
import { coordinate, type Basemap, type MapStop, type ReleaseInfo } from "./data";
import type { CellMap } from "./model";
import { grouped, niceStep } from "./number";
import type { Place } from "./places";
import type { Palette } from "./palette";
import { Plane } from "./plane";
import type { Area } from "./areas";
import { outline, outlines, type Region } from "./region";
import type { Shade } from "./shade";
import type { Surface } from "./surface";
import type { ZoneMap } from "./zones";

// The basemap's rings and lines as one path each, in coordinates; made once.
export class Ground {
  private readonly land: number[][];
  private readonly borders: number[][];
  private readonly towns: [string, number, number][];
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
    this.towns = basemap?.places ?? [];
  }
  get there(): boolean {
    return this.land.length > 0;
  }
  // Under the cells.
  paint(s: Surface, plane: Plane, palette: Palette): void {
    if (this.land.length) s.path(this.path(plane, this.land, "Z"), { fill: palette.land });
  }
  // Over them, or nobody would know the city: coasts, borders.
  lines(s: Surface, plane: Plane, palette: Palette): void {
    if (this.land.length) {
      const coast = this.path(plane, this.land, "Z");
      s.path(coast, { stroke: palette.paper, width: 3, opacity: 0.7 });
      s.path(coast, { stroke: palette.coast, width: 1.2 });
    }
    if (this.borders.length)
      s.path(this.path(plane, this.borders, ""), { stroke: palette.soft, width: 1.2, dash: [6, 3, 1.5, 3] });
  }
  // Names of towns, the largest first, where there is room, which they take. To be painted later, over the rest.
  names(s: Surface, plane: Plane, palette: Palette, taken: Room[]): () => void {
    const e = plane.extent;
    const list: (() => void)[] = [];
    for (const [name, lon, lat] of this.towns) {
      if (lon < e.west || lon > e.east || lat < e.south || lat > e.north || list.length === kMostTowns) continue;
      const size = list.length === 0 ? 15 : 12.5;
      const [x, y] = [plane.x(lon), plane.y(lat)];
      const half = 0.29 * size * name.length + 4;
      const box = (cx: number, top: number): Room => [cx - half, cx + half, top, top + size + 4];
      const rooms = [
        box(x, y - size - 8),
        box(x, y + 4),
        box(x + half + 4, y - size / 2),
        box(x - half - 4, y - size / 2),
      ];
      const room = rooms.find(
        (r) => r[0] > 2 && r[1] < s.width - 2 && r[2] > 4 && r[3] < s.height - 30 && fits(r, taken),
      );
      if (!room) continue;
      taken.push(room);
      list.push(() => {
        s.path(disc(x, y, 2.2), { fill: palette.ink, stroke: palette.paper, width: 1.5 });
        s.text((room[0] + room[1]) / 2, room[3] - 4, name, {
          fill: palette.ink,
          size,
          weight: 640,
          align: "middle",
          halo: palette.paper,
        });
      });
    }
    return () => list.forEach((paint) => paint());
  }
  private path(plane: Plane, lines: number[][], end: string): string {
    return lines
      .map((line) => {
        let text = "";
        for (let i = 0; i + 1 < line.length; i += 2) {
          text += `${i ? "L" : "M"}${plane.x(line[i]!).toFixed(1)} ${plane.y(line[i + 1]!).toFixed(1)}`;
        }
        return text + end;
      })
      .join("");
  }
}

// Left, right, top, bottom, in pixels.
export type Room = [number, number, number, number];
const fits = (box: Room, taken: Room[]) =>
  !taken.some((t) => t[0] < box[1] && box[0] < t[1] && t[2] < box[3] && box[2] < t[3]);
const kMostTowns = 14;

export function paintFrame(s: Surface, plane: Plane, palette: Palette, ground: Ground): void {
  const e = plane.extent;
  s.rect(0, 0, s.width, s.height, { fill: palette.paper });
  const x = plane.x(e.west);
  const y = plane.y(e.north);
  s.rect(x, y, plane.x(e.east) - x, plane.y(e.south) - y, { fill: ground.there ? palette.sea : palette.land });
  if (ground.there) s.clip(x, y, plane.x(e.east) - x, plane.y(e.south) - y, () => ground.paint(s, plane, palette));
}

export function paintCoast(s: Surface, plane: Plane, palette: Palette, ground: Ground): void {
  const e = plane.extent;
  const x = plane.x(e.west);
  const y = plane.y(e.north);
  s.clip(x + 1, y + 1, plane.x(e.east) - x - 2, plane.y(e.south) - y - 2, () => ground.lines(s, plane, palette));
}

// Outside of where the release is, things are fainter.
export function paintVeil(s: Surface, plane: Plane, palette: Palette): void {
  const e = plane.extent;
  const [x0, x1, y0, y1] = [plane.x(e.west), plane.x(e.east), plane.y(e.north), plane.y(e.south)].map((v) =>
    v.toFixed(1),
  );
  s.path(`M0 0H${s.width}V${s.height}H0ZM${x0} ${y0}H${x1}V${y1}H${x0}Z`, { fill: palette.paper, opacity: 0.55 });
}

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

// Whose map it is, on a picture that leaves the page.
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
    s.rect(x0, y0, w, h, { fill: color, opacity: opacity * shade.opacity(i) });
    if (edges && w > 5 && h > 5) s.rect(x0 + 0.5, y0 + 0.5, w, h, { stroke: edges, width: 1, opacity: 0.35 });
  }
}

// Pixels of the circle of a point with so many trips, of `most`: larger where there are few points or one is near.
export function pointRadius(zones: ZoneMap, plane: Plane, trips: number, most: number): number {
  const nearer = Math.sqrt(plane.scale / Plane.fit(plane.extent, true, plane.width, plane.height, 10).scale);
  const room = Math.sqrt((plane.width * plane.height) / zones.size);
  return nearer * Math.min(16, Math.max(5, 0.32 * room)) * Math.sqrt(Math.abs(trips) / most);
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
    if (map) order.sort((a, b) => Math.abs(map.estimate[b]!) - Math.abs(map.estimate[a]!));
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
  taken: Room[],
): void {
  const size = 11;
  let named = 0;
  const order = zones.names.map((_, i) => i).sort((a, b) => map.estimate[b]! - map.estimate[a]!);
  // Of points only the busiest: any other has room for its name somewhere, and the map would be full of words.
  for (const zone of zones.points ? order.slice(0, kMostNames) : order) {
    if (named === kMostNames) break;
    if (shade.color(zone) === null) continue;
    const name = zones.names[zone]!;
    const w = 0.56 * size * name.length;
    const b = zones.box(zone);
    const r = zones.points ? pointRadius(zones, plane, map.estimate[zone]!, shade.most) : 0;
    const x = plane.x(zones.places[zone]![0]) + (zones.points ? r + 4 + w / 2 : 0);
    const y = plane.y(zones.places[zone]![1]);
    if (!zones.points && plane.x(b.east) - plane.x(b.west) < w + 10) continue;
    const box: Room = [x - w / 2 - 3, x + w / 2 + 3, y - size, y + size];
    if (box[0] < 0 || box[1] > s.width || box[2] < 0 || box[3] > s.height) continue;
    if (!fits(box, taken)) continue;
    taken.push(box);
    named++;
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

// The clusters' edges, faintly.
export function paintPlaces(s: Surface, plane: Plane, places: Place[], palette: Palette): void {
  const d = places
    .flatMap(({ rect }) => (rect ? [rect] : []))
    .map(
      (r) =>
        `M${f1(plane.x(r.west))} ${f1(plane.y(r.south))}H${f1(plane.x(r.east))}V${f1(plane.y(r.north))}H${f1(plane.x(r.west))}Z`,
    )
    .join("");
  s.path(d, { stroke: palette.ink, width: 1, opacity: 0.16, dash: [2, 4] });
  for (const { rect, centre } of places)
    if (rect) s.path(disc(plane.x(centre[0]), plane.y(centre[1]), 2.4), { fill: palette.ink, opacity: 0.7 });
}

// Their names: of clusters beside the centre of their trips, of areas in the middle, where there is room, which they
// take. To be painted later, over the rest.
export function placeNames(s: Surface, plane: Plane, places: Place[], palette: Palette, taken: Room[]): () => void {
  const list: (() => void)[] = [];
  for (const { name, centre, area } of places) {
    const size = area ? 11 : 12;
    const w = 0.56 * size * name.length;
    const x = plane.x(centre[0]) + (area ? 0 : 9 + w / 2);
    const y = plane.y(centre[1]) - (area ? 0 : 7);
    const box: Room = [x - w / 2 - 2, x + w / 2 + 2, y - size, y + size / 2];
    if (box[0] < 0 || box[1] > s.width || box[2] < 0 || box[3] > s.height || (area && !fits(box, taken))) continue;
    taken.push(box);
    list.push(() =>
      s.text(x, y + 0.36 * size, name, { fill: palette.ink, size, weight: 650, align: "middle", halo: palette.paper }),
    );
  }
  return () => list.forEach((paint) => paint());
}

export interface Chain {
  points: [number, number][]; // coordinates, one per stop
  estimate: number;
  stays: boolean; // in one place
  doubtful: boolean; // its interval reaches zero
  words: string; // its way
  from: number; // its interval; NaN while it is not known
  to: number;
}

const f1 = (v: number) => v.toFixed(1);

// The curve of a leg: bends to the left of its way.
interface Curve {
  ax: number;
  ay: number;
  mx: number;
  my: number;
  bx: number;
  by: number;
  length: number;
}

function curve(ax: number, ay: number, bx: number, by: number): Curve {
  const length = Math.hypot(bx - ax, by - ay);
  const bend = Math.min(60, 0.18 * length) / Math.max(1e-9, length);
  return { ax, ay, bx, by, length, mx: (ax + bx) / 2 + (by - ay) * bend, my: (ay + by) / 2 - (bx - ax) * bend };
}

// A leg as a ribbon that ends in a head.
function ribbon({ ax, ay, mx, my, bx, by, length }: Curve, width: number): string {
  const ux = (bx - ax) / length;
  const uy = (by - ay) / length;
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

// The end of a leg that is only a line.
function tip({ mx, my, bx, by }: Curve): string {
  const length = Math.hypot(bx - mx, by - my);
  const [dx, dy] = [(7 * (bx - mx)) / length, (7 * (by - my)) / length];
  return `M${f1(bx - dx - 0.6 * dy)} ${f1(by - dy + 0.6 * dx)}L${f1(bx)} ${f1(by)}L${f1(bx - dx + 0.6 * dy)} ${f1(by - dy - 0.6 * dx)}`;
}

const kShort = 5; // pixels: a shorter way stays where it is
export const flowWidth = (trips: number, most: number): number => 1.5 + 9 * Math.sqrt(Math.abs(trips) / most);

interface Placed {
  chain: Chain;
  at: (readonly [number, number])[];
  wide: number;
  stays: boolean; // from its first stop to its last
  ring: number; // radius around its place, for what stays: neighbours leave each other room
}

export function placeChains(plane: Plane, chains: Chain[]): Placed[] {
  const most = mostTrips(chains);
  const homes = chains.filter((chain) => chain.stays).map((c) => [plane.x(c.points[0]![0]), plane.y(c.points[0]![1])]);
  return chains.map((chain) => {
    const at = chain.points.map(([x, y]) => [plane.x(x), plane.y(y)] as const);
    const stays = at.every((p) => Math.hypot(p[0] - at[0]![0], p[1] - at[0]![1]) < kShort);
    const wide = flowWidth(chain.estimate, most);
    const away = homes.map(([x, y]) => Math.hypot(x! - at[0]![0], y! - at[0]![1])).filter((d) => d > kShort);
    return { chain, at, wide, stays, ring: Math.min(7 + 0.8 * wide, Math.max(5, 0.42 * Math.min(...away))) };
  });
}

export const mostTrips = (chains: Chain[]): number => Math.max(1, ...chains.map((c) => c.estimate));

// Legs, and a ring with its number for what stays in a place.
export function paintChains(
  s: Surface,
  plane: Plane,
  chains: Chain[],
  palette: Palette,
  chosen: Chain | null,
  taken: Room[],
): void {
  const placed = placeChains(plane, chains);
  const order = [...placed.filter((p) => p.chain !== chosen), ...placed.filter((p) => p.chain === chosen)];
  const numbers: (() => void)[] = [];
  const first = chosen ?? placed.find((p) => p.stays)?.chain;
  for (const { chain, at, wide, stays, ring: r } of order) {
    const faded = (chosen !== null && chosen !== chain ? 0.16 : 0.9) * (chain.doubtful ? 0.6 : 1);
    const dash = chain.doubtful ? [3, 5] : undefined;
    const [x, y] = at[0]!;
    if (stays) {
      s.path(disc(x, y, r), { stroke: palette.paper, width: 0.4 * wide + 3, opacity: faded });
      s.path(disc(x, y, r), { stroke: palette.ring, width: Math.max(1.5, 0.4 * wide), opacity: faded, dash });
      if (chosen === null || chosen === chain)
        numbers.push(() => {
          const words = grouped(chain.estimate);
          const w = 3.2 * words.length + 2;
          const room = (cx: number, cy: number): Room => [cx - w, cx + w, cy - 7, cy + 7];
          const rooms = [room(x, y + r + 10), room(x, y - r - 10), room(x - r - w - 3, y), room(x + r + w + 3, y)];
          // The largest has its number, whatever is there.
          const free = rooms.find((box) => fits(box, taken)) ?? (chain === first ? rooms[0] : undefined);
          if (!free) return;
          taken.push(free);
          s.text((free[0] + free[1]) / 2, free[3] - 3, words, {
            fill: palette.ink,
            size: 11,
            weight: 600,
            align: "middle",
            halo: palette.paper,
          });
        });
      continue;
    }
    for (let leg = 0; leg + 1 < at.length; leg++) {
      const c = curve(at[leg]![0], at[leg]![1], at[leg + 1]![0], at[leg + 1]![1]);
      const color = palette.legs[leg % palette.legs.length]!;
      if (c.length < kShort) {
        // It waits there: a small loop above.
        const up = Math.min(r, 4 + 0.4 * wide);
        const loop = disc(c.ax, c.ay - up, up);
        s.path(loop, { stroke: palette.paper, width: 4.5, opacity: faded });
        s.path(loop, { stroke: color, width: Math.max(1.5, 0.35 * wide), opacity: faded, dash });
        continue;
      }
      const width = Math.min(wide, Math.max(1.5, c.length / 6)); // a short way is no blot
      if (chain.doubtful) {
        const stroke = { stroke: color, width: Math.max(1.5, 0.45 * width), opacity: faded };
        s.path(`M${f1(c.ax)} ${f1(c.ay)}Q${f1(c.mx)} ${f1(c.my)} ${f1(c.bx)} ${f1(c.by)}`, { ...stroke, dash: [4, 6] });
        s.path(tip(c), stroke);
        continue;
      }
      const d = ribbon(c, width);
      s.path(d, { stroke: palette.paper, width: 2.5, opacity: faded });
      s.path(d, { fill: color, opacity: faded });
    }
    const leg = Math.hypot(at[1]![0] - x, at[1]![1] - y);
    s.path(disc(x, y, 3 + 0.25 * Math.min(wide, Math.max(3, leg / 6))), {
      fill: palette.paper,
      stroke: palette.legs[0]!,
      width: 2,
      opacity: faded,
    });
  }
  for (const number of numbers) number();
}

// The chain under a point of the picture, the topmost; null: none.
export function chainUnder(plane: Plane, chains: Chain[], x: number, y: number): Chain | null {
  for (const { chain, at, wide, stays, ring } of placeChains(plane, chains).reverse()) {
    if (stays) {
      const off = Math.abs(Math.hypot(at[0]![0] - x, at[0]![1] - y) - ring);
      if (off < 3 + 0.3 * wide) return chain;
      continue;
    }
    for (let leg = 0; leg + 1 < at.length; leg++) {
      const c = curve(at[leg]![0], at[leg]![1], at[leg + 1]![0], at[leg + 1]![1]);
      const near = 3 + 0.5 * Math.min(wide, Math.max(1.5, c.length / 6));
      for (let k = 0; k <= 24 && c.length >= kShort; k++) {
        const t = k / 24;
        const px = (1 - t) ** 2 * c.ax + 2 * t * (1 - t) * c.mx + t * t * c.bx;
        const py = (1 - t) ** 2 * c.ay + 2 * t * (1 - t) * c.my + t * t * c.by;
        if (Math.hypot(px - x, py - y) < Math.max(near, c.length / 48 + 1)) return chain;
      }
    }
  }
  return null;
}

// Of zones that are points: circles of some pixels around them.
export function regionPath(plane: Plane, region: Region, radius = 7): string {
  if (region.kind === "union") return region.parts.map((part) => regionPath(plane, part, radius)).join("");
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
