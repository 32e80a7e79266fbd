// What lies behind the buttons: the guarantee in plain words, the table, the downloads.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { otherAxes, type MapStop, type ReleaseInfo } from "./data";
import type { Intervals } from "./engine";
import { answerIntervals, distinct, intervalClaim, type Results } from "./model";
import { digits12, grouped } from "./number";
import { askWords } from "./answer_card";
import { axisWords, rangeWords } from "./filters";
import { wayOf } from "./flow_list";
import type { View } from "./view";

export function Dialog(p: { title: string; close(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-label={p.title}
      onClose={p.close}
      onClick={(e) => e.target === dialog.current && dialog.current!.close()}
    >
      <button type="button" class="close" onClick={() => dialog.current!.close()}>
        Close
      </button>
      <h2>{p.title}</h2>
      {p.children}
    </dialog>
  );
}

export function Guarantee({ info, close }: { info: ReleaseInfo; close(): void }) {
  const epsilon = Number(info.epsilon);
  const belief = 1 / (1 + Math.exp(-Number(info.most_epsilon)));
  const after = 100 * belief >= 99.5 ? "more than 99 %" : `at most ${(100 * belief).toFixed(0)} %`;
  return (
    <Dialog title={info.card.title} close={close}>
      {!info.not_private && (
        <div class="believe">
          <svg viewBox="0 0 240 40" role="img" aria-label={`Someone 50 % sure becomes ${after} sure`}>
            <rect x="0" y="14" width="240" height="9" rx="4.5" fill="var(--empty)" />
            <rect x="0" y="14" width={240 * belief} height="9" rx="4.5" fill="var(--d3)" />
            <rect x="0" y="14" width="120" height="9" rx="4.5" fill="var(--d4)" />
            <line x1="120" x2="120" y1="9" y2="28" stroke="var(--ink)" stroke-width="1.5" />
            <line x1={240 * belief} x2={240 * belief} y1="9" y2="28" stroke="var(--ink)" stroke-width="1.5" />
            <text x="116" y="38" text-anchor="end" font-size="9.5" fill="var(--soft)">
              50 % sure before
            </text>
            <text x={Math.min(236, 240 * belief)} y="7" text-anchor="end" font-size="9.5" fill="var(--ink)">
              {after} after
            </text>
          </svg>
        </div>
      )}
      {info.card.promise.map((line) => (
        <p>{line}</p>
      ))}
      {Object.keys(info.description).length > 0 && (
        <>
          <h3>What it says it is</h3>
          <dl>
            {Object.entries(info.description).map(([key, text]) => (
              <>
                <dt>{key}</dt>
                <dd>{text}</dd>
              </>
            ))}
          </dl>
        </>
      )}
      <h3>What it does not promise</h3>
      <ul>
        {info.card.not_covered.map((line) => (
          <li>{line}</li>
        ))}
      </ul>
      <dl>
        <dt>epsilon</dt>
        <dd>
          {info.epsilon} (spent: {info.spent})
        </dd>
        <dt>protects</dt>
        <dd>{info.not_private ? "nobody" : info.protects}</dd>
        <dt>mechanism</dt>
        <dd>
          {info.mechanism}, {grouped(info.partitions)} boxes
        </dd>
        <dt>published</dt>
        <dd>{info.date}</dd>
        <dt>content</dt>
        <dd class="num">{info.content_sha256}</dd>
      </dl>
      <Planning epsilon={epsilon} trips={info.max_trips_per_user} unit={info.unit} />
    </Dialog>
  );
}

// How far the noise of one count reaches in 95 of 100 draws: discrete Laplace, P(|x| > m) = 2 q^(m+1)/(1 + q), q =
// e^-rate.
export function noiseReach(epsilon: number, trips: number): number {
  const rate = epsilon / trips;
  return Math.max(0, Math.ceil(Math.log(2 / 0.05 / (1 + Math.exp(-rate))) / rate - 1));
}

// What another epsilon would mean; needs no data.
function Planning({ epsilon, trips, unit }: { epsilon: number; trips: number; unit: string }) {
  const [power, setPower] = useState(Math.log10(epsilon));
  const value = Number((10 ** power).toPrecision(2));
  return (
    <section aria-label="Planning">
      <h3>Planning the next one</h3>
      <label class="range">
        <span>
          epsilon <b class="num">{value}</b>
        </span>
        <input
          type="range"
          min={-2}
          max={1}
          step={0.05}
          value={power}
          onInput={(e) => setPower(Number(e.currentTarget.value))}
        />
      </label>
      <p class="soft">
        Someone 50 % sure that {unit === "user" ? "a person" : "a trip"} is in the data would become at most{" "}
        <b>{(100 / (1 + Math.exp(-value))).toFixed(value < 4 ? 0 : 1)} %</b> sure. The noise of a single count that had
        all of it would stay within <b class="num">±{grouped(noiseReach(value, trips))}</b> in 95 of 100 draws; a
        release divides its epsilon among many. <code>stopover plan</code> says more.
      </p>
    </section>
  );
}

interface TableProps {
  info: ReleaseInfo;
  stops: MapStop[];
  view: View;
  results: Results;
}

export interface Row extends Intervals {
  what: string;
  where: string;
  estimate: number;
  calibrated: boolean; // else lower to upper is the noise's interval again
  claimed: boolean; // whether lower to upper is claimed to hold the truth 95 times of 100; the noise's alone never is
}

const meaning = (a: { calibrated: boolean; claimed: boolean }) => ({
  calibrated: a.calibrated,
  claimed: a.calibrated && a.claimed,
});

// The rows behind everything that is drawn.
export function tableRows({ info, stops, view, results }: TableProps): Row[] {
  const rows: Row[] = [];
  const a = results.answer;
  if (a)
    rows.push({
      what: "answer",
      where: askWords(info, stops, view),
      estimate: a.estimate,
      ...answerIntervals(a),
      ...meaning(a),
    });
  const rest = meaning(results);
  stops.forEach((stop, i) => {
    const rect = (name: string) =>
      stop.zones || results.byArea[i] ? null : results.places.find((place) => place.name === name)?.rect;
    for (const r of results.zones[i] ?? []) {
      const at = rect(r.name);
      const box = at && ` bbox:${[at.west, at.south, at.east, at.north].map(digits12).join(",")}`;
      rows.push({ ...r, ...rest, what: stop.name, where: `${r.name}${box ?? ""}` });
    }
  });
  for (const axis of otherAxes(info))
    for (const r of results.labels[axis] ?? [])
      rows.push({ ...r, ...rest, what: axisWords(info, axis), where: r.name });
  for (const axis of otherAxes(info)) {
    const bins = results.bins[axis];
    bins?.rows.forEach((r, i) => {
      const where = rangeWords(info, axis, bins.edges[i]!, bins.edges[i + 1]!);
      rows.push({ ...r, ...rest, what: axisWords(info, axis), where });
    });
  }
  for (const flow of results.flows)
    rows.push({ ...flow, ...rest, what: "flow", where: wayOf(flow, stops, view, results).join(" > ") });
  return rows;
}

const kMostRows = 1000;

export function TableView(p: TableProps & { close(): void; download(): void }) {
  const all = tableRows(p);
  const rows = all.filter((r) => !p.view.hide || distinct(r.noiseLower) || r.what === "answer");
  return (
    <Dialog title="The same as a table" close={p.close}>
      <p class="soft">
        {p.results.byArea.some((by) => by)
          ? "Zones are those you dropped."
          : p.stops.every((s) => s.zones)
            ? "Zones are the release's own."
            : "Places are boxes made for what is in sight."}{" "}
        From and to are{" "}
        {p.results.calibrated
          ? `what is ${intervalClaim(p.results)}: learned from the release, noise and placement together.`
          : "what the noise alone leaves open, 95 %: this release has no likely intervals."}
        {all.length > rows.length &&
          ` ${all.length - rows.length} rows are not distinguishable from zero and not listed.`}
        {rows.length > kMostRows &&
          ` The first ${grouped(kMostRows)} of ${grouped(rows.length)} rows; the CSV has all.`}
      </p>
      <p>
        <button type="button" onClick={p.download}>
          Download CSV
        </button>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Rows">
        <table>
          <thead>
            <tr>
              <th class="way" scope="col">
                what
              </th>
              <th class="way" scope="col">
                where
              </th>
              <th scope="col">trips</th>
              <th scope="col">from</th>
              <th scope="col">to</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, kMostRows).map((r) => (
              <tr>
                <td class="way">{r.what}</td>
                <td class="way">{r.where}</td>
                <td>{grouped(r.estimate)}</td>
                <td>{grouped(r.lower)}</td>
                <td>{grouped(r.upper)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

// A release that protects nobody says so in every row.
export function csvText(rows: Row[], info: ReleaseInfo): string {
  const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = rows.map((r) =>
    [
      quoted(r.what),
      quoted(r.where),
      ...[r.estimate, r.lower, r.upper, r.noiseLower, r.noiseUpper].map((v) => (Number.isFinite(v) ? digits12(v) : "")),
      r.calibrated,
      r.claimed,
      ...(info.not_private ? [quoted(info.not_private)] : []),
    ].join(","),
  );
  return [
    `what,where,estimate,lower,upper,noise_lower,noise_upper,calibrated,claimed${info.not_private ? ",not_private" : ""}`,
    ...lines,
    "",
  ].join("\n");
}

export function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
