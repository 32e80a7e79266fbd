// 3 Forecast: what a release would be good for and what it would promise, before anything is spent. Reads no data.
import { useEffect, useRef, useState } from "preact/hooks";
import { run, type Fault, type Fields, type JobState } from "./api";
import { boxOf, gridOf, usesZones, type Desk } from "./model";
import { count, faultOf, Progress, Script, text, TextField, Trouble } from "./pieces";

interface SizeError {
  side: number;
  typical_trips: number;
  median_relative_error: number;
}
interface PlanRow {
  epsilon: number;
  mechanism: string;
  simulated: { one_stop: SizeError[]; all_stops: SizeError[] } | null;
}
interface PlanReply {
  n: number;
  length_unit: string;
  privacy: { epsilon: number; belief: number; sentence: string; count_noise_95: number }[];
  rows: PlanRow[];
  bounds: { epsilon: number; k: number; kept_share: number; error: number; recommended: boolean }[];
  simulation: string;
}

// How sure somebody becomes who was half sure.
export const sureAfter = (epsilon: number) => Math.exp(epsilon) / (1 + Math.exp(epsilon));
// A count that all of epsilon was spent on: off by at most so much in 95 of 100 cases.
export const noise95 = (epsilon: number, k: number) => (k * Math.log(20)) / epsilon;

const steps = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 4];
const percent = (x: number) =>
  x >= 0.995 ? "100 %" : x >= 0.1 ? `${(100 * x).toFixed(0)} %` : `${(100 * x).toFixed(1)} %`;

export function ForecastScreen({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const plan = desk.draft.plan;
  const [reply, setReply] = useState<PlanReply | null>(null);
  const [state, setState] = useState<JobState | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const turn = useRef(0);
  const epsilon = Number(text(f, "epsilon") || 0.5);
  const user = text(f, "unit") === "user";
  const k = user ? Number(text(f, "max_trips_per_user") || 4) : 1;
  const zones = usesZones(f);
  const grid = gridOf(f);
  const box = boxOf(f);
  const n = Number(text(plan, "n").replaceAll(/[, ]/g, ""));
  const model = text(f, "stops") || "od";
  const stops =
    model === "first" || model === "last"
      ? 1
      : model === "od"
        ? 2
        : model === "frames"
          ? text(f, "frames").split(",").length
          : 3;

  const asked: Fields = {
    n: String(n),
    stops: String(stops),
    epsilon: String(epsilon),
    mechanism: "auto",
    unit: user ? "user" : "trip",
  };
  if (user) asked["max_trips_per_user"] = String(k);
  if (!zones && grid) asked["grid"] = `${grid[0]}x${grid[1]}`;
  if (!zones && box) asked["bbox"] = box.join(",");
  const key = JSON.stringify(asked);
  useEffect(() => {
    if (!text(f, "epsilon")) desk.set("epsilon", "0.5");
  }, []);
  useEffect(() => {
    if (!(n >= 100) || zones) {
      setReply(null);
      return;
    }
    const mine = ++turn.current;
    const timer = setTimeout(async () => {
      try {
        const told = await run("plan", asked, (s) => mine === turn.current && setState(s));
        if (mine !== turn.current) return;
        setReply(told.result as PlanReply);
        setFault(null);
      } catch (e) {
        if (mine === turn.current) setFault(faultOf(e));
      } finally {
        if (mine === turn.current) setState(null);
      }
    }, 250);
    return () => clearTimeout(timer);
  }, [key, zones]);

  const after = sureAfter(epsilon);
  const noise = noise95(epsilon, k);
  const at = steps.reduce(
    (best, s, i) => (Math.abs(s - epsilon) < Math.abs((steps[best] ?? 0) - epsilon) ? i : best),
    0,
  );
  return (
    <section aria-labelledby="title">
      <h1 id="title">Forecast</h1>
      <p class="lead">
        How much should this release tell? <b>Epsilon</b> is the price in privacy: small keeps people safer, large makes
        numbers better. Move it and see both. No data is read here and nothing is spent.
      </p>
      <div class="two">
        <div class="card sliders">
          <div class="field">
            <label for="epsilon">
              Epsilon: <output>{epsilon}</output>
            </label>
            <input
              id="epsilon"
              type="range"
              min="0"
              max={steps.length - 1}
              value={at}
              aria-valuetext={`epsilon ${epsilon}`}
              onInput={(e) => desk.set("epsilon", String(steps[Number(e.currentTarget.value)] ?? 0.5))}
            />
            <p class="ends">
              <span>safer</span>
              <span>sharper</span>
            </p>
          </div>
          {user ? (
            <div class="field">
              <label for="fk">
                K: <output>{k}</output> trips of one person
              </label>
              <input
                id="fk"
                type="range"
                min="1"
                max="50"
                value={k}
                onInput={(e) => desk.set("max_trips_per_user", e.currentTarget.value)}
              />
            </div>
          ) : null}
          {!zones ? (
            <div class="field">
              <label for="fg">
                Cells along a side: <output>{grid ? grid[0] : "not declared"}</output>
              </label>
              <input
                id="fg"
                type="range"
                min="10"
                max="1000"
                step="10"
                value={grid ? grid[0] : 200}
                onInput={(e) => desk.set("grid", `${e.currentTarget.value}x${e.currentTarget.value}`)}
              />
            </div>
          ) : null}
          {zones ? null : (
            <TextField
              label="Trips expected"
              value={text(plan, "n")}
              set={(v) => desk.setPlan("n", v)}
              placeholder="300000"
              hint="A public guess (an annual report, a survey), not a count of the file."
            />
          )}
        </div>
        <div class="card promise" aria-live="polite">
          <h2>The promise</h2>
          <p class="big">
            Someone who is 50 % sure that {user ? "a certain person" : "a certain trip"} is in the data becomes at most{" "}
            <b>{percent(after)}</b> sure by seeing the release, whatever else they know.
          </p>
          <svg viewBox="0 0 400 54" role="img" aria-label={`50 % before, at most ${percent(after)} after`}>
            <rect x="0" y="2" width="400" height="20" rx="4" class="track" />
            <rect x="0" y="2" width="200" height="20" rx="4" class="before" />
            <text x="8" y="17">
              before 50 %
            </text>
            <rect x="0" y="30" width="400" height="20" rx="4" class="track" />
            <rect x="0" y="30" width={400 * after} height="20" rx="4" class="after" />
            <text x="8" y="45">
              after at most {percent(after)}
            </text>
          </svg>
          <p>
            {epsilon <= 0.5
              ? "A strong promise."
              : epsilon <= 1
                ? "A usual promise for public statistics."
                : epsilon <= 2
                  ? "A weak promise: say why the numbers must be this good."
                  : "A very weak promise. Most people would not call it private."}
          </p>
          <p class="soft">
            A single count bought with all of it is off by at most <b>{count(noise)}</b> trips in 95 of 100 cases.
          </p>
        </div>
      </div>
      <div class="card">
        <h2>How wrong answers would be</h2>
        {zones ? (
          <>
            <p>
              Between zones, by the size of what is asked: the noise of one count. A release divides epsilon among
              tables, so that busy pairs were measured up to 1.8 times as far off.
            </p>
            <Sizes noise={noise} />
          </>
        ) : !(n >= 100) ? (
          <p class="soft">Type how many trips are expected to see a forecast for a city of that size.</p>
        ) : (
          <>
            <Progress state={state} />
            <Trouble fault={fault} />
            {reply ? <Errors reply={reply} /> : null}
          </>
        )}
      </div>
      <Takes k={k} epsilon={epsilon} zones={zones} use={(e) => desk.set("epsilon", String(e))} />
      {n >= 100 && !zones ? <Script job="plan" fields={asked} /> : null}
      <p class="next">
        <button type="button" class="primary" onClick={() => desk.go("rehearse")}>
          Next: rehearse
        </button>
      </p>
    </section>
  );
}

function Sizes({ noise }: { noise: number }) {
  return (
    <table class="plain sizes">
      <thead>
        <tr>
          <th scope="col">a count of</th>
          <th scope="col">would read between</th>
          <th scope="col">off by up to</th>
        </tr>
      </thead>
      <tbody>
        {[10, 100, 1000, 10000].map((size) => (
          <tr class={noise / size > 0.5 ? "faint" : ""}>
            <th scope="row">{count(size)} trips</th>
            <td class="num">
              {count(Math.max(0, size - noise))} and {count(size + noise)}
            </td>
            <td class="num">{noise / size > 1 ? "more than itself" : percent(noise / size)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ErrorCell {
  side: number;
  trips: number;
  error: number;
}

// Of a row of the forecast: the squares asked about, at one stop or at all of them.
const cells = (row: PlanRow, name: "one_stop" | "all_stops"): ErrorCell[] =>
  (row.simulated?.[name] ?? []).map((c) => ({ side: c.side, trips: c.typical_trips, error: c.median_relative_error }));

function Errors({ reply }: { reply: PlanReply }) {
  const row = reply.rows[0];
  if (!row) return <p class="soft">No forecast for this.</p>;
  const unit = reply.length_unit === "km" ? "km" : "% of the map";
  const groups: [string, ErrorCell[]][] = [
    ["Trips from one place", cells(row, "one_stop")],
    ["Trips between two places", cells(row, "all_stops")],
  ];
  return (
    <>
      <div class="two">
        {groups.map(([title, list]) => (
          <table class="plain sizes">
            <caption>{title}</caption>
            <thead>
              <tr>
                <th scope="col">squares of</th>
                <th scope="col">for example</th>
                <th scope="col">would read</th>
                <th scope="col">half are off by less than</th>
              </tr>
            </thead>
            <tbody>
              {list.map((c) => (
                <tr class={c.error > 0.5 ? "faint" : ""}>
                  <th scope="row">
                    {c.side < 10 ? c.side.toFixed(1) : c.side.toFixed(0)} {unit}
                  </th>
                  <td class="num">{count(c.trips)} trips</td>
                  <td class="num">
                    {count(Math.max(0, c.trips * (1 - c.error)))} to {count(c.trips * (1 + c.error))}
                  </td>
                  <td class="num">{percent(c.error)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
      <p class="soft small">
        From releases of a synthetic city with {count(reply.n)} trips; take it as good within a factor of two.
      </p>
    </>
  );
}

function Takes(props: { k: number; epsilon: number; zones: boolean; use: (epsilon: number) => void }) {
  const { k, epsilon, zones, use } = props;
  const [trips, setTrips] = useState("100");
  const [within, setWithin] = useState("10");
  const need = (k * Math.log(20)) / ((Number(trips) * Number(within)) / 100);
  const good = Number.isFinite(need) && need > 0;
  const rounded = Math.ceil(need * 100) / 100;
  return (
    <div class="card takes">
      <h2>What would it take?</h2>
      <p class="sentence">
        To know a count of{" "}
        <input
          type="text"
          inputMode="numeric"
          aria-label="trips"
          value={trips}
          onInput={(e) => setTrips(e.currentTarget.value)}
        />{" "}
        trips within{" "}
        <input
          type="text"
          inputMode="numeric"
          aria-label="per cent"
          value={within}
          onInput={(e) => setWithin(e.currentTarget.value)}
        />{" "}
        % in 95 of 100 cases, epsilon must be at least <b>{good ? rounded : "…"}</b>
        {k > 1 ? ` with K = ${k}` : ""}
        {good && rounded > 3
          ? ": more than anybody should promise. Ask for larger groups, or protect fewer trips of a person."
          : "."}
      </p>
      <p class="soft small">
        By the noise of that one count.{" "}
        {zones
          ? "A release answers many questions from one epsilon: busy pairs of zones were measured up to 1.8 times as far off."
          : "On a map places are joined where trips are few, so that small squares are further off: the table above tells."}
      </p>
      {good && rounded <= 4 && rounded !== epsilon ? (
        <button type="button" onClick={() => use(rounded)}>
          Use {rounded}
        </button>
      ) : null}
    </div>
  );
}
