// What is shown, computed from the view by the engine: the answer at once, then the cells of the maps, the zones and
// the flows in slices of a few milliseconds, so that the page never stands still. A new view abandons the old one's
// work.
import type { Area } from "./areas";
import { everyCell, less, rectOf, type CellMap } from "./cell_map";
import {
  cellAt,
  comparable,
  coordinate,
  mapStops,
  otherAxes,
  takesAreas,
  type MapStop,
  type PageData,
  type ReleaseInfo,
} from "./data";
import {
  intervalColumns,
  intervalsAt,
  kIntervalColumns,
  type Answer,
  type Engine,
  type Flow,
  type FlowStop,
  type Intervals,
  type Share,
} from "./engine";
import { areaPlaces, busyStrips, clusters, kRaster, opened, type Place, type Raster } from "./places";
import { extentOf, Plane, type Extent } from "./plane";
import { questionOf, regionSpec, type Asked, type Question } from "./question";
import type { View } from "./view";

export const kLevel = 0.95;
export const kMostCells = 1400;
const kFewestCells = 350;
const kPatience = 45; // milliseconds that the first picture's cells may take
export const kThumbCells = 220;
const kFlows = 24; // that lead somewhere else, and at most so many more that stay
const kMostFound = 60;
const kMostBins = 48; // of an axis without labels
const kStrips = 96; // of the map along a side, where the opening box is looked for
const kNearlyAll = 0.985; // of the trips in sight: then flows are between places of the whole map
const kSlice = 200; // boxes
const kZonePatience = 250; // milliseconds that the first picture of a release's own zones may take
const kMostFlowQuestions = 20000;

export interface ZoneRow extends Intervals {
  name: string;
  estimate: number;
}

export interface Bins {
  edges: number[]; // cells
  rows: ZoneRow[];
}

export interface Results {
  answer: Answer | null;
  others: Other[]; // the same question to the page's other releases of one form
  share: (Share & { stop: number }) | null; // of the trips that are where the first stop asks, where more is asked
  failure: string | null;
  total: number;
  calibrated: boolean; // whether the release has likely intervals
  claimed: boolean; // and whether that is claimed to hold as often as it says, for cells and flows
  map: CellMap | null;
  difference: CellMap | null; // the map less another release's, where one is compared with and both are known
  thumbs: (CellMap | null)[];
  labels: Record<number, ZoneRow[]>; // of axes on no map: the trips of every label, whatever is chosen there
  bins: Record<number, Bins>; // of axes on no map that have no labels: the trips along them, whatever is chosen there
  places: Place[]; // of stops without zones of their own, and of those that are asked by areas
  byArea: boolean[]; // one per map stop: whether its places are the areas that were dropped
  raster: Raster | null; // what they were made from
  zones: (ZoneRow[] | null)[]; // one per map stop: where the trips of the question are at that stop
  flows: Flow[];
  flowsDone: boolean;
}

// From so many on, releases of one form are bars (release_timeline.tsx); fewer are told in words.
export const kFewestReleases = 3;

// Whether noise alone could not have made it.
export const distinct = (noiseLower: number): boolean => noiseLower > 0;
// The interval to show, in a word.
export const intervalWord = (calibrated: boolean): string => (calibrated ? "likely" : "noise alone");
// The word and how often it holds.
export const intervalClaim = (a: { calibrated: boolean; claimed: boolean }): string =>
  `${intervalWord(a.calibrated)}, ${a.calibrated && !a.claimed ? "meant for 95 %, not claimed" : "95 %"}`;

export function answerIntervals(a: Answer): Intervals {
  const noise = { noiseLower: a.noise_lower, noiseUpper: a.noise_upper };
  return a.calibrated
    ? { ...noise, lower: a.lower, upper: a.upper }
    : { ...noise, lower: a.noise_lower, upper: a.noise_upper };
}

export class Model {
  readonly infos: ReleaseInfo[];
  results: Results;
  private run = 0;
  private mapsDone = false; // what does not depend on what is in sight
  private seen: View | null = null;
  areas: Area[] = [];
  private readonly rects = new Map<string, { own: boolean; rects: Float64Array }>();
  private readonly boxes = new Map<number, Extent>();
  private readonly rasters = new Map<string, Raster>();
  private pace = 0; // milliseconds per cell, of the slowest map lately

  constructor(
    readonly engine: Engine,
    readonly data: PageData,
    private readonly changed: () => void,
  ) {
    this.infos = data.releases;
    this.results = this.nothing(0);
  }

  info(view: View): ReleaseInfo {
    return this.infos[view.release]!;
  }
  stops(view: View): MapStop[] {
    return mapStops(this.info(view));
  }
  others(view: View): number[] {
    return otherAxes(this.info(view));
  }

  // Starts over for a view; what can be had at once is there when it returns.
  show(view: View): void {
    const run = ++this.run;
    this.seen = view;
    this.mapsDone = false;
    const stops = this.stops(view);
    const kept = this.results;
    this.results = this.nothing(stops.length);
    this.results.thumbs = kept.thumbs.length === stops.length ? kept.thumbs : this.results.thumbs;
    this.results.total = this.engine.ask(view.release, {}).estimate;
    const all = this.engine.ask(view.release, this.question({ ...view, regions: stops.map(() => null) }, {}));
    this.results.calibrated = all.calibrated;
    // Of cells and flows: a cell of one of several stops leaves the others open, which is not claimed.
    this.results.claimed = all.claimed && (stops.length === 1 || stops.every((stop) => stop.zones));
    try {
      this.results.answer = this.engine.ask(view.release, this.question(view, {}));
    } catch (error) {
      this.results.failure = String((error as Error).message);
    }
    if (this.results.answer) this.results.others = this.compared(view);
    // Until there are others: the names would flicker.
    this.results.places = kept.places;
    this.results.raster = kept.raster;
    if (kept.byArea.length === stops.length) this.results.bins = kept.bins;
    if (stops[view.stop]) {
      const begin = performance.now();
      const zones = stops[view.stop]!.zones;
      // Zones are all drawn or none: where that takes too long, they come with their intervals.
      if (!zones || zones.size * this.pace < kZonePatience) {
        this.results.map = this.cellMap(view, view.stop, cellsAtOnce(this.pace));
        this.pace = Math.max(0.8 * this.pace, (performance.now() - begin) / this.results.map.estimate.length);
      }
    }
    void this.later(view, run);
  }

  // Another part of the map is in sight: the flows are others, the rest is as it was.
  look(view: View): void {
    this.seen = view;
    if (!this.mapsDone) return; // the flows come later, and of this view
    this.results = { ...this.results, flows: [], flowsDone: false };
    void this.flows(view, ++this.run);
  }

  // Where nearly all trips are, at all stops together.
  opening(view: View): Extent {
    const known = this.boxes.get(view.release);
    if (known) return known;
    const info = this.info(view);
    const stops = this.stops(view);
    const boxes = stops.map((stop) => this.busyBox(view, stop)).filter((box) => box !== null);
    const box = opened(boxes, extentOf(info, stops));
    this.boxes.set(view.release, box);
    return box;
  }

  // Around 99 % of the trips at one stop; of zones around as many whole ones. Null where that takes too long to know.
  private busyBox(view: View, stop: MapStop): Extent | null {
    const info = this.info(view);
    const { zones } = stop;
    const ask = (rects: Float64Array) => this.engine.boxes(view.release, {}, stop, rects, false, kLevel).estimate;
    if (zones) {
      if (zones.size > kMostCells) return null;
      // Strips from one zone's place to the next.
      const trips = ask(everyCell(zones.size));
      const order = (axis: 0 | 1) =>
        [...zones.names.keys()].sort((a, b) => zones.places[a]![axis] - zones.places[b]![axis]);
      const [across, up] = [order(0), order(1)];
      const [x0, x1, y0, y1] = busyStrips(
        across.map((z) => trips[z]!),
        up.map((z) => trips[z]!),
      );
      const [xs, ys] = [across.slice(x0, x1), up.slice(y0, y1)].map((list) => list.map((z) => zones.box(z)));
      return {
        west: Math.min(...xs!.map((b) => b.west)),
        east: Math.max(...xs!.map((b) => b.east)),
        south: Math.min(...ys!.map((b) => b.south)),
        north: Math.max(...ys!.map((b) => b.north)),
      };
    }
    const [nx, ny] = [info.axes[stop.x]!.cells, info.axes[stop.y]!.cells];
    const edges = (cells: number) => {
      const strips = Math.min(cells, kStrips);
      return Array.from({ length: strips + 1 }, (_, k) => Math.floor((cells * k) / strips));
    };
    const [xs, ys] = [edges(nx), edges(ny)];
    const [x0, x1, y0, y1] = busyStrips(
      ask(Float64Array.from(xs.slice(1).flatMap((x, k) => [xs[k]!, x, 0, ny]))),
      ask(Float64Array.from(ys.slice(1).flatMap((y, k) => [0, nx, ys[k]!, y]))),
    );
    return {
      west: coordinate(info, stop.x, xs[x0]!),
      east: coordinate(info, stop.x, xs[x1]!),
      south: coordinate(info, stop.y, ys[y0]!),
      north: coordinate(info, stop.y, ys[y1]!),
    };
  }

  // All, or without what is asked at one stop, or of one axis.
  question(view: View, options: { except?: number; axis?: number }): Question {
    const asked: Asked[] = [];
    this.stops(view).forEach((stop, i) => {
      const region = view.regions[i];
      if (region && i !== options.except) asked.push({ stop, region });
    });
    const filters = { ...view.filters };
    if (options.axis !== undefined) delete filters[options.axis];
    return questionOf(this.info(view), asked, filters);
  }

  private share(view: View): Results["share"] {
    const stops = this.stops(view);
    const stop = view.regions.findIndex((region) => region);
    const more = view.regions.filter((region) => region).length + Object.keys(view.filters).length > 1;
    if (stop < 0 || !more || !stops[stop]!.geographic) return null;
    const of = { [stops[stop]!.name]: regionSpec(view.regions[stop]!) };
    try {
      return { ...this.engine.share(view.release, this.question(view, {}), of), stop };
    } catch {
      return null; // it cannot be asked: the answer says why
    }
  }

  private compared(view: View): Other[] {
    const question = this.question(view, {});
    const asked = Object.keys(question).length > 0;
    return this.infos.flatMap((info, release): Other[] => {
      if (release === view.release || !comparable(info, this.info(view))) return [];
      const answer = this.engine.ask(release, question);
      if (!asked || this.infos.length >= kFewestReleases) return [{ release, name: info.name, answer, less: null }];
      const { difference } = JSON.parse(this.engine.reply(release, view.release, question)) as { difference: Answer };
      return [{ release, name: info.name, answer, less: difference }];
    });
  }

  private nothing(stops: number): Results {
    return {
      answer: null,
      others: [],
      share: null,
      failure: null,
      total: 0,
      calibrated: false,
      claimed: false,
      map: null,
      difference: null,
      labels: {},
      bins: {},
      thumbs: Array.from({ length: stops }, () => null),
      places: [],
      byArea: Array.from({ length: stops }, () => false),
      raster: null,
      zones: Array.from({ length: stops }, () => null),
      flows: [],
      flowsDone: false,
    };
  }

  private cells(view: View, at: number, most: number): { own: boolean; rects: Float64Array } {
    const stop = this.stops(view)[at]!;
    const key = `${view.release}/${at}/${stop.zones ? "zones" : most}`;
    let cells = this.rects.get(key);
    if (!cells) {
      cells = stop.zones
        ? { own: true, rects: everyCell(stop.zones.size) }
        : this.engine.cells(view.release, stop.x, stop.y, most);
      this.rects.set(key, cells);
    }
    return cells;
  }

  private cellMap(view: View, at: number, most: number): CellMap {
    const stop = this.stops(view)[at]!;
    const cells = this.cells(view, at, most);
    const answers = this.engine.boxes(
      view.release,
      this.question(view, { except: at }),
      stop,
      cells.rects,
      false,
      kLevel,
    );
    return { ...cells, estimate: answers.estimate, intervals: null };
  }

  private async later(view: View, run: number): Promise<void> {
    const pause = async () => {
      this.changed();
      await new Promise((done) => setTimeout(done, 0));
      return run === this.run;
    };
    if (!(await pause())) return;
    this.results.share = this.share(view);
    const stops = this.stops(view);
    if (stops[view.stop]) {
      // All cells now: the first picture may have had fewer.
      const cells = this.cells(view, view.stop, kMostCells);
      const map = await this.sliced(view, stops[view.stop]!, this.question(view, { except: view.stop }), cells, run);
      if (!map) return;
      this.results.map = map;
      if (!(await pause())) return;
      if (view.versus !== null) {
        const there = { ...view, release: view.versus };
        const other = await this.sliced(
          there,
          stops[view.stop]!,
          this.question(view, { except: view.stop }),
          cells,
          run,
        );
        if (!other) return;
        this.results.difference = less(map, other);
        if (!(await pause())) return;
      }
    }
    for (const axis of this.others(view)) {
      const { labels, cells: steps } = this.info(view).axes[axis]!;
      const parts = Math.min(steps, labels.length || kMostBins);
      const edges = Array.from({ length: parts + 1 }, (_, k) => Math.floor((steps * k) / parts));
      const rects = Float64Array.from(edges.slice(1).flatMap((hi, k) => [edges[k]!, hi, edges[k]!, hi]));
      const at = { x: axis, y: axis };
      const map = await this.sliced(view, at, this.question(view, { axis }), { own: true, rects }, run);
      if (!map) return;
      if (labels.length) this.results.labels = { ...this.results.labels, [axis]: namedRows(labels, map) };
      else
        this.results.bins = {
          ...this.results.bins,
          [axis]: { edges, rows: namedRows(edges.slice(1).map(String), map) },
        };
      if (!(await pause())) return;
    }
    for (let i = 0; i < stops.length; i++) {
      const { zones } = stops[i]!;
      if (zones) {
        // One map for all: the zones are as many as they are.
        const cells = this.cells(view, i, kMostCells);
        const question = this.question(view, { except: i });
        const map = i === view.stop ? this.results.map : await this.sliced(view, stops[i]!, question, cells, run);
        if (!map) return;
        this.results.thumbs = this.results.thumbs.with(i, map);
      } else {
        this.results.thumbs = this.results.thumbs.with(i, this.cellMap(view, i, kThumbCells));
      }
      if (!(await pause())) return;
    }
    this.mapsDone = true;
    await this.flows(this.seen!, run);
  }

  // Places, what is at each of them, and the flows between them.
  private async flows(view: View, run: number): Promise<void> {
    const pause = async () => {
      this.changed();
      await new Promise((done) => setTimeout(done, 0));
      return run === this.run;
    };
    const info = this.info(view);
    const stops = this.stops(view);
    const boards = stops.filter((stop) => !stop.zones);
    const byArea = stops.map((stop) => this.byArea(stop));
    if (boards.length > 0) {
      const raster = await this.raster(view, boards, run);
      if (!raster) return;
      this.results.raster = raster;
    }
    const stretch = Plane.stretch(extentOf(info, stops), stops[view.stop]?.geographic ?? false);
    this.results.byArea = byArea;
    this.results.places = byArea.some((by) => by)
      ? areaPlaces(this.areas, this.results.raster)
      : this.results.raster
        ? clusters(this.results.raster, view.places, stretch)
        : [];
    for (let i = 0; i < stops.length; i++) {
      const stop = stops[i]!;
      let rows: ZoneRow[];
      if (this.byArea(stop)) {
        const some = await this.areaRows(view, i, run);
        if (!some) return;
        rows = some;
      } else if (stop.zones) {
        rows = namedRows(stop.zones.names, this.results.thumbs[i]!).sort((p, q) => q.estimate - p.estimate);
      } else rows = this.placeRows(view, i);
      this.results.zones = this.results.zones.with(i, rows);
      if (!(await pause())) return;
    }
    const free = stops.filter((_, i) => !view.regions[i]);
    if (stops.length > 1 && free.length > 0 && view.flows) {
      this.engine.beginFlows(
        view.release,
        this.question(view, {}),
        free.map((stop): FlowStop => {
          if (this.byArea(stop)) {
            const areas = this.areas.map((area) => questionOf(info, [{ stop, region: { kind: "area", area } }], {}));
            return { x: stop.x, y: stop.y, areas };
          }
          return stop.zones ? stop : { x: stop.x, y: stop.y, rects: this.placeRects(view, stop) };
        }),
      );
      for (let asked = 0; asked < kMostFlowQuestions; asked += kSlice) {
        const { more, flows } = this.engine.searchFlows(kSlice, free.length);
        const grown = flows.length > this.results.flows.length;
        this.results.flows = enough(flows);
        if (!more || this.results.flows.length < flows.length || flows.length >= kMostFound) break;
        if (grown) this.changed();
        await new Promise((done) => setTimeout(done, 0));
        if (run !== this.run) return;
      }
      const intervals = this.engine.flowIntervals(this.results.flows.length, kLevel);
      this.results.flows = this.results.flows.map((flow, i) => ({ ...flow, ...intervals[i]! }));
    }
    this.results.flowsDone = true;
    this.changed();
  }

  // Whether a stop's places are the areas that were dropped.
  byArea(stop: MapStop): boolean {
    return this.areas.length > 0 && takesAreas(stop);
  }

  // The trips in sight at stops with a map, all together; null where another view has come in between. Where nearly all
  // trips are in sight, of the whole map.
  private async raster(view: View, stops: MapStop[], run: number): Promise<Raster | null> {
    const all = extentOf(this.info(view), stops);
    const box = view.map === "all" ? all : (view.map ?? this.opening(view));
    const seen = {
      west: Math.max(all.west, box.west),
      east: Math.min(all.east, box.east),
      south: Math.max(all.south, box.south),
      north: Math.min(all.north, box.north),
    };
    if (!(seen.west < seen.east && seen.south < seen.north)) return this.rasterOf(view, stops, all, run);
    const near = await this.rasterOf(view, stops, seen, run);
    if (!near) return null;
    const total = this.engine.ask(view.release, {}).estimate * stops.length;
    return { ...near, reach: near.trips.reduce((a, b) => a + b, 0) >= kNearlyAll * total ? all : null };
  }

  private async rasterOf(view: View, stops: MapStop[], seen: Extent, run: number): Promise<Raster | null> {
    const key = `${view.release}/${Object.values(seen).join()}`;
    const known = this.rasters.get(key);
    if (known) return known;
    const info = this.info(view);
    const first = stops[0]!;
    // Edges of cells of the first stop; usually they are all stops'.
    const edges = (axis: number, lo: number, hi: number) => {
      const a = Math.floor(cellAt(info, axis, lo) + 1e-6);
      const b = Math.ceil(cellAt(info, axis, hi) - 1e-6);
      const list = Array.from({ length: kRaster + 1 }, (_, k) => Math.round(a + ((b - a) * k) / kRaster));
      return [...new Set(list)].map((cell) => coordinate(info, axis, cell));
    };
    const xs = edges(first.x, seen.west, seen.east);
    const ys = edges(first.y, seen.south, seen.north);
    const trips = new Float64Array((xs.length - 1) * (ys.length - 1));
    for (const stop of stops) {
      for (let from = 0; from < trips.length; from += kSlice) {
        const to = Math.min(trips.length, from + kSlice);
        const rects = new Float64Array(4 * (to - from));
        for (let i = from; i < to; i++) {
          const [x, y] = [i % (xs.length - 1), Math.floor(i / (xs.length - 1))];
          const rect = { west: xs[x]!, east: xs[x + 1]!, south: ys[y]!, north: ys[y + 1]! };
          rects.set(rectOf(info, stop, rect), 4 * (i - from));
        }
        const a = this.engine.boxes(view.release, {}, stop, rects, false, kLevel);
        a.estimate.forEach((v, i) => (trips[from + i]! += v));
        await new Promise((done) => setTimeout(done, 0));
        if (run !== this.run) return null;
      }
    }
    const raster: Raster = { xs, ys, trips, reach: null };
    this.rasters.set(key, raster);
    return raster;
  }

  private placeRects(view: View, stop: MapStop): Float64Array {
    return Float64Array.from(this.results.places.flatMap((p) => rectOf(this.info(view), stop, p.rect!)));
  }

  // Cells with their intervals, a few at a time; null where another view has come in between.
  private async sliced(
    view: View,
    at: { x: number; y: number },
    question: Question,
    cells: { own: boolean; rects: Float64Array },
    run: number,
  ): Promise<CellMap | null> {
    const n = cells.rects.length / 4;
    const estimate = new Float64Array(n);
    const intervals = intervalColumns(n);
    for (let from = 0; from < n; from += kSlice) {
      const to = Math.min(n, from + kSlice);
      const a = this.engine.boxes(view.release, question, at, cells.rects.subarray(4 * from, 4 * to), true, kLevel);
      estimate.set(a.estimate, from);
      for (const column of kIntervalColumns) intervals[column].set(a.intervals![column], from);
      await new Promise((done) => setTimeout(done, 0));
      if (run !== this.run) return null;
    }
    return { ...cells, estimate, intervals };
  }

  // The areas that were dropped onto the page, at one stop; null where another view has come in between.
  private async areaRows(view: View, at: number, run: number): Promise<ZoneRow[] | null> {
    const rows: ZoneRow[] = [];
    for (const area of this.areas) {
      const regions = view.regions.with(at, { kind: "area", area });
      const a = this.engine.ask(view.release, this.question({ ...view, regions }, {}));
      rows.push({ name: area.name, estimate: a.estimate, ...answerIntervals(a) });
      if (rows.length % 8 === 0) await new Promise((done) => setTimeout(done, 0));
      if (run !== this.run) return null;
    }
    return rows.sort((p, q) => q.estimate - p.estimate);
  }

  // Every place in sight at one stop, given what is asked at the others; largest first.
  private placeRows(view: View, at: number): ZoneRow[] {
    const stop = this.stops(view)[at]!;
    const rects = this.placeRects(view, stop);
    const a = this.engine.boxes(view.release, this.question(view, { except: at }), stop, rects, true, kLevel);
    return this.results.places
      .map((place, i) => ({ name: place.name, estimate: a.estimate[i]!, ...intervalsAt(a.intervals!, i) }))
      .sort((p, q) => q.estimate - p.estimate);
  }
}

// Whether it leads from one place to another; asked of the stops whose places vary.
export const leads = (flow: Flow): boolean => flow.places.some((place, i) => i > 0 && place !== flow.places[i - 1]);

// The largest, until enough of them lead somewhere.
function enough(flows: Flow[]): Flow[] {
  let lead = 0;
  const at = flows.findIndex((flow) => leads(flow) && ++lead === kFlows);
  return flows.slice(0, Math.min(kMostFound, at < 0 ? flows.length : at + 1));
}

const namedRows = (names: string[], map: CellMap): ZoneRow[] =>
  names.map((name, i) => ({ name, estimate: map.estimate[i]!, ...intervalsAt(map.intervals!, i) }));

// How many cells the first picture of a map has: as many as are drawn at once without a wait, by what the last ones
// took.
export function cellsAtOnce(pace: number): number {
  let most = kMostCells;
  while (most > kFewestCells && most * pace > kPatience) most /= 2;
  return most;
}

export interface Other {
  release: number;
  name: string;
  answer: Answer;
  less: Answer | null; // how many more here; null where nothing is asked, or where there are too many to tell
}
