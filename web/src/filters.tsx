// Axes that are on no map, times, categories and others: their words, and what is asked of them.
import { useEffect, useState } from "preact/hooks";
import type { ReleaseInfo } from "./data";
import type { Bins, ZoneRow } from "./model";
import { digits12, grouped } from "./number";
import type { Panel } from "./panel";

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

export function Filters(p: Panel & { axes: number[]; set(axis: number, range: [number, number] | null): void }) {
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
