// 4 Rehearse: a name, a ledger, and a dry run: what would be counted and spent. Spends, draws and writes nothing.
import { useEffect, useState } from "preact/hooks";
import { found, run, type Entry, type Fault, type JobState } from "./api";
import { missing, nameOf, publishFields, type Desk } from "./model";
import {
  Bars,
  Choice,
  Cli,
  count,
  Facts,
  faultOf,
  paceOf,
  Private,
  Progress,
  Script,
  text,
  TextField,
  Trouble,
  Who,
  type Pace,
} from "./pieces";

export interface Rehearsal {
  who: string;
  mechanism: string;
  epsilon: string;
  rows: Record<string, number>;
  users_and_trips: Record<string, number>;
  left_out: string[];
  trips: number;
  parts: { stops: number; shape: string; trips: number; cells: number; period?: string }[];
  new_ledger: boolean;
  budget: string;
  spent: string;
  left_after: string;
}

// What a mechanism does, in words.
export const counted: Record<string, string> = {
  zones: "Counted pair by pair, between zones.",
  anchor: "Counted on maps that are finer where there are many trips.",
};

export let lastPace: Pace = {};

// What a curator should think twice about.
export function warnings(told: Rehearsal, k: number): string[] {
  const list: string[] = [];
  const epsilon = Number(told.epsilon);
  const noise = (k * Math.log(20)) / epsilon;
  if (told.trips === 0)
    list.push("Nothing would be counted. Look at the columns, the box or zones, and the time zone.");
  else if (told.trips < 20 * noise)
    list.push(
      `Too little data: ${count(told.trips)} trips, and a single count is off by up to ${count(noise)}. The release would say little more than how many there are.`,
    );
  if (epsilon < 0.05) list.push("Epsilon is very small: hardly anything will be seen through the noise.");
  if (epsilon > 3) list.push("Epsilon is very large: most people would not call this private.");
  const read = told.rows["rows_read"] ?? 0;
  for (const [name, n] of Object.entries(told.rows)) {
    if (name === "rows_read" || read === 0 || n / read < 0.2) continue;
    list.push(
      name === "exchanged"
        ? `${count(n)} of ${count(read)} rows would lie in the box with latitude and longitude exchanged. Go to Data: the desk can exchange the columns.`
        : `${count(n)} of ${count(read)} rows cannot be used: ${name.replaceAll("_", " ")}.`,
    );
  }
  const trips = told.users_and_trips["trips"];
  const kept = told.users_and_trips["kept_trips"];
  if (trips && kept !== undefined && kept / trips < 0.5)
    list.push(
      `The limit of a person drops most trips: ${count(kept)} of ${count(trips)} would be counted. Is it what the question needs?`,
    );
  return list;
}

export function RehearseScreen({ desk, keep }: { desk: Desk; keep: (told: Rehearsal | null) => void }) {
  const f = desk.draft.publish;
  const [state, setState] = useState<JobState | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [told, setTold] = useState<Rehearsal | null>(null);
  const [ledgers, setLedgers] = useState<Entry[]>([]);
  useEffect(() => {
    found().then(
      (r) => setLedgers(r.ledgers),
      () => {},
    );
    if (!f["output"]) name(desk.draft.name.replaceAll(/[^\w-]+/g, "_"));
  }, []);
  const series = Boolean(f["period"]);
  const folder = desk.facts.folder;
  const plain = nameOf(text(f, "output")).replace(/\.odr$/, "");
  function name(v: string) {
    const clean = v.replaceAll(/[^\w.-]+/g, "_");
    desk.set("output", clean ? `${folder}/releases/${clean}${series ? "" : ".odr"}` : "");
  }
  const isNew = !ledgers.some((l) => l.path === text(f, "ledger"));
  const own = `${folder}/ledgers/${plain || "city"}.ledger`;
  useEffect(() => {
    if (plain) name(plain);
  }, [series]);
  const lacks = missing(desk.draft);
  const k = Number(text(f, "max_trips_per_user") || 1);
  const go = async () => {
    setFault(null);
    setTold(null);
    keep(null);
    try {
      const done = await run("rehearse", publishFields(desk.draft), setState);
      const result = done.result as Rehearsal;
      lastPace = paceOf(done);
      setTold(result);
      keep(result);
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setState(null);
    }
  };
  const notes = told ? warnings(told, text(f, "unit").startsWith("user") ? k : 1) : [];
  return (
    <section aria-labelledby="title">
      <h1 id="title">Rehearse</h1>
      <p class="lead">
        A dry run on the real rows: what would be counted and what would be spent. It spends and writes nothing.
      </p>
      <div class="card">
        <h2>Name and ledger</h2>
        <div class="fields">
          <TextField
            label={series ? "Name of the series" : "Name of the release"}
            value={plain}
            set={name}
            hint="letters, digits, dashes"
          />
          <Choice
            label="Ledger of these people"
            value={isNew ? "" : text(f, "ledger")}
            options={[["", "a new one"], ...ledgers.map((l): [string, string] => [l.path, l.name])]}
            set={(v) =>
              desk.setMany(v ? { ledger: v, budget: "", budget_per_period: "", budget_per_year: "" } : { ledger: own })
            }
            hint="All releases about the same people share one ledger: it keeps the sum of what was told about them."
          />
          {isNew && text(f, "ledger") ? (
            <TextField
              label="Name of the new ledger"
              value={nameOf(text(f, "ledger")).replace(/\.ledger$/, "")}
              set={(v) => desk.set("ledger", `${folder}/ledgers/${v.replaceAll(/[^\w.-]+/g, "_")}.ledger`)}
            />
          ) : null}
          {isNew && !series ? (
            <TextField
              label="Budget: all that may ever be spent"
              value={text(f, "budget")}
              set={(v) => desk.setMany({ budget: v, ledger: text(f, "ledger") || own })}
              placeholder="2"
              hint={`This release costs ${text(f, "epsilon") || "…"}. A budget of a few times that leaves room for later ones.`}
            />
          ) : null}
          {isNew && series ? (
            <>
              <TextField
                label="Budget for each period"
                value={text(f, "budget_per_period")}
                set={(v) => desk.setMany({ budget_per_period: v, ledger: text(f, "ledger") || own })}
                placeholder={text(f, "epsilon")}
              />
              <TextField
                label="Budget for any year"
                value={text(f, "budget_per_year")}
                set={(v) => desk.set("budget_per_year", v)}
                placeholder="no limit"
              />
            </>
          ) : null}
          <TextField
            label="Note for the ledger"
            value={text(f, "note")}
            set={(v) => desk.set("note", v)}
            hint="one line, as: first release, for the mobility office"
          />
        </div>
      </div>
      {lacks.length > 0 ? (
        <div class="finding" role="note">
          <p>Still missing:</p>
          <ul>
            {lacks.map((m) => (
              <li>
                {m.what}{" "}
                {m.screen !== "rehearse" ? (
                  <button type="button" class="link" onClick={() => desk.go(m.screen)}>
                    go there
                  </button>
                ) : (
                  "(above)"
                )}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      <p class="row">
        <button type="button" class="primary" disabled={lacks.length > 0 || state !== null} onClick={() => void go()}>
          Rehearse
        </button>
      </p>
      <Progress state={state} />
      <Trouble fault={fault} />
      {told ? (
        <div class="card">
          <Private />
          {notes.map((n) => (
            <p class="warn" role="alert">
              {n}
            </p>
          ))}
          {notes.length === 0 ? <p class="good">Nothing to worry about was found.</p> : null}
          <div class="two">
            <div>
              <h3>What would be counted</h3>
              {told.parts.length > 1 ? (
                <Bars
                  label="Trips by part, private"
                  rows={told.parts.map((p) => ({ name: p.period ?? `${p.stops} stops`, value: p.trips }))}
                />
              ) : (
                <p class="big">
                  <b>{count(told.trips)}</b> trips
                </p>
              )}
              <Facts label="Rows, private" facts={{ ...told.rows, ...told.users_and_trips }} />
              {told.left_out.map((l) => (
                <p class="small">{l}</p>
              ))}
            </div>
            <div>
              <h3>What would be spent</h3>
              <p class="big">
                epsilon <b>{told.epsilon}</b>
                {series ? " on each period" : ""}
              </p>
              <p>
                Protected: <Who who={told.who} />
              </p>
              <p>
                {counted[told.mechanism] ?? "Counted"} <Cli name={`mechanism ${told.mechanism}`} />
              </p>
              {series ? null : (
                <p>
                  {told.new_ledger ? "A new ledger" : "The ledger"} would have <b>{told.left_after}</b> of {told.budget}{" "}
                  left.
                </p>
              )}
            </div>
          </div>
        </div>
      ) : null}
      {lacks.length === 0 ? <Script job="rehearse" fields={publishFields(desk.draft)} /> : null}
      {told && told.trips > 0 ? (
        <p class="next">
          <button type="button" class="primary" onClick={() => desk.go("publish")}>
            Next: publish
          </button>
        </p>
      ) : null}
    </section>
  );
}
