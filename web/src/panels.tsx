// The column beside the map: the question in words, the answer with its intervals, where else the trips were, the
// flows.
import { useEffect, useState } from "preact/hooks";
import { takesAreas, type MapStop, type ReleaseInfo } from "./data";
import type { Answer, Flow } from "./engine";
import { answerIntervals, distinct, intervalClaim, intervalWord, type Bins, type Results, type ZoneRow } from "./model";
import { extentOf } from "./plane";
import { digits12, grouped, share } from "./number";
import { parseRegion, partsOf, regionPlace, regionText, regionWords, type Region } from "./region";
import { allowed, type View } from "./view";

interface Common {
  info: ReleaseInfo;
  stops: MapStop[];
  view: View;
  results: Results;
}

// What is asked, with where that is.
export function askWords(info: ReleaseInfo, stops: MapStop[], view: View): string {
  const parts = stops.flatMap((stop, i) => {
    const region = view.regions[i];
    return region ? [`${stop.name} in ${regionPlace(region, stop.geographic)}`] : [];
  });
  for (const [axis, [lo, hi]] of Object.entries(view.filters))
    parts.push(`${axisWords(info, Number(axis))} ${rangeWords(info, Number(axis), lo, hi)}`);
  return parts.join(", ") || "all trips";
}

// The interval to act on, in words.
function mainInterval(a: Answer): { words: string; lower: number; upper: number } {
  const { name, lower, upper } = intervals(a)[0]!;
  return { words: name === "Likely" ? "likely" : "noise leaves open", lower, upper };
}

// "About 150 trips; likely 100 to 204"
export function answerWords(a: Answer): string {
  const { words, lower, upper } = mainInterval(a);
  return `About ${grouped(a.estimate)} trips; ${words} ${grouped(lower)} to ${grouped(upper)}`;
}

export function AnswerCard(p: Common & { clear(at: number): void; trouble: string }) {
  const { stops, view, results } = p;
  const asked = view.regions.some((r) => r) || Object.keys(view.filters).length > 0;
  const a = results.answer;
  return (
    <section class="card answer" aria-label="Question and answer">
      <h2>{asked ? "How many trips" : "All trips"}</h2>
      {asked && (
        <p class="ask">
          {stops.map((s, i) => {
            const region = view.regions[i];
            if (!region) return null;
            return (
              <span>
                {s.name} in{" "}
                <span class="chip" title={regionText(region)}>
                  <span class="noprint">
                    {partsOf(region).length > 2
                      ? partsOf(region)
                          .map((part) => regionWords(part, s.geographic))
                          .join(" or ")
                      : regionWords(region, s.geographic)}
                  </span>
                  <span class="onpaper">{regionPlace(region, s.geographic)}</span>
                  <button
                    type="button"
                    class="noprint"
                    aria-label={`Ask for ${s.name} anywhere`}
                    onClick={() => p.clear(i)}
                  >
                    ×
                  </button>
                </span>{" "}
              </span>
            );
          })}
          {Object.entries(view.filters).map(([axis, [lo, hi]]) => (
            <span>
              {axisWords(p.info, Number(axis))} {rangeWords(p.info, Number(axis), lo, hi)}{" "}
            </span>
          ))}
        </p>
      )}
      {p.trouble && (
        <p class="warn" role="alert" id="trouble">
          {p.trouble}
        </p>
      )}
      {results.failure && (
        <p class="warn" role="alert">
          {results.failure}
        </p>
      )}
      {a && (
        <div aria-live="polite">
          <p
            class="say"
            id="estimate"
            data-digits={digits12(a.estimate)}
            data-lower={digits12(a.noise_lower)}
            data-upper={digits12(a.noise_upper)}
          >
            <b class="big">About {grouped(a.estimate)}</b> trips; {mainInterval(a).words}{" "}
            <b class="num">
              {grouped(mainInterval(a).lower)} to {grouped(mainInterval(a).upper)}
            </b>
            {asked && <span class="soft"> · {share(a.estimate, results.total)} of all</span>}
          </p>
          {asked && <Whiskers answer={a} />}
          {!distinct(a.noise_lower) && <p class="warn">Not distinguishable from zero.</p>}
          {a.calibrated && !a.claimed && intervals(a)[0]!.name === "Likely" && (
            <p class="soft small">Likely: meant for {percent(a.level)}, not claimed.</p>
          )}
          {results.share && results.share.share !== null && (
            <p id="share">
              <b class="num">{percentOf(results.share.share)} %</b> of the trips with {stops[results.share.stop]!.name}{" "}
              in {regionWords(view.regions[results.share.stop]!, stops[results.share.stop]!.geographic)};{" "}
              <span class="num">
                {percentOf(results.share.share_lower)} to {percentOf(results.share.share_upper)} %
              </span>
            </p>
          )}
          <details class="how">
            <summary>How sure is that?</summary>
            <Words answer={a} />
          </details>
          {results.others.map(
            (other) =>
              other.less && (
                <p>
                  <b>{other.name}:</b> <span class="num">{grouped(other.answer.estimate)}</span>{" "}
                  <span class="soft num">
                    ({intervalWord(other.answer.calibrated)} {grouped(answerIntervals(other.answer).lower)} to{" "}
                    {grouped(answerIntervals(other.answer).upper)}); here {signed(other.less.estimate)},{" "}
                    {signed(answerIntervals(other.less).lower)} to {signed(answerIntervals(other.less).upper)}
                  </span>
                </p>
              ),
          )}
        </div>
      )}
      {!asked && (
        <p class="soft small noprint">
          {stops.some((s) => s.zones) ? "Click a zone, find one by its name" : "Click a cell"}
          {stops.some((s) => takesAreas(s)) ? ", or draw a circle, a box or a shape" : ""} at any stop: the answer comes
          with what its noise leaves open.
        </p>
      )}
    </section>
  );
}

export const signed = (v: number) => (v < 0 ? grouped(v) : `+${grouped(v)}`);

interface Interval {
  lower: number;
  upper: number;
  name: string;
  color: string;
}

// The intervals of an answer, the one to act on first: what is likely, what noise alone leaves open, what is possible.
function intervals(a: Answer): Interval[] {
  const noise = { lower: a.noise_lower, upper: a.noise_upper, name: "Noise alone", color: "var(--accent)" };
  if (a.aligned && !a.believed) return [noise];
  const list: Interval[] = a.calibrated
    ? [{ lower: a.lower, upper: a.upper, name: "Likely", color: "var(--leg1)" }, noise]
    : [noise];
  if (!a.aligned && a.bounds_upper > a.bounds_lower)
    list.push({ lower: a.bounds_lower, upper: a.bounds_upper, name: "However they lie", color: "var(--soft)" });
  return list;
}

export const percentOf = (share: number) => String(Number((100 * share).toPrecision(3)));
const percent = (level: number) => `${Number((100 * level).toPrecision(4))} %`;

// As wide as what is likely and some more; what reaches beyond has a broken end, and its number there.
function Whiskers({ answer }: { answer: Answer }) {
  const list = intervals(answer);
  const main = list[0]!;
  const lo = Math.min(main.lower, answer.estimate);
  const hi = Math.max(main.upper, answer.estimate);
  const pad = 0.4 * Math.max(hi - lo, 1);
  const from = lo >= 0 ? Math.max(0, lo - pad) : lo - pad;
  const to = hi + pad;
  const x = (v: number) => 4 + (92 * (v - from)) / (to - from);
  const widest = list.reduce((a, b) => (b.upper - b.lower > a.upper - a.lower ? b : a));
  const line = { "vector-effect": "non-scaling-stroke" };
  const mark = (v: number, y: number, color: string) =>
    v >= from - 1e-9 && v <= to + 1e-9 ? (
      <line x1={x(v)} x2={x(v)} y1={y - 1.7} y2={y + 1.7} stroke={color} stroke-width="2" {...line} />
    ) : (
      // broken: two strokes across, and the line goes on
      <path
        d={v < from ? `M2.2 ${y + 1.8}l1 -3.6M3.6 ${y + 1.8}l1 -3.6` : `M95.4 ${y + 1.8}l1 -3.6M96.8 ${y + 1.8}l1 -3.6`}
        fill="none"
        stroke={color}
        stroke-width="1.5"
        {...line}
      />
    );
  return (
    <figure class="whiskers" aria-hidden="true">
      <svg
        viewBox={`0 0 100 ${2 + 5 * list.length}`}
        preserveAspectRatio="none"
        style={{ height: `${0.5 + 0.7 * list.length}rem` }}
      >
        {from <= 0 && <line x1={x(0)} x2={x(0)} y1="0" y2="20" stroke="var(--soft)" stroke-dasharray="2 2" {...line} />}
        {list.map((i, n) => {
          const y = 3.5 + 5 * n;
          return (
            <>
              <line
                x1={i.lower < from ? 0 : x(i.lower)}
                x2={i.upper > to ? 100 : x(i.upper)}
                y1={y}
                y2={y}
                stroke={i.color}
                stroke-width={n === 0 ? 5 : 2}
                {...line}
              />
              {mark(i.lower, y, i.color)}
              {mark(i.upper, y, i.color)}
            </>
          );
        })}
        <line
          x1={x(answer.estimate)}
          x2={x(answer.estimate)}
          y1="0"
          y2="7"
          stroke="var(--ink)"
          stroke-width="2.5"
          {...line}
        />
      </svg>
      <p class="scale num">
        {widest.lower < from ? <span>{grouped(widest.lower)}</span> : null}
        {x(main.upper) - x(main.lower) > 30 && (
          <span class="mid" style={{ left: `${x(main.lower)}%` }}>
            {grouped(main.lower)}
          </span>
        )}
        <span class="mid" style={{ left: `${x(main.upper)}%` }}>
          {grouped(main.upper)}
        </span>
        {widest.upper > to ? <span class="end">{grouped(widest.upper)}</span> : null}
      </p>
    </figure>
  );
}

export function Words({ answer: a }: { answer: Answer }) {
  const level = percent(a.level);
  const claim = (i: Interval) => (i.name === "Likely" && !a.claimed ? `meant for ${level}, not claimed` : level);
  return (
    <>
      {intervals(a).map((i) => (
        <p>
          {intervals(a).length === 1 ? null : (
            <span class="swatch" style={{ background: i.color }} aria-hidden="true" />
          )}
          <b>{i.name}:</b>{" "}
          <span class="num">
            {grouped(i.lower)} to {grouped(i.upper)}
          </span>{" "}
          <span class="soft">({claim(i)})</span>
        </p>
      ))}
      {a.certified && (
        <p id="certified">
          <b>Certified:</b>{" "}
          <span class="num">
            {grouped(a.certified.lower)} to {grouped(a.certified.upper)}
          </span>{" "}
          <span class="soft">
            (of probed boxes like this {percentOf(Math.floor(1000 * a.certified.share) / 1000)} % or more hold; certain
            to {percent(a.certified.sure)})
          </span>
        </p>
      )}
      {a.median !== undefined && (
        <p>
          Best guess of this one number: <span class="num">{grouped(a.median)}</span>{" "}
          <span class="soft">(its median; the estimate is what adds up)</span>
        </p>
      )}
      <p class="soft">
        {a.aligned
          ? a.believed
            ? "It cuts no published box. The estimate weighs its count by what the other counts say; the noise's interval is about its count alone."
            : a.calibrated || a.claimed
              ? "It cuts no published box, so the noise is the whole story."
              : "It cuts no published box; the noise is that of the listed cells alone."
          : `It cuts ${grouped(a.partitions_cut)} published box${a.partitions_cut === 1 ? "" : "es"}: how trips lie inside ${a.partitions_cut === 1 ? "it" : "them"} is an assumption the noise's interval does not cover.`}
      </p>
      {(a.notes ?? []).map((note) => (
        <p class="soft">{note}</p>
      ))}
    </>
  );
}

// Bars with whiskers: where the trips of the question are at the other stops.
export function Elsewhere(p: Common & { byArea(stop: MapStop): boolean }) {
  const { stops, view, results } = p;
  const asked = view.regions.some((r) => r);
  const others = stops.map((_, i) => i).filter((i) => (asked ? !view.regions[i] : i === view.stop));
  const first = view.regions.findIndex((r) => r);
  const unit = (i: number) => (stops[i]!.zones || p.byArea(stops[i]!) ? "zone" : "place");
  return (
    <>
      {others.map((i) => {
        const rows = results.zones[i];
        const when = !asked ? "" : i < first ? "Before: " : i > first ? "After: " : "";
        return (
          <section class="card" aria-label={`${when}${stops[i]!.name} by ${unit(i)}`}>
            <h2>
              {when}
              {stops[i]!.name} by {unit(i)}
            </h2>
            {rows ? (
              <Bars rows={rows} hide={view.hide} word={intervalClaim(results)} unit={unit(i)} />
            ) : (
              <p class="soft">…</p>
            )}
          </section>
        );
      })}
    </>
  );
}

function Bars({ rows, hide, word, unit }: { rows: ZoneRow[]; hide: boolean; word: string; unit: string }) {
  const [all, setAll] = useState(false);
  const kept = rows.filter((r) => !hide || distinct(r.noiseLower));
  const gone = rows.filter((r) => !distinct(r.noiseLower));
  const most = Math.max(1e-9, ...kept.map((r) => r.upper));
  const x = (v: number) => Math.max(0, (100 * v) / most);
  const list = all ? kept : kept.slice(0, 8);
  return (
    <>
      <ol
        class="rows"
        style={{
          "--name": `${Math.min(9.5, Math.max(1.6, 0.4 + 0.6 * Math.max(1, ...list.map((r) => r.name.length))))}rem`,
        }}
      >
        {list.map((r) => (
          <li class={`rowline ${distinct(r.noiseLower) ? "" : "faint"}`}>
            <b>{r.name}</b>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y="1.5" width={x(r.estimate)} height="7" fill="var(--d3)" />
              <path
                d={`M${x(r.lower)} 5H${x(r.upper)}M${x(r.lower)} 2.5V7.5M${x(r.upper)} 2.5V7.5`}
                fill="none"
                stroke="var(--ink)"
                stroke-width="1.3"
                vector-effect="non-scaling-stroke"
              />
            </svg>
            <span class="n" title={`${grouped(r.lower)} to ${grouped(r.upper)}`}>
              {grouped(r.estimate)}
            </span>
          </li>
        ))}
      </ol>
      {kept.length === 0 && <p class="soft">No {unit} is distinguishable from zero.</p>}
      <p class="soft small">
        Whiskers: {word}.{" "}
        {gone.length > 0 &&
          `${gone.length} ${unit}${gone.length === 1 ? " is" : "s are"} not distinguishable from zero${hide ? " and not listed" : ""}. `}
        {kept.length > 8 && (
          <button type="button" class="noprint" onClick={() => setAll(!all)}>
            {all ? "Fewer" : `All ${kept.length}`}
          </button>
        )}
      </p>
    </>
  );
}

export function wayOf(flow: Flow, stops: MapStop[], view: View, results: Pick<Results, "places" | "byArea">): string[] {
  let free = 0;
  return stops.map((stop, i) => {
    if (view.regions[i]) return "here";
    const place = flow.places[free++]!;
    return (results.byArea[i] || !stop.zones ? results.places[place]?.name : stop.zones.names[place]) ?? "";
  });
}

const kShortFlows = 12;

export function FlowList(p: Common & { chosen: number | null; choose(flow: number | null): void }) {
  const { stops, view, results } = p;
  const [all, setAll] = useState(false);
  if (stops.length < 2 || !view.flows) return null;
  const shown = results.flows
    .map((f, i) => [f, i] as const)
    .filter(([f]) => !view.hide || Number.isNaN(f.noiseLower) || distinct(f.noiseLower));
  const gone = results.flows.length - shown.length;
  const list = all ? shown : shown.slice(0, kShortFlows);
  const clusters = results.places.some((place) => place.rect) && stops.some((s) => !s.zones);
  return (
    <section class="card" aria-label="Largest flows">
      <h2>
        Largest flows,{" "}
        {stops.map((s, i) => (
          <>
            {i > 0 && (
              <span class="leg" style={{ color: `var(--leg${((i - 1) % 5) + 1})` }}>
                {" "}
                →{" "}
              </span>
            )}
            {s.name}
          </>
        ))}
      </h2>
      {shown.length > 0 && (
        <p class="soft small flowhead">
          <span>{clusters ? "places" : "zones"}</span>
          <span>trips</span>
          <span>{results.calibrated && !results.claimed ? intervalWord(true) : intervalClaim(results)}</span>
        </p>
      )}
      <div class="rows" role="group" aria-label="Flows; choosing one shows it on the map">
        {list.map(([flow, i]) => (
          <button
            type="button"
            class="flow"
            aria-pressed={p.chosen === i}
            onClick={() => p.choose(p.chosen === i ? null : i)}
          >
            <span class="way">
              {wayOf(flow, stops, view, results).map((zone, s) => (
                <>
                  {s > 0 && (
                    <span class="leg" style={{ color: `var(--leg${((s - 1) % 5) + 1})` }} aria-label="to">
                      →
                    </span>
                  )}
                  <span>{zone}</span>
                </>
              ))}
            </span>
            <b>{grouped(flow.estimate)}</b>
            <span class="soft">
              {Number.isNaN(flow.lower) ? "" : `${grouped(flow.lower)} to ${grouped(flow.upper)}`}
            </span>
          </button>
        ))}
      </div>
      {!results.flowsDone && <p class="soft">searching …</p>}
      {results.flowsDone && shown.length === 0 && <p class="soft">No flow is distinguishable from zero.</p>}
      <p class="soft small">
        {gone > 0 && view.hide && `${gone} more could be noise and are not listed. `}
        {clusters && "Places are made for what is in sight: come nearer for finer ones. "}
        {shown.length > kShortFlows && (
          <button type="button" class="noprint" onClick={() => setAll(!all)}>
            {all ? "Fewer" : `All ${shown.length}`}
          </button>
        )}
      </p>
    </section>
  );
}

// What an axis that is on no map is called: its stop's name where it is all of it, and "time at origin" where the
// release has only a number for its name.
export function axisWords(info: ReleaseInfo, axis: number): string {
  const { name, kind } = info.axes[axis]!;
  const stop = info.stops.find((s) => s.axes.includes(axis));
  if (stop && stop.axes.length === 1) return stop.name; // an attribute of the trip
  return /^a\d+$/.test(name) && stop ? `${kind} at ${stop.name}` : name;
}

export function rangeWords(info: ReleaseInfo, axis: number, lo: number, hi: number): string {
  const a = info.axes[axis]!;
  if (a.labels.length) return hi === lo + 1 ? a.labels[lo]! : `${a.labels[lo]} to ${a.labels[hi - 1]}`;
  const edge = (cell: number) => a.lower + ((a.upper - a.lower) * cell) / a.cells;
  const words = (v: number) => (a.kind === "time" ? timeWords(v) : digits12(v));
  return `${words(edge(lo))} to ${words(edge(hi))}`;
}

// Time axes count hours or seconds; small numbers are hours of a day.
function timeWords(value: number): string {
  if (Math.abs(value) > 1e6) return new Date(value * 1000).toISOString().slice(0, 16).replace("T", " ");
  const minutes = Math.round(value * 60);
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(((minutes % 60) + 60) % 60).padStart(2, "0")}`;
}

// Time, category and other axes that are on no map.
export function Filters(p: Common & { axes: number[]; set(axis: number, range: [number, number] | null): void }) {
  if (p.axes.length === 0) return null;
  return (
    <section class="card" aria-label="Filters">
      <h2>Only</h2>
      {p.axes.map((axis) => {
        const a = p.info.axes[axis]!;
        const [lo, hi] = p.view.filters[axis] ?? [0, a.cells];
        const set = (l: number, h: number) => p.set(axis, l === 0 && h === a.cells ? null : [l, h]);
        if (a.labels.length) {
          return (
            <LabelList
              words={axisWords(p.info, axis)}
              labels={a.labels}
              rows={p.results.labels[axis] ?? null}
              chosen={p.view.filters[axis] ? [lo, hi] : null}
              set={(range) => p.set(axis, range)}
              ordered={a.kind !== "zone"}
            />
          );
        }
        return (
          <Timeline
            words={axisWords(p.info, axis)}
            range={(l, h) => rangeWords(p.info, axis, l, h)}
            bins={p.results.bins[axis] ?? null}
            cells={a.cells}
            chosen={[lo, hi]}
            set={set}
          />
        );
      })}
    </section>
  );
}

const kPlayStep = 900; // milliseconds

// An axis of time, or of other numbers, with the trips along it: drag over it, move its ends, or play it.
function Timeline(p: {
  words: string;
  range(lo: number, hi: number): string;
  bins: Bins | null;
  cells: number;
  chosen: [number, number];
  set(lo: number, hi: number): void;
}) {
  const [lo, hi] = p.chosen;
  const [drag, setDrag] = useState<[number, number] | null>(null);
  const [plays, setPlays] = useState(false);
  const all = lo === 0 && hi === p.cells;
  const edges = p.bins?.edges ?? [0, p.cells];
  const step = Math.max(1, Math.round(p.cells / (edges.length - 1)));
  // The same window, one step later; from the beginning after the end.
  const next = () => {
    const width = all ? step : hi - lo;
    const from = all || lo + step + width > p.cells ? 0 : lo + step;
    p.set(from, Math.min(p.cells, from + width));
  };
  useEffect(() => {
    if (!plays) return;
    const timer = setTimeout(next, kPlayStep);
    return () => clearTimeout(timer);
  }, [plays, lo, hi]);
  const most = Math.max(1e-9, ...(p.bins?.rows ?? []).map((r) => r.upper));
  const bin = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const cell = ((event.clientX - box.left) / box.width) * p.cells;
    const at = edges.findIndex((_, i) => i + 1 < edges.length && cell < edges[i + 1]!);
    return at < 0 ? edges.length - 2 : at;
  };
  const [from, to] = drag ? [edges[Math.min(...drag)]!, edges[Math.max(...drag) + 1]!] : [lo, hi];
  return (
    <div class="timeline" role="group" aria-label={p.words}>
      <p>
        <b>{p.words}</b> <span class="soft num">{p.range(from, to)}</span>
      </p>
      <svg
        viewBox={`0 0 ${p.cells} 100`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          setPlays(false);
          setDrag([bin(e), bin(e)]);
        }}
        onPointerMove={(e) => drag && setDrag([drag[0], bin(e)])}
        onPointerUp={() => {
          if (drag) p.set(from, to);
          setDrag(null);
        }}
        onPointerCancel={() => setDrag(null)}
      >
        {p.bins?.rows.map((row, i) => {
          const [l, h] = [edges[i]!, edges[i + 1]!];
          const height = Math.max(0, (100 * row.estimate) / most);
          return (
            <rect
              x={l + 0.06 * (h - l)}
              width={0.88 * (h - l)}
              y={100 - height}
              height={height}
              fill={l >= from && h <= to ? "var(--d4)" : "var(--d1)"}
            />
          );
        })}
      </svg>
      <span class="ends">
        <input
          type="range"
          aria-label={`${p.words}, from`}
          min={0}
          max={p.cells - 1}
          value={lo}
          onChange={(e) => p.set(Math.min(Number(e.currentTarget.value), hi - 1), hi)}
        />
        <input
          type="range"
          aria-label={`${p.words}, until`}
          min={1}
          max={p.cells}
          value={hi}
          onChange={(e) => p.set(lo, Math.max(Number(e.currentTarget.value), lo + 1))}
        />
        <button
          type="button"
          class="noprint"
          aria-pressed={plays}
          aria-label={`Play ${p.words}`}
          onClick={() => {
            setPlays(!plays);
            if (!plays) next();
          }}
        >
          {plays ? "❚❚" : "▶"}
        </button>
        <button
          type="button"
          class="noprint"
          disabled={all}
          aria-label={`All of ${p.words}`}
          onClick={() => {
            setPlays(false);
            p.set(0, p.cells);
          }}
        >
          All
        </button>
      </span>
    </div>
  );
}

const kShortList = 8;

// The labels of an axis with their trips; choosing one asks for it alone.
function LabelList(p: {
  words: string;
  labels: string[];
  rows: ZoneRow[] | null; // while they are not known: null
  chosen: [number, number] | null;
  set(range: [number, number] | null): void;
  ordered: boolean; // keep the order of the labels; else the largest first
}) {
  const [all, setAll] = useState(false);
  const order = p.labels.map((_, i) => i);
  if (!p.ordered && p.rows) order.sort((a, b) => p.rows![b]!.estimate - p.rows![a]!.estimate);
  const inside = (i: number) => p.chosen !== null && p.chosen[0] <= i && i < p.chosen[1];
  const list = all ? order : order.filter((i, at) => at < kShortList || inside(i));
  const most = Math.max(1e-9, ...(p.rows ?? []).map((r) => r.estimate));
  return (
    <div class="labels" role="group" aria-label={p.words}>
      <h3>{p.words}</h3>
      {list.map((i) => {
        const row = p.rows?.[i];
        return (
          <button
            type="button"
            class="label"
            aria-pressed={inside(i)}
            title={row ? `${grouped(row.lower)} to ${grouped(row.upper)}` : undefined}
            onClick={() => p.set(inside(i) ? null : [i, i + 1])}
          >
            <span class="name">{p.labels[i]}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect
                x="0"
                y="1.5"
                width={Math.max(0, (100 * (row?.estimate ?? 0)) / most)}
                height="7"
                fill="var(--d3)"
              />
            </svg>
            <span class="n num">{row ? grouped(row.estimate) : "…"}</span>
          </button>
        );
      })}
      {p.labels.length > kShortList && (
        <button type="button" class="small noprint" onClick={() => setAll(!all)}>
          {all ? "Fewer" : `All ${grouped(p.labels.length)}`}
        </button>
      )}
    </div>
  );
}

// A region typed instead of drawn: for keyboards, and for exact places.
export function TypeRegion(p: Common & { set(region: Region | null): void }) {
  const stop = p.stops[p.view.stop]!;
  const region = p.view.regions[p.view.stop];
  const e = extentOf(p.info, [stop]);
  const middle = { lat: (e.south + e.north) / 2, lon: (e.west + e.east) / 2 };
  const start = region
    ? regionText(region)
    : takesAreas(stop)
      ? `circle:${middle.lat.toFixed(3)},${middle.lon.toFixed(3)},1`
      : stop.zones
        ? `zone:${stop.zones.names[0]}`
        : `bbox:${e.west},${e.south},${middle.lon},${middle.lat}`;
  const kinds = [
    ...(stop.zones ? ["zone:NAME"] : []),
    ...(takesAreas(stop) ? ["circle:LAT,LNG,KM"] : []),
    ...(stop.zones && !takesAreas(stop) ? [] : ["bbox:W,S,E,N"]),
  ];
  const [wrong, setWrong] = useState(false);
  return (
    <section class="card noprint" aria-label={`Where at ${stop.name}, typed`}>
      <details>
        <summary>Type a place for {stop.name}</summary>
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            const text = (new FormData(event.currentTarget).get("region") as string).trim();
            const read = text === "" ? null : parseRegion(text, [], stop.zones);
            const bad = text !== "" && (read === null || !allowed(stop, read));
            setWrong(bad);
            if (!bad) p.set(read);
          }}
        >
          <label>
            {kinds.slice(0, -1).join(", ")}
            {kinds.length > 1 ? " or " : ""}
            {kinds.at(-1)}
            <input
              type="text"
              name="region"
              key={start}
              defaultValue={start}
              aria-invalid={wrong}
              style={{ width: "17.5rem", maxWidth: "100%" }}
            />
          </label>
          <button type="submit">Ask</button>
          {wrong && <span role="alert">That cannot be asked here.</span>}
        </form>
      </details>
    </section>
  );
}
