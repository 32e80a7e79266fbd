// A question as it is typed in the dialog "Ask": regions are texts in the words of the command line, which the engine
// reads (src/question/region_text.h). It becomes a question for the engine, a line for a shell, and a part of the
// address.
import type { Area } from "./areas";
import type { MapStop, ReleaseInfo } from "./data";
import { questionOf } from "./question";
import { partsOf, regionText, type Region } from "./region";
import type { View } from "./view";

export type AskKind = "count" | "share" | "top" | "totals" | "matrix";

export interface Inquiry {
  ask: AskKind;
  where: Record<string, string>; // by stop; "" or missing: anywhere
  any: string; // at one stop at least
  no: string; // at no stop
  order: string; // "a > b"
  box: string; // ranges of axes, as the map's filters set them
  range: string;
  minus: Record<string, string>; // count: less those
  above: string; // count: how sure that it is more
  of: string; // share: of those at this stop; "": of all trips
  over: string[]; // top: the stops whose places vary; none: the release decides
  top: string; // rows of a table; "": all where there is an end to it
  from: string; // matrix
  to: string;
  versus: number | null; // another release of the page to compare with
}

export const emptyInquiry = (info: ReleaseInfo): Inquiry => ({
  ask: "count",
  where: {},
  any: "",
  no: "",
  order: "",
  box: "",
  range: "",
  minus: {},
  above: "",
  of: "",
  over: [],
  top: "10",
  from: info.stops[0]?.name ?? "",
  to: info.stops.at(-1)?.name ?? "",
  versus: null,
});

// A region as the engine reads it: to it, an area that was dropped is a zone.
const typed = (region: Region): string =>
  partsOf(region)
    .map((part) => (part.kind === "area" ? `zone:${part.area.name}` : regionText(part)))
    .join(" | ");

// What the map asks now, to go on from.
export function inquiryOf(info: ReleaseInfo, stops: MapStop[], view: View): Inquiry {
  const q = emptyInquiry(info);
  const placed = stops.flatMap((stop, i) => (view.regions[i] ? [{ stop, region: view.regions[i]! }] : []));
  for (const { stop, region } of placed) if (stop.geographic) q.where[stop.name] = typed(region);
  const { box, range } = questionOf(
    info,
    placed.filter(({ stop }) => !stop.geographic),
    view.filters,
  );
  return { ...q, box: box ?? "", range: range ?? "" };
}

const filled = (texts: Record<string, string>): [string, string][] =>
  Object.entries(texts).flatMap(([stop, text]) => (text.trim() ? [[stop, text.trim()] as [string, string]] : []));

// What does not go with the kind that is asked is left out of the question, but stays in the form.
const counts = (q: Inquiry) => q.ask === "count";

// As `stopover query --spec` takes it. `areas`: zones that were dropped, by whose names one may ask.
export function questionOfInquiry(q: Inquiry, areas: Area[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  if (!counts(q)) out.ask = q.ask;
  const where = filled(q.where);
  if (where.length) out.where = Object.fromEntries(where);
  if (q.any.trim()) out.any_stop = q.any.trim();
  if (q.no.trim()) out.no_stop = q.no.trim();
  if (q.order.trim()) out.in_order = q.order.trim();
  if (q.box.trim()) out.box = q.box.trim();
  if (q.range.trim()) out.range = q.range.trim();
  if (counts(q) && filled(q.minus).length) out.minus = Object.fromEntries(filled(q.minus));
  if (counts(q) && q.above.trim()) out.above = Number(q.above);
  if (q.ask === "share" && q.of) out.of = Object.fromEntries(where.filter(([stop]) => stop === q.of));
  if (q.ask === "top") {
    out.top = Number(q.top) || 10;
    if (q.over.length) out.stops = q.over;
  }
  if (q.ask === "totals" && q.top.trim()) out.top = Number(q.top);
  if (q.ask === "matrix") Object.assign(out, { from: q.from, to: q.to });
  if (areas.length) {
    const features = areas.map((a) => ({ type: "Feature", properties: { name: a.name }, geometry: a.geometry }));
    out.zones = { type: "FeatureCollection", features };
    out.zone_name = "name";
  }
  return out;
}

// A word that a shell takes as it is.
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;

// The same question for a shell. `names`: of the page's releases.
export function commandOfInquiry(q: Inquiry, names: string[], release: number, areas: Area[]): string {
  const words = ["stopover", "query", names[release]!];
  for (const [stop, text] of filled(q.where)) words.push("--stop", `${stop}=${text}`);
  if (q.any.trim()) words.push("--any-stop", q.any.trim());
  if (q.no.trim()) words.push("--no-stop", q.no.trim());
  if (q.order.trim()) words.push("--in-order", q.order.trim());
  if (q.box.trim()) words.push("--box", q.box.trim());
  if (q.range.trim()) words.push("--range", q.range.trim());
  if (counts(q)) for (const [stop, text] of filled(q.minus)) words.push("--minus", `${stop}=${text}`);
  if (counts(q) && q.above.trim()) words.push("--above", q.above.trim());
  if (q.ask === "share") words.push(...(q.of ? ["--share-of", q.of] : ["--share"]));
  if (q.ask === "top")
    words.push("--top", q.top.trim() || "10", ...(q.over.length ? ["--over", q.over.join(",")] : []));
  if (q.ask === "totals") words.push("--totals", ...(q.top.trim() ? ["--top", q.top.trim()] : []));
  if (q.ask === "matrix") words.push("--matrix", `${q.from},${q.to}`);
  if (areas.length) words.push("--zones", "zones.geojson");
  if (q.versus !== null) words.push("--compare", names[q.versus]!);
  return words.map(quoted).join(" ");
}

// For the address: what differs from an empty one. Read back by readInquiry.
export function writeInquiry(q: Inquiry, info: ReleaseInfo): string {
  const empty = emptyInquiry(info);
  const kept = Object.entries({
    ...q,
    where: Object.fromEntries(filled(q.where)),
    minus: Object.fromEntries(filled(q.minus)),
  });
  return JSON.stringify(
    Object.fromEntries(
      kept.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(empty[key as keyof Inquiry])),
    ),
  );
}

// Null where the text is nothing that writeInquiry made for a release with these stops.
export function readInquiry(text: string, infos: ReleaseInfo[], release: number): Inquiry | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return null;
  const info = infos[release]!;
  const q = emptyInquiry(info);
  const stops = new Set(info.stops.map((s) => s.name));
  const texts = (v: unknown): v is Record<string, string> =>
    typeof v === "object" && v !== null && Object.entries(v).every(([k, t]) => stops.has(k) && typeof t === "string");
  for (const [key, value] of Object.entries(read)) {
    if (!(key in q)) return null;
    const fits =
      key === "where" || key === "minus"
        ? texts(value)
        : key === "over"
          ? Array.isArray(value) && value.every((v) => stops.has(v as string))
          : key === "versus"
            ? value !== release && infos[value as number] !== undefined
            : key === "ask"
              ? ["count", "share", "top", "totals", "matrix"].includes(value as string)
              : key === "from" || key === "to"
                ? stops.has(value as string)
                : typeof value === "string";
    if (!fits) return null;
    (q as unknown as Record<string, unknown>)[key] = value;
  }
  return q;
}
