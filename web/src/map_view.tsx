// The large map: shows, is walked over by mouse, finger or keys, and takes regions.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { areaUnder, type Area } from "./areas";
import { takesAreas, type MapStop, type ReleaseInfo } from "./data";
import { distinct, intervalWord, type CellMap, type Results } from "./model";
import { grouped, niceStep, zoneName } from "./number";
import { along, readPalette, type Palette } from "./palette";
import * as paint from "./paint";
import { extentOf, Plane } from "./plane";
import { distanceKm, regionText, settled, type Region } from "./region";
import { CanvasSurface, SvgSurface, type Surface } from "./surface";
import { kFaint, type TileLayer } from "./tile_layer";
import type { View } from "./view";
import { ZoneSearch } from "./zone_search";
import type { ZoneGroup, ZoneMap } from "./zones";

export type Tool = "pick" | "circle" | "box" | "polygon";

export interface MapProps {
  info: ReleaseInfo;
  stops: MapStop[];
  view: View;
  results: Results;
  version: number; // of the results
  tileVersion: number;
  ground: paint.Ground;
  tiles: TileLayer | null;
  areas: Area[];
  tool: Tool;
  setTool(tool: Tool): void;
  setRegion(region: Region | null): void;
  chosen: number | null;
  chains: paint.Chain[];
  theme: string;
  handle: { current: MapHandle | null };
}

// What downloads need.
export interface MapHandle {
  svg(title: string): string;
  png(): Promise<Blob | null>;
}

type Point = [number, number];

const kMargin = 10;
const kDrawnChains = 14;
const kFoot = 12; // pixels for whose map it is
const kOverTiles = 0.76; // how much of a cell's colour covers what is under it

export const zoneRegion = (map: ZoneMap, { name, from, to }: ZoneGroup): Region => ({
  kind: "zone",
  name,
  from,
  to,
  map,
});

export function cellUnder(map: CellMap, info: ReleaseInfo, stop: MapStop, lon: number, lat: number): number {
  const x = paint.cellAt(info, stop.x, lon);
  const y = paint.cellAt(info, stop.y, lat);
  const r = map.rects;
  for (let i = 0; i < map.estimate.length; i++) {
    if (x >= r[4 * i]! && x < r[4 * i + 1]! && y >= r[4 * i + 2]! && y < r[4 * i + 3]!) return i;
  }
  return -1;
}

function cellRegion(map: CellMap, info: ReleaseInfo, stop: MapStop, i: number): Region {
  if (stop.zones) return zoneRegion(stop.zones, stop.zones.find(stop.zones.names[i]!)!);
  const r = map.rects;
  return settled({
    kind: "bbox",
    west: paint.coordinate(info, stop.x, r[4 * i]!),
    east: paint.coordinate(info, stop.x, r[4 * i + 1]!),
    south: paint.coordinate(info, stop.y, r[4 * i + 2]!),
    north: paint.coordinate(info, stop.y, r[4 * i + 3]!),
  });
}

export function regionOf(tool: Tool, points: Point[]): Region | null {
  const [a, b] = points;
  if (!a || !b) return null;
  if (tool === "circle") {
    const km = distanceKm(a, b);
    return km > 0.001 ? settled({ kind: "circle", lon: a[0], lat: a[1], km }) : null;
  }
  if (tool === "box") {
    const west = Math.min(a[0], b[0]);
    const east = Math.max(a[0], b[0]);
    const south = Math.min(a[1], b[1]);
    const north = Math.max(a[1], b[1]);
    return west < east && south < north ? settled({ kind: "bbox", west, south, east, north }) : null;
  }
  return points.length >= 3 ? settled({ kind: "polygon", points }) : null;
}

export function MapView(p: MapProps) {
  const { info, stops, view, results } = p;
  const stop = stops[view.stop]!;
  const box = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<[number, number]>([0, 0]);
  const [plane, setPlane] = useState<Plane | null>(null);
  const [hover, setHover] = useState<{ x: number; y: number; cell: number } | null>(null);
  const [draft, setDraft] = useState<Point[]>([]);
  const [cursor, setCursor] = useState<Point | null>(null);
  const drag = useRef<{ x: number; y: number; moved: boolean; draws: boolean } | null>(null);
  const palette = useMemo<Palette>(readPalette, [p.theme]);
  const extent = useMemo(() => extentOf(info, stops), [info]);
  const geographic = stop.geographic;
  const fitted = useMemo(
    () => (size[0] ? Plane.fit(extent, geographic, size[0], size[1], kMargin) : null),
    [extent, geographic, size],
  );

  useLayoutEffect(() => {
    const measure = () => setSize([box.current!.clientWidth, box.current!.clientHeight]);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(box.current!);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => setPlane(fitted), [fitted]);
  useLayoutEffect(() => setDraft([]), [p.tool, view.stop]);

  const now = plane && plane.width === size[0] && plane.height === size[1] ? plane : fitted;
  const shade = useMemo(
    () =>
      results.map && now
        ? paint.shadeOf(results.map, info, stop, now, palette, view.shade === "doubt", view.hide, results.calibrated)
        : null,
    [results.map, palette, view.shade, view.hide, now?.scale],
  );

  // The cell or zone at a place; -1: none.
  const under = (lon: number, lat: number): number => {
    const map = results.map;
    if (!map) return -1;
    if (!stop.zones) return cellUnder(map, info, stop, lon, lat);
    return stop.zones.under(lon, lat, now!, (zone) =>
      paint.pointRadius(stop.zones!, now!, map.estimate[zone]!, shade?.most ?? 1),
    );
  };
  const areas = takesAreas(stop);
  const offered = (tool: Tool) => tool === "pick" || areas || (!geographic && tool === "box");
  useEffect(() => {
    if (geographic && !areas && p.tool !== "pick") p.setTool("pick");
  }, [view.stop, areas, p.tool]);

  const tiles = geographic && view.base ? p.tiles : null;
  const scene = (s: Surface, at: Plane, leaves = false) => {
    paint.paintFrame(s, at, palette, p.ground);
    if (tiles) {
      if (s instanceof SvgSurface) tiles.draw(s, at, palette, "ground");
      else tiles.paint(s, at, palette, "ground");
      paint.paintVeil(s, at, palette);
    }
    if (stop.zones) {
      paint.paintZones(s, at, results.map, stop.zones, shade, palette, tiles ? kOverTiles : 1);
    } else if (results.map && shade) {
      const edges = results.map.own ? palette.paper : null;
      paint.paintCells(s, at, results.map, info, stop, shade, edges, tiles ? kOverTiles : 1);
    }
    if (s instanceof SvgSurface) s.faint(kFaint, () => tiles?.draw(s, at, palette, "lines"));
    else tiles?.paint(s, at, palette, "lines");
    paint.paintGraticule(s, at, palette, tiles ? kFoot : 0);
    tiles?.label(s, at, palette);
    if (p.areas.length && geographic) paint.paintAreas(s, at, p.areas, palette);
    if (stop.zones && results.map && shade) paint.paintZoneNames(s, at, results.map, stop.zones, shade, palette);
    if (view.flows && stops.length > 1) {
      if (!stop.zones) paint.paintBoard(s, at, info, stop, view.zones, palette);
      const shown =
        p.chosen !== null && p.chosen >= kDrawnChains
          ? [...p.chains.slice(0, kDrawnChains), p.chains[p.chosen]!]
          : p.chains.slice(0, kDrawnChains);
      paint.paintChains(s, at, shown, palette, p.chosen === null ? null : Math.min(p.chosen, shown.length - 1));
    }
    view.regions.forEach((region, i) => {
      if (region) paint.paintRegion(s, at, region, palette, i === view.stop, stops[i]!.name);
    });
    paint.paintScale(s, at, palette, tiles ? kFoot : 0);
    if (leaves) paint.paintNoPrivacy(s, info, palette);
    if (tiles && leaves) paint.paintCredit(s, tiles.credit.map((c) => c.words).join(""), palette);
  };

  p.handle.current = {
    svg: (title) => {
      const s = new SvgSurface(size[0], size[1]);
      s.clip(0, 0, size[0], size[1], () => scene(s, now!, true));
      return s.finish(title);
    },
    png: () => {
      const canvas = document.createElement("canvas");
      scene(ready(canvas), now!, true);
      return new Promise((done) => canvas.toBlob(done));
    },
  };

  const ready = (canvas: HTMLCanvasElement): Surface => {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    canvas.width = size[0] * ratio;
    canvas.height = size[1] * ratio;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    return new CanvasSurface(context, size[0], size[1]);
  };

  useLayoutEffect(() => {
    if (!now || !base.current) return;
    scene(ready(base.current), now);
    performance.mark("stopover-painted");
  }, [p.version, now, palette, view, p.chosen, p.chains, shade, p.areas, p.tileVersion]);

  useLayoutEffect(() => {
    if (!now || !over.current) return;
    const s = ready(over.current);
    if (hover && hover.cell >= 0 && results.map && p.tool === "pick" && stop.zones) {
      paint.paintOutline(s, now, stop.zones, hover.cell, results.map, shade, palette);
    } else if (hover && hover.cell >= 0 && results.map && p.tool === "pick") {
      const r = results.map.rects;
      const x0 = now.x(paint.coordinate(info, stop.x, r[4 * hover.cell]!));
      const x1 = now.x(paint.coordinate(info, stop.x, r[4 * hover.cell + 1]!));
      const y0 = now.y(paint.coordinate(info, stop.y, r[4 * hover.cell + 3]!));
      const y1 = now.y(paint.coordinate(info, stop.y, r[4 * hover.cell + 2]!));
      s.rect(x0, y0, x1 - x0, y1 - y0, { stroke: palette.paper, width: 4 });
      s.rect(x0, y0, x1 - x0, y1 - y0, { stroke: palette.ink, width: 1.5 });
    }
    const target: Point | null = cursor ?? (hover ? [now.lon(hover.x), now.lat(hover.y)] : null);
    const points = target && draft.length ? [...draft, target] : draft;
    const region = regionOf(p.tool, points);
    if (region) {
      paint.paintRegion(
        s,
        now,
        region,
        palette,
        true,
        region.kind === "circle" ? `${Number(region.km.toPrecision(3))} km` : "",
      );
    } else if (points.length === 2) {
      s.path(points.map(([x, y], i) => `${i ? "L" : "M"}${now.x(x)} ${now.y(y)}`).join(""), {
        stroke: palette.accent,
        width: 2,
      });
    }
    for (const [x, y] of draft)
      s.rect(now.x(x) - 3, now.y(y) - 3, 6, 6, { fill: palette.paper, stroke: palette.accent, width: 2 });
    if (cursor) {
      const x = now.x(cursor[0]);
      const y = now.y(cursor[1]);
      const d = `M${x - 14} ${y}H${x - 4}M${x + 4} ${y}H${x + 14}M${x} ${y - 14}V${y - 4}M${x} ${y + 4}V${y + 14}`;
      s.path(d, { stroke: palette.paper, width: 5 });
      s.path(d, { stroke: palette.ink, width: 2 });
    }
  }, [now, palette, hover, draft, cursor, p.tool, results.map]);

  const place = (event: PointerEvent | MouseEvent): [number, number] => {
    const r = over.current!.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  };
  const finish = (region: Region | null) => {
    setDraft([]);
    if (region) {
      p.setRegion(region);
      p.setTool("pick");
    }
  };
  const act = (point: Point) => {
    if (p.tool === "pick") {
      const area = areas ? areaUnder(p.areas, point[0], point[1]) : null;
      if (area) {
        const old = view.regions[view.stop];
        p.setRegion(old?.kind === "area" && old.area === area ? null : { kind: "area", area });
        return;
      }
      if (!results.map) return;
      const cell = under(point[0], point[1]);
      if (cell < 0) return;
      const region = cellRegion(results.map, info, stop, cell);
      const old = view.regions[view.stop];
      p.setRegion(old && regionText(old) === regionText(region) ? null : region);
    } else if (p.tool === "polygon") {
      const first = draft[0];
      const closes =
        first &&
        draft.length >= 3 &&
        Math.hypot(now!.x(first[0]) - now!.x(point[0]), now!.y(first[1]) - now!.y(point[1])) < 10;
      if (closes) finish(regionOf("polygon", draft));
      else setDraft([...draft, point]);
    } else if (draft.length === 0) {
      setDraft([point]);
    } else {
      finish(regionOf(p.tool, [draft[0]!, point]));
    }
  };

  const pointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const [x, y] = place(event);
    over.current!.setPointerCapture(event.pointerId);
    setCursor(null);
    const draws = p.tool === "circle" || p.tool === "box";
    drag.current = { x, y, moved: false, draws };
    if (draws && draft.length === 0) setDraft([[now!.lon(x), now!.lat(y)]]);
  };
  const pointerMove = (event: PointerEvent) => {
    const [x, y] = place(event);
    const d = drag.current;
    if (d) {
      if (Math.hypot(x - d.x, y - d.y) > 4) d.moved = true;
      if (d.moved && !d.draws) {
        setPlane(now!.moved(x - d.x, y - d.y));
        drag.current = { ...d, x, y };
      }
    }
    const cell = !d || d.draws ? under(now!.lon(x), now!.lat(y)) : -1;
    setHover({ x, y, cell });
  };
  const pointerUp = (event: PointerEvent) => {
    const d = drag.current;
    drag.current = null;
    if (!d) return;
    const [x, y] = place(event);
    const point: Point = [now!.lon(x), now!.lat(y)];
    if (d.draws) {
      if (d.moved) finish(regionOf(p.tool, [draft[0]!, point]));
      else if (draft.length && Math.hypot(now!.x(draft[0]![0]) - x, now!.y(draft[0]![1]) - y) > 6)
        finish(regionOf(p.tool, [draft[0]!, point]));
    } else if (!d.moved) {
      act(point);
    }
  };
  const zoom = (factor: number, x = size[0] / 2, y = size[1] / 2) => setPlane(now!.zoomed(factor, x, y, fitted!.scale));
  useEffect(() => {
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const [x, y] = place(event);
      setPlane((old) => (old ?? fitted!).zoomed(Math.exp(-event.deltaY * 0.0016), x, y, fitted!.scale));
    };
    const canvas = over.current!;
    canvas.addEventListener("wheel", wheel, { passive: false });
    return () => canvas.removeEventListener("wheel", wheel);
  }, [fitted]);

  const key = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const step = steps[event.key];
    if (step) {
      const at: Point = cursor ?? [now!.cx, now!.cy];
      const by = event.shiftKey ? 3 : 18;
      const x = Math.min(size[0] - 2, Math.max(2, now!.x(at[0]) + step[0] * by));
      const y = Math.min(size[1] - 2, Math.max(2, now!.y(at[1]) + step[1] * by));
      setCursor([now!.lon(x), now!.lat(y)]);
      setHover({ x, y, cell: under(now!.lon(x), now!.lat(y)) });
    } else if (event.key === "Enter" || event.key === " ") {
      act(cursor ?? [now!.cx, now!.cy]);
    } else if (event.key === "Escape") {
      setDraft([]);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      p.setRegion(null);
    } else if (event.key === "+" || event.key === "=") {
      zoom(1.5);
    } else if (event.key === "-") {
      zoom(1 / 1.5);
    } else {
      const tools: Record<string, Tool> = { v: "pick", c: "circle", b: "box", p: "polygon" };
      const tool = tools[event.key];
      if (!tool || event.ctrlKey || event.metaKey || !offered(tool)) return;
      p.setTool(tool);
    }
    event.preventDefault();
  };

  const tip = () => {
    if (!hover || !results.map || hover.cell < 0 || (drag.current && p.tool === "pick")) return null;
    const i = hover.cell;
    const { intervals, estimate } = results.map;
    const zone =
      view.flows && stops.length > 1 && !stop.zones
        ? zoneName(
            Math.floor((paint.cellAt(info, stop.y, now!.lat(hover.y)) / info.axes[stop.y]!.cells) * view.zones) *
              view.zones +
              Math.floor((paint.cellAt(info, stop.x, now!.lon(hover.x)) / info.axes[stop.x]!.cells) * view.zones),
            view.zones,
          )
        : null;
    const left = hover.x > size[0] - 190;
    return (
      <div
        class="tip"
        style={{
          top: `${Math.min(size[1] - 60, hover.y + 14)}px`,
          ...(left ? { right: `${size[0] - hover.x + 12}px` } : { left: `${hover.x + 14}px` }),
        }}
      >
        {stop.zones ? (
          <>
            <b>{stop.zones.names[i]}</b>
            {stop.zones.groupsOf(i).map((g) => ` · ${g}`)}
            <div>
              <b class="num">{grouped(estimate[i]!)} trips</b>
            </div>
          </>
        ) : (
          <>
            <b class="num">{grouped(estimate[i]!)} trips</b> in this cell{zone ? ` · ${zone}` : ""}
          </>
        )}
        {intervals && (
          <div>
            {distinct(intervals.noiseLower[i]!)
              ? `${intervalWord(results.calibrated)}: ${grouped(intervals.lower[i]!)} to ${grouped(intervals.upper[i]!)}`
              : "not distinguishable from zero"}
          </div>
        )}
      </div>
    );
  };

  const help = {
    pick: `Click a ${stop.zones ? "zone" : "cell"} to ask for it; click again to let go. Drag to move, wheel to zoom.`,
    circle: "Press at the centre and drag to the edge.",
    box: "Press at one corner and drag to the other.",
    polygon: "Click the corners; click the first one again to close.",
  }[p.tool];
  const tools: [Tool, string, string][] = [
    ["pick", "Pick", "V"],
    ["circle", "Circle", "C"],
    ["box", "Box", "B"],
    ["polygon", "Shape", "P"],
  ];
  return (
    <div class="stage">
      <div class="side noprint">
        {stop.zones && (
          <ZoneSearch
            key={view.stop}
            zones={stop.zones}
            stop={stop.name}
            choose={(found) => p.setRegion(zoneRegion(stop.zones!, found))}
          />
        )}
        <div class="tools" role="group" aria-label="What a click on the map does">
          {tools
            .filter(([tool]) => offered(tool))
            .map(([tool, words, letter]) => (
              <button
                type="button"
                aria-pressed={p.tool === tool}
                title={`${words} (${letter})`}
                onClick={() => p.setTool(tool)}
              >
                {words}
              </button>
            ))}
          <button type="button" disabled={!view.regions[view.stop]} onClick={() => p.setRegion(null)}>
            Clear
          </button>
        </div>
        <div class="zoom" role="group" aria-label="Zoom">
          <button type="button" aria-label="Nearer" onClick={() => zoom(1.6)}>
            +
          </button>
          <button type="button" aria-label="Further away" onClick={() => zoom(1 / 1.6)}>
            −
          </button>
          <button type="button" aria-label="The whole map" onClick={() => setPlane(fitted)}>
            ⌂
          </button>
        </div>
        <p class="soft help" role="status">
          {help}
        </p>
        {geographic && !areas && (
          <p class="soft help">
            The areas are drawn with fewer corners here. Whole zones are exact; for circles, boxes and shapes that cut
            zones, ask <code>stopover query</code>.
          </p>
        )}
      </div>
      <div
        class="map"
        ref={box}
        data-tiles={tiles ? (tiles.settled ? "settled" : "waiting") : "none"}
        style={{ touchAction: p.tool === "pick" && now === fitted ? "pan-y" : "none" }}
      >
        <canvas ref={base} aria-hidden="true" />
        <canvas
          ref={over}
          class="over"
          id="map"
          data-tool={p.tool}
          tabIndex={0}
          role="application"
          aria-label={`Map of ${stop.name}. Arrow keys move a pointer, Enter picks the ${stop.zones ? "zone" : "cell"} under it, C, B and P draw, Delete clears. The table has the same numbers.`}
          onPointerDown={pointerDown}
          onPointerMove={pointerMove}
          onPointerUp={pointerUp}
          onPointerLeave={() => !drag.current && setHover(null)}
          onDblClick={() => p.tool === "polygon" && finish(regionOf("polygon", draft.slice(0, -1)))}
          onKeyDown={key}
          onBlur={() => setCursor(null)}
        />
        {tip()}
        {tiles && (tiles.credit.length > 0 || tiles.trouble) && (
          <p class="credit noprint">
            {tiles.trouble && <span role="status">{tiles.trouble} </span>}
            {tiles.credit.map((c) =>
              c.href ? (
                <a href={c.href} target="_blank" rel="noopener noreferrer">
                  {c.words}
                </a>
              ) : (
                c.words
              ),
            )}
          </p>
        )}
      </div>
      {shade && results.map && (
        <Legend
          shade={shade}
          map={results.map}
          total={results.total}
          view={view}
          cover={tiles ? kOverTiles : 1}
          zones={stop.zones}
          plane={now!}
        />
      )}
    </div>
  );
}

function Legend({
  shade,
  map,
  total,
  view,
  cover,
  zones,
  plane,
}: {
  shade: paint.Shade;
  map: CellMap;
  total: number;
  view: View;
  cover: number;
  zones: ZoneMap | null;
  plane: Plane;
}) {
  const things = zones ? "zone" : "cell";
  const ramp = Array.from({ length: 9 }, (_, i) => along(shade.ramp, i / 8)).join(",");
  const percent = total > 0 ? (100 * shade.hiddenTrips) / total : 0;
  return (
    <div class="legend">
      <div>{shade.unit}</div>
      {shade.sizes && zones ? (
        <Sizes shade={shade} radius={(trips) => paint.pointRadius(zones, plane, trips, shade.most)} />
      ) : (
        <>
          <div class="ramp" style={{ background: `linear-gradient(90deg,${ramp})`, opacity: cover }} />
          <div class="ticks num" aria-hidden="true">
            {shade.ticks.map((tick) => (
              <span style={{ left: `${Math.min(90, Math.max(3, tick.t * 100))}%` }}>{tick.words}</span>
            ))}
          </div>
        </>
      )}
      <div class="soft">
        {zones
          ? `The ${grouped(zones.size)} zones are the release's own.`
          : map.own
            ? "Cells are the release's own boxes."
            : "Cells are drawn for the eye; the release's boxes span all stops."}
      </div>
      <div class="soft" id="hidden-note">
        {map.intervals === null
          ? "working out what noise could have made …"
          : shade.hidden === 0
            ? `Every ${things} is distinguishable from zero.`
            : `${shade.hidden} of ${map.estimate.length} ${things}s are not distinguishable from zero and ${view.hide ? "hidden" : "grey"}: ${grouped(shade.hiddenTrips)} trips (${percent < 0.1 ? "under 0.1" : percent.toFixed(1)} %).`}
      </div>
    </div>
  );
}

// Circles of round numbers of trips.
function Sizes({ shade, radius }: { shade: paint.Shade; radius(trips: number): number }) {
  const most = niceStep(shade.most);
  const list = [most, most / 4, most / 20].filter((v, i) => i === 0 || radius(v) >= 1.5);
  const height = 2 * radius(most) + 4;
  let x = 2;
  return (
    <svg class="sizes" height={Math.max(16, height)} width="100%" aria-hidden="true">
      {list.map((trips) => {
        const r = radius(trips);
        const words = grouped(trips);
        const at = x + r;
        x += 2 * r + 10 + 7.2 * words.length + 6;
        return (
          <>
            <circle cx={at} cy={Math.max(16, height) / 2} r={r} fill={along(shade.ramp, paint.kPointShade)} />
            <text x={at + r + 4} y={Math.max(16, height) / 2 + 4} fill="currentColor" font-size="12">
              {words}
            </text>
          </>
        );
      })}
    </svg>
  );
}
