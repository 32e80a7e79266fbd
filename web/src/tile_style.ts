// What a feature of a vector tile is, and how that looks: quiet, as the cells lie on top. Knows the layers of
// Protomaps, OpenMapTiles and Shortbread; what it does not know is not drawn.
import type { Palette } from "./palette";
import type { Ink } from "./surface";
import type { TilePart } from "./tile_layer";

export type Kind =
  | "land"
  | "green"
  | "water"
  | "stream"
  | "building"
  | "path"
  | "minor"
  | "medium"
  | "major"
  | "highway"
  | "rail"
  | "border";

type Properties = Record<string, string | number | boolean | undefined>;

const set = (words: string) => new Set(words.split(" "));
const kGreen = set(
  "park forest wood nature_reserve national_park protected_area grass grassland meadow cemetery golf_course garden recreation_ground village_green " +
    "scrub heath wetland pitch playground zoo allotments orchard vineyard greenfield",
);
const kRoads: [Kind, Set<string>][] = [
  ["highway", set("highway motorway trunk motorway_link trunk_link")],
  ["major", set("major_road primary secondary primary_link secondary_link")],
  ["medium", set("medium_road tertiary tertiary_link")],
  ["minor", set("minor_road minor residential unclassified living_street street service busway")],
  ["path", set("path track pedestrian footway cycleway steps bridleway other")],
  ["rail", set("rail transit railway light_rail subway tram narrow_gauge monorail")],
];
const kWhere: Record<string, Kind | "green?" | "road?" | "water?"> = {
  earth: "land",
  landcover: "green?",
  landuse: "green?",
  natural: "green?",
  park: "green",
  land: "green?",
  sites: "green?",
  water: "water?",
  ocean: "water",
  water_polygons: "water",
  waterway: "stream",
  water_lines: "stream",
  physical_line: "stream",
  roads: "road?",
  transportation: "road?",
  streets: "road?",
  transit: "road?",
  street_polygons: "road?",
  boundaries: "border",
  boundary: "border",
  buildings: "building",
  building: "building",
};
const kArea = set("land green water building");

// `type` as vector tiles have it: 1 point, 2 line, 3 area.
export function kindOf(layer: string, type: number, p: Properties): Kind | null {
  const where = Object.hasOwn(kWhere, layer) ? kWhere[layer]! : null;
  if (!where) return null;
  const word = String(p["kind"] ?? p["class"] ?? p["pmap:kind"] ?? "");
  let kind: Kind | null = null;
  if (where === "green?") kind = kGreen.has(word) || kGreen.has(String(p["subclass"] ?? "")) ? "green" : null;
  else if (where === "water?") kind = type === 3 ? "water" : "stream";
  else if (where === "road?")
    kind = p["rail"] === true ? "rail" : (kRoads.find(([, words]) => words.has(word))?.[0] ?? null);
  else kind = where;
  if (kind === "border" && (p["maritime"] === 1 || p["maritime"] === true || Number(p["admin_level"] ?? 0) > 6))
    return null;
  if (kind === null || type !== (kArea.has(kind) ? 3 : 2)) return null;
  return kind;
}

export interface Stroke {
  kind: Kind;
  ink: Ink;
  part: TilePart;
}

// Everything in the order in which it is drawn. `zoom`: of the picture, in tiles of 512 pixels.
export function strokes(zoom: number, palette: Palette): Stroke[] {
  const c = palette.map;
  const list: Stroke[] = [];
  const add = (part: TilePart, kind: Kind, ink: Ink) => list.push({ part, kind, ink });
  const wide = (at13: number) => Math.min(26, at13 * 1.5 ** (zoom - 13));
  const line = (part: TilePart, kind: Kind, at13: number, stroke: string, more: Ink = {}) => {
    if (wide(at13) > 0.3) add(part, kind, { stroke, width: Math.max(0.7, wide(at13)), ...more });
  };
  add("ground", "land", { fill: palette.land });
  add("ground", "green", { fill: c.green });
  add("ground", "water", { fill: c.water });
  line("ground", "stream", 1.2, c.water);
  if (zoom >= 13) add("ground", "building", { fill: c.building });
  line("lines", "path", 0.6, c.casing, { dash: [2, 2] });
  const roads: [Kind, number][] = [
    ["minor", 1.4],
    ["medium", 2.2],
    ["major", 3],
    ["highway", 3.8],
  ];
  const twofold = (at13: number) => wide(at13) > 1.2;
  for (const [kind, at13] of roads)
    if (twofold(at13)) add("lines", kind, { stroke: c.casing, width: wide(at13) + 1.6 });
  for (const [kind, at13] of roads) line("lines", kind, at13, twofold(at13) ? c.road : c.casing);
  line("lines", "rail", 0.9, c.rail, { dash: [4, 2.5] });
  add("lines", "border", { stroke: palette.soft, width: 1, dash: [5, 3] });
  return list;
}

export interface Place {
  name: string;
  rank: number; // 0: most important
}

const kRanks: [number, number, Set<string>][] = [
  // rank, zoom from which it is shown
  [0, 0, set("country")],
  [1, 0, set("region state province")],
  [2, 0, set("city capital state_capital")],
  [3, 8, set("town locality")],
  [4, 10, set("borough suburb macrohood district")],
  [5, 10.5, set("village")],
  [6, 12.5, set("neighbourhood neighborhood quarter microhood")],
  [7, 13, set("hamlet island isolated_dwelling")],
];

export const placeLayers = set("places place place_labels");

export function placeOf(p: Properties): Place | null {
  const name = p["name"] ?? p["name_en"] ?? p["name:en"];
  if (typeof name !== "string" || !name) return null;
  for (const key of ["kind_detail", "pmap:kind_detail", "class", "kind", "pmap:kind"]) {
    const found = kRanks.find(([, , words]) => words.has(String(p[key] ?? "")));
    if (found) return { name, rank: found[0] };
  }
  return null;
}

// Countries and regions are for maps of the world.
export const placeShown = (rank: number, zoom: number): boolean =>
  rank < 2 ? zoom < 7 : zoom >= (kRanks[rank]?.[1] ?? 99);
