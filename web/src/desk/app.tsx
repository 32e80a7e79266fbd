// The desk: seven steps, one draft, kept as it is typed.
import { useEffect, useRef, useState } from "preact/hooks";
import {
  closeDesk,
  desk as askDesk,
  draft as readDraft,
  drafts as listDrafts,
  keepDraft,
  type DeskFacts,
  type Draft,
  type Fault,
  type Fields,
} from "./api";
import type { Column } from "./columns";
import { DataScreen } from "./data_screen";
import { DeclareScreen } from "./declare_screen";
import { ForecastScreen } from "./forecast_screen";
import { HandoverScreen } from "./handover_screen";
import { LedgersScreen } from "./ledgers_screen";
import { missing, together, usesZones, type Desk, type PlacesFound, type Screen, type ZonesFound } from "./model";
import { faultOf, Trouble } from "./pieces";
import { PublishScreen } from "./publish_screen";
import { RehearseScreen, type Rehearsal } from "./rehearse_screen";

const screens: [Screen, string][] = [
  ["data", "Data"],
  ["declare", "Declare"],
  ["forecast", "Forecast"],
  ["rehearse", "Rehearse"],
  ["publish", "Publish"],
  ["handover", "Look and hand over"],
  ["ledgers", "Ledgers and series"],
];

const screenOf = (hash: string): Screen => {
  const found = screens.find(([id]) => `#${id}` === hash);
  return found ? found[0] : "data";
};

export function App() {
  const [facts, setFacts] = useState<DeskFacts | null>(null);
  const [names, setNames] = useState<string[]>([]);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [closed, setClosed] = useState(false);
  useEffect(() => {
    askDesk().then(setFacts, (e) => setFault(faultOf(e)));
    listDrafts().then(
      (r) => setNames(r.drafts),
      () => {},
    );
  }, []);
  if (closed) {
    return (
      <main class="start">
        <h1>The desk is closed</h1>
        <p>Your drafts are kept. You can close this window.</p>
      </main>
    );
  }
  if (!facts) {
    return (
      <main class="start">
        <h1>The desk</h1>
        <Trouble fault={fault} />
      </main>
    );
  }
  if (!draft) return <Start facts={facts} names={names} open={setDraft} />;
  return (
    <Work
      key={draft.name}
      facts={facts}
      first={draft}
      leave={() => {
        setDraft(null);
        listDrafts().then(
          (r) => setNames(r.drafts),
          () => {},
        );
      }}
      close={() => void closeDesk().then(() => setClosed(true))}
    />
  );
}

function Start({ facts, names, open }: { facts: DeskFacts; names: string[]; open: (draft: Draft) => void }) {
  const [name, setName] = useState("");
  const [fault, setFault] = useState<Fault | null>(null);
  const begin = async () => {
    try {
      const fresh: Draft = { name: name.trim(), revision: "", publish: {}, plan: {} };
      const kept = await keepDraft(fresh);
      open({ ...fresh, revision: kept.revision });
    } catch (e) {
      setFault(faultOf(e));
    }
  };
  return (
    <main class="start">
      <h1>The desk</h1>
      <p class="lead">
        Publish tables of trips without giving anybody away. The desk leads you from a file to a release in seven steps.
        It runs on this machine alone; nothing is sent anywhere, and nothing is spent before you type a name to confirm
        it.
      </p>
      <div class="card">
        <h2>Begin something new</h2>
        <form
          class="row"
          onSubmit={(e) => {
            e.preventDefault();
            void begin();
          }}
        >
          <label for="newname">Call it</label>
          <input
            id="newname"
            type="text"
            value={name}
            placeholder="bikes-2019"
            onInput={(e) => setName(e.currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={name.trim() === ""}>
            Begin
          </button>
        </form>
        <Trouble fault={fault} />
      </div>
      {names.length > 0 ? (
        <div class="card">
          <h2>Go on with a draft</h2>
          <ul class="drafts">
            {names.map((n) => (
              <li>
                <button type="button" onClick={() => readDraft(n).then(open, (e) => setFault(faultOf(e)))}>
                  {n}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      <p class="soft small">
        Files are chosen from {facts.data.join(", ")}. Drafts, releases and ledgers are in {facts.folder}.
      </p>
    </main>
  );
}

function Work({
  facts,
  first,
  leave,
  close,
}: {
  facts: DeskFacts;
  first: Draft;
  leave: () => void;
  close: () => void;
}) {
  const [draft, setDraft] = useState(first);
  const [screen, setScreen] = useState<Screen>(screenOf(location.hash));
  const [columns, setColumns] = useState<Column[]>([]);
  const [{ places, box }, setPlaces] = useState<{ places: PlacesFound[]; box: string }>({ places: [], box: "" });
  const [zones, setZones] = useState<ZonesFound | null>(null);
  const [release, setRelease] = useState("");
  const [changed, setChanged] = useState(0);
  const [rehearsal, setRehearsal] = useState<Rehearsal | null>(null);
  const [saved, setSaved] = useState("");
  const [fault, setFault] = useState<Fault | null>(null);
  const revision = useRef(first.revision);
  const kept = useRef(JSON.stringify([first.publish, first.plan]));
  const saving = useRef(Promise.resolve());
  const heading = useRef<HTMLElement>(null);
  useEffect(() => {
    const turn = () => setScreen(screenOf(location.hash));
    addEventListener("hashchange", turn);
    return () => removeEventListener("hashchange", turn);
  }, []);
  useEffect(() => {
    heading.current?.scrollTo(0, 0);
    scrollTo(0, 0);
  }, [screen]);
  // Kept a moment after the last change, one after the other.
  useEffect(() => {
    const now = JSON.stringify([draft.publish, draft.plan]);
    if (now === kept.current) return;
    setRehearsal(null);
    setSaved("");
    const timer = setTimeout(() => {
      saving.current = saving.current.then(async () => {
        try {
          const publish = together({ ...draft.publish, where_lies: usesZones(draft.publish) ? "zones" : "box" });
          revision.current = (await keepDraft({ ...draft, publish, revision: revision.current })).revision;
          kept.current = now;
          setSaved("draft saved");
          setFault(null);
        } catch (e) {
          setFault(faultOf(e));
        }
      });
    }, 500);
    return () => clearTimeout(timer);
  }, [draft]);
  const go = (to: Screen) => {
    location.hash = to;
    setScreen(to);
  };
  const change = (of: "publish" | "plan", fields: Fields) => setDraft((d) => ({ ...d, [of]: { ...d[of], ...fields } }));
  const desk: Desk = {
    facts,
    draft,
    set: (name, value) => change("publish", { [name]: value }),
    setMany: (fields) => change("publish", fields),
    setPlan: (name, value) => change("plan", { [name]: value }),
    columns,
    places,
    zones,
    setColumns,
    placesBox: box,
    setPlaces: (found, of) => setPlaces({ places: found, box: of }),
    setZones,
    go,
    release,
    setRelease,
    changed,
    touch: () => setChanged((n) => n + 1),
  };
  const lacks = new Set(missing(draft).map((m) => m.screen));
  // What was really done is ticked, not what could be.
  const done: Partial<Record<Screen, boolean>> = {
    data: !lacks.has("data"),
    declare: !lacks.has("declare"),
    forecast: !lacks.has("forecast"),
    rehearse: rehearsal !== null,
    publish: release !== "" && release === draft.publish["output"],
  };
  return (
    <div class={screen === "handover" ? "work broad" : "work"}>
      <nav aria-label="Steps">
        <p class="brand">
          stopover <span>desk</span>
        </p>
        <p class="draftname">
          {draft.name}
          <span class="soft" role="status">
            {fault ? "draft not saved" : saved}
          </span>
        </p>
        <ol>
          {screens.map(([id, name], i) => (
            <li>
              <a
                href={`#${id}`}
                aria-current={screen === id ? "step" : undefined}
                class={done[id] ? "ready" : ""}
                title={name}
                onClick={(e) => {
                  e.preventDefault();
                  go(id);
                }}
              >
                <span class="n" aria-hidden="true">
                  {done[id] ? "✓" : i + 1}
                </span>
                <span class="name">{name}</span>
              </a>
            </li>
          ))}
        </ol>
        <p class="foot">
          <button type="button" onClick={leave}>
            Other drafts
          </button>
          <button type="button" onClick={close}>
            Close the desk
          </button>
        </p>
      </nav>
      <main ref={heading}>
        {facts.repeatable ? (
          <p class="lab">Laboratory: keys can be repeated. What is made here protects nobody.</p>
        ) : null}
        <Trouble fault={fault}>
          {fault?.code === 409 ? (
            <button type="button" onClick={leave}>
              Open it again
            </button>
          ) : null}
        </Trouble>
        {screen === "data" ? <DataScreen desk={desk} /> : null}
        {screen === "declare" ? <DeclareScreen desk={desk} /> : null}
        {screen === "forecast" ? <ForecastScreen desk={desk} /> : null}
        {screen === "rehearse" ? <RehearseScreen desk={desk} keep={setRehearsal} /> : null}
        {screen === "publish" ? <PublishScreen desk={desk} rehearsal={rehearsal} /> : null}
        {screen === "handover" ? <HandoverScreen desk={desk} /> : null}
        {screen === "ledgers" ? <LedgersScreen desk={desk} /> : null}
      </main>
    </div>
  );
}
