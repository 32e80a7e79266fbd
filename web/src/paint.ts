// The large map, layer by layer, on any surface.
import type { Area } from "./areas";
import type { CellMap } from "./cell_map";
import { coordinate, type Basemap, type MapStop, type ReleaseInfo } from "./data";
import { niceStep } from "./number";
import type { Palette } from "./palette";
import { disc, f1, fits, linePath, ringPath, type Room } from "./path";
import type { Place } from "./places";
import { Plane } from "./plane";
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

// Of zones that are points: circles of some pixels around them.
export function regionPath(plane: Plane, region: Region, radius = 7): string {
  if (region.kind === "union") return region.parts.map((part) => regionPath(plane, part, radius)).join("");
  if (region.kind !== "zone") return ringPath(plane, outlines(region));
  if (!region.map.points) return linePath(plane, outlines(region));
  return outline(region)
    .map(([x, y]) => disc(plane.x(x), plane.y(y), region.to - region.from > 1 ? 0.7 * radius : radius))
    .join("");
}

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
