// The C++ query engine in WebAssembly (web/engine/engine.cc). Numbers here are the command line's numbers.

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  engine_alloc(size: number): number;
  engine_free(at: number): void;
  engine_out(): number;
  engine_out_size(): number;
  engine_load(at: number, size: number): number;
  engine_ask(release: number, other: number, question: number, size: number): number;
  engine_zones(release: number): number;
  engine_boxes(
    release: number,
    question: number,
    size: number,
    x: number,
    y: number,
    rects: number,
    boxes: number,
    intervals: number,
    level: number,
  ): number;
  engine_cells(release: number, x: number, y: number, most: number): number;
  engine_flows(
    release: number,
    question: number,
    size: number,
    stops: number,
    count: number,
    rects: number,
    areas: number,
    areasSize: number,
  ): number;
  engine_flows_search(questions: number): number;
  engine_flows_intervals(most: number, level: number): number;
}

import type { Question } from "./question";

export interface Answer {
  estimate: number;
  noise_lower: number;
  noise_upper: number;
  level: number;
  partitions_cut: number;
  aligned: boolean;
  bounds_lower: number; // wherever trips lie inside cut boxes
  bounds_upper: number;
  lower: number; // likely, where the release has that
  upper: number;
  calibrated: boolean;
  believed: boolean; // ... and weighs counts by what the others say
  median?: number; // of counts over zones: the best guess of this one number; estimates add up
  claimed: boolean; // to hold as often as `level` says
  // What the probes prove of boxes like this: `share` of them hold at least, certain to `sure`.
  certified?: { lower: number; upper: number; share: number; sure: number };
  notes?: string[];
}

export interface Share {
  share: number | null; // null where there is nothing to be a part of
  share_lower: number;
  share_upper: number;
  claimed: boolean;
}

// What the noise alone leaves open, and what is likely, where the release has that (its answers say
// `calibrated`), else the noise's interval again.
export interface Intervals {
  noiseLower: number;
  noiseUpper: number;
  lower: number;
  upper: number;
}

export interface BoxAnswers {
  estimate: Float64Array;
  intervals: IntervalColumns | null; // null where they were not asked for
}

export interface IntervalColumns {
  noiseLower: Float64Array;
  noiseUpper: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
}

export const kIntervalColumns = ["noiseLower", "noiseUpper", "lower", "upper"] as const;
export const unknownIntervals = (): Intervals => ({ noiseLower: NaN, noiseUpper: NaN, lower: NaN, upper: NaN });

export function intervalColumns(rows: number): IntervalColumns {
  return {
    noiseLower: new Float64Array(rows),
    noiseUpper: new Float64Array(rows),
    lower: new Float64Array(rows),
    upper: new Float64Array(rows),
  };
}
export function intervalsAt(columns: IntervalColumns, row: number): Intervals {
  return {
    noiseLower: columns.noiseLower[row]!,
    noiseUpper: columns.noiseUpper[row]!,
    lower: columns.lower[row]!,
    upper: columns.upper[row]!,
  };
}

export interface StopCells {
  own: boolean;
  rects: Float64Array; // x.lo, x.hi, y.lo, y.hi a cell
}

// A stop whose places vary: rectangles of its map, areas each as a question that asks for it there, or, without
// either, the release's own zones.
export interface FlowStop {
  x: number;
  y: number;
  rects?: Float64Array;
  areas?: Question[];
}

export interface Flow extends Intervals {
  // The intervals are NaN while they are not known.
  estimate: number;
  places: number[]; // of the stops whose places vary, by their numbers
}

const encode = (question: object) => new TextEncoder().encode(JSON.stringify(question));

export class Engine {
  private constructor(private readonly wasm: Exports) {}

  static async start(code: Uint8Array<ArrayBuffer>): Promise<Engine> {
    const stub = () => 0;
    const module = await WebAssembly.compile(code);
    // The library may name system calls that nothing here makes.
    const imports: Record<string, Record<string, () => number>> = {};
    for (const i of WebAssembly.Module.imports(module)) (imports[i.module] ??= {})[i.name] = stub;
    const instance = await WebAssembly.instantiate(module, imports);
    const wasm = instance.exports as unknown as Exports;
    wasm._initialize();
    return new Engine(wasm);
  }

  load(pack: Uint8Array): void {
    this.with([pack], ([at]) => this.check(this.wasm.engine_load(at!, pack.byteLength)));
  }

  ask(release: number, question: Question): Answer {
    return JSON.parse(this.reply(release, release, question)) as Answer;
  }

  // Which part of the trips of `of` the question has.
  share(release: number, question: Question, of: Record<string, object>): Share {
    return JSON.parse(this.reply(release, release, { ...question, ask: "share", of })) as Share;
  }

  // Whatever `stopover query --spec` can be asked, with its reply as the command line prints it; compared with another
  // release where `other` is one. Throws with the engine's words.
  reply(release: number, other: number, question: object): string {
    const text = encode(question);
    this.with([text], ([at]) => this.check(this.wasm.engine_ask(release, other, at!, text.byteLength)));
    return new TextDecoder().decode(this.out());
  }

  // Where the zones of a release lie (zones.ts); empty where it has none, or only names.
  zones(release: number): Float64Array {
    this.check(this.wasm.engine_zones(release));
    return this.doubles();
  }

  // The question, narrowed to rectangles of a stop's map, or to ranges of the one axis of its zones.
  boxes(
    release: number,
    question: Question,
    stop: { x: number; y: number },
    rects: Float64Array,
    intervals: boolean,
    level: number,
  ): BoxAnswers {
    const text = encode(question);
    const boxes = rects.length / 4;
    this.with([text, rects], ([q, r]) =>
      this.check(
        this.wasm.engine_boxes(release, q!, text.byteLength, stop.x, stop.y, r!, boxes, intervals ? 1 : 0, level),
      ),
    );
    const out = this.doubles();
    const width = intervals ? 5 : 1;
    const column = (c: number) => Float64Array.from({ length: boxes }, (_, i) => out[width * i + c]!);
    return {
      estimate: column(0),
      intervals: intervals
        ? { noiseLower: column(1), noiseUpper: column(2), lower: column(3), upper: column(4) }
        : null,
    };
  }

  cells(release: number, x: number, y: number, most: number): StopCells {
    this.check(this.wasm.engine_cells(release, x, y, most));
    const out = this.doubles();
    return { own: out[0] === 1, rects: out.slice(1) };
  }

  // `stops`: those whose places vary; the question holds besides.
  beginFlows(release: number, question: Question, stops: FlowStop[]): void {
    const text = encode(question);
    const list = Uint32Array.from(
      stops.flatMap((s) => [s.x, s.y, (s.rects?.length ?? 0) / 4, s.areas ? s.areas.length : 0]),
    );
    const rects = Float64Array.from(stops.flatMap((s) => Array.from(s.rects ?? [])));
    const areas = new TextEncoder().encode(
      stops.flatMap((s) => (s.areas ?? []).map((area) => JSON.stringify(area))).join("\n"),
    );
    this.with([text, list, rects, areas], ([q, s, r, a]) =>
      this.check(this.wasm.engine_flows(release, q!, text.byteLength, s!, stops.length, r!, a!, areas.byteLength)),
    );
  }

  searchFlows(questions: number, stops: number): { more: boolean; flows: Flow[] } {
    this.check(this.wasm.engine_flows_search(questions));
    const out = this.doubles();
    const flows: Flow[] = [];
    for (let i = 1; i + stops < out.length; i += stops + 1) {
      flows.push({ estimate: out[i]!, places: Array.from(out.subarray(i + 1, i + 1 + stops)), ...unknownIntervals() });
    }
    return { more: out[0] === 1, flows };
  }

  flowIntervals(most: number, level: number): Intervals[] {
    this.check(this.wasm.engine_flows_intervals(most, level));
    const out = this.doubles();
    return Array.from({ length: out.length / 4 }, (_, i) => ({
      noiseLower: out[4 * i]!,
      noiseUpper: out[4 * i + 1]!,
      lower: out[4 * i + 2]!,
      upper: out[4 * i + 3]!,
    }));
  }

  private with(inputs: ArrayBufferView[], call: (places: number[]) => void): void {
    const places = inputs.map((input) => this.wasm.engine_alloc(Math.max(8, input.byteLength)));
    inputs.forEach((input, i) => {
      new Uint8Array(this.wasm.memory.buffer, places[i], input.byteLength).set(
        new Uint8Array(input.buffer, input.byteOffset, input.byteLength),
      );
    });
    try {
      call(places);
    } finally {
      places.forEach((at) => this.wasm.engine_free(at));
    }
  }

  private out(): Uint8Array<ArrayBuffer> {
    const at = this.wasm.engine_out();
    return new Uint8Array(this.wasm.memory.buffer.slice(at, at + this.wasm.engine_out_size()) as ArrayBuffer);
  }
  private doubles(): Float64Array {
    return new Float64Array(this.out().buffer);
  }
  private check(code: number): void {
    if (code !== 0) throw new Error(new TextDecoder().decode(this.out()));
  }
}
