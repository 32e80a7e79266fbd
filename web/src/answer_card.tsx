// The question in words, and the answer with its intervals.
import { takesAreas, type MapStop, type ReleaseInfo } from "./data";
import type { Answer } from "./engine";
import { axisWords, rangeWords } from "./filters";
import { answerIntervals, distinct, intervalWord } from "./model";
import { digits12, grouped, share } from "./number";
import type { Panel } from "./panel";
import { partsOf, regionPlace, regionText, regionWords } from "./region";
import type { View } from "./view";

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

export function AnswerCard(p: Panel & { clear(at: number): void; trouble: string }) {
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
