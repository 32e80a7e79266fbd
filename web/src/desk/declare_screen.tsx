// 2 Declare: what a row is, where stops lie, which stops count, who is protected. All of it is public and none of it
// may be read off the data.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keepZones, run, type Fault, type Fields, type JobState } from "./api";
import { boxAround, DeskMap } from "./desk_map";
import { FileDialog } from "./file_dialog";
import { boxOf, gridOf, nameOf, stopsInWords, usesZones, type Desk, type ZonesFound } from "./model";
import { Cards, Choice, Cli, count, faultOf, Progress, Public, text, TextField, Trouble } from "./pieces";

export function DeclareScreen({ desk }: { desk: Desk }) {
  return (
    <section aria-labelledby="title">
      <h1 id="title">Declare</h1>
      <p class="lead">
        What you say here is printed in the release and is not protected by it. Say what everybody could know: the
        city's outline, its stations, a typical number of trips. Never look it up in the data.
      </p>
      <Rows desk={desk} />
      <Where desk={desk} />
      <Stops desk={desk} />
      <Who desk={desk} />
      <Series desk={desk} />
      <Words desk={desk} />
      <p class="next">
        <button type="button" class="primary" onClick={() => desk.go("forecast")}>
          Next: forecast
        </button>
      </p>
    </section>
  );
}

function Rows({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const shape = text(f, "shape_of");
  const names: [string, string][] = [["", "none"], ...desk.columns.map((c): [string, string] => [c.name, c.name])];
  for (const n of ["trip", "user", "seq", "time", "lat", "lng"]) {
    const v = text(f, n);
    if (v && !names.some(([name]) => name === v)) names.push([v, v]);
  }
  const column = (field: string, label: string, hint?: string) => (
    <Choice label={label} value={text(f, field)} options={names} set={(v) => desk.set(field, v)} hint={hint} />
  );
  const points = Array.isArray(f["points"]) ? f["points"] : [];
  const setPoint = (i: number, part: number, value: string) => {
    const all = points.length > 0 ? [...points] : [",", ","];
    const parts = (all[i] ?? ",").split(",");
    parts[part] = value;
    all[i] = parts.join(",").replace(/,+$/, (m) => (parts.length > 2 ? "" : m));
    desk.set("points", all);
  };
  return (
    <div class="card">
      <h2>What one row is</h2>
      <Cards
        label="What one row is"
        value={shape}
        set={(v) => desk.set("shape_of", v)}
        options={[
          { value: "trips", title: "A whole trip", text: "start and end in one row, by coordinates or station ids" },
          { value: "stops", title: "One stop of a trip", text: "several rows make a trip: a trip id, an order" },
          { value: "pings", title: "A position in time", text: "someone was here then; stays and trips are found" },
        ]}
      />
      <div class="fields">
        {column(
          "trip",
          "Trip id",
          shape === "trips" ? "tells rows apart that are sent twice" : "rows of one trip share it",
        )}
        {column("user", "Who travels", "a user, card or device; none if there is no such column")}
        {shape === "stops" ? column("seq", "Order of stops") : null}
        {column("time", "Time")}
        {shape !== "trips" && !f["zone_column"] ? column("lat", "Latitude") : null}
        {shape !== "trips" && !f["zone_column"] ? column("lng", "Longitude") : null}
      </div>
      {shape === "trips" && !(usesZones(f) && f["zone_columns"]) ? (
        <div class="fields">
          {(points.length > 0 ? points : [",", ","]).map((p, i, all) => (
            <fieldset>
              <legend>{i === 0 ? "Start" : i + 1 === all.length ? "End" : `On the way ${i}`}</legend>
              <Choice label="Latitude" value={p.split(",")[0] ?? ""} options={names} set={(v) => setPoint(i, 0, v)} />
              <Choice label="Longitude" value={p.split(",")[1] ?? ""} options={names} set={(v) => setPoint(i, 1, v)} />
            </fieldset>
          ))}
        </div>
      ) : null}
      <Public>
        Names of columns say nothing about people. Where a trip begins is not used to decide anything here.
      </Public>
    </div>
  );
}

function Where({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const zones = usesZones(f);
  // What is above may grow or shrink with the choice: the choice itself stays where the eye is.
  const card = useRef<HTMLDivElement>(null);
  const before = useRef<number | null>(null);
  useLayoutEffect(() => {
    const at = card.current?.getBoundingClientRect().top;
    if (before.current !== null && at !== undefined) scrollBy(0, at - before.current);
    before.current = null;
  }, [zones]);
  return (
    <div class="card where" ref={card}>
      <h2>Where stops lie</h2>
      <Cards
        label="Where stops lie"
        value={zones ? "zones" : "box"}
        set={(v) => {
          before.current = card.current?.getBoundingClientRect().top ?? null;
          desk.set("where_lies", v);
        }}
        options={[
          { value: "box", title: "On a map", text: "a box with a grid: any place inside can be asked about" },
          {
            value: "zones",
            title: "In known zones or stations",
            text: "a public list of them: best for tables between them",
          },
        ]}
      />
      {!zones && Array.isArray(f["zone_columns"]) && f["zone_columns"].length > 0 ? (
        <p class="good" role="note">
          The file names stations or zones ({f["zone_columns"].join(", ")}). If there is a public list of them,{" "}
          <b>In known zones or stations</b> gives by far the better tables.
        </p>
      ) : null}
      {zones && !f["zones"] && Array.isArray(f["zone_columns"]) && f["zone_columns"].length > 0 ? (
        <p class="good" role="note">
          Chosen because the file names stations or zones ({f["zone_columns"].join(", ")}). Without a public list of
          them take <b>On a map</b>.
        </p>
      ) : null}
      {zones ? <Zones desk={desk} /> : <BoxAndGrid desk={desk} />}
      <Public>
        {zones
          ? "The list of zones is published. Take the operator's or the city's own list, with stations nobody used too."
          : "The box is published. Take the city's outline, not the outermost trip: a box fitted to the trips tells where that one was."}
      </Public>
    </div>
  );
}

function BoxAndGrid({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const box = boxOf(f);
  const grid = gridOf(f);
  const [parts, setParts] = useState(text(f, "bbox") ? text(f, "bbox").split(",") : ["", "", "", ""]);
  useEffect(() => {
    if (text(f, "bbox") && text(f, "bbox") !== parts.join(",")) setParts(text(f, "bbox").split(","));
  }, [text(f, "bbox")]);
  const type = (i: number, v: string) => {
    const now = [...parts];
    now[i] = v.trim();
    setParts(now);
    desk.set("bbox", now.every((p) => p !== "") ? now.join(",") : "");
  };
  const sides = box
    ? [(box[2] - box[0]) * 111.32 * Math.cos((((box[1] + box[3]) / 2) * Math.PI) / 180), (box[3] - box[1]) * 110.57]
    : null;
  const sample = desk.places.filter((p) => !p.swapped).flatMap((p) => p.sample);
  return (
    <>
      <DeskMap
        label="Map to draw the box on; its edges can be typed below"
        points={sample}
        box={box}
        grid={grid}
        look={box ?? boxAround(sample)}
        setBox={(b) => desk.set("bbox", b.join(","))}
        height={360}
        {...(sample.length > 0 ? { mark: "PRIVATE dots" } : {})}
      />
      <div class="fields">
        {["West", "South", "East", "North"].map((name, i) => (
          <TextField label={name} value={parts[i] ?? ""} set={(v) => type(i, v)} placeholder="degrees" />
        ))}
        <div class="field">
          <label for="cells">Cells along each side: {grid ? grid[0] : "choose"}</label>
          <input
            id="cells"
            type="range"
            min="10"
            max="1000"
            step="10"
            value={grid ? grid[0] : 200}
            onInput={(e) => desk.set("grid", `${e.currentTarget.value}x${e.currentTarget.value}`)}
          />
          <p class="hint">
            {sides && grid
              ? `A cell is about ${count((1000 * (sides[0] ?? 0)) / grid[0])} × ${count((1000 * (sides[1] ?? 0)) / grid[1])} m. Finer costs little: cells are joined where there are few trips.`
              : "Draw the box first."}
          </p>
        </div>
      </div>
    </>
  );
}

function Zones({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const [dialog, setDialog] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [state, setState] = useState<JobState | null>(null);
  const [over, setOver] = useState(false);
  const read = async (fields: Fields) => {
    setFault(null);
    try {
      const asked: Fields = { zones: text(fields, "zones") };
      for (const n of ["zone_id", "levels"]) if (fields[n]) asked[n] = fields[n] ?? "";
      if (fields["overlaps"]) asked["overlaps"] = true;
      desk.setZones((await run("zones", asked, setState)).result as ZonesFound);
    } catch (e) {
      desk.setZones(null);
      setFault(faultOf(e));
    } finally {
      setState(null);
    }
  };
  const take = (path: string) => {
    desk.setMany({ zones: path, where_lies: "zones" });
    void read({ ...f, zones: path });
  };
  useEffect(() => {
    if (f["zones"] && !desk.zones) void read(f);
  }, []);
  const drop = async (file: File | undefined) => {
    if (!file) return;
    try {
      take((await keepZones(file.name.replaceAll(/[^\w.-]+/g, "_"), file)).path);
    } catch (e) {
      setFault(faultOf(e));
    }
  };
  const zones = desk.zones;
  const drawn = zones?.drawn ?? [];
  const corners = drawn.flatMap((z) => (z.rings ? z.rings.flat() : z.at ? [z.at] : []));
  const names: [string, string][] = [["", "none"], ...desk.columns.map((c): [string, string] => [c.name, c.name])];
  const byId = Array.isArray(f["zone_columns"]) ? f["zone_columns"] : [];
  const setId = (i: number, v: string) => {
    const now = [byId[0] ?? "", byId[1] ?? ""];
    now[i] = v;
    desk.set("zone_columns", now.every((n) => n !== "") ? now : now.some((n) => n !== "") ? now : []);
  };
  return (
    <>
      <div
        class={`drop ${over ? "over" : ""}`}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(e) => {
          e.preventDefault();
          setOver(false);
          void drop(e.dataTransfer?.files[0]);
        }}
      >
        <button type="button" onClick={() => setDialog(true)}>
          {f["zones"] ? "Choose another file of zones" : "Choose a file of zones"}
        </button>
        <label class="filebutton">
          or drop one here
          <input
            type="file"
            accept=".geojson,.json,.csv,.txt,.parquet"
            onChange={(e) => void drop(e.currentTarget.files?.[0])}
          />
        </label>
        <span class="soft">
          GeoJSON of areas; CSV of id, lat, lng for stations: the public list of the city or the operator
        </span>
      </div>
      {dialog ? (
        <FileDialog
          facts={desk.facts}
          title="Choose zones"
          kinds={["zones", "rows"]}
          close={() => setDialog(false)}
          choose={(path) => {
            setDialog(false);
            take(path);
          }}
        />
      ) : null}
      <Progress state={state} />
      <Trouble fault={fault} />
      {zones ? (
        <>
          <p class="good">
            <b>{nameOf(text(f, "zones"))}</b>: {count(zones.zones)}{" "}
            {zones.form === "points" ? "stations" : zones.form === "polygons" ? "areas" : "names without a place"}
          </p>
          {corners.length > 0 ? (
            <DeskMap label={`Map of ${zones.zones} zones`} zones={drawn} look={boxAround(corners)} height={320} />
          ) : null}
          <div class="fields">
            {text(f, "shape_of") === "trips" ? (
              <>
                <Choice
                  label="Zone id where a trip begins"
                  value={byId[0] ?? ""}
                  options={names}
                  set={(v) => setId(0, v)}
                  {...(zones.form === "polygons" ? { hint: "none: by the coordinates of the row" } : {})}
                />
                <Choice label="Zone id where it ends" value={byId[1] ?? ""} options={names} set={(v) => setId(1, v)} />
              </>
            ) : (
              <Choice
                label="Column of zone ids"
                value={text(f, "zone_column")}
                options={names}
                set={(v) => desk.set("zone_column", v)}
                {...(zones.form === "polygons" ? { hint: "none: by the coordinates of the row" } : {})}
              />
            )}
            <TextField
              label="Where the list has its ids"
              value={text(f, "zone_id")}
              set={(v) => desk.set("zone_id", v)}
              placeholder="found by itself"
              hint={
                <>
                  a column, or a property of a GeoJSON, if it is not called id, TAZ, GEOID or the like{" "}
                  <Cli name="zone_id" />
                </>
              }
            />
          </div>
        </>
      ) : null}
    </>
  );
}

const frameText = (frames: { name: string; from: string; to: string }[]) =>
  frames.map((w) => `${w.name}=${w.from}-${w.to}`).join(",");

function Stops({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const model = text(f, "stops") || "od";
  const frames = (text(f, "frames") || "morning=05:00-10:00,day=10:00-17:00,evening=17:00-24:00")
    .split(",")
    .map((one) => {
      const [name = "", window = "-"] = one.split("=");
      const [from = "", to = ""] = window.split("-");
      return { name, from, to };
    });
  const hour = (t: string) => Number(t.split(":")[0] ?? 0) + Number(t.split(":")[1] ?? 0) / 60;
  const setFrame = (i: number, part: "name" | "from" | "to", v: string) =>
    desk.set("frames", frameText(frames.map((w, k) => (k === i ? { ...w, [part]: v } : w))));
  return (
    <div class="card">
      <h2>Which stops count</h2>
      <div class="fields broad">
        <Choice
          label="Stops of a trip"
          value={model}
          set={(v) => desk.setMany(v === "frames" ? { stops: v, frames: frameText(frames) } : { stops: v })}
          options={Object.entries(stopsInWords)}
          hint="More stops ask more of the data: each makes every count smaller."
        />
        <TextField
          label="Time zone"
          value={text(f, "timezone")}
          set={(v) => desk.set("timezone", v)}
          placeholder="UTC"
          hint="The clock of days, hours and months, as America/Los_Angeles. Times with a zone of their own (Z, +02:00) and seconds since 1970 are moved to it; times without one are taken to be on it already, and not moved."
        />
      </div>
      {model === "frames" ? (
        <div class="frames">
          <svg viewBox="0 0 480 46" role="img" aria-label="The parts of the day">
            <rect x="0" y="8" width="480" height="18" rx="4" class="track" />
            {frames.map((w, i) => (
              <g>
                <rect
                  x={hour(w.from) * 20}
                  y="8"
                  width={Math.max(2, (hour(w.to) - hour(w.from)) * 20)}
                  height="18"
                  rx="4"
                  class={`w${i % 4}`}
                />
                <text x={hour(w.from) * 20 + 4} y="21">
                  {w.name}
                </text>
              </g>
            ))}
            {[0, 6, 12, 18, 24].map((h) => (
              <text x={Math.min(460, h * 20)} y="42" class="hour">
                {h}:00
              </text>
            ))}
          </svg>
          {frames.map((w, i) => (
            <div class="fields">
              <TextField label="Name" value={w.name} set={(v) => setFrame(i, "name", v)} />
              <TextField label="From" value={w.from} set={(v) => setFrame(i, "from", v)} />
              <TextField label="To" value={w.to} set={(v) => setFrame(i, "to", v)} />
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function Who({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const unit = text(f, "unit");
  const k = Number(text(f, "max_trips_per_user") || 0);
  const like = desk.columns.find((c) => c.like_a_user);
  return (
    <div class="card">
      <h2>Who is protected</h2>
      <Cards
        label="Who is protected"
        value={unit}
        set={(v) => desk.set("unit", v)}
        options={[
          {
            value: "user",
            title: "A person",
            text: "all counted trips of one person together. Needs a column that says who travels",
          },
          {
            value: "trip",
            title: "A single trip",
            text: "nobody can tell whether one trip is in the data. Someone with ten trips is ten times less protected",
          },
        ]}
      />
      {desk.columns.length > 0 && !like && !f["user"] && unit !== "trip" ? (
        <p class="good" role="note">
          No column seems to say who travels. Then a single trip is what can be protected.
        </p>
      ) : null}
      {unit === "trip" && like ? (
        <p class="warn">
          The column <b>{like.name}</b> seems to say who travels. People expect to be protected as persons.
        </p>
      ) : null}
      {unit === "user" ? (
        <div class="fields broad">
          <Choice
            label="Who travels"
            value={text(f, "user")}
            options={[["", "choose a column"], ...desk.columns.map((c): [string, string] => [c.name, c.name])]}
            set={(v) => desk.set("user", v)}
          />
          <div class="field">
            <label for="k">At most {k || "…"} trips of one person are counted</label>
            <input
              id="k"
              type="range"
              min="1"
              max="50"
              value={k || 4}
              onInput={(e) => desk.set("max_trips_per_user", e.currentTarget.value)}
            />
            <p class="hint">
              More makes every number noisier; fewer leaves out trips of busy people. Take it from what is being asked
              (a day of commuting: 2 or 4) or from a public survey, never from the busiest person in the file.{" "}
              <Cli name="max_trips_per_user, called K" />
            </p>
          </div>
        </div>
      ) : null}
      <Public>Published with the release: it says to whom the promise is made.</Public>
    </div>
  );
}

function Series({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const [kind = "", range = ""] = text(f, "period").split(":");
  const [from = "", to = ""] = range.split("..");
  const set = (k: string, a: string, b: string) => {
    if (!k) {
      desk.setMany({ period: "", append: false, day_type: "", independent: false, prior: "" });
      return;
    }
    desk.set("period", !a ? k : !b || b === a ? `${k}:${a}` : `${k}:${a}..${b}`);
  };
  return (
    <details class="card" open={kind !== ""}>
      <summary>
        <h2>A release for every month (optional)</h2>
      </summary>
      <div class="fields">
        <Choice
          label="A release for each"
          value={kind}
          options={[
            ["", "no: one release of all rows"],
            ["day", "day"],
            ["week", "week"],
            ["month", "month"],
            ["quarter", "quarter"],
          ]}
          set={(v) => set(v, from, to)}
        />
        {kind ? (
          <>
            <TextField
              label="First"
              value={from}
              set={(v) => set(kind, v, to)}
              placeholder={kind === "month" ? "2019-01" : kind === "day" ? "2019-01-31" : "2019-Q1"}
            />
            <TextField label="Last" value={to} set={(v) => set(kind, from, v)} placeholder="the same" />
            <Choice
              label="Goes on with a series"
              value={f["append"] ? "yes" : ""}
              options={[
                ["", "no, it is new"],
                ["yes", "yes, what is published stays"],
              ]}
              set={(v) => desk.set("append", v === "yes")}
            />
            {kind === "day" ? null : (
              <Choice
                label="Apart by days of the week"
                value={text(f, "day_type")}
                options={[
                  ["", "no, all days together"],
                  ["weekday,weekend", "weekdays and weekends, at one price"],
                  ["weekday,saturday,sunday", "weekdays, Saturdays, Sundays, at one price"],
                ]}
                set={(v) => desk.set("day_type", v)}
              />
            )}
            <Choice
              label="Earlier releases of the series"
              value={f["independent"] ? "yes" : ""}
              options={[
                ["", "are leant on, which costs nothing"],
                ["yes", "are left alone"],
              ]}
              set={(v) => desk.set("independent", v === "yes")}
            />
          </>
        ) : null}
      </div>
      {kind && !usesZones(f) ? <PublicTable desk={desk} /> : null}
      {kind ? (
        <Public>
          Which periods there are is declared: that a month is there must not depend on its trips. Needs the column of
          times.
        </Public>
      ) : null}
    </details>
  );
}

// What the first release leans on, as later ones lean on those before them.
function PublicTable({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  const [dialog, setDialog] = useState(false);
  const table = text(f, "prior");
  return (
    <div class="drop">
      <button type="button" onClick={() => setDialog(true)}>
        {table ? "Choose another public table" : "Choose a public table of flows"}
      </button>
      {table ? (
        <>
          <span>
            The first releases lean on <b>{nameOf(table)}</b>
          </span>
          <button type="button" onClick={() => desk.set("prior", "")}>
            Without it
          </button>
        </>
      ) : null}
      <span class="soft">
        optional: CSV or Parquet with o_lat, o_lng, d_lat, d_lng and weight, of a census or an older study. It must be
        public, and made without these trips.
      </span>
      {dialog ? (
        <FileDialog
          facts={desk.facts}
          title="Choose a public table"
          kinds={["rows"]}
          close={() => setDialog(false)}
          choose={(path) => {
            setDialog(false);
            desk.set("prior", path);
          }}
        />
      ) : null}
    </div>
  );
}

function Words({ desk }: { desk: Desk }) {
  const f = desk.draft.publish;
  return (
    <details class="card">
      <summary>
        <h2>What the release says it is (optional)</h2>
      </summary>
      <div class="fields">
        <TextField
          label="Title"
          wide
          value={text(f, "title")}
          set={(v) => desk.set("title", v)}
          placeholder="Bike trips, Los Angeles, 2019"
        />
        <TextField label="About" wide value={text(f, "about")} set={(v) => desk.set("about", v)} />
        <TextField
          label="Which time and place"
          value={text(f, "covers")}
          set={(v) => desk.set("covers", v)}
          placeholder="Los Angeles, 2019"
        />
        <TextField
          label="Licence"
          value={text(f, "licence")}
          set={(v) => desk.set("licence", v)}
          placeholder="CC-BY-4.0"
        />
        <TextField label="Whom to ask" value={text(f, "contact")} set={(v) => desk.set("contact", v)} />
        <TextField
          label="Who publishes it"
          value={text(f, "credit")}
          set={(v) => desk.set("credit", v)}
          placeholder="Mobility office"
        />
      </div>
      <Public>Printed in the release word for word, and on the page for the board.</Public>
    </details>
  );
}
