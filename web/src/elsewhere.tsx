// Where the trips of the question are at the other stops: bars with whiskers.
import { useState } from "preact/hooks";
import type { MapStop } from "./data";
import { distinct, intervalClaim, type ZoneRow } from "./model";
import { grouped } from "./number";
import type { Panel } from "./panel";

export function Elsewhere(p: Panel & { byArea(stop: MapStop): boolean }) {
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
