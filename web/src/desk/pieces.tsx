// Small things that every screen has: a field with its word about being public, the mark of what is private, troubles,
// bars, progress, a box to copy from.
import { type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { DeskError, script, type Fault, type Fields, type JobState } from "./api";

export const count = (n: number) => Math.round(n).toLocaleString("en-US");
export const text = (fields: Fields, name: string) => {
  const value = fields[name];
  return typeof value === "string" ? value : Array.isArray(value) ? value.join(",") : value ? "true" : "";
};

export const faultOf = (error: unknown): Fault =>
  error instanceof DeskError ? error.fault : { code: 1, message: String(error), field: "" };

export function Trouble({ fault, children }: { fault: Fault | null; children?: ComponentChildren }) {
  if (!fault) return null;
  const [first, ...rest] = fault.message.split("\n");
  return (
    <div class={`trouble ${fault.code === 4 ? "refusal" : ""}`} role="alert">
      <strong>
        {fault.code === 4 ? "Refused: " : ""}
        {first}
      </strong>
      {rest.map((line) => (
        <p>{line.trim()}</p>
      ))}
      {children}
    </div>
  );
}

export function Private({ children }: { children?: ComponentChildren }) {
  return (
    <p class="private" role="note">
      <b>PRIVATE</b>{" "}
      {children ??
        "True figures of real people: for your eyes, on this screen only. They are neither saved nor published."}
    </p>
  );
}

export function Public({ children }: { children?: ComponentChildren }) {
  return (
    <p class="public">
      {children ?? "Printed in the release word for word. Must be public knowledge, not read off the data."}
    </p>
  );
}

// How the command line calls it, in small print.
export const Cli = ({ name }: { name: string }) => <small class="cli">{name}</small>;

// "one trip, not a person (unit trip, K = 1)": what is in brackets is small print.
export function Who({ who }: { who: string }) {
  const [words = "", names = ""] = who.replace(/\)$/, "").split(" (");
  return (
    <>
      {words} {names ? <Cli name={names} /> : null}
    </>
  );
}

let ids = 0;
export function useId(): string {
  const [id] = useState(() => `f${++ids}`);
  return id;
}

export function Field(props: {
  label: string;
  hint?: ComponentChildren;
  fault?: string | undefined;
  children: (id: string) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children(id)}
      {props.hint ? <p class="hint">{props.hint}</p> : null}
      {props.fault ? (
        <p class="wrong" role="alert">
          {props.fault}
        </p>
      ) : null}
    </div>
  );
}

export function TextField(props: {
  label: string;
  value: string;
  set: (value: string) => void;
  hint?: ComponentChildren;
  placeholder?: string;
  wide?: boolean;
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(id) => (
        <input
          id={id}
          type="text"
          class={props.wide ? "wide" : ""}
          value={props.value}
          placeholder={props.placeholder ?? ""}
          onInput={(e) => props.set(e.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function Choice(props: {
  label: string;
  value: string;
  options: [string, string][];
  set: (value: string) => void;
  hint?: ComponentChildren;
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(id) => (
        <select id={id} value={props.value} onChange={(e) => props.set(e.currentTarget.value)}>
          {props.options.map(([value, name]) => (
            <option value={value} selected={value === props.value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Cards(props: {
  label: string;
  value: string;
  options: { value: string; title: string; text: string }[];
  set: (value: string) => void;
}) {
  return (
    <div class="cards" role="radiogroup" aria-label={props.label}>
      {props.options.map((o, i) => (
        <button
          type="button"
          role="radio"
          aria-checked={o.value === props.value}
          onKeyDown={(e) => {
            const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
            const all = [...(e.currentTarget.parentElement?.querySelectorAll("button") ?? [])];
            const next = step ? all[(i + step + all.length) % all.length] : undefined;
            if (!next) return;
            e.preventDefault();
            next.focus();
            next.click();
          }}
          onClick={() => props.set(o.value)}
          class="pick"
        >
          <strong>{o.title}</strong>
          <span>{o.text}</span>
        </button>
      ))}
    </div>
  );
}

// Horizontal bars with their numbers.
export function Bars(props: { rows: { name: string; value: number; note?: string; mark?: boolean }[]; label: string }) {
  const most = Math.max(1e-9, ...props.rows.map((r) => r.value));
  return (
    <table class="bars" aria-label={props.label}>
      <tbody>
        {props.rows.map((row) => (
          <tr class={row.mark ? "mark" : ""}>
            <th scope="row">{row.name}</th>
            <td class="bar">
              <span style={{ width: `${(100 * row.value) / most}%` }} />
            </td>
            <td class="num">{row.note ?? count(row.value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export interface Pace {
  [phase: string]: number;
}

// How long each phase took, by what a job told.
export function paceOf(state: JobState): Pace {
  const pace: Pace = {};
  const phases = state.told.filter((t) => t.phase);
  phases.forEach((t, i) => {
    pace[t.phase ?? ""] = (phases[i + 1]?.at ?? state.milliseconds) - t.at;
  });
  return pace;
}

const soon = (ms: number) =>
  ms < 1500 ? "a moment" : ms < 90_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`;

export function Progress({
  state,
  stop,
  pace,
}: {
  state: JobState | null;
  stop?: (() => void) | undefined;
  pace?: Pace;
}) {
  if (!state || !state.running) return null;
  const phases = state.told.filter((t) => t.phase);
  const steps = [...state.told].reverse().find((t) => t.steps)?.steps ?? 0;
  const last = phases.at(-1);
  const share = steps > 0 ? Math.min(0.97, Math.max(0.03, (phases.length - 0.5) / steps)) : undefined;
  const guess =
    steps > 0 && phases.length > 1 ? (state.milliseconds * (steps - phases.length + 0.5)) / (phases.length - 0.5) : 0;
  const known = pace && last?.phase && pace[last.phase] !== undefined;
  const left = known ? Math.max(500, Object.values(pace).reduce((a, b) => a + b, 0) - state.milliseconds) : guess;
  return (
    <div class="progress" role="status">
      <progress aria-label="How far the job is" {...(share === undefined ? {} : { value: share, max: 1 })} />
      <span>
        {state.cancelled ? "stopping at the next safe place …" : `${last?.phase ?? "beginning"} …`}
        {left > 0 && !state.cancelled ? ` about ${soon(left)} left` : ""}
      </span>
      {stop && !state.cancelled ? (
        <button type="button" onClick={stop}>
          Stop
        </button>
      ) : null}
    </div>
  );
}

export function Copy({ label, content }: { label: string; content: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(content);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      setDone(false);
    }
  };
  return (
    <figure class="code">
      <figcaption>
        {label}
        <button type="button" onClick={() => void copy()} aria-label={`Copy: ${label}`}>
          {done ? "Copied" : "Copy"}
        </button>
      </figcaption>
      <pre tabIndex={0}>{content}</pre>
    </figure>
  );
}

// The same as one would type it.
export function Script({ job, fields, open, title }: { job: string; fields: Fields; open?: boolean; title?: string }) {
  const [shown, setShown] = useState({ command_line: "", python: "" });
  const key = JSON.stringify(fields);
  useEffect(() => {
    let here = true;
    script(job, fields).then(
      (s) => here && setShown(s),
      () => {},
    );
    return () => {
      here = false;
    };
  }, [job, key]);
  if (!shown.command_line) return null;
  return (
    <details class="script" open={open ?? false}>
      <summary>{title ?? "The same from a shell or from Python"}</summary>
      <Copy label="Command line" content={shown.command_line} />
      {shown.python ? <Copy label="Python" content={shown.python} /> : null}
    </details>
  );
}

const said: Record<string, string> = {
  rows_read: "rows read",
  exchanged: "rows that would be in the box with latitude and longitude exchanged",
  odd_quotes: "rows with odd quotes",
  lacking_files: "files that lack a column",
  not_utf8: "rows that are not UTF-8",
  like_latin1: "rows that look like Latin 1",
  like_windows1252: "rows that look like Windows 1252",
  unreadable: "unreadable rows",
  kept_trips: "trips within the limit of a person",
};

// True figures by name; what there was none of is left out.
export function Facts({ facts, label }: { facts: Record<string, number>; label: string }) {
  const shown = Object.entries(facts).filter(([name, n]) => n > 0 || name === "rows_read" || name === "trips");
  const none = Object.keys(facts).length - shown.length;
  const odd = new Set(["rows_read", "trips", "users", "kept_trips"]);
  return (
    <div>
      <table class="plain" aria-label={label}>
        <tbody>
          {shown.map(([name, n]) => (
            <tr class={odd.has(name) ? "" : "mark"}>
              <th scope="row">{said[name] ?? `${odd.has(name) ? "" : "rows "}${name.replaceAll("_", " ")}`}</th>
              <td class="num">{count(n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {none > 0 ? <p class="soft small">Nothing was found of {none} other kinds of trouble.</p> : null}
    </div>
  );
}
