// What the page knows of map tiles. The script that reads and draws them (tiles.ts) is a part of its own, which only a
// page that is served with tiles carries.
import type { Palette } from "./palette";
import type { Plane } from "./plane";
import type { Surface } from "./surface";

export interface CreditPart {
  words: string;
  href?: string;
}

// Land, water and houses lie under the cells; streets, rails and borders faintly over them, or nobody would find a
// street.
export type TilePart = "ground" | "lines";
export const kFaint = 0.62;

export interface TileLayer {
  readonly credit: CreditPart[]; // whose map it is
  readonly trouble: string; // "" while all is well
  readonly settled: boolean; // everything that is in sight is there and drawn
  // What is there, quickly: perhaps a picture of a moment ago, moved; `changed` is called when there is a better one.
  paint(s: Surface, plane: Plane, palette: Palette, part: TilePart): void;
  // What is there, stroke by stroke; lines are not faint yet.
  draw(s: Surface, plane: Plane, palette: Palette, part: TilePart): void;
  // The names of places.
  label(s: Surface, plane: Plane, palette: Palette): void;
}

export type OpenTiles = (address: string, changed: () => void) => TileLayer;

declare global {
  var stopoverTiles: OpenTiles | undefined;
}
