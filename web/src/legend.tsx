// What the colours, circles and widths of the large map mean.
import type { CellMap } from "./cell_map";
import { flowWidth, mostTrips, type Chain } from "./chains";
import { grouped, niceStep } from "./number";
import * as paint from "./paint";
import { along } from "./palette";
import type { Plane } from "./plane";
import { cover, kPointShade, type Shade } from "./shade";
import type { View } from "./view";
import type { ZoneMap } from "./zones";

export function Legend(p: {
  shade: Shade;
  map: CellMap;
  total: number;
  compared: string | null; // the other release
  view: View;
  cover: number;
  zones: ZoneMap | null;
  plane: Plane;
  chains: Chain[];
}) {
  const { shade, map, view, zones } = p;
  const things = zones ? "zone" : "cell";
  const ramp = rampColors(shade, zones !== null).join(",");
  const percent = p.total > 0 ? (100 * shade.hiddenTrips) / p.total : 0;
  return (
    <div class="legend">
      <div>{shade.unit}</div>
      {shade.sizes && zones ? (
        <Sizes shade={shade} radius={(trips) => paint.pointRadius(zones, p.plane, trips, shade.most)} />
      ) : (
        <>
          <div class="ramp" style={{ background: `linear-gradient(90deg,${ramp})`, opacity: p.cover }} />
          <div class="ticks num" aria-hidden="true">
            {shade.ticks.map((tick) => (
              <span style={{ left: `${Math.min(90, Math.max(tick.words.length > 3 ? 9 : 3, tick.t * 100))}%` }}>
                {tick.words}
              </span>
            ))}
          </div>
        </>
      )}
      {p.chains.length > 0 && <Widths chains={p.chains} />}
      <div class="soft">
        {zones
          ? `The ${grouped(zones.size)} zones are the release's own.`
          : map.own
            ? "Cells are the release's own boxes."
            : "Cells are drawn for the eye; the release's boxes span all stops."}
      </div>
      <div class="soft" id="hidden-note">
        {p.compared !== null && shade.hiddenTrips === 0 && shade.ticks[0]?.words.startsWith("−")
          ? `${shade.hidden} of ${map.estimate.length} ${things}s may be as full in ${p.compared} and are ${view.hide ? "hidden" : "grey"}.`
          : map.intervals === null || p.compared !== null
            ? "working out what noise could have made …"
            : shade.hidden === 0
              ? `Every ${things} is distinguishable from zero.`
              : `${shade.hidden} of ${map.estimate.length} ${things}s are not distinguishable from zero and ${view.hide ? "hidden" : "grey"}: ${grouped(shade.hiddenTrips)} trips (${percent < 0.1 ? "under 0.1" : percent.toFixed(1)} %).`}
      </div>
    </div>
  );
}

// Colours along the ramp, as see-through as cells are.
export function rampColors(shade: Shade, full: boolean): string[] {
  return Array.from({ length: 17 }, (_, i) => {
    const color = along(shade.ramp, i / 16);
    return full || !shade.fades ? color : color.replace("rgb(", "rgba(").replace(")", `,${cover(i / 16)})`);
  });
}

// Circles of round numbers of trips.
export function roundSizes(shade: Shade, radius: (trips: number) => number): number[] {
  const most = niceStep(shade.most);
  return [most, most / 4, most / 20].filter((v, i) => i === 0 || radius(v) >= 1.5);
}

function Sizes({ shade, radius }: { shade: Shade; radius(trips: number): number }) {
  const list = roundSizes(shade, radius);
  const height = 2 * radius(list[0]!) + 4;
  let x = 2;
  return (
    <svg class="sizes" height={Math.max(16, height)} width="100%" aria-hidden="true">
      {list.map((trips) => {
        const r = radius(trips);
        const words = grouped(trips);
        const at = x + r;
        x += 2 * r + 10 + 7.2 * words.length + 6;
        return (
          <>
            <circle cx={at} cy={Math.max(16, height) / 2} r={r} fill={along(shade.ramp, kPointShade)} />
            <text x={at + r + 4} y={Math.max(16, height) / 2 + 4} fill="currentColor" font-size="12">
              {words}
            </text>
          </>
        );
      })}
    </svg>
  );
}

// Round numbers of trips and how wide a flow of them is.
export function roundWidths(chains: Chain[]): { trips: number; width: number }[] {
  const most = mostTrips(chains);
  const top = niceStep(most);
  return [top / 20, top / 4, top]
    .filter((trips) => trips >= 1)
    .map((trips) => ({ trips, width: flowWidth(trips, most) }));
}

function Widths({ chains }: { chains: Chain[] }) {
  const list = roundWidths(chains);
  return (
    <div class="widths">
      <div>flows, trips by width{chains.some((c) => c.stays) ? "; rings stay" : ""}</div>
      <svg width="100%" height="34" aria-hidden="true">
        {list.map(({ trips, width }, i) => (
          <>
            <line
              x1={4 + 62 * i}
              x2={4 + 62 * i + 46}
              y1="9"
              y2="9"
              stroke="var(--leg1)"
              stroke-width={width}
              stroke-linecap="round"
            />
            <text x={4 + 62 * i} y="30" fill="currentColor" font-size="12">
              {grouped(trips)}
            </text>
          </>
        ))}
      </svg>
      {chains.some((c) => c.doubtful) && <div class="soft">Dashed: what is likely reaches zero.</div>}
    </div>
  );
}
