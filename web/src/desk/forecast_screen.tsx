// 3 Forecast: what a release would be good for and what it would promise, before anything is spent. Reads no data.
import { useEffect, useRef, useState } from "preact/hooks";
import { run, type Fault, type Fields, type JobState } from "./api";
import { errorAt, leastEpsilon, noiseOf, zoneFactor, zonesNeed, type ErrorCurve } from "./takes";
import { boxOf, gridOf, usesZones, type Desk } from "./model";
import { Cli, count, faultOf, Progress, Script, text, TextField, Trouble } from "./pieces";

interface SizeError {
  side: number;
  typical_trips: number;
  median_relative_error: number;
  p90_relative_error: number;
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

const steps = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 4];
const percent = (x: number) =>
  x < 0.001
    ? "less than 0.1 %"
    : x >= 0.995
      ? "100 %"
      : x >= 0.1
        ? `${(100 * x).toFixed(0)} %`
        : `${(100 * x).toFixed(1)} %`;

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
  const noise = noiseOf(0.95, epsilon, k);
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
            <p class="hint">
              It starts at 0.5: a strong promise, and our advice where nobody has set a rule. Public statistics often go
              up to 1; above 2 is hard to defend.
            </p>
          </div>
          {user ? (
            <div class="field">
              <label for="fk">
                At most <output>{k}</output> trips of one person
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
          <TextField
            label="Trips expected"
            value={text(plan, "n")}
            set={(v) => desk.setPlan("n", v)}
            placeholder="300000"
            hint="A public guess (an annual report, a survey), not a count of the file."
          />
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
            <p>Trips between two zones, by how many there are:</p>
            <Sizes noise={zoneFactor * noise} />
            <Pairs n={n} zones={desk.zones?.zones ?? 0} noise={zoneFactor * noise} />
            <p class="soft small">
              No simulation: the noise of one count, times {zoneFactor}. So far off were pairs of about 100 trips in
              releases of Los Angeles&apos; bikes between 228 stations. With epsilon 0.1, and where nearly all pairs are
              empty, up to 1.8 times was measured.
            </p>
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
      <Takes
        k={k}
        epsilon={epsilon}
        stops={stops}
        {...(zones ? {} : { plan: asked, ready: n >= 100 })}
        use={(e) => desk.set("epsilon", String(e))}
      />
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
                  <td class="num">
                    {count(c.trips)} trip{Math.round(c.trips) === 1 ? "" : "s"}
                  </td>
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

// How many trips a pair of zones has if they were spread evenly, which they never are.
function Pairs({ n, zones, noise }: { n: number; zones: number; noise: number }) {
  if (!(n >= 100)) {
    return <p class="soft">Type how many trips are expected, to see how many a pair has.</p>;
  }
  if (zones < 2) return null;
  const each = n / (zones * zones);
  return (
    <p>
      {count(zones)} zones make {count(zones * zones)} pairs. With {count(n)} trips a pair has{" "}
      {each < 1 ? "less than one" : `about ${count(each)}`} on average; a few have far more.{" "}
      {each < noise
        ? `An average pair is lost in the noise of ${count(noise)}: read busy pairs, and sums over many.`
        : "Most pairs can be read by themselves."}
    </p>
  );
}

const tried = [0.05, 0.1, 0.2, 0.5, 1, 2, 4];
// Upwards, so that it is enough: 0.34, 1.2.
const upwards = (x: number) => (x < 1 ? Math.ceil(x * 100) / 100 : Math.ceil(x * 10) / 10);

function Takes(props: {
  k: number;
  epsilon: number;
  stops: number;
  plan?: Fields; // of a map; between zones there is a formula
  ready?: boolean;
  use: (epsilon: number) => void;
}) {
  const { k, epsilon, plan, stops, use } = props;
  const [trips, setTrips] = useState("100");
  const [within, setWithin] = useState("10");
  const [rows, setRows] = useState<PlanRow[] | null>(null);
  const [state, setState] = useState<JobState | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const key = JSON.stringify({ ...plan, epsilon: "" });
  useEffect(() => setRows(null), [key]);
  const work = async () => {
    setFault(null);
    try {
      const told = await run("plan", { ...plan, epsilon: tried.join(",") }, setState);
      setRows((told.result as PlanReply).rows);
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setState(null);
    }
  };
  const size = Number(trips);
  const share = Number(within) / 100;
  const good = size > 0 && share > 0;
  const curves = (name: "median_relative_error" | "p90_relative_error"): ErrorCurve[] =>
    (rows ?? []).map((row) => ({
      epsilon: row.epsilon,
      errors: (row.simulated?.[stops === 1 ? "one_stop" : "all_stops"] ?? []).map((c) => ({
        trips: c.typical_trips,
        error: c[name],
      })),
    }));
  const need = (of: 0.5 | 0.9): number | null =>
    !plan
      ? zonesNeed(size, share, of, k)
      : leastEpsilon(curves(of === 0.5 ? "median_relative_error" : "p90_relative_error"), size, share);
  const known = good && (!plan || rows !== null);
  const half = known ? need(0.5) : null;
  const most = known ? need(0.9) : null;
  const best = rows ? errorAt(curves("p90_relative_error").at(-1)?.errors ?? [], size) : null;
  const say = (x: number | null) => (x === null || x > 4 ? "more than 4" : `${upwards(x)}`);
  return (
    <div class="card takes">
      <h2>What would it take?</h2>
      <p class="sentence">
        To know {plan ? "flows between squares with" : "pairs of zones with"}{" "}
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
        %{known ? ":" : ""}{" "}
        {plan && !rows ? (
          <button type="button" disabled={!props.ready || state !== null} onClick={() => void work()}>
            Work it out
          </button>
        ) : null}
      </p>
      {plan && !props.ready ? <p class="soft">Needs the number of trips that are expected.</p> : null}
      <Progress state={state} />
      <Trouble fault={fault} />
      {known ? (
        <p id="takes">
          epsilon <b>{say(half)}</b> for half of them, <b>{say(most)}</b> for nine of ten.
          {most === null || most > 3
            ? ` That is more than anybody should promise${best !== null && best > share ? ` (at 4 one in ten is still off by ${percent(best)} or more)` : ""}: ask for larger flows, fewer squares or zones, or fewer trips of a person.`
            : ""}
        </p>
      ) : null}
      <p class="soft small">
        {plan
          ? `Read off forecasts for epsilon ${tried[0]} to ${tried.at(-1)}, for the grid that is declared and a synthetic city of as many trips: good within a factor of two. The first time it takes up to a minute.`
          : `The noise of one count, times ${zoneFactor}, as above.`}{" "}
        {plan ? <Cli name="stopover plan" /> : null}
      </p>
      {known && most !== null && most <= 4 && upwards(most) !== epsilon ? (
        <button type="button" onClick={() => use(upwards(most))}>
          Use {upwards(most)}
        </button>
      ) : null}
    </div>
  );
}
