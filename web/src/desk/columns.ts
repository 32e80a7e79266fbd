// What columns of a file may mean, guessed by their names alone. A guess is shown and can be changed; nothing is taken
// from what is in the rows.
import type { Fields } from "./api";

export interface Column {
  name: string;
  type: string;
  shapes: string[];
  like_a_user: boolean;
}

const many = (sizes: number[], one: string) => {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return `${least === most ? least : `${least} to ${most}`} ${one}${most === 1 ? "" : "s"}`;
};

// How values are written, in words: of patterns in which 9 stands for a digit and a for a letter.
export function inWords(shapes: string[]): string {
  const kinds: [RegExp, (same: string[]) => string][] = [
    [/^\(none\)$/, () => "some are empty"],
    [/^9999-99-99[ T]99:99(:99(\.9+)?)?$/, () => "date and time, without a zone"],
    [/^9999-99-99[ T]99:99(:99(\.9+)?)?.+$/, () => "date and time, with their zone"],
    [/^9999-99-99$/, () => "date: year-month-day"],
    [/^9{1,2}\/9{1,2}\/9{4}/, () => "date with slashes, which cannot be read: write year-month-day"],
    [/^9{10}$/, () => "10 digits: an id, or seconds since 1970"],
    [
      /^-?9+$/,
      (s) =>
        `whole numbers of ${many(
          s.map((x) => x.replace("-", "").length),
          "digit",
        )}`,
    ],
    [
      /^-?9+\.9+$/,
      (s) =>
        `numbers with ${many(
          s.map((x) => (x.split(".")[1] ?? "").length),
          "decimal",
        )}`,
    ],
    [/^[aAx ]+$/, () => "words"],
    [
      /^[aAx]+[-_]?9+$/,
      (s) =>
        `letters and digits, ${many(
          s.map((x) => x.length),
          "sign",
        )}`,
    ],
  ];
  const told: string[] = [];
  let rest = shapes;
  for (const [pattern, say] of kinds) {
    const same = rest.filter((s) => pattern.test(s));
    if (same.length > 0) told.push(say(same));
    rest = rest.filter((s) => !pattern.test(s));
  }
  if (rest.length > 0) told.push("other text");
  return told.join("; ");
}

const lat = /(^|[_ .])(lat|latitude|y)$/i;
const lng = /(^|[_ .])(lng|lon|long|longitude|x)$/i;
const begin = /^(o|orig|origin|start|from|pickup|pu|begin)([_ .]|$)/i;
const end = /^(d|dest|destination|end|to|dropoff|do|stop)([_ .]|$)/i;
const station = /(station|zone|taz|dock|location|stop)(_?(id|name|code))?$/i;

const first = (columns: Column[], ...tests: RegExp[]) => {
  for (const test of tests) {
    const found = columns.find((c) => test.test(c.name));
    if (found) return found.name;
  }
  return "";
};

// A later point on the way: via_lat, v1_lat.
function vias(columns: Column[]) {
  return columns
    .filter((c) => lat.test(c.name) && !begin.test(c.name) && !end.test(c.name) && c.name.replace(lat, "") !== "")
    .map((c) => ({ lat: c.name, lng: first(columns, new RegExp(`^${c.name.replace(lat, "")}.*(lng|lon|x)`, "i")) }))
    .filter((p) => p.lng !== "");
}

export function guessed(columns: Column[]): Fields {
  const fields: Fields = {};
  const starts = columns.filter((c) => begin.test(c.name));
  const ends = columns.filter((c) => end.test(c.name));
  const oLat = first(starts, lat);
  const oLng = first(starts, lng);
  const dLat = first(ends, lat);
  const dLng = first(ends, lng);
  const user = columns.find((c) => c.like_a_user)?.name ?? "";
  const trip = first(columns, /^(trip|tid|ride|journey)([_ ]?(id|no|number))?$/i);
  const time = first(columns, /^(timestamp|time|datetime|date|started?_at|start_?time|recorded_at|ts)$/i);
  const oZone = first(starts, station);
  const dZone = first(ends, station);
  if (oLat && oLng && dLat && dLng) {
    fields["shape_of"] = "trips";
    const on_the_way = vias(columns).map((p) => `${p.lat},${p.lng}`);
    fields["points"] = [`${oLat},${oLng}`, ...on_the_way, `${dLat},${dLng}`];
  } else if (oZone && dZone) {
    fields["shape_of"] = "trips";
  } else if (first(columns, lat) && first(columns, lng)) {
    fields["shape_of"] = trip ? "stops" : "pings";
    fields["lat"] = first(columns, lat);
    fields["lng"] = first(columns, lng);
    const seq = first(columns, /^(seq|sequence|order|stop_?(no|number|order)|n)$/i);
    if (seq) fields["seq"] = seq;
  }
  if (time) fields["time"] = time;
  // Tables between stations are far better than squares of a map, so that is where one begins.
  if (oZone && dZone) {
    fields["zone_columns"] = [oZone, dZone];
    fields["where_lies"] = "zones";
  }
  if (trip) fields["trip"] = trip;
  if (user) fields["user"] = user;
  return fields;
}

// The pairs of a latitude and a longitude that are declared.
export function pairs(fields: Fields): { lat: string; lng: string }[] {
  const points = fields["points"];
  if (Array.isArray(points) && points.length > 0) {
    return points.map((p) => ({ lat: p.split(",")[0] ?? "", lng: p.split(",")[1] ?? "" }));
  }
  const one = { lat: String(fields["lat"] ?? ""), lng: String(fields["lng"] ?? "") };
  return one.lat !== "" && one.lng !== "" ? [one] : [];
}

// The same fields with latitude and longitude exchanged, of the pairs named.
export function exchanged(fields: Fields, of: { lat: string; lng: string }[]): Fields {
  const meant = (lat: string, lng: string) => of.some((p) => p.lat === lat && p.lng === lng);
  const points = fields["points"];
  if (Array.isArray(points) && points.length > 0) {
    return {
      ...fields,
      points: points.map((p) => {
        const [a = "", b = "", ...rest] = p.split(",");
        return (meant(a, b) ? [b, a, ...rest] : [a, b, ...rest]).join(",");
      }),
    };
  }
  return { ...fields, lat: fields["lng"] ?? "", lng: fields["lat"] ?? "" };
}
