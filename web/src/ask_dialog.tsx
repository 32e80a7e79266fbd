// The dialog in which any question is typed, beyond what is drawn on the map: over stops, differences, tables. The
// reply is the engine's, with every digit of the command line's as a file.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Area } from "./areas";
import { comparable, takesAreas, type MapStop, type PageData } from "./data";
import { Dialog, save } from "./dialogs";
import type { Answer, Engine, Share } from "./engine";
import { commandOfInquiry, questionOfInquiry, type AskKind, type Inquiry } from "./inquiry";
import { grouped } from "./number";
import { answerWords, percentOf, signed, Words } from "./answer_card";

interface Ratio {
  value: number | null;
  lower: number;
  upper: number | null;
  claimed: boolean;
}
interface TableRow extends Answer {
  names: Record<string, string>;
  second?: Answer;
  difference?: Answer;
}
interface Table {
  title: string;
  stops: string[];
  rows: TableRow[];
}
// Of what was asked some are there; the others are missing (docs/guide/answers.md).
type Reply = Partial<Answer> &
  Partial<Share> & {
    part?: Answer;
    whole?: Answer;
    first?: Answer; // of two releases
    second?: Answer | { estimate: number[][] };
    count?: Answer; // of two questions
    minus?: Answer;
    difference?: Answer | { estimate: number[][]; lower: number[][]; upper: number[][] };
    ratio?: Ratio;
    above?: { value: number; probability: number | null; claimed: boolean };
    tables?: Table[];
    from?: string;
    to?: string;
    rows?: string[];
    columns?: string[];
    notes?: string[];
  };
type Matrix = Record<"estimate" | "lower" | "upper", number[][]>;

const kKinds: Record<AskKind, string> = {
  count: "How many?",
  share: "What share?",
  top: "Which places, or ways between them, have most?",
  totals: "How many at each place of every stop?",
  matrix: "How many from each place to each?",
};

export interface AskProps {
  engine: Engine;
  data: PageData;
  release: number;
  stops: MapStop[];
  areas: Area[];
  start: Inquiry;
  asked: boolean; // whether to answer at once: a link had the question
  changed(inquiry: Inquiry): void; // it was asked
  close(): void;
}

export function AskDialog(p: AskProps) {
  const info = p.data.releases[p.release]!;
  const [start] = useState(p.start); // as it was opened: sections stay open or closed as a person leaves them
  const [q, setQ] = useState(start);
  const [reply, setReply] = useState<{ text: string; of: Inquiry } | null>(null);
  const [failure, setFailure] = useState("");
  const set = (change: Partial<Inquiry>) => setQ({ ...q, ...change });
  const ask = () => {
    try {
      refuseAreas(q, p.stops);
      const text = p.engine.reply(p.release, q.versus ?? p.release, questionOfInquiry(q, p.areas));
      setReply({ text, of: q });
      setFailure("");
      p.changed(q);
    } catch (error) {
      setReply(null);
      setFailure((error as Error).message);
    }
  };
  useEffect(() => {
    if (p.asked) ask();
  }, []);
  const names = info.stops.map((s) => s.name);
  const list = useId();
  const known = placeNames(p.areas, p.stops);
  const region = (label: string, value: string, put: (text: string) => void, placeholder = "anywhere") => (
    <label>
      <span>{label}</span>
      <input
        type="text"
        list={list}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        onInput={(e) => put(e.currentTarget.value)}
      />
    </label>
  );
  const choice = (label: string, value: string, options: [string, string][], put: (value: string) => void) => (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(e) => put(e.currentTarget.value)}>
        {options.map(([key, words]) => (
          <option value={key}>{words}</option>
        ))}
      </select>
    </label>
  );
  const number = (label: string, value: string, put: (text: string) => void, placeholder: string) => (
    <label>
      <span>{label}</span>
      <input
        type="number"
        min={0}
        placeholder={placeholder}
        value={value}
        onInput={(e) => put(e.currentTarget.value)}
      />
    </label>
  );
  const rivals = p.data.releases.flatMap((r, i): [string, string][] =>
    i !== p.release && comparable(info, r) ? [[String(i), r.name]] : [],
  );
  const chosen = names.filter((name) => q.where[name]?.trim());
  return (
    <Dialog title="Ask" close={p.close}>
      <form
        class="inquiry"
        onSubmit={(e) => {
          e.preventDefault();
          ask();
        }}
      >
        <datalist id={list}>
          {known.map((name) => (
            <option value={`zone:${name}`} />
          ))}
        </datalist>
        {choice(
          "Question",
          q.ask,
          (Object.keys(kKinds) as AskKind[])
            .filter((k) => k !== "matrix" || names.length > 1)
            .map((k) => [k, kKinds[k]]),
          (ask) => set({ ask: ask as AskKind }),
        )}
        {names.map((name) => region(name, q.where[name] ?? "", (text) => set({ where: { ...q.where, [name]: text } })))}
        <p class="soft small">
          A place is <code>circle:LAT,LNG,KM</code>, <code>bbox:W,S,E,N</code>
          {known.length > 0 ? (
            <>
              {" "}
              or <code>zone:{known[0]}</code>
            </>
          ) : null}
          {info.axes.some((a) => a.kind === "time") ? (
            <>
              ; an hour <code>time:07:00-09:00</code>
            </>
          ) : null}
          . Join them: <code>a | b</code> in one of them, <code>a &amp; b</code> in both, <code>a - b</code> in the
          first and not in the second.
        </p>
        {names.length > 1 && (
          <details open={!!(start.any || start.no || start.order)}>
            <summary>At any stop, at none, one after the other</summary>
            {region("at some stop", q.any, (any) => set({ any }), "no matter")}
            {region("at no stop", q.no, (no) => set({ no }), "no matter")}
            {region("in this order", q.order, (order) => set({ order }), "circle:… > circle:…")}
          </details>
        )}
        {(q.box || q.range) && (
          <>
            {q.box && region("ranges of axes", q.box, (box) => set({ box }), "all")}
            {q.range && region("ranges of values", q.range, (range) => set({ range }), "all")}
          </>
        )}
        {q.ask === "count" && (
          <details open={!!start.above || Object.values(start.minus).some((text) => text)}>
            <summary>How many more than elsewhere; how sure</summary>
            {names.map((name) =>
              region(`less ${name}`, q.minus[name] ?? "", (text) => set({ minus: { ...q.minus, [name]: text } }), "—"),
            )}
            {number("sure of more than", q.above, (above) => set({ above }), "trips")}
          </details>
        )}
        {q.ask === "share" &&
          choice(
            "of those at",
            q.of,
            [["", "all trips"], ...chosen.map((name): [string, string] => [name, `${name}, where it is asked`])],
            (of) => set({ of }),
          )}
        {q.ask === "top" && names.length > 1 && (
          <fieldset>
            <legend>Ways between the places of</legend>
            {names.map((name) => (
              <label class="tick">
                <input
                  type="checkbox"
                  checked={q.over.includes(name)}
                  onChange={(e) =>
                    set({ over: names.filter((n) => (n === name ? e.currentTarget.checked : q.over.includes(n))) })
                  }
                />
                {name}
              </label>
            ))}
          </fieldset>
        )}
        {(q.ask === "top" || q.ask === "totals") && number("rows", q.top, (top) => set({ top }), "all")}
        {q.ask === "matrix" &&
          (["from", "to"] as const).map((side) =>
            choice(
              side,
              q[side],
              names.map((name) => [name, name]),
              (name) => set({ [side]: name }),
            ),
          )}
        {rivals.length > 0 &&
          q.ask !== "share" &&
          choice("compare with", q.versus === null ? "" : String(q.versus), [["", "—"], ...rivals], (v) =>
            set({ versus: v === "" ? null : Number(v) }),
          )}
        <p>
          <button type="submit" class="main">
            Ask
          </button>
        </p>
      </form>
      {failure && (
        <p class="warn" role="alert" id="refused">
          {failure}
        </p>
      )}
      {reply && <ReplyView {...p} text={reply.text} of={reply.of} />}
    </Dialog>
  );
}

// The names one may ask for: of zones that were dropped, else of the release's own.
function placeNames(areas: Area[], stops: MapStop[]): string[] {
  if (areas.length) return areas.map((a) => a.name);
  const zones = stops.find((s) => s.zones)?.zones;
  return zones ? zones.names.slice(0, 2000) : [];
}

// Zones drawn with fewer corners than they have: what cuts them would be answered otherwise than by the release itself.
function refuseAreas(q: Inquiry, stops: MapStop[]): void {
  if (stops.every((s) => !s.geographic || takesAreas(s))) return;
  const texts = [...Object.values(q.where), ...Object.values(q.minus), q.any, q.no, q.order];
  if (texts.some((text) => /\b(circle|bbox|polygon|tile):/.test(text)))
    throw new Error(
      "circles, boxes and shapes cannot be asked here: this page has the zones with fewer corners\n  Ask for zones by name, or ask the release itself with stopover query.",
    );
}

function ReplyView(p: AskProps & { text: string; of: Inquiry }) {
  const reply = JSON.parse(p.text) as Reply;
  const names = p.data.releases.map((r) => r.name);
  const command = commandOfInquiry(p.of, names, p.release, p.areas);
  const other = p.of.versus === null ? "" : names[p.of.versus]!;
  const stem = names[p.release]!.replace(/\.odr$/, "");
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current!.scrollIntoView({ block: "nearest" }), [p.text]);
  return (
    <section id="reply" ref={section} aria-label="Reply" aria-live="polite">
      <Sentences reply={reply} other={other} here={names[p.release]!} />
      {reply.tables?.map((table) => (
        <RowTable table={table} other={other} />
      ))}
      {reply.columns && <MatrixTable reply={reply} other={other} />}
      {(reply.notes ?? []).map((note) => (
        <p class="soft small">{note}</p>
      ))}
      <p class="files">
        <button
          type="button"
          onClick={() => save(`${stem}-reply.json`, new Blob([p.text, "\n"], { type: "application/json" }))}
        >
          All digits as JSON
        </button>
      </p>
      <p class="soft small">
        The same in a shell{reply.tables || reply.columns ? " (-o FILE.csv writes the table)" : ""}
        {p.areas.length > 0 ? ", with the zones you dropped as zones.geojson" : ""}:
      </p>
      <code class="shell" tabIndex={0}>
        {command}
      </code>
    </section>
  );
}

const isAnswer = (a: unknown): a is Answer => typeof (a as Answer | undefined)?.estimate === "number";

function Sentences({ reply, other, here }: { reply: Reply; other: string; here: string }) {
  const { above, ratio } = reply;
  const pair =
    reply.first && isAnswer(reply.second)
      ? { first: reply.first, second: reply.second, words: [here, other], more: `${other} less ${here}` }
      : reply.count && reply.minus
        ? { first: reply.count, second: reply.minus, words: ["asked", "less"], more: "Difference" }
        : null;
  return (
    <>
      {isAnswer(reply) && (
        <>
          <p class="say">{answerWords(reply)}.</p>
          <Words answer={{ ...reply, notes: [] }} />
        </>
      )}
      {pair && (
        <>
          {isAnswer(reply.difference) && (
            <p class="say">
              {pair.more}: <b>{signed(reply.difference.estimate)}</b> trips; {rangeOf(reply.difference, signed)}.
            </p>
          )}
          {ratio && ratio.value !== null && (
            <p>
              {digits3(ratio.value)} times as many; {digits3(ratio.lower)} to{" "}
              {ratio.upper === null ? "no end" : digits3(ratio.upper)}
              {ratio.claimed ? "" : " (not claimed)"}.
            </p>
          )}
          {[pair.first, pair.second].map((a, i) => (
            <p>
              <b>{pair.words[i]}:</b> {grouped(a.estimate)} trips; {rangeOf(a, grouped)}
            </p>
          ))}
        </>
      )}
      {reply.share !== undefined && (
        <>
          <p class="say">
            {reply.share === null
              ? "There is nothing to be a share of."
              : `${percentOf(reply.share)} %; ${percentOf(reply.share_lower!)} to ${percentOf(reply.share_upper!)} %${reply.claimed ? "" : " (not claimed)"}.`}
          </p>
          {reply.part && reply.whole && (
            <p>
              {grouped(reply.part.estimate)} of {grouped(reply.whole.estimate)} trips.
            </p>
          )}
        </>
      )}
      {above && (
        <p class="say">
          {above.probability === null
            ? `There are only bounds, and ${grouped(above.value)} lies within them.`
            : `${percentOf(above.probability)} % sure that ${pair ? "the difference" : "it"} is more than ${grouped(above.value)}${above.claimed ? "" : " (not claimed)"}.`}
        </p>
      )}
    </>
  );
}

const digits3 = (v: number) => String(Number(v.toPrecision(3)));

function rangeOf(a: Answer, write: (v: number) => string): string {
  const [word, lower, upper] = a.calibrated
    ? ["likely", a.lower, a.upper]
    : ["noise alone", a.noise_lower, a.noise_upper];
  return `${word} ${write(lower)} to ${write(upper)}${a.calibrated && !a.claimed ? ", not claimed" : ""}`;
}

function RowTable({ table, other }: { table: Table; other: string }) {
  const compared = table.rows.some((r) => r.difference);
  return (
    <>
      <h3>{table.title}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={table.title || "Rows"}>
        <table>
          <thead>
            <tr>
              {table.stops.map((stop) => (
                <th class="way" scope="col">
                  {stop}
                </th>
              ))}
              {(compared ? ["trips here", `in ${other}`, "more by", "from", "to"] : ["trips", "from", "to"]).map(
                (h) => (
                  <th scope="col">{h}</th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((r) => (
              <tr>
                {table.stops.map((stop) => (
                  <td class="way">{r.names[stop] ?? ""}</td>
                ))}
                <td>{grouped(r.estimate)}</td>
                {r.difference ? (
                  <>
                    <td>{grouped(r.second!.estimate)}</td>
                    <td>{signed(r.difference.estimate)}</td>
                    <td>{signed(ends(r.difference)[0])}</td>
                    <td>{signed(ends(r.difference)[1])}</td>
                  </>
                ) : (
                  ends(r).map((v) => <td>{grouped(v)}</td>)
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const ends = (a: Answer): [number, number] => (a.calibrated ? [a.lower, a.upper] : [a.noise_lower, a.noise_upper]);

function MatrixTable({ reply, other }: { reply: Reply; other: string }) {
  const difference = reply.difference as unknown as Matrix | undefined;
  const shown = difference ?? (reply as unknown as Matrix);
  const write = difference ? signed : grouped;
  return (
    <>
      <h3>
        From {reply.from} (down) to {reply.to} (across)
        {difference ? `, ${other} less this release` : ""}
      </h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={`From ${reply.from} to ${reply.to}`}>
        <table>
          <thead>
            <tr>
              <th class="way" scope="col">
                {reply.from}
              </th>
              {reply.columns!.map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {reply.rows!.map((name, i) => (
              <tr>
                <th class="way" scope="row">
                  {name}
                </th>
                {reply.columns!.map((_, j) => (
                  <td title={`${write(shown.lower[i]![j]!)} to ${write(shown.upper[i]![j]!)}`}>
                    {write(shown.estimate[i]![j]!)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
