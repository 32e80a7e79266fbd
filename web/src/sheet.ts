// The map as a picture that leaves the page: with its title, what was asked and answered, what its colours and widths
// mean, and the guarantee, so that it can stand alone.
import type { CellMap } from "./cell_map";
import type { Chain } from "./chains";
import { rampColors, roundSizes, roundWidths } from "./legend";
import { grouped } from "./number";
import { along, type Palette } from "./palette";
import { kPointShade, type Shade } from "./shade";
import type { Surface } from "./surface";

// Without words: the map and its legend alone.
export interface SheetWords {
  title: string;
  lines: string[]; // under the title: what is shown, asked, answered
  foot: string; // the guarantee
}

const kEdge = 16;
const kTitle = 24;
const kLine = 17;
const kLegend = 62;

// Words in lines of at most so many pixels.
function wrapped(text: string, width: number, size: number): string[] {
  const most = Math.max(20, Math.floor(width / (0.54 * size)));
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > most) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

const head = (width: number, words: SheetWords) => words.lines.flatMap((line) => wrapped(line, width - 2 * kEdge, 13));
const foot = (width: number, words: SheetWords) => (words.foot ? wrapped(words.foot, width - 2 * kEdge, 11) : []);
const top = (width: number, words: SheetWords) =>
  words.title ? kEdge + kTitle + kLine * head(width, words).length + 8 : 0;

export function sheetSize([w, h]: [number, number], words: SheetWords): [number, number] {
  return [w, top(w, words) + h + kLegend + 15 * foot(w, words).length + 4];
}

export interface SheetMap {
  shade: Shade | null;
  map: CellMap | null;
  radius: ((trips: number) => number) | null; // of points
  chains: Chain[];
  draw(s: Surface): void;
}

export function paintSheet(
  s: Surface,
  [w, h]: [number, number],
  words: SheetWords,
  palette: Palette,
  picture: SheetMap,
): void {
  s.rect(0, 0, s.width, s.height, { fill: palette.paper });
  s.text(kEdge, kEdge + 14, words.title, { fill: palette.ink, size: 19, weight: 680 });
  head(w, words).forEach((line, i) =>
    s.text(kEdge, kEdge + kTitle + 11 + kLine * i, line, { fill: palette.ink, size: 13 }),
  );
  const y = top(w, words);
  s.inset(0, y, w, h, (inner) => picture.draw(inner));
  paintLegend(s, y + h + 18, palette, picture);
  foot(w, words).forEach((line, i) =>
    s.text(kEdge, y + h + kLegend + 8 + 15 * i, line, { fill: palette.soft, size: 11 }),
  );
}

function paintLegend(s: Surface, y: number, palette: Palette, { shade, radius, chains }: SheetMap): void {
  const small = { fill: palette.ink, size: 11.5 };
  let x = kEdge;
  if (shade) {
    s.text(x, y, shade.unit, small);
    if (shade.sizes && radius) {
      for (const trips of roundSizes(shade, radius)) {
        const r = Math.min(12, radius(trips));
        s.path(`M${x} ${y + 18}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`, {
          fill: along(shade.ramp, kPointShade),
        });
        s.text(x + 2 * r + 4, y + 22, grouped(trips), small);
        x += 2 * r + 14 + 7 * grouped(trips).length;
      }
      x = Math.max(x, kEdge + 240);
    } else {
      const colors = rampColors(shade, false);
      colors.forEach((color, i) => s.rect(x + (200 / 17) * i, y + 8, 200 / 17 + 0.5, 10, { fill: color }));
      for (const tick of shade.ticks)
        s.text(x + Math.min(190, Math.max(6, tick.t * 200)), y + 31, tick.words, { ...small, align: "middle" });
      x += 250;
    }
  }
  if (chains.length === 0) return;
  s.text(x, y, `flows, trips by width${chains.some((c) => c.stays) ? "; rings stay" : ""}`, small);
  for (const { trips, width } of roundWidths(chains)) {
    s.path(`M${x + 4} ${y + 13}h44`, { stroke: palette.legs[0]!, width });
    s.text(x + 4, y + 31, grouped(trips), small);
    x += 66;
  }
  if (chains.some((c) => c.doubtful)) s.text(x + 10, y + 31, "dashed: what is likely reaches zero", small);
}
