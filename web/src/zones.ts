// The zones of a release: their names and groups, where they lie, which one is under a pointer or meant by a word.
import type { Extent, Plane } from "./plane";

export interface ZoneGroup {
  name: string;
  from: number; // zones, half-open
  to: number;
}

// What the page is told of them; names are the labels of their axes, places and areas are the engine's.
export interface ZoneInfo {
  form: "names" | "points" | "polygons";
  levels: { name: string; groups: ZoneGroup[] }[];
  exact: boolean; // the page has the areas as they are: what cuts them can be asked
}

export interface Found extends ZoneGroup {
  level: string; // "" for a zone
}

const kKmPerDegree = 111.195;

export class ZoneMap {
  readonly places: [number, number][] = [];
  readonly rings: Float64Array[][] = []; // longitude and latitude in turn
  readonly extent: Extent;
  private readonly boxes: Extent[] = [];
  private readonly number = new Map<string, number>();
  private readonly borders = new Map<string, [number, number][][]>();

  // `numbers`: as engine_zones gives them.
  constructor(
    readonly info: ZoneInfo,
    readonly names: string[],
    numbers: Float64Array,
  ) {
    let at = 0;
    const next = () => numbers[at++]!;
    names.forEach((name, i) => {
      this.number.set(name, i);
      const place: [number, number] = [next(), next()];
      this.places.push(place);
      const box: Extent = { west: place[0], east: place[0], south: place[1], north: place[1] };
      const rings = Array.from({ length: next() }, () => {
        const size = 2 * next();
        const ring = numbers.subarray(at, at + size);
        at += size;
        for (let k = 0; k < size; k += 2) {
          box.west = Math.min(box.west, ring[k]!);
          box.east = Math.max(box.east, ring[k]!);
          box.south = Math.min(box.south, ring[k + 1]!);
          box.north = Math.max(box.north, ring[k + 1]!);
        }
        return ring;
      });
      this.rings.push(rings);
      this.boxes.push(box);
    });
    const of = (pick: (b: Extent) => number, choose: (a: number, b: number) => number) =>
      this.boxes.reduce((v, b) => choose(v, pick(b)), pick(this.boxes[0]!));
    const [west, east] = [of((b) => b.west, Math.min), of((b) => b.east, Math.max)];
    const [south, north] = [of((b) => b.south, Math.min), of((b) => b.north, Math.max)];
    const edge = 0.04 * Math.max(east - west, north - south, 1e-3);
    this.extent = { west: west - edge, east: east + edge, south: south - edge, north: north + edge };
  }

  get size(): number {
    return this.names.length;
  }
  get points(): boolean {
    return this.info.form === "points";
  }
  box(zone: number): Extent {
    return this.boxes[zone]!;
  }

  // Square kilometres.
  km2(zone: number): number {
    let twice = 0; // outer rings turn one way, holes the other
    for (const r of this.rings[zone]!) {
      for (let i = 0, j = r.length - 2; i < r.length; j = i, i += 2)
        twice += (r[j]! - r[0]!) * (r[i + 1]! - r[1]!) - (r[i]! - r[0]!) * (r[j + 1]! - r[1]!);
    }
    return (Math.abs(twice) / 2) * kKmPerDegree ** 2 * Math.cos((this.places[zone]![1] * Math.PI) / 180);
  }

  // The zone of that name, else the group, the smallest level that has one first: as the command line does.
  find(name: string): ZoneGroup | null {
    const zone = this.number.get(name);
    if (zone !== undefined) return { name, from: zone, to: zone + 1 };
    for (const level of this.info.levels) {
      const group = level.groups.find((g) => g.name === name);
      if (group) return group;
    }
    return null;
  }

  // Names with the text in them: those that begin with it first, groups before zones.
  search(text: string, most: number): Found[] {
    const plain = (s: string) => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    const wanted = plain(text.trim());
    if (!wanted) return [];
    const found: [number, Found][] = [];
    const look = (one: Found) => {
      const at = plain(one.name).indexOf(wanted);
      if (at >= 0) found.push([(plain(one.name) === wanted ? 0 : at === 0 ? 2 : 4) + (one.level ? 0 : 1), one]);
    };
    // A group that a zone or a smaller group has the name of cannot be asked for by it.
    for (const level of this.info.levels)
      for (const g of level.groups) if (this.find(g.name) === g) look({ ...g, level: level.name });
    this.names.forEach((name, i) => look({ name, from: i, to: i + 1, level: "" }));
    return found
      .map((f, i) => [f, i] as const)
      .sort(([a, i], [b, j]) => a[0] - b[0] || i - j)
      .slice(0, most)
      .map(([f]) => f[1]);
  }

  // The groups a zone is in, the smallest first.
  groupsOf(zone: number): string[] {
    return this.info.levels.flatMap((level) => {
      const group = level.groups.find((g) => g.from <= zone && zone < g.to);
      return group ? [group.name] : [];
    });
  }

  // The area under a place; of points the nearest whose circle has it. -1: none.
  under(lon: number, lat: number, plane: Plane, radius: (zone: number) => number): number {
    if (!this.points) {
      return this.boxes.findIndex(
        (b, zone) =>
          lon >= b.west &&
          lon <= b.east &&
          lat >= b.south &&
          lat <= b.north &&
          insideRings(this.rings[zone]!, lon, lat),
      );
    }
    let best = -1;
    let least = Infinity;
    const x = plane.x(lon);
    const y = plane.y(lat);
    this.places.forEach(([px, py], zone) => {
      const d = Math.hypot(plane.x(px) - x, plane.y(py) - y);
      if (d < least && d <= Math.max(8, radius(zone))) {
        best = zone;
        least = d;
      }
    });
    return best;
  }

  // The line around zones from..to: the edges that only one of them has.
  border(from: number, to: number): [number, number][][] {
    const key = `${from}-${to}`;
    const known = this.borders.get(key);
    if (known) return known;
    const edges = new Map<string, [number, number][]>();
    for (let zone = from; zone < to; zone++) {
      for (const r of this.rings[zone]!) {
        for (let i = 0, j = r.length - 2; i < r.length; j = i, i += 2) {
          const a: [number, number] = [r[j]!, r[j + 1]!];
          const b: [number, number] = [r[i]!, r[i + 1]!];
          if (a[0] === b[0] && a[1] === b[1]) continue;
          const edge = a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]) ? `${a}/${b}` : `${b}/${a}`;
          if (!edges.delete(edge)) edges.set(edge, [a, b]);
        }
      }
    }
    const border = joined([...edges.values()]);
    this.borders.set(key, border);
    return border;
  }
}

// Edges as long lines, each beginning where the one before it ends.
function joined(edges: [number, number][][]): [number, number][][] {
  const from = new Map<string, [number, number][][]>();
  for (const edge of edges) {
    const key = String(edge[0]);
    const list = from.get(key);
    if (list) list.push(edge);
    else from.set(key, [edge]);
  }
  const lines: [number, number][][] = [];
  const used = new Set<[number, number][]>();
  for (const edge of edges) {
    if (used.has(edge)) continue;
    const line = [edge[0]!];
    for (let now: [number, number][] | undefined = edge; now && !used.has(now);) {
      used.add(now);
      line.push(now[1]!);
      now = from.get(String(now[1]))?.find((e) => !used.has(e));
    }
    lines.push(line);
  }
  return lines;
}

function insideRings(rings: Float64Array[], x: number, y: number): boolean {
  let inside = false;
  for (const r of rings) {
    for (let i = 0, j = r.length - 2; i < r.length; j = i, i += 2) {
      if (r[i + 1]! > y !== r[j + 1]! > y && x < ((r[j]! - r[i]!) * (y - r[i + 1]!)) / (r[j + 1]! - r[i + 1]!) + r[i]!)
        inside = !inside;
    }
  }
  return inside;
}
