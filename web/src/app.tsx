import { options } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { packAreas, readAreas, unpackAreas, type Area } from "./areas";
import type { PageData, ReleaseInfo } from "./data";
import { mapStops } from "./data";
import { csvText, Guarantee, save, TableView, tableRows } from "./dialogs";
import type { Engine } from "./engine";
import { MapView, type MapHandle, type Tool } from "./map_view";
import { Model, distinct, type CellMap } from "./model";
import { grouped } from "./number";
import { Ground, paintCells, paintZones, regionPath, shadeOf, zoneCentre, type Chain } from "./paint";
import { readPalette } from "./palette";
import { AnswerCard, Elsewhere, Filters, FlowList, TypeRegion } from "./panels";
import { extentOf, Plane } from "./plane";
import { outline, regionWords, type Region } from "./region";
import { CanvasSurface } from "./surface";
import { readView, writeView, type View } from "./view";

type Theme = "auto" | "light" | "dark";

export function App({ engine, data }: { engine: Engine; data: PageData }) {
  const [version, bump] = useState(0);
  const model = useMemo(() => new Model(engine, data, () => bump((v) => v + 1)), []);
  const [view, setView] = useState<View>(() => {
    const start = readView(location.hash, data.releases, mapStops);
    model.show(start);
    return start;
  });
  const [tool, setTool] = useState<Tool>("pick");
  const [chosen, setChosen] = useState<number | null>(null);
  const [dialog, setDialog] = useState<"guarantee" | "table" | null>(null);
  const paper = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useTheme((printing) => {
    paper.current!.innerHTML = printing ? (handle.current?.svg(`${model.info(view).name}`) ?? "") : "";
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

  const go = (change: Partial<View>) => {
    const next = { ...view, ...change };
    performance.mark("stopover-asked");
    model.show(next);
    setView(next);
    setChosen(null);
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
      const next = readView(location.hash, data.releases, mapStops, model.areas);
      model.show(next);
      setView(next);
      setChosen(null);
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
    go({ areas: packed ?? "", regions: view.regions.map((r) => (r?.kind === "area" ? null : r)) });
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

  const chains = useMemo<Chain[]>(
    () =>
      results.flows
        .filter((f) => !view.hide || Number.isNaN(f.noiseLower) || distinct(f.noiseLower))
        .map((flow) => {
          let free = 0;
          const points = stops.map((stop, i): [number, number] => {
            const region = view.regions[i];
            if (!region) return zoneCentre(info, stop, flow.zones[free++]!, view.zones);
            const ring = outline(region);
            return [ring.reduce((s, q) => s + q[0], 0) / ring.length, ring.reduce((s, q) => s + q[1], 0) / ring.length];
          });
          return { points, estimate: flow.estimate };
        }),
    [results.flows, view],
  );
  // Stops of labels alone are attributes of the trip.
  const placed = info.stops.filter((s) => s.axes.some((a) => info.axes[a]!.kind !== "category")).length;
  const name = info.name.replace(/\.odr$/, "");
  const common = { info, stops, view, results };
  const csv = () => save(`${name}.csv`, new Blob([csvText(tableRows(common), info)], { type: "text/csv" }));

  return (
    <>
      <a class="skip" href="#map">
        Skip to the map
      </a>
      <header>
        <h1>{name}</h1>
        <p class="facts">
          <b class="num">{grouped(results.total)}</b> trips through {placed} stop
          {placed === 1 ? "" : "s"}, published{" "}
          {info.not_private ? (
            "without privacy"
          ) : (
            <>
              with <b>epsilon {info.epsilon}</b>
            </>
          )}{" "}
          as {grouped(info.partitions)} boxes{info.date ? ` on ${info.date}` : ""}
        </p>
        <div class="tools noprint">
          {data.releases.length > 1 && (
            <select
              aria-label="Release"
              value={view.release}
              onChange={(e) => {
                const release = Number(e.currentTarget.value);
                go({ ...readView("", data.releases.slice(release, release + 1), mapStops), release });
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
          <Menu
            csv={csv}
            png={async () => {
              const b = await handle.current?.png();
              if (b) save(`${name}.png`, b);
            }}
            svg={() =>
              handle.current &&
              save(
                `${name}.svg`,
                new Blob([handle.current.svg(`${name}: ${stops[view.stop]?.name}`)], { type: "image/svg+xml" }),
              )
            }
          />
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
              <Thumb map={results.thumbs[i] ?? null} common={common} at={i} theme={`${theme}${dark}`} />
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
          chosen={chosen}
          chains={chains}
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
        <AnswerCard {...common} clear={(i) => setRegion(i, null)} />
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
        <Elsewhere {...common} />
        <FlowList {...common} chosen={chosen} choose={setChosen} />
        {stops.length > 0 && <TypeRegion {...common} set={(r) => setRegion(view.stop, r)} />}
        <section class="card noprint" aria-label="What is drawn">
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
            <button type="button" aria-pressed={view.hide} onClick={() => go({ hide: !view.hide })}>
              Hide what could be noise
            </button>
            <button
              type="button"
              aria-pressed={view.shade === "doubt"}
              onClick={() => go({ shade: view.shade === "doubt" ? "density" : "doubt" })}
            >
              Uncertainty
            </button>
            {stops.some((s) => !s.zones) && (
              <>
                <label class="hidden" for="zones">
                  Zones along a side
                </label>
                <select id="zones" value={view.zones} onChange={(e) => go({ zones: Number(e.currentTarget.value) })}>
                  {[4, 8, 16].map((n) => (
                    <option value={n}>
                      {n} × {n} zones
                    </option>
                  ))}
                </select>
              </>
            )}
          </div>
          <p class="small">
            <label class="file">
              Add your zones (GeoJSON)
              <input
                class="hidden"
                type="file"
                accept=".geojson,.json,application/geo+json"
                onChange={(e) => void take(e.currentTarget.files?.[0])}
              />
            </label>{" "}
            <span class="soft">
              {areas.length
                ? `${areas.length} zones; click one to ask for it. ${view.areas ? "They are in the address: a link shows them too." : "They are too large for the address: a link will not show them."}`
                : "or drop the file anywhere. It stays in this page."}
            </span>
          </p>
          {trouble && (
            <p class="warn small" role="alert">
              {trouble}
            </p>
          )}
        </section>
        <p class="soft small noprint">
          Every number here is computed in this page from the release inside it;{" "}
          {tiles
            ? "the map under it comes from its server, and nothing else is sent or loaded"
            : "nothing is sent or loaded"}
          . stopover {data.version}
        </p>
      </aside>
      {dialog === "guarantee" && <Guarantee info={info} close={() => setDialog(null)} />}
      {dialog === "table" && <TableView {...common} close={() => setDialog(null)} download={csv} />}
    </>
  );
}

// Releases that protect nobody, by name: nothing on the page may be taken for private.
function NoPrivacy({ releases }: { releases: ReleaseInfo[] }) {
  const open = releases.filter((r) => r.not_private);
  if (open.length === 0) return null;
  return (
    <div class="noprivacy" role="note" aria-label="No privacy">
      {open.map((r) => (
        <p>
          <strong>No privacy:</strong> {r.name} was {r.not_private}.
        </p>
      ))}
    </div>
  );
}

function Menu(p: { csv(): void; png(): void; svg(): void }) {
  return (
    <select
      aria-label="Download"
      value=""
      onChange={(e) => {
        const what = e.currentTarget.value as "csv" | "png" | "svg";
        e.currentTarget.value = "";
        p[what]();
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

function Thumb({
  map,
  common,
  at,
  theme,
}: {
  map: CellMap | null;
  common: { info: PageData["releases"][number]; stops: ReturnType<typeof mapStops>; view: View };
  at: number;
  theme: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const c = canvas.current!;
    const w = c.clientWidth || 58;
    const h = c.clientHeight || 58;
    c.width = 2 * w;
    c.height = 2 * h;
    const context = c.getContext("2d")!;
    context.scale(2, 2);
    const palette = readPalette();
    const { info, stops, view } = common;
    const stop = stops[at]!;
    const plane = Plane.fit(extentOf(info, [stop]), stop.geographic, w, h, 0);
    const s = new CanvasSurface(context, w, h);
    s.rect(0, 0, w, h, { fill: palette.land });
    const shade = map && shadeOf(map, info, stop, plane, palette, false, false, false);
    if (stop.zones) paintZones(s, plane, map, stop.zones, shade, palette);
    else if (map && shade) paintCells(s, plane, map, info, stop, shade, null);
    const region = view.regions[at];
    if (region) {
      s.path(regionPath(plane, region, 3), { stroke: palette.accent, width: 2, fill: undefined });
    }
  }, [map, theme, common.view]);
  return <canvas ref={canvas} aria-hidden="true" />;
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
