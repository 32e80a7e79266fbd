// 6 Look and hand over: the explorer, exports, the guarantee card, a page for the board, and the script of it all.
import { useEffect, useState } from "preact/hooks";
import { exportOf, found, run, textOf, type Entry, type Fault, type Fields, type JobState } from "./api";
import { nameOf, publishFields, type Desk } from "./model";
import { Choice, faultOf, Progress, Script, text, Trouble } from "./pieces";

interface Card {
  name: string;
  title: string;
  promise: string[];
  not_covered: string[];
  zones: boolean;
}
interface Exported {
  output?: string;
  files?: string[];
}

const kinds: { as: string; ending: string; title: string; say: string; zonesOnly?: boolean }[] = [
  {
    as: "zones",
    ending: "csv",
    title: "Table between zones",
    say: "CSV, a row per pair of zones or stations",
    zonesOnly: true,
  },
  { as: "omx", ending: "omx", title: "OMX matrix", say: "for travel models", zonesOnly: true },
  { as: "csv", ending: "csv", title: "Partitions", say: "CSV, every box with its count" },
  { as: "geojson", ending: "geojson", title: "GeoJSON", say: "for web maps" },
  { as: "gpkg", ending: "gpkg", title: "GeoPackage", say: "for QGIS" },
  { as: "flowmap", ending: "json", title: "Flow map", say: "for flowmap.blue" },
  { as: "trips", ending: "csv", title: "Synthetic trips", say: "drawn from the release" },
];

// A card lies beside what it is about.
const isContent = (file: string) => !file.endsWith(".card.json");

// As if its link had been clicked.
function fetchInto(href: string, name: string) {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

export function HandoverScreen({ desk }: { desk: Desk }) {
  const [all, setAll] = useState<Entry[]>([]);
  const [page, setPage] = useState("");
  const [view, setView] = useState<"look" | "card" | "board">("look");
  const [board, setBoard] = useState("");
  const [cards, setCards] = useState<Card[]>([]);
  const [state, setState] = useState<JobState | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [made, setMade] = useState<{ title: string; files: string[]; fields: Fields }[]>([]);
  const [zonesFile, setZonesFile] = useState("");
  const [saved, setSaved] = useState("");
  const release = desk.release;
  useEffect(() => {
    found().then(
      (r) => {
        setAll([...r.series, ...r.releases]);
        const first = r.series[0] ?? r.releases[0];
        if (!desk.release && first) desk.setRelease(first.path);
      },
      () => {},
    );
  }, [desk.changed]);
  useEffect(() => {
    setPage("");
    setBoard("");
    setCards([]);
    setFault(null);
    setMade([]);
    setSaved("");
    if (!release) return;
    let here = true;
    run("explorer", { release }, (s) => here && setState(s)).then(
      (s) => {
        if (!here) return;
        setPage(s.id);
        setState(null);
      },
      (e) => {
        if (!here) return;
        setFault(faultOf(e));
        setState(null);
      },
    );
    run("card", { release }).then(
      (s) => here && setCards((s.result as { releases: Card[] }).releases),
      () => {},
    );
    return () => {
      here = false;
    };
  }, [release, desk.changed]);
  const show = async (what: "look" | "card" | "board") => {
    setView(what);
    if (what !== "board" || board) return;
    try {
      setBoard((await run("board", { release }, setState)).id);
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setState(null);
    }
  };
  const stem = nameOf(release).replace(/\.odrz?$/, "");
  const isZones = cards.some((c) => c.zones);
  const exportFields = (kind: { as: string; ending: string; zonesOnly?: boolean }): Fields => {
    const fields: Fields = {
      release,
      as: kind.as,
      output: `${desk.facts.folder}/exports/${stem}.${kind.as === kind.ending ? "" : `${kind.as}.`}${kind.ending}`,
      overwrite: true,
    };
    if (kind.zonesOnly && zonesFile) fields["zones"] = zonesFile;
    return fields;
  };
  const whole = (file: string) => (file.startsWith("/") ? file : `${desk.facts.folder}/exports/${file}`);
  const make = async (kind: (typeof kinds)[number]) => {
    setFault(null);
    try {
      const fields = exportFields(kind);
      const told = (await run("export", fields, setState)).result as Exported;
      const files = (told.files ?? [String(fields["output"])]).filter((f) => f !== "");
      setMade([{ title: kind.title, files, fields }, ...made.filter((m) => m.title !== kind.title)]);
      const [only, second] = files.filter(isContent);
      if (only && !second) fetchInto(exportOf(whole(only)), nameOf(only));
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setState(null);
    }
  };
  if (all.length === 0) {
    return (
      <section aria-labelledby="title">
        <h1 id="title">Look and hand over</h1>
        <p class="lead">There is no release yet. Publish one, or start the desk with the folder that has some.</p>
      </section>
    );
  }
  return (
    <section aria-labelledby="title">
      <h1 id="title">Look and hand over</h1>
      <div class="row">
        <Choice
          label="Release"
          value={release}
          options={all.map((e): [string, string] => [e.path, `${e.name}${e.kind === "series" ? " (series)" : ""}`])}
          set={desk.setRelease}
        />
        <div class="tabs" role="tablist" aria-label="What to see">
          {(
            [
              ["look", "Explore"],
              ["card", "Guarantee card"],
              ["board", "For the board"],
            ] as const
          ).map(([id, name]) => (
            <button type="button" role="tab" aria-selected={view === id} onClick={() => void show(id)}>
              {name}
            </button>
          ))}
        </div>
        {view === "board" && board ? (
          <a
            class="button"
            href={textOf(board)}
            download={`${stem}-board.html`}
            onClick={() => setSaved(`${stem}-board.html`)}
          >
            Save this page
          </a>
        ) : null}
        {view === "look" && page ? (
          <>
            <a class="button" href={textOf(page)} download={`${stem}.html`} onClick={() => setSaved(`${stem}.html`)}>
              Save this page
            </a>
            <a class="button" href={textOf(page)} target="_blank" rel="noopener">
              In a window of its own
            </a>
          </>
        ) : null}
        {view === "board" && board ? (
          <a class="button" href={textOf(board)} target="_blank" rel="noopener">
            Open it to print
          </a>
        ) : null}
      </div>
      {saved ? (
        <p class="good" role="status">
          Saved as <b>{saved}</b>, where your browser puts downloads. It is one file that opens in any browser.
        </p>
      ) : null}
      <Progress state={state} />
      <Trouble fault={fault} />
      {view === "look" && page ? (
        <iframe
          class="explorer"
          title={`The explorer of ${stem}`}
          src={textOf(page)}
          sandbox="allow-scripts allow-downloads allow-popups"
        />
      ) : null}
      {view === "board" && board ? (
        <iframe class="explorer paper" title={`${stem} for the board`} src={textOf(board)} sandbox="" />
      ) : null}
      {view === "card" ? <Cards cards={cards} /> : null}
      <div class="card">
        <h2>Exports</h2>
        <p class="soft">
          One click makes a file, keeps it in {desk.facts.folder}/exports and downloads it. It costs nothing more:
          whatever is made of a release is as safe as the release.
        </p>
        {isZones ? null : (
          <Choice
            label="Zones for tables and OMX"
            value={zonesFile}
            options={[
              ["", "none chosen"],
              ["h3:7", "H3 cells, about 1.2 km"],
              ["h3:8", "H3 cells, about 0.5 km"],
              ...(text(desk.draft.publish, "zones")
                ? [[text(desk.draft.publish, "zones"), nameOf(text(desk.draft.publish, "zones"))] as [string, string]]
                : []),
            ]}
            set={setZonesFile}
          />
        )}
        <div class="exports">
          {kinds.map((kind) => (
            <button
              type="button"
              class="pick"
              disabled={state !== null || (kind.zonesOnly === true && !isZones && !zonesFile)}
              onClick={() => void make(kind)}
            >
              <strong>{kind.title}</strong>
              <span>{kind.say}</span>
            </button>
          ))}
        </div>
        <ul class="made">
          {made.map((m) => (
            <li>
              <span role="status">
                <b>{m.title}</b> {m.files.filter(isContent).length === 1 ? "is made and downloaded:" : "is made:"}
              </span>{" "}
              {m.files.map((file) => (
                <a href={exportOf(whole(file))} download={nameOf(file)}>
                  {nameOf(file)}
                </a>
              ))}
              <span class="soft"> also in {desk.facts.folder}/exports</span>
              <Script job="export" fields={m.fields} />
            </li>
          ))}
        </ul>
      </div>
      {desk.draft.publish["output"] === release || text(desk.draft.publish, "output") === release ? (
        <div class="card">
          <h2>All of it as a script</h2>
          <Script job="publish" fields={publishFields(desk.draft)} title="Publish it" open />
          <Script job="explorer" fields={{ release, output: `${stem}.html` }} title="Make its page" />
        </div>
      ) : null}
    </section>
  );
}

function Cards({ cards }: { cards: Card[] }) {
  return (
    <>
      <p class="soft">The promise to the letter, for specialists. The page for the board says it in plain words.</p>
      {cards.map((card) => (
        <article class="card guarantee">
          {cards.length > 1 ? <h3>{card.name}</h3> : null}
          <h2>{card.title}</h2>
          {card.promise.map((p) => (
            <p>{p}</p>
          ))}
          <h3>What is not promised</h3>
          <ul>
            {card.not_covered.map((p) => (
              <li>{p}</li>
            ))}
          </ul>
        </article>
      ))}
    </>
  );
}
