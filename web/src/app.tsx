import { options } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { packAreas, readAreas, unpackAreas, type Area } from "./areas";
import { AskDialog } from "./ask_dialog";
import type { Chain } from "./chains";
import type { PageData, ReleaseInfo } from "./data";
import { comparable, epsilonWords, mapStops } from "./data";
import { csvText, Guarantee, save, TableView, tableRows } from "./dialogs";
import type { Engine } from "./engine";
import { inquiryOf, readInquiry, writeInquiry } from "./inquiry";
import { MapThumb } from "./map_thumb";
import { MapView, type MapHandle, type Tool } from "./map_view";
import { Model, distinct, kFewestReleases, leads } from "./model";
import { grouped } from "./number";
import { Ground } from "./paint";
import { AnswerCard, answerWords, askWords } from "./answer_card";
import { Elsewhere } from "./elsewhere";
import { Filters } from "./filters";
import { FlowList, wayOf } from "./flow_list";
import { TypeRegion } from "./type_region";
import { centreOf, insideRings } from "./places";
import { middle, outline, outlines, partsOf, regionWords, type Region } from "./region";
import { ReleaseTimeline, type Told } from "./release_timeline";
import type { SheetWords } from "./sheet";
import { SmallMaps } from "./small_maps";
import { kPlaces, readView, writeView, type View } from "./view";

type Theme = "auto" | "light" | "dark";

export function App({ engine, data }: { engine: Engine; data: PageData }) {
  const [version, bump] = useState(0);
  const model = useMemo(() => new Model(engine, data, () => bump((v) => v + 1)), []);
  const [wrong, setWrong] = useState<string[]>([]);
  const [view, setView] = useState<View>(() => {
    const bad: string[] = [];
    const start = readView(location.hash, data.releases, mapStops, [], bad);
    if (bad.length) setWrong(bad);
    model.show(start);
    return start;
  });
  const [tool, setTool] = useState<Tool>("pick");
  const [chosen, setChosen] = useState<number | null>(null);
  const [dialog, setDialog] = useState<"guarantee" | "table" | "ask" | null>(view.ask && !view.areas ? "ask" : null);
  const [link, setLink] = useState(0); // how many links were followed: each with a question opens the dialog anew
  const paper = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useTheme((printing) => {
    paper.current!.innerHTML = printing ? (handle.current?.paper(model.info(view).name) ?? "") : "";
  });
  const dark = useDark(theme);
  const handle = useRef<MapHandle | null>(null);
  const [areas, setAreas] = useState<Area[]>([]);
  const [trouble, setTrouble] = useState("");
  const ground = useMemo(() => new Ground(data.basemap), []);
  const [tileVersion, tilesChanged] = useState(0);
  const tiles = useMemo(
    () =>
      (data.tiles &&
        globalThis.stopoverTiles?.(new URL("basemap.pmtiles", location.href).href, () => tilesChanged((v) => v + 1))) ||
      null,
    [],
  );

  const info = model.info(view);
  const stops = model.stops(view);
  const results = model.results;

  // The view of now, for what was set going earlier: a map that comes to rest must not bring back an old question.
  const latest = useRef(view);
  latest.current = view;
  const go = (change: Partial<View>) => {
    const next = { ...latest.current, ...change };
    latest.current = next;
    performance.mark("stopover-asked");
    // What is in sight, and between how many places flows go, changes no answer.
    const only = (...keys: string[]) => Object.keys(change).every((key) => keys.includes(key));
    if (only("map", "places", "flows")) model.look(next);
    else if (!only("ask")) model.show(next);
    setView(next);
    setChosen(null);
    setWrong([]);
    history.replaceState(null, "", `#${writeView(next, model.info(next), model.stops(next))}`);
  };
  const setRegion = (at: number, region: Region | null) => go({ regions: view.regions.with(at, region) });
  useEffect(() => {
    let shown = "";
    const moved = async () => {
      const { areas: packed } = readView(location.hash, data.releases, mapStops);
      if (packed !== shown) {
        shown = packed;
        try {
          model.areas = packed ? await unpackAreas(packed) : [];
          setTrouble("");
        } catch {
          model.areas = [];
          setTrouble("The zones in the address cannot be read.");
        }
        setAreas(model.areas);
      }
      const bad: string[] = [];
      const next = readView(location.hash, data.releases, mapStops, model.areas, bad);
      setWrong(bad);
      model.show(next);
      setView(next);
      setChosen(null);
      setLink((n) => n + 1);
      setDialog((now) => (next.ask ? "ask" : now === "ask" ? null : now));
    };
    if (view.areas) void moved();
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);

  const take = async (file: File | undefined) => {
    if (!file) return;
    try {
      model.areas = readAreas(await file.text());
      setTrouble("");
    } catch (error) {
      model.areas = [];
      setTrouble(`${file.name}: ${(error as Error).message}`);
    }
    setAreas(model.areas);
    const packed = model.areas.length ? await packAreas(model.areas) : null;
    go({
      areas: packed ?? "",
      regions: view.regions.map((r) => (partsOf(r).some((part) => part.kind === "area") ? null : r)),
    });
  };
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  });

  const opening = useMemo(() => model.opening(view), [view.release]);
  // By their numbers in the results.
  const chains = useMemo(() => {
    const middles = view.regions.map((region) => {
      if (!region) return null;
      const raster = results.raster;
      const rings = region.kind === "zone" ? [] : outlines(region);
      return (raster && centreOf(raster, (x, y) => insideRings(rings, x, y))) ?? middle(outline(region));
    });
    const list = new Map<number, Chain>();
    results.flows.forEach((flow, n) => {
      if (view.hide && !Number.isNaN(flow.noiseLower) && !distinct(flow.noiseLower)) return;
      let free = 0;
      const points = stops.map((stop, i): [number, number] | undefined => {
        if (middles[i]) return middles[i]!;
        const place = flow.places[free++]!;
        return results.byArea[i] || !stop.zones ? results.places[place]?.centre : stop.zones.places[place];
      });
      if (points.some((p) => !p)) return;
      list.set(n, {
        points: points as [number, number][],
        estimate: flow.estimate,
        stays: !leads(flow) && flow.places.length === stops.length,
        doubtful: flow.lower <= 0,
        words: wayOf(flow, stops, view, results).join(" → "),
        from: flow.lower,
        to: flow.upper,
      });
    });
    return list;
  }, [results.flows, results.places, view]);
  const drawn = useMemo(() => [...chains.values()], [chains]);
  // Stops of labels alone are attributes of the trip.
  const placed = info.stops.filter((s) => s.axes.some((a) => info.axes[a]!.kind !== "category")).length;
  const name = info.name.replace(/\.odr$/, "");
  const title = info.description.title ?? name;
  const asked = view.regions.some((r) => r) || Object.keys(view.filters).length > 0;
  const common = { info, stops, view, results, opening };
  const { credit, licence } = info.description;
  const credits = [credit, licence].flatMap((text) => (text ? [` ${text}.`] : [])).join("");
  // What a picture must say to stand alone.
  const sheet = (): SheetWords => ({
    title: `${title}: ${stops[view.stop]?.name}`,
    lines: [`Asked: ${askWords(info, stops, view)}.`, ...(results.answer ? [`${answerWords(results.answer)}.`] : [])],
    foot: `${
      info.not_private
        ? `No privacy: ${info.name} was ${info.not_private}.`
        : `Published with epsilon ${info.epsilon} for ${info.unit === "user" ? info.protects : "each trip"}${info.most_epsilon === info.epsilon ? "" : ` (${info.most_epsilon} for who is in all periods)`}${info.date ? ` on ${info.date}` : ""}.`
    } Numbers are estimates.${credits} ${info.name}, ${info.content_sha256.slice(0, 12)}, stopover ${data.version}.`,
  });
  const files = {
    csv: () => save(`${name}.csv`, new Blob([csvText(tableRows(common), info)], { type: "text/csv" })),
    png: async () => {
      const b = await handle.current?.png(sheet());
      if (b) save(`${name}.png`, b);
    },
    svg: () =>
      handle.current && save(`${name}.svg`, new Blob([handle.current.svg(sheet())], { type: "image/svg+xml" })),
  };
  // A file is whole: one that is asked for while flows are still searched is written when they are there.
  const [wanted, want] = useState<keyof typeof files | null>(null);
  useEffect(() => {
    if (!wanted || !results.flowsDone) return;
    want(null);
    void files[wanted]();
  });

  // To another release: with the question, where it has the same form.
  const move = (release: number) =>
    go(
      comparable(info, data.releases[release]!)
        ? { release, versus: null }
        : { ...readView("", data.releases.slice(release, release + 1), mapStops), release },
    );
  const told: Told[] = results.answer
    ? [...results.others, { release: view.release, name: info.name, answer: results.answer }]
        .sort((a, b) => a.release - b.release)
        .map((t) => ({ ...t, name: t.name.replace(/\.odrz?$/, "") }))
    : [];
  const rivals = data.releases.flatMap((r, i) => (r !== info && comparable(info, r) ? [i] : []));
  const layers = (
    <section class="layers" aria-label="What is drawn">
      <h2>Drawn</h2>
      <div class="tabs">
        {stops.length > 1 && (
          <button type="button" aria-pressed={view.flows} onClick={() => go({ flows: !view.flows })}>
            Flows
          </button>
        )}
        {tiles && (
          <button type="button" aria-pressed={view.base} onClick={() => go({ base: !view.base })}>
            Basemap
          </button>
        )}
        <button
          type="button"
          aria-pressed={view.shade === "doubt"}
          onClick={() => go({ shade: view.shade === "doubt" ? "density" : "doubt" })}
        >
          Uncertainty
        </button>
        {rivals.length > 0 && (
          <select
            aria-label="Difference to another release"
            value={view.versus ?? ""}
            onChange={(e) => go({ versus: e.currentTarget.value === "" ? null : Number(e.currentTarget.value) })}
          >
            <option value="">No difference</option>
            {rivals.map((i) => (
              <option value={i}>less {data.releases[i]!.name}</option>
            ))}
          </select>
        )}
        <button type="button" aria-pressed={view.hide} onClick={() => go({ hide: !view.hide })}>
          Hide what could be noise
        </button>
        {stops.length > 1 && view.flows && results.places.some((place) => place.rect) && (
          <select
            aria-label="Between how many places flows go"
            value={view.places}
            onChange={(e) => go({ places: Number(e.currentTarget.value) })}
          >
            {kPlaces.map((n) => (
              <option value={n}>{n} places</option>
            ))}
          </select>
        )}
      </div>
      <label class="file" title="Or drop the file anywhere. It stays in this page.">
        {areas.length ? "Other zones" : "Add your zones"} (GeoJSON)
        <input
          class="hidden"
          type="file"
          accept=".geojson,.json,application/geo+json"
          onChange={(e) => void take(e.currentTarget.files?.[0])}
        />
      </label>
      {areas.length > 0 && (
        <button
          type="button"
          onClick={() => {
            model.areas = [];
            setAreas([]);
            go({
              areas: "",
              regions: view.regions.map((r) => (partsOf(r).some((part) => part.kind === "area") ? null : r)),
            });
          }}
        >
          Remove them
        </button>
      )}
      {areas.length > 0 && (
        <p class="soft help">
          {areas.length} zones; click one to ask for it.{" "}
          {view.areas
            ? "They are in the address: a link shows them too."
            : "They are too large for the address: a link will not show them."}
        </p>
      )}
      {trouble && (
        <p class="warn help" role="alert">
          {trouble}
        </p>
      )}
    </section>
  );
  return (
    <>
      <a class="skip" href="#map">
        Skip to the map
      </a>
      <header>
        <h1>{title}</h1>
        <p class="facts">
          <b class="num">{grouped(results.total)}</b> trips through {placed} stop
          {placed === 1 ? "" : "s"}, published{" "}
          {info.not_private ? (
            "without privacy"
          ) : (
            <>
              with <b>epsilon {epsilonWords(info)}</b>
            </>
          )}{" "}
          as {grouped(info.partitions)} boxes{info.date ? ` on ${info.date}` : ""}
          {info.description.covers && <span class="covers">; {info.description.covers}</span>}
        </p>
        <div class="tools noprint">
          {data.releases.length > 1 && (
            <select
              aria-label="Release"
              value={view.release}
              onChange={(e) => {
                move(Number(e.currentTarget.value));
              }}
            >
              {data.releases.map((r, i) => (
                <option value={i}>{r.name}</option>
              ))}
            </select>
          )}
          <button type="button" onClick={() => setDialog("guarantee")}>
            Guarantee
          </button>
          <button type="button" onClick={() => setDialog("table")}>
            Table
          </button>
          <button type="button" onClick={() => setDialog("ask")}>
            Ask
          </button>
          <Menu save={want} />
          <button
            type="button"
            aria-label={`Colours: ${theme}`}
            title={`Colours: ${theme}`}
            onClick={() => setTheme(theme === "auto" ? (dark ? "light" : "dark") : theme === "dark" ? "light" : "dark")}
          >
            {dark ? "☾" : "☀"}
          </button>
        </div>
        <NoPrivacy releases={data.releases} />
      </header>
      <ol class="steps" aria-label="Stops">
        {stops.map((stop, i) => (
          <li>
            <button type="button" class="step" aria-pressed={view.stop === i} onClick={() => go({ stop: i })}>
              <MapThumb
                map={results.thumbs[i] ?? null}
                info={info}
                stop={stop}
                region={view.regions[i] ?? null}
                extent={opening}
                theme={`${theme}${dark}`}
              />
              <div>
                <strong>
                  {i + 1}. {stop.name}
                </strong>
                <span class={view.regions[i] ? "at" : ""}>
                  {view.regions[i] ? regionWords(view.regions[i]!, stop.geographic) : "anywhere"}
                </span>
              </div>
            </button>
          </li>
        ))}
      </ol>
      {stops.length > 0 ? (
        <MapView
          {...common}
          version={version}
          tileVersion={tileVersion}
          ground={ground}
          tiles={tiles}
          areas={areas}
          tool={tool}
          setTool={setTool}
          setRegion={(r) => setRegion(view.stop, r)}
          opening={opening}
          looked={(map) => go({ map })}
          clear={asked ? () => go({ regions: stops.map(() => null), filters: {} }) : null}
          chosen={chosen === null ? null : (chains.get(chosen) ?? null)}
          chains={drawn}
          layers={layers}
          other={view.versus === null ? "" : data.releases[view.versus]!.name}
          theme={`${theme}${dark}`}
          handle={handle}
        />
      ) : (
        <div class="stage">
          <p class="trouble">No stop of this release lies on a map. The table has its numbers.</p>
        </div>
      )}
      <div class="paper" ref={paper} aria-hidden="true" />
      <aside aria-label="Answers">
        <AnswerCard
          {...common}
          clear={(i) => setRegion(i, null)}
          trouble={
            wrong.length
              ? `This link asks for what the page cannot show, and it is left out: ${wrong.map((w) => (w.length > 80 ? `${w.slice(0, 80)}…` : w)).join("; ")}.`
              : ""
          }
        />
        {told.length >= kFewestReleases && <ReleaseTimeline told={told} release={view.release} go={move} />}
        {told.length >= kFewestReleases && stops[view.stop] && (
          <SmallMaps
            engine={engine}
            told={told}
            view={view}
            stop={stops[view.stop]!}
            info={info}
            question={model.question(view, { except: view.stop })}
            extent={opening}
            idle={results.flowsDone}
            theme={`${theme}${dark}`}
            go={move}
          />
        )}
        <Filters
          {...common}
          axes={model.others(view)}
          set={(axis, range) => {
            const filters = { ...view.filters };
            if (range) filters[axis] = range;
            else delete filters[axis];
            go({ filters });
          }}
        />
        <Elsewhere {...common} byArea={(stop) => model.byArea(stop)} />
        <FlowList {...common} chosen={chosen} choose={setChosen} />
        {stops.length > 0 && <TypeRegion {...common} set={(r) => setRegion(view.stop, r)} />}
        <p class="soft small noprint">
          Every number here is computed in this page from the release inside it;{" "}
          {tiles
            ? "the map under it comes from its server, and nothing else is sent or loaded"
            : "nothing is sent or loaded"}
          . stopover {data.version}
        </p>
      </aside>
      {dialog === "guarantee" && <Guarantee info={info} close={() => setDialog(null)} />}
      {dialog === "ask" && (
        <AskDialog
          key={link}
          engine={engine}
          data={data}
          release={view.release}
          stops={stops}
          areas={areas}
          start={(view.ask && readInquiry(view.ask, data.releases, view.release)) || inquiryOf(info, stops, view)}
          asked={view.ask !== ""}
          changed={(inquiry) => go({ ask: writeInquiry(inquiry, info) })}
          close={() => {
            setDialog(null);
            if (latest.current.ask) go({ ask: "" });
          }}
        />
      )}
      {dialog === "table" && <TableView {...common} close={() => setDialog(null)} download={() => want("csv")} />}
    </>
  );
}

// Releases that protect nobody, by name: nothing on the page may be taken for private. Those that are out of date, and
// those that the page has only coarsely.
function NoPrivacy({ releases }: { releases: ReleaseInfo[] }) {
  const open = releases.filter((r) => r.not_private);
  const old = releases.filter((r) => r.superseded);
  const coarse = releases.filter((r) => r.carried < r.partitions);
  if (open.length === 0 && old.length === 0 && coarse.length === 0) return null;
  const label = open.length > 0 ? "No privacy" : old.length > 0 ? "Out of date" : "Coarser here";
  return (
    <div class="noprivacy" role="note" aria-label={label}>
      {open.map((r) => (
        <p>
          <strong>No privacy:</strong> {r.name} was {r.not_private}.
        </p>
      ))}
      {old.map((r) => (
        <p>
          <strong>Out of date:</strong> {r.name} was {r.superseded}.
        </p>
      ))}
      {coarse.map((r) => (
        <p>
          <strong>Coarser here:</strong> {r.name} has {grouped(r.partitions)} boxes. This page has them joined to{" "}
          {grouped(r.carried)}, smallest where most trips are; small areas are rougher than in the release, and have
          bounds but no likely intervals. For all of it ask stopover query, or the server.
        </p>
      ))}
    </div>
  );
}

function Menu(p: { save(kind: "csv" | "png" | "svg"): void }) {
  return (
    <select
      aria-label="Download"
      value=""
      onChange={(e) => {
        const what = e.currentTarget.value as "csv" | "png" | "svg";
        e.currentTarget.value = "";
        p.save(what);
      }}
    >
      <option value="" disabled>
        Download
      </option>
      <option value="csv">Table as CSV</option>
      <option value="png">Map as PNG</option>
      <option value="svg">Map as SVG</option>
    </select>
  );
}

// The colours are in the style, which must have changed before the maps are drawn. Paper is light, and its map a
// drawing.
function useTheme(print: (printing: boolean) => void): [Theme, (theme: Theme) => void] {
  const [theme, setState] = useState<Theme>("auto");
  const chosen = useRef<Theme>("auto");
  const show = (next: Theme) => {
    document.documentElement.dataset["theme"] = next;
    setState(next);
  };
  useEffect(() => {
    const now = (next: Theme) => {
      const usual = options.debounceRendering;
      options.debounceRendering = (render) => render();
      show(next);
      options.debounceRendering = usual;
    };
    const before = () => {
      now("light");
      print(true);
    };
    const after = () => {
      now(chosen.current);
      print(false);
    };
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  });
  return [
    theme,
    (next) => {
      chosen.current = next;
      show(next);
    },
  ];
}

function useDark(theme: Theme): boolean {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [system, setSystem] = useState(query.matches);
  useEffect(() => {
    const changed = () => setSystem(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return theme === "auto" ? system : theme === "dark";
}
