// Pieces of SVG paths on a plane, in pixels to one decimal, and the rooms that words take on it.
import type { Plane } from "./plane";

export const f1 = (v: number) => v.toFixed(1);

export const disc = (x: number, y: number, r: number) =>
  `M${f1(x - r)} ${f1(y)}a${f1(r)} ${f1(r)} 0 1 0 ${f1(2 * r)} 0a${f1(r)} ${f1(r)} 0 1 0 ${f1(-2 * r)} 0Z`;

export function linePath(plane: Plane, lines: [number, number][][]): string {
  return lines
    .map((line) => line.map(([x, y], i) => `${i ? "L" : "M"}${f1(plane.x(x))} ${f1(plane.y(y))}`).join(""))
    .join("");
}

export const ringPath = (plane: Plane, rings: [number, number][][]): string =>
  rings.map((ring) => linePath(plane, [ring]) + "Z").join("");

// Left, right, top, bottom, in pixels.
export type Room = [number, number, number, number];
export const fits = (box: Room, taken: Room[]) =>
  !taken.some((t) => t[0] < box[1] && box[0] < t[1] && t[2] < box[3] && box[2] < t[3]);
