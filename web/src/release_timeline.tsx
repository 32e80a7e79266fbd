// The same question to releases of one form, such as the months of a year: a bar for each, with what is likely. A click
// goes there, with the question; it can be played.
import { useEffect, useState } from "preact/hooks";
import type { Answer } from "./engine";
import { answerIntervals, intervalClaim } from "./model";
import { grouped } from "./number";

const kPlayStep = 1200; // milliseconds

export interface Told {
  release: number;
  name: string; // "2019-01"
  answer: Answer;
}

// What tells names apart: without the beginning that all share, as far as it ends with a mark between words.
export function shortNames(names: string[]): string[] {
  const [first = "", ...rest] = names;
  let shared = 0;
  for (let i = 1; i <= first.length; i++) {
    if (rest.some((name) => name.slice(0, i) !== first.slice(0, i))) break;
    if (/[-_ ./]/.test(first[i - 1]!)) shared = i;
  }
  return names.map((name) => name.slice(shared));
}

export function ReleaseTimeline(p: { told: Told[]; release: number; go(release: number): void }) {
  const [plays, setPlays] = useState(false);
  const at = p.told.findIndex((t) => t.release === p.release);
  const next = () => p.go(p.told[(at + 1) % p.told.length]!.release);
  useEffect(() => {
    if (!plays) return;
    const timer = setTimeout(next, kPlayStep);
    return () => clearTimeout(timer);
  }, [plays, p.release]);
  const rows = p.told.map((t) => ({ ...t, ...answerIntervals(t.answer), estimate: t.answer.estimate }));
  const most = Math.max(1e-9, ...rows.flatMap((r) => [r.estimate, r.upper]));
  const height = (v: number) => `${Math.min(100, Math.max(0, (100 * v) / most)).toFixed(2)}%`;
  const short = shortNames(rows.map((r) => r.name));
  const words = (r: (typeof rows)[number]) =>
    `${r.name}: about ${grouped(r.estimate)} trips, ${grouped(r.lower)} to ${grouped(r.upper)}`;
  return (
    <section class="card releases" aria-label="Release by release">
      <h2>Release by release</h2>
      <p class="num" id="period">
        <b>{rows[at]?.name}</b>: {grouped(rows[at]?.estimate ?? 0)} trips{" "}
        <span class="soft">
          ({grouped(rows[at]?.lower ?? 0)} to {grouped(rows[at]?.upper ?? 0)})
        </span>
      </p>
      <div class="bars">
        {rows.map((r, i) => (
          <button
            type="button"
            aria-pressed={i === at}
            aria-label={words(r)}
            title={words(r)}
            onClick={() => {
              setPlays(false);
              p.go(r.release);
            }}
          >
            <span class="column">
              <span class="bar" style={{ height: height(r.estimate) }} />
              <span
                class="whisker"
                style={{ bottom: height(r.lower), height: height(r.upper - Math.max(0, r.lower)) }}
              />
            </span>
            <span class="name">{short[i]}</span>
          </button>
        ))}
      </div>
      <p class="soft small">
        {intervalClaim(rows[at]?.answer ?? { calibrated: false, claimed: false })}.{" "}
        <button
          type="button"
          class="noprint"
          aria-pressed={plays}
          aria-label="Play the releases"
          onClick={() => setPlays(!plays)}
        >
          {plays ? "❚❚" : "▶"}
        </button>
      </p>
    </section>
  );
}
