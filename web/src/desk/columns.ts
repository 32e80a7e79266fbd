// What columns of a file may mean, guessed by their names alone. A guess is shown and can be changed; nothing is taken
// from what is in the rows.
import type { Fields } from "./api";

export interface Column {
  name: string;
  type: string;
  shapes: string[];
  like_a_user: boolean;
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
  if (oZone && dZone) fields["zone_columns"] = [oZone, dZone];
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
