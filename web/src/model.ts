// What is shown, computed from the view by the engine: the answer at once, then the cells of the maps, the zones and
// the flows in slices of a few milliseconds, so that the page never stands still. A new view abandons the old one's
// work.
import type { Area } from "./areas";
import { mapStops, otherAxes, takesAreas, type MapStop, type PageData, type ReleaseInfo } from "./data";
import {
  intervalColumns,
  intervalsAt,
  kIntervalColumns,
  type Answer,
  type Engine,
  type Flow,
  type IntervalColumns,
  type Intervals,
} from "./engine";
import { zoneName } from "./number";
import { questionOf, type Asked, type Question } from "./question";
import type { View } from "./view";

export const kLevel = 0.95;
export const kMostCells = 1400;
const kFewestCells = 350;
const kPatience = 45; // milliseconds that the first picture's cells may take
const kThumbCells = 220;
const kFlows = 24;
const kSlice = 200; // boxes
const kZonePatience = 250; // milliseconds that the first picture of a release's own zones may take
const kMostFlowQuestions = 20000;

export interface CellMap {
  own: boolean;
  rects: Float64Array; // x.lo, x.hi, y.lo, y.hi in cells
  estimate: Float64Array;
  intervals: IntervalColumns | null; // null while they are not known yet
}

export interface ZoneRow extends Intervals {
  name: string;
  estimate: number;
}

export interface Results {
  answer: Answer | null;
  others: Other[]; // the same question to the page's other releases
  failure: string | null;
  total: number;
  calibrated: boolean; // whether the release has likely intervals
  claimed: boolean; // and whether that is claimed to hold as often as it says
  map: CellMap | null;
  thumbs: (CellMap | null)[];
  labels: Record<number, ZoneRow[]>; // of axes on no map: the trips of every label, whatever is chosen there
  zones: (ZoneRow[] | null)[]; // one per map stop: where the trips of the question are at that stop
  flows: Flow[];
  flowsDone: boolean;
}

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
  areas: Area[] = [];
  private readonly rects = new Map<string, { own: boolean; rects: Float64Array }>();
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
    const stops = this.stops(view);
    const kept = this.results;
    this.results = this.nothing(stops.length);
    this.results.thumbs = kept.thumbs.length === stops.length ? kept.thumbs : this.results.thumbs;
    const all = this.engine.ask(view.release, this.question(view, { regions: false }));
    this.results.total = all.estimate;
    this.results.calibrated = all.calibrated;
    this.results.claimed = all.claimed;
    try {
      this.results.answer = this.engine.ask(view.release, this.question(view, {}));
    } catch (error) {
      this.results.failure = String((error as Error).message);
    }
    this.results.others = this.compared(view);
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

  // All, or without what is asked at one stop, or of one axis.
  question(view: View, options: { regions?: boolean; except?: number; axis?: number }): Question {
    const asked: Asked[] = [];
    if (options.regions !== false) {
      this.stops(view).forEach((stop, i) => {
        const region = view.regions[i];
        if (region && i !== options.except) asked.push({ stop, region });
      });
    }
    const filters = { ...view.filters };
    if (options.axis !== undefined) delete filters[options.axis];
    return questionOf(this.info(view), asked, filters);
  }

  private compared(view: View): Other[] {
    const question = this.question(view, {});
    const asked = Object.keys(question).length > 0;
    return this.infos.flatMap((info, release) => {
      if (release === view.release || !asked) return [];
      try {
        return [{ name: info.name, answer: this.engine.ask(release, question) }];
      } catch {
        return []; // other stops or axes
      }
    });
  }

  private nothing(stops: number): Results {
    return {
      answer: null,
      others: [],
      failure: null,
      total: 0,
      calibrated: false,
      claimed: false,
      map: null,
      labels: {},
      thumbs: Array.from({ length: stops }, () => null),
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
    const stops = this.stops(view);
    if (stops[view.stop]) {
      // All cells now: the first picture may have had fewer.
      const cells = this.cells(view, view.stop, kMostCells);
      const map = await this.sliced(view, stops[view.stop]!, this.question(view, { except: view.stop }), cells, run);
      if (!map) return;
      this.results.map = map;
      if (!(await pause())) return;
    }
    for (const axis of this.others(view)) {
      const { labels } = this.info(view).axes[axis]!;
      if (labels.length === 0) continue;
      const at = { x: axis, y: axis };
      const cells = { own: true, rects: everyCell(labels.length) };
      const map = await this.sliced(view, at, this.question(view, { axis }), cells, run);
      if (!map) return;
      this.results.labels = { ...this.results.labels, [axis]: namedRows(labels, map) };
      if (!(await pause())) return;
    }
    for (let i = 0; i < stops.length; i++) {
      const { zones } = stops[i]!;
      const asked = this.areas.length > 0 && takesAreas(stops[i]!); // the areas that were dropped
      let rows: ZoneRow[];
      if (zones) {
        // One map for all: the zones are as many as they are.
        const cells = this.cells(view, i, kMostCells);
        const question = this.question(view, { except: i });
        const map = i === view.stop ? this.results.map : await this.sliced(view, stops[i]!, question, cells, run);
        if (!map) return;
        this.results.thumbs = this.results.thumbs.with(i, map);
        rows = namedRows(zones.names, map).sort((p, q) => q.estimate - p.estimate);
      } else {
        this.results.thumbs = this.results.thumbs.with(i, this.cellMap(view, i, kThumbCells));
        if (!(await pause())) return;
        rows = asked ? [] : this.zoneRows(view, i);
      }
      if (asked) rows = this.areaRows(view, i);
      this.results.zones = this.results.zones.with(i, rows);
      if (!(await pause())) return;
    }
    const free = stops.filter((_, i) => !view.regions[i]);
    if (stops.length > 1 && free.length > 0) {
      this.engine.beginFlows(view.release, this.question(view, {}), free, view.zones);
      for (let asked = 0; asked < kMostFlowQuestions; asked += kSlice) {
        const { more, flows } = this.engine.searchFlows(kSlice, free.length);
        const grown = flows.length > this.results.flows.length;
        this.results.flows = flows.slice(0, kFlows);
        if (!more || flows.length >= kFlows) break;
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

  // The areas that were dropped onto the page, at one stop.
  private areaRows(view: View, at: number): ZoneRow[] {
    const stop = this.stops(view)[at]!;
    const rows = this.areas.map((area): ZoneRow => {
      const regions = view.regions.with(at, { kind: "area", area });
      const a = this.engine.ask(view.release, this.question({ ...view, regions }, {}));
      return { name: area.name, estimate: a.estimate, ...answerIntervals(a) };
    });
    return stop.geographic ? rows.sort((p, q) => q.estimate - p.estimate) : [];
  }

  // Every zone of the chessboard at one stop, given what is asked at the others; largest first.
  private zoneRows(view: View, at: number): ZoneRow[] {
    const info = this.info(view);
    const stop = this.stops(view)[at]!;
    const n = view.zones;
    const rects = new Float64Array(4 * n * n);
    for (let zone = 0; zone < n * n; zone++) rects.set(zoneRect(info, stop, zone, n), 4 * zone);
    const a = this.engine.boxes(view.release, this.question(view, { except: at }), stop, rects, true, kLevel);
    return Array.from({ length: n * n }, (_, zone) => ({
      name: zoneName(zone, n),
      estimate: a.estimate[zone]!,
      ...intervalsAt(a.intervals!, zone),
    })).sort((p, q) => q.estimate - p.estimate);
  }
}

// Every cell of one axis, as a rectangle of that axis twice.
const everyCell = (cells: number): Float64Array =>
  Float64Array.from({ length: 4 * cells }, (_, i) => Math.floor(i / 4) + (i % 2));

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
  name: string;
  answer: Answer;
}

// Cells of a zone of the chessboard.
export function zoneRect(
  info: ReleaseInfo,
  stop: MapStop,
  zone: number,
  zones: number,
): [number, number, number, number] {
  const edge = (axis: number, k: number) => Math.floor((info.axes[axis]!.cells * k) / zones);
  const column = zone % zones;
  const row = Math.floor(zone / zones);
  return [edge(stop.x, column), edge(stop.x, column + 1), edge(stop.y, row), edge(stop.y, row + 1)];
}
