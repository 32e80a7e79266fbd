// The largest flows; choosing one shows it on the map.
import { useState } from "preact/hooks";
import type { MapStop } from "./data";
import type { Flow } from "./engine";
import { distinct, intervalClaim, intervalWord, type Results } from "./model";
import { grouped } from "./number";
import type { Panel } from "./panel";
import type { View } from "./view";

export function wayOf(flow: Flow, stops: MapStop[], view: View, results: Pick<Results, "places" | "byArea">): string[] {
  let free = 0;
  return stops.map((stop, i) => {
    if (view.regions[i]) return "here";
    const place = flow.places[free++]!;
    return (results.byArea[i] || !stop.zones ? results.places[place]?.name : stop.zones.names[place]) ?? "";
  });
}

const kShortFlows = 12;

export function FlowList(p: Panel & { chosen: number | null; choose(flow: number | null): void }) {
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
