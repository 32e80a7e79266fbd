// 1 Data: which rows, what is in them, and whether they are what they seem.
import { useEffect, useRef, useState } from "preact/hooks";
import { run, type Fault, type Fields, type JobState } from "./api";
import { exchanged, guessed, inWords, pairs, type Column } from "./columns";
import { boxAround, DeskMap } from "./desk_map";
import { FileDialog } from "./file_dialog";
import { boxOf, nameOf, rowFields, usesZones, type Desk, type PlacesFound } from "./model";
import { Bars, Choice, count, Facts, faultOf, Private, Progress, Script, text, TextField, Trouble } from "./pieces";

interface Inspection {
  rows: Record<string, number>;
  users_and_trips: Record<string, number>;
  trips_per_user: { users: number; trips: number; quantiles: Record<string, number> } | null;
  kept_by_k: { k: number; trips: number }[];
  trips_by_stops: { stops: number; trips: number }[];
}

export function DataScreen({ desk }: { desk: Desk }) {
  const [dialog, setDialog] = useState(false);
  const [state, setState] = useState<JobState | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [found, setFound] = useState<Inspection | null>(null);
  const [mended, setMended] = useState(false);
  const [bySql, setBySql] = useState(Boolean(desk.draft.publish["sql"]));
  const turn = useRef(0);
  const fields = desk.draft.publish;
  const source: Fields = Object.fromEntries(
    Object.entries({ input: text(fields, "input"), sql: text(fields, "sql") }).filter(([, v]) => v !== ""),
  );
  for (const name of ["encoding", "delimiter"]) if (fields[name]) source[name] = fields[name] ?? "";

  async function look(at: Fields, rows: Fields) {
    const mine = ++turn.current;
    const here = () => mine === turn.current;
    setFault(null);
    setFound(null);
    try {
      const told = await run("columns", at, (s) => here() && setState(s));
      if (!here()) return;
      const columns = (told.result as { columns: Column[] }).columns;
      desk.setColumns(columns);
      const names = new Set(columns.map((c) => c.name));
      const guess = guessed(columns);
      const used = ["lat", "lng", "trip", "user", "seq", "time"].map((n) => text(rows, n)).filter((n) => n !== "");
      const fits = Boolean(rows["shape_of"]) && used.every((n) => names.has(n));
      // A box that was drawn was meant.
      if (boxOf(rows) && !rows["zones"]) delete guess["where_lies"];
      const now = fits ? { ...guess, ...rows } : { ...rows, ...guess };
      desk.setMany(now);
      await places(now);
    } catch (e) {
      if (here()) {
        desk.setColumns([]);
        desk.setPlaces([], "");
        setFault(faultOf(e));
      }
    } finally {
      if (here()) setState(null);
    }
  }

  async function places(rows: Fields) {
    if (pairs(rows).length === 0) {
      desk.setPlaces([], "");
      return;
    }
    const asked = rowFields({ ...desk.draft, publish: { ...rows, where_lies: "box" } });
    for (const name of ["grid", "stops", "frames", "axes", "trip_axes", "stop_names", "where"]) delete asked[name];
    if (!boxOf(rows)) delete asked["bbox"];
    const told = await run("places", asked, setState);
    desk.setPlaces((told.result as { columns: PlacesFound[] }).columns, text(asked, "bbox"));
    setState(null);
  }

  async function inspect() {
    setFault(null);
    try {
      const told = await run("inspect", rowFields(desk.draft), setState);
      setFound(told.result as Inspection);
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setState(null);
    }
  }

  useEffect(() => {
    if ((fields["input"] || fields["sql"]) && desk.columns.length === 0) void look(source, fields);
    // A box that was declared meanwhile may show that columns are swapped.
    else if (boxOf(fields) && desk.placesBox !== text(fields, "bbox")) {
      places(fields).catch((e: unknown) => setFault(faultOf(e)));
    }
  }, []);

  const swapped = desk.places.filter((p) => p.swapped);
  const repair = async () => {
    const now = exchanged(
      fields,
      swapped.map((p) => ({ lat: p.lat, lng: p.lng })),
    );
    desk.setMany(now);
    setMended(true);
    try {
      await places(now);
    } catch (e) {
      setFault(faultOf(e));
    }
  };
  const sample = desk.places.flatMap((p) => p.sample);
  const declared = usesZones(fields) ? Boolean(fields["zones"]) : boxOf(fields) !== null;
  const first = desk.places[0];

  return (
    <section aria-labelledby="title">
      <h1 id="title">Choose the data</h1>
      <p class="lead">
        One row is a trip, a stop of a trip, or a position. Files stay where they are; nothing leaves this machine and
        nothing is spent before the step <b>Publish</b>.
      </p>
      <div class="row">
        <button type="button" class="primary" onClick={() => setDialog(true)}>
          {fields["input"] ? "Choose another file" : "Choose a file or folder"}
        </button>
        {fields["input"] ? (
          <p class="chosen">
            <b>{nameOf(text(fields, "input"))}</b> <span class="soft">{text(fields, "input")}</span>
          </p>
        ) : null}
        {desk.facts.sql ? (
          <button type="button" onClick={() => setBySql(!bySql)} aria-pressed={bySql}>
            SQL instead
          </button>
        ) : null}
      </div>
      {bySql && desk.facts.sql ? (
        <div class="row">
          <TextField
            label="DuckDB query"
            wide
            value={text(fields, "sql")}
            set={(v) => desk.setMany({ sql: v, input: "" })}
          />
          <button type="button" onClick={() => void look({ sql: text(fields, "sql") }, fields)}>
            Read
          </button>
        </div>
      ) : null}
      {dialog ? (
        <FileDialog
          facts={desk.facts}
          title="Choose rows"
          kinds={["rows"]}
          folders
          close={() => setDialog(false)}
          choose={(path) => {
            setDialog(false);
            setMended(false);
            desk.setMany({ input: path, sql: "" });
            void look({ input: path }, { ...fields, input: path, sql: "" });
          }}
        />
      ) : null}
      <Progress state={state} />
      <Trouble fault={fault} />
      {desk.columns.length > 0 ? (
        <>
          <Private />
          {swapped.length > 0 ? (
            <div class="finding" role="alert" id="swapped">
              <p>
                <b>Latitude and longitude look swapped.</b> Most rows of{" "}
                {swapped.map((p) => `${p.lat} and ${p.lng}`).join("; ")} make sense only the other way round
                {first && first.off_globe > 0
                  ? `: ${count(first.off_globe)} of ${count(first.rows)} lie beyond 90 degrees of latitude`
                  : ""}
                .
              </p>
              <button type="button" class="primary" onClick={() => void repair()}>
                Exchange them
              </button>
            </div>
          ) : mended ? (
            <p class="good" role="status">
              Exchanged: the columns are read the other way round. The file itself is as it was.
            </p>
          ) : null}
          <div class="two">
            <div class="card">
              <h2>Columns</h2>
              <div class="scroll">
                <table class="plain">
                  <thead>
                    <tr>
                      <th scope="col">name</th>
                      <th scope="col">type</th>
                      <th scope="col">how its values are written</th>
                    </tr>
                  </thead>
                  <tbody>
                    {desk.columns.map((c) => (
                      <tr>
                        <th scope="row">
                          {c.name}
                          {c.like_a_user ? <span class="tag">who somebody is?</span> : null}
                        </th>
                        <td>{c.type === "VARCHAR" ? "text" : c.type.toLowerCase()}</td>
                        <td>{inWords(c.shapes)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <p class="soft small">By the first 100 rows: how values are written, not what they are.</p>
            </div>
            <div class="card">
              <h2>A sample of places</h2>
              {sample.length > 0 ? (
                <>
                  <DeskMap
                    label={`Map of ${sample.length} places, a private sample`}
                    points={sample}
                    look={boxAround(sample)}
                    box={boxOf(fields)}
                    mark="PRIVATE"
                    height={300}
                  />
                  {desk.places.map((p) => (
                    <p class="small">
                      {p.lat}, {p.lng}: {count(p.rows)} rows, {count(p.missing)} without a position,{" "}
                      {count(p.off_globe)} off the globe
                      {desk.placesBox ? `, ${count(p.in_box)} in the declared box` : ""}
                    </p>
                  ))}
                </>
              ) : (
                <p class="soft">
                  No pair of columns is taken for a position.{" "}
                  {fields["zone_columns"] ? "Zones by their ids need none." : "Say which on the next step."}
                </p>
              )}
            </div>
          </div>
          {text(fields, "input").includes(".csv") ? (
            <details>
              <summary>How the file is written</summary>
              <div class="row">
                <Choice
                  label="Between the fields"
                  value={text(fields, "delimiter")}
                  options={[
                    ["", "comma"],
                    [";", "semicolon"],
                    ["tab", "tab"],
                    ["|", "bar"],
                  ]}
                  set={(v) => {
                    desk.set("delimiter", v);
                    void look(v ? { ...source, delimiter: v } : source, { ...fields, delimiter: v });
                  }}
                />
                <Choice
                  label="Letters"
                  value={text(fields, "encoding")}
                  options={[
                    ["", "UTF-8"],
                    ["latin1", "Latin 1"],
                    ["windows-1252", "Windows 1252"],
                    ["utf-16", "UTF-16"],
                  ]}
                  set={(v) => {
                    desk.set("encoding", v);
                    void look(v ? { ...source, encoding: v } : source, { ...fields, encoding: v });
                  }}
                />
              </div>
            </details>
          ) : null}
          <div class="card">
            <h2>Quality, users and trips</h2>
            {declared ? (
              <p class="row">
                <button type="button" onClick={() => void inspect()}>
                  Count rows, users and trips
                </button>
                <span class="soft">
                  For finding mistakes. A box or a limit chosen by these figures would be a fact about the data.
                </span>
              </p>
            ) : (
              <p class="soft">
                Once a box or zones are declared on the next step, the desk can count here what fits, users, trips per
                user and stops per trip.
              </p>
            )}
            {found ? <Figures found={found} /> : null}
          </div>
          <Script job="inspect" fields={rowFields(desk.draft)} />
          <p class="next">
            <button type="button" class="primary" onClick={() => desk.go("declare")}>
              Next: declare
            </button>
          </p>
        </>
      ) : null}
    </section>
  );
}

function Figures({ found }: { found: Inspection }) {
  const users = found.trips_per_user;
  return (
    <div class="figures">
      <Private />
      <div class="two">
        <Facts label="Rows and trips, private" facts={{ ...found.rows, ...found.users_and_trips }} />
        <div>
          {users ? (
            <>
              <h3>Trips per user</h3>
              <Bars
                label="Trips per user, by share of users, private"
                rows={Object.entries(users.quantiles)
                  .sort(([a], [b]) => Number(a) - Number(b))
                  .map(([q, n]) => ({
                    name:
                      q === "0"
                        ? "fewest"
                        : q === "1"
                          ? "most"
                          : q === "0.5"
                            ? "half have at most"
                            : `${Number(q) * 100} % at most`,
                    value: n,
                  }))}
              />
            </>
          ) : null}
          {found.trips_by_stops.length > 0 ? (
            <>
              <h3>Trips by number of stops</h3>
              <Bars
                label="Trips by number of stops, private"
                rows={found.trips_by_stops.map((r) => ({
                  name: `${r.stops} stop${r.stops === 1 ? "" : "s"}`,
                  value: r.trips,
                }))}
              />
            </>
          ) : null}
        </div>
      </div>
    </div>
  );
}
