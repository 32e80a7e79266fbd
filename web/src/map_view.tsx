// The large map: shows, is walked over by mouse, finger or keys, and takes regions.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { areaUnder, type Area } from "./areas";
import type { CellMap } from "./cell_map";
import { chainUnder, paintChains, type Chain } from "./chains";
import { cellAt, coordinate, takesAreas, type MapStop, type ReleaseInfo } from "./data";
import { Legend } from "./legend";
import { distinct, intervalWord, type Results } from "./model";
import { grouped } from "./number";
import * as paint from "./paint";
import { readPalette, type Palette } from "./palette";
import type { Room } from "./path";
import { extentOf, Plane, type Extent } from "./plane";
import { distanceKm, regionText, settled, toggled, type Region } from "./region";
import { shadeOf, shadeOfDifference } from "./shade";
import { paintSheet, sheetSize, type SheetWords } from "./sheet";
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
  opening: Extent; // where nearly all trips are
  looked(map: View["map"]): void; // what is in sight has changed
  clear: (() => void) | null; // all that is asked, where something is
  chosen: Chain | null;
  chains: Chain[];
  other: string; // the release that is compared with
  layers: ComponentChildren; // buttons beside the map
  theme: string;
  handle: { current: MapHandle | null };
}

// What downloads need.
export interface MapHandle {
  paper(title: string): string; // the map and its legend, as SVG
  svg(words: SheetWords): string;
  png(words: SheetWords): Promise<Blob | null>;
}

type Point = [number, number];

const kMargin = 10;
const kDrawnChains = 20; // that lead somewhere; what stays has its ring besides
const kListed = 8; // rows of a list that is not unfolded
const kStill = 250; // milliseconds without a move: then what is in sight counts
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
  const x = cellAt(info, stop.x, lon);
  const y = cellAt(info, stop.y, lat);
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
    west: coordinate(info, stop.x, r[4 * i]!),
    east: coordinate(info, stop.x, r[4 * i + 1]!),
    south: coordinate(info, stop.y, r[4 * i + 2]!),
    north: coordinate(info, stop.y, r[4 * i + 3]!),
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
  const [hover, setHover] = useState<{ x: number; y: number } | null>(null);
  const [several, setSeveral] = useState(false);
  const [draft, setDraft] = useState<Point[]>([]);
  const [cursor, setCursor] = useState<Point | null>(null);
  const drag = useRef<{ x: number; y: number; moved: boolean; draws: boolean } | null>(null);
  const fingers = useRef(new Map<number, Point>());
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
  const wanted = useMemo(
    () =>
      fitted && (view.map === "all" ? fitted : view.map ? fitted.showing(view.map) : openingPlane(fitted, p.opening)),
    [fitted, view.map, p.opening],
  );
  useEffect(() => setPlane(wanted), [wanted]);
  useEffect(() => {
    if (!plane || plane === wanted) return;
    const timer = setTimeout(() => p.looked(plane.scale <= fitted!.scale * 1.0001 ? "all" : plane.seen), kStill);
    return () => clearTimeout(timer);
  }, [plane, wanted]);
  useLayoutEffect(() => setDraft([]), [p.tool, view.stop]);

  const now = plane && plane.width === size[0] && plane.height === size[1] ? plane : wanted;
  const map = results.difference ?? results.map;
  const shade = useMemo(
    () =>
      !now
        ? null
        : results.difference
          ? shadeOfDifference(results.difference, info, stop, now, palette, view.hide, p.other)
          : results.map &&
            shadeOf(results.map, info, stop, now, palette, view.shade === "doubt", view.hide, results.calibrated),
    [map, palette, view.shade, view.hide, now?.scale],
  );

  // The cell or zone at a place; -1: none.
  const under = (lon: number, lat: number): number => {
    if (!map) return -1;
    if (!stop.zones) return cellUnder(map, info, stop, lon, lat);
    return stop.zones.under(lon, lat, now!, (zone) =>
      paint.pointRadius(stop.zones!, now!, map.estimate[zone]!, shade?.most ?? 1),
    );
  };
  // Where the pointer is, of a mouse or of the keys, and what is there now: not what was there before.
  const at = cursor && now ? { x: now.x(cursor[0]), y: now.y(cursor[1]) } : hover;
  const cell = at && now ? under(now.lon(at.x), now.lat(at.y)) : -1;
  const drawnFlows = view.flows && stops.length > 1 && view.versus === null;
  // A station under the pointer is meant, not what passes over it.
  const station = cell >= 0 && stop.zones?.points;
  const flow =
    at && now && drawnFlows && p.tool === "pick" && !station ? chainUnder(now, shownChains(p), at.x, at.y) : null;
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
      paint.paintZones(s, at, map, stop.zones, shade, palette, tiles ? kOverTiles : 1);
    } else if (map && shade) {
      const edges = map.own ? palette.paper : null;
      paint.paintCells(s, at, map, info, stop, shade, edges, tiles ? kOverTiles : 1);
    }
    if (s instanceof SvgSurface) s.faint(kFaint, () => tiles?.draw(s, at, palette, "lines"));
    else tiles?.paint(s, at, palette, "lines");
    if (geographic && !tiles) paint.paintCoast(s, at, palette, p.ground);
    paint.paintGraticule(s, at, palette, tiles ? kFoot : 0);
    tiles?.label(s, at, palette);
    const taken: Room[] = [];
    const shown = shownChains(p);
    const ends = new Set(shown.flatMap((chain) => chain.points));
    // Places are named where a flow ends, and those at the top of the list.
    const listed = new Set((results.zones[view.stop] ?? []).slice(0, kListed).map((row) => row.name));
    const used = results.places.filter((place) => ends.has(place.centre) || (place.rect && listed.has(place.name)));
    const names = [
      paint.placeNames(s, at, p.areas.length ? results.places : used, palette, taken),
      ...(geographic && !tiles ? [p.ground.names(s, at, palette, taken)] : []),
    ];
    if (p.areas.length && geographic) paint.paintAreas(s, at, p.areas, palette);
    paint.paintPlaces(s, at, used, palette);
    if (drawnFlows) {
      paintChains(s, at, shown, palette, p.chosen, taken);
    }
    for (const paintNames of names) paintNames();
    if (stop.zones && map && shade) paint.paintZoneNames(s, at, map, stop.zones, shade, palette, taken);
    view.regions.forEach((region, i) => {
      if (region) paint.paintRegion(s, at, region, palette, i === view.stop, stops[i]!.name);
    });
    paint.paintScale(s, at, palette, tiles ? kFoot : 0);
    if (leaves) paint.paintNoPrivacy(s, info, palette);
    if (tiles && leaves) paint.paintCredit(s, tiles.credit.map((c) => c.words).join(""), palette);
  };

  const sheet = (s: Surface, words: SheetWords) =>
    paintSheet(s, size, words, palette, {
      shade,
      map,
      radius: stop.zones && ((trips) => paint.pointRadius(stop.zones!, now!, trips, shade?.most ?? 1)),
      chains: drawnFlows ? shownChains(p) : [],
      draw: (inner) => scene(inner, now!, true),
    });
  p.handle.current = {
    paper: (title) => {
      const bare = { title: "", lines: [], foot: "" };
      const s = new SvgSurface(...sheetSize(size, bare));
      sheet(s, bare);
      return s.finish(title);
    },
    svg: (words) => {
      const [w, h] = sheetSize(size, words);
      const s = new SvgSurface(w, h);
      sheet(s, words);
      return s.finish(words.title);
    },
    png: (words) => {
      const canvas = document.createElement("canvas");
      sheet(ready(canvas, sheetSize(size, words)), words);
      return new Promise((done) => canvas.toBlob(done));
    },
  };

  const ready = (canvas: HTMLCanvasElement, of = size): Surface => {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    canvas.width = of[0] * ratio;
    canvas.height = of[1] * ratio;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    return new CanvasSurface(context, of[0], of[1]);
  };

  useLayoutEffect(() => {
    if (!now || !base.current) return;
    scene(ready(base.current), now);
    performance.mark("stopover-painted");
  }, [p.version, now, palette, view, p.chosen, p.chains, shade, p.areas, p.tileVersion]);

  useLayoutEffect(() => {
    if (!now || !over.current) return;
    const s = ready(over.current);
    if (cell >= 0 && map && p.tool === "pick" && !flow && stop.zones) {
      paint.paintOutline(s, now, stop.zones, cell, map, shade, palette);
    } else if (cell >= 0 && map && p.tool === "pick" && !flow) {
      const r = map.rects;
      const x0 = now.x(coordinate(info, stop.x, r[4 * cell]!));
      const x1 = now.x(coordinate(info, stop.x, r[4 * cell + 1]!));
      const y0 = now.y(coordinate(info, stop.y, r[4 * cell + 3]!));
      const y1 = now.y(coordinate(info, stop.y, r[4 * cell + 2]!));
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
  }, [now, palette, hover, draft, cursor, p.tool, map, cell, flow]);

  const place = (event: PointerEvent | MouseEvent): [number, number] => {
    const r = over.current!.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  };
  const finish = (region: Region | null) => {
    setDraft([]);
    if (region) {
      p.setRegion(several && old ? toggled(old, region) : region);
      p.setTool("pick");
    }
  };
  const old = view.regions[view.stop] ?? null;
  // One more where several are meant together; a second click lets go.
  const pick = (region: Region, more: boolean) => {
    if (more) p.setRegion(toggled(old, region));
    else p.setRegion(old && regionText(old) === regionText(region) ? null : region);
  };
  const act = (point: Point, more = several) => {
    if (p.tool === "pick") {
      const area = areas ? areaUnder(p.areas, point[0], point[1]) : null;
      if (area) return pick({ kind: "area", area }, more);
      if (!map) return;
      const cell = under(point[0], point[1]);
      if (cell >= 0) pick(cellRegion(map, info, stop, cell), more && geographic);
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
    fingers.current.set(event.pointerId, [x, y]);
    if (fingers.current.size > 1) {
      drag.current = null; // two fingers zoom
      setDraft([]);
      return;
    }
    const draws = p.tool === "circle" || p.tool === "box";
    drag.current = { x, y, moved: false, draws };
    if (draws && draft.length === 0) setDraft([[now!.lon(x), now!.lat(y)]]);
  };
  const pointerMove = (event: PointerEvent) => {
    const [x, y] = place(event);
    const d = drag.current;
    if (fingers.current.size === 2 && fingers.current.has(event.pointerId)) {
      const old = fingers.current.get(event.pointerId)!;
      const other = [...fingers.current].find(([id]) => id !== event.pointerId)![1];
      const factor =
        Math.hypot(x - other[0], y - other[1]) / Math.max(1, Math.hypot(old[0] - other[0], old[1] - other[1]));
      fingers.current.set(event.pointerId, [x, y]);
      const middle: Point = [(x + other[0]) / 2, (y + other[1]) / 2];
      setPlane((was) =>
        (was ?? now!).moved((x - old[0]) / 2, (y - old[1]) / 2).zoomed(factor, middle[0], middle[1], fitted!.scale),
      );
      setHover(null);
      return;
    }
    if (d) {
      if (Math.hypot(x - d.x, y - d.y) > 4) d.moved = true;
      if (d.moved && !d.draws) {
        setPlane(now!.moved(x - d.x, y - d.y));
        drag.current = { ...d, x, y };
      }
    }
    setHover(!d || d.draws ? { x, y } : null);
    if (cursor && !d) setCursor(null);
  };
  const pointerUp = (event: PointerEvent) => {
    const d = drag.current;
    drag.current = null;
    fingers.current.delete(event.pointerId);
    if (!d) return;
    const [x, y] = place(event);
    const point: Point = [now!.lon(x), now!.lat(y)];
    if (d.draws) {
      if (d.moved) finish(regionOf(p.tool, [draft[0]!, point]));
      else if (draft.length && Math.hypot(now!.x(draft[0]![0]) - x, now!.y(draft[0]![1]) - y) > 6)
        finish(regionOf(p.tool, [draft[0]!, point]));
    } else if (!d.moved) {
      act(point, several || event.shiftKey);
    }
  };
  const zoom = (factor: number, x = size[0] / 2, y = size[1] / 2) => setPlane(now!.zoomed(factor, x, y, fitted!.scale));
  useEffect(() => {
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const [x, y] = place(event);
      setPlane((old) => (old ?? wanted!).zoomed(Math.exp(-event.deltaY * 0.0016), x, y, fitted!.scale));
    };
    const canvas = over.current!;
    canvas.addEventListener("wheel", wheel, { passive: false });
    return () => canvas.removeEventListener("wheel", wheel);
  }, [fitted, wanted]);

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
    if (!at || !map || (cell < 0 && !flow) || (drag.current && p.tool === "pick")) return null;
    const { intervals, estimate } = map;
    const within = results.places.find(
      ({ rect: r }) =>
        r &&
        now!.lon(at.x) >= r.west &&
        now!.lon(at.x) < r.east &&
        now!.lat(at.y) >= r.south &&
        now!.lat(at.y) < r.north,
    );
    const area = geographic ? areaUnder(p.areas, now!.lon(at.x), now!.lat(at.y)) : null;
    const trips = (v: number) =>
      results.difference ? `${v > 0 ? "+" : ""}${grouped(v)} trips` : `${grouped(v)} trips`;
    const left = at.x > size[0] - 190;
    const name = area?.name ?? (drawnFlows ? within?.name : undefined);
    return (
      <div
        class="tip"
        style={{
          top: `${Math.min(size[1] - 60, at.y + 14)}px`,
          ...(left ? { right: `${size[0] - at.x + 12}px` } : { left: `${at.x + 14}px` }),
        }}
      >
        {flow ? (
          <>
            <b>{flow.words}</b>
            <div>
              <b class="num">{grouped(flow.estimate)} trips</b>
            </div>
            {!Number.isNaN(flow.from) && (
              <div>
                {intervalWord(results.calibrated)}: {grouped(flow.from)} to {grouped(flow.to)}
              </div>
            )}
          </>
        ) : (
          <>
            {stop.zones ? (
              <>
                <b>{stop.zones.names[cell]}</b>
                {stop.zones.groupsOf(cell).map((g) => ` · ${g}`)}
                <div>
                  <b class="num">{trips(estimate[cell]!)}</b>
                </div>
              </>
            ) : (
              <>
                <b class="num">{trips(estimate[cell]!)}</b> in this cell{name ? ` · ${name}` : ""}
              </>
            )}
            {intervals && (
              <div>
                {results.difference || distinct(intervals.noiseLower[cell]!)
                  ? `${intervalWord(results.calibrated)}: ${grouped(intervals.lower[cell]!)} to ${grouped(intervals.upper[cell]!)}`
                  : "not distinguishable from zero"}
              </div>
            )}
          </>
        )}
      </div>
    );
  };

  const thing = p.areas.length && areas ? "zone" : stop.zones ? "zone" : "cell";
  const touch = useMemo(() => matchMedia("(pointer: coarse)").matches, []);
  const help = {
    pick: several
      ? `${touch ? "Tap" : "Click"} several ${thing}s, or draw: they are asked for together.`
      : touch
        ? `Tap a ${thing} to ask for it; tap again to let go. Drag to move, pinch to zoom.`
        : `Click a ${thing} to ask for it, with Shift for one more; click again to let go. Drag to move, wheel to zoom.`,
    circle: "Press at the centre and drag to the edge.",
    box: "Press at one corner and drag to the other.",
    polygon: `${touch ? "Tap" : "Click"} the corners, then the first one again to close.`,
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
          {geographic && (
            <button
              type="button"
              aria-pressed={several}
              title="What is picked or drawn is asked for together with what is there"
              onClick={() => setSeveral(!several)}
            >
              Several
            </button>
          )}
          <button type="button" title="Ask for all trips again" disabled={!p.clear} onClick={() => p.clear?.()}>
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
          <button type="button" aria-label="The whole map" title="The whole map" onClick={() => p.looked("all")}>
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
        {p.layers}
      </div>
      <div
        class="map"
        ref={box}
        data-seen={now ? Object.values(now.seen).join() : ""}
        data-tiles={tiles ? (tiles.settled ? "settled" : "waiting") : "none"}
        style={{ touchAction: p.tool === "pick" && now === wanted && !several ? "pan-y" : "none" }}
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
          onPointerCancel={(e) => {
            fingers.current.delete(e.pointerId);
            drag.current = null;
          }}
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
      {shade && map && (
        <Legend
          shade={shade}
          map={map}
          total={map.estimate.reduce((a, b) => a + b, 0)}
          compared={view.versus === null ? null : p.other}
          view={view}
          cover={tiles ? kOverTiles : 1}
          zones={stop.zones}
          plane={now!}
          chains={drawnFlows ? shownChains(p) : []}
        />
      )}
    </div>
  );
}

// With a margin, where there is room for one.
const openingPlane = (fitted: Plane, box: Extent): Plane => {
  const near = fitted.showing(box, kMargin);
  return near.scale > 1.15 * fitted.scale ? near : fitted;
};

// The largest that lead somewhere, all that stay, and the one that was chosen.
function shownChains({ chains, chosen }: MapProps): Chain[] {
  let lead = 0;
  return chains.filter((chain) => chain.stays || ++lead <= kDrawnChains || chain === chosen);
}
