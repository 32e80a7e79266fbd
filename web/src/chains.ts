// Flows on the map: a chain leads from stop to stop, its legs are ribbons whose width says how many go; what stays in a
// place is a ring.
import { grouped } from "./number";
import type { Palette } from "./palette";
import { disc, f1, fits, type Room } from "./path";
import type { Plane } from "./plane";
import type { Surface } from "./surface";

export interface Chain {
  points: [number, number][]; // coordinates, one per stop
  estimate: number;
  stays: boolean; // in one place
  doubtful: boolean; // its interval reaches zero
  words: string; // its way
  from: number; // its interval; NaN while it is not known
  to: number;
}

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
