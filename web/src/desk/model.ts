// What all screens share: the draft, what is known of the chosen rows, and how the draft becomes a job's fields.
import type { Column } from "./columns";
import { given, type DeskFacts, type Draft, type Fields, type Value } from "./api";
import type { Box, DrawnZone } from "./desk_map";

export interface PlacesFound {
  lat: string;
  lng: string;
  rows: number;
  missing: number;
  off_globe: number;
  in_box: number;
  in_box_if_swapped: number;
  swapped: boolean;
  sample: [number, number][];
}

export interface ZonesFound {
  zones: number;
  form: "names" | "points" | "polygons";
  drawn: DrawnZone[];
}

// Which stops of a trip count.
export const stopsInWords: Record<string, string> = {
  od: "where a trip begins and ends",
  "od+1": "begin, one stop between, end",
  "first-mid-last": "first, middle and last stop",
  first: "where it begins alone",
  last: "where it ends alone",
  frames: "where somebody was in parts of the day",
};

export type Screen = "data" | "declare" | "forecast" | "rehearse" | "publish" | "handover" | "ledgers";

export interface Desk {
  facts: DeskFacts;
  draft: Draft;
  set: (name: string, value: Value) => void;
  setMany: (fields: Fields) => void;
  setPlan: (name: string, value: Value) => void;
  columns: Column[];
  places: PlacesFound[];
  zones: ZonesFound | null;
  setColumns: (columns: Column[]) => void;
  placesBox: string; // the box they were looked at with
  setPlaces: (places: PlacesFound[], box: string) => void;
  setZones: (zones: ZonesFound | null) => void;
  go: (screen: Screen) => void;
  release: string; // the one to look at and hand over
  setRelease: (path: string) => void;
  changed: number; // counts what was published, so that lists are read again
  touch: () => void;
}

// The fields that say which rows there are and what trips they make.
const ofRows = new Set(
  `input sql shape_of bbox bbox_from grid zones zone_id levels overlaps zone_columns zone_column stops more_stops
  stop_names frames axes trip_axes time_unit timezone stay_metres stay_minutes run_gap_hours cut cut_hours
  decimal_comma user trip seq time lat lng points since until where encoding delimiter`
    .split(/\s+/)
    .filter((n) => n !== ""),
);

// A file of zones takes the place of box and grid; what does not go together is left out of a job, not of the draft.
export function together(fields: Fields): Fields {
  const kept = given(fields);
  const drop = (...names: string[]) => names.forEach((n) => delete kept[n]);
  if (kept["where_lies"] === "zones") drop("bbox", "grid", "bbox_from", "prior");
  else drop("zones", "zone_id", "levels", "zone_columns", "zone_column", "overlaps");
  drop("where_lies");
  if (kept["shape_of"] === "trips") drop("lat", "lng", "seq", "zone_column");
  else drop("points", "zone_columns");
  if (kept["zone_columns"] || kept["zone_column"]) drop("points", "lat", "lng");
  if (kept["shape_of"] !== "pings") drop("stay_metres", "stay_minutes", "cut");
  if (kept["stops"] !== "frames") drop("frames");
  if (!String(kept["unit"] ?? "").startsWith("user")) drop("max_trips_per_user");
  if (!kept["period"]) {
    drop("append", "budget_per_period", "budget_per_year", "one_release", "independent", "day_type", "prior");
  }
  if (String(kept["period"] ?? "").startsWith("day")) drop("day_type");
  return kept;
}

export const usesZones = (fields: Fields) =>
  fields["where_lies"] === "zones" || (!fields["where_lies"] && Boolean(fields["zones"]));

export function rowFields(draft: Draft): Fields {
  const all = together({ ...draft.publish, where_lies: usesZones(draft.publish) ? "zones" : "box" });
  return Object.fromEntries(Object.entries(all).filter(([name]) => ofRows.has(name)));
}

export const nameOf = (path: string) => path.split("/").at(-1) ?? path;

// All that a publication is told.
export function publishFields(draft: Draft): Fields {
  const fields = together({ ...draft.publish, where_lies: usesZones(draft.publish) ? "zones" : "box" });
  const unit = String(fields["unit"] ?? "");
  const period = String(fields["period"] ?? "");
  if (period && unit.startsWith("user")) fields["unit"] = `user-${period.split(":")[0]}`;
  return fields;
}

export function boxOf(fields: Fields): Box | null {
  const parts = String(fields["bbox"] ?? "")
    .split(",")
    .map(Number);
  const [w, s, e, n] = parts;
  if (parts.length !== 4 || w === undefined || s === undefined || e === undefined || n === undefined) return null;
  return parts.every(Number.isFinite) && w < e && s < n ? [w, s, e, n] : null;
}

export function gridOf(fields: Fields): [number, number] | null {
  const match = /^(\d+)x(\d+)$/.exec(String(fields["grid"] ?? ""));
  return match ? [Number(match[1]), Number(match[2])] : null;
}

// What is still missing before it can be rehearsed, in words.
export function missing(draft: Draft): { what: string; screen: Screen }[] {
  const f = draft.publish;
  const list: { what: string; screen: Screen }[] = [];
  const need = (ok: unknown, what: string, screen: Screen) => {
    if (!ok) list.push({ what, screen });
  };
  need(f["input"] || f["sql"], "a file of rows", "data");
  need(f["shape_of"], "what one row is", "declare");
  if (usesZones(f)) need(f["zones"], "a file of zones", "declare");
  else {
    need(boxOf(f), "the box", "declare");
    need(gridOf(f), "the grid", "declare");
  }
  need(f["unit"], "who is protected", "declare");
  const moments = f["shape_of"] === "pings" || f["stops"] === "frames";
  need(f["unit"] !== "trip" || !moments, "a person as who is protected: moments are in no trip of their own", "declare");
  if (f["unit"] === "user") {
    need(f["user"], "the column of user ids", "declare");
    need(f["max_trips_per_user"], "how many trips of one person are counted at most", "declare");
  }
  need(f["epsilon"], "how much it may tell (epsilon)", "forecast");
  need(f["output"], "a name for the release", "rehearse");
  need(f["ledger"], "a ledger: choose one, or type a budget for a new one, 2 if unsure", "rehearse");
  return list;
}
