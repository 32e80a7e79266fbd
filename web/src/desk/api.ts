// What the page asks of the program that serves it (src/desk/desk.h).

export type Value = string | boolean | string[];
export type Fields = Record<string, Value>;

export interface Fault {
  code: number;
  message: string;
  field: string;
}

export class DeskError extends Error {
  constructor(public readonly fault: Fault) {
    super(fault.message);
  }
}

export interface DeskFacts {
  version: string;
  data: string[];
  folder: string;
  sql: boolean;
  repeatable: boolean;
  idle_minutes: number;
}

export interface Entry {
  name: string;
  path: string;
  kind: "folder" | "release" | "series" | "ledger" | "rows" | "zones";
  bytes: number;
}

export interface Draft {
  name: string;
  revision: string;
  publish: Fields;
  plan: Fields;
}

export interface Told {
  at: number;
  steps?: number;
  phase?: string;
  note?: string;
  warning?: string;
  private?: string;
}

export interface JobState {
  id: string;
  job: string;
  running: boolean;
  cancelled: boolean;
  told: Told[];
  next: number;
  milliseconds: number;
  text: boolean;
  result?: unknown;
  error?: Fault;
}

const gone: Fault = {
  code: 0,
  message: "the desk does not answer\n  It was closed, or its time ran out. Start it again: your drafts are kept.",
  field: "",
};

async function ask(path: string, options: RequestInit = {}): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...options,
      cache: "no-store",
      headers: { "X-Stopover-Desk": "1", ...(options.headers ?? {}) },
    });
  } catch {
    throw new DeskError(gone);
  }
  const reply = (await response.json().catch(() => ({}))) as { error?: Fault };
  if (!response.ok) {
    throw new DeskError(reply.error ?? { code: response.status, message: "the desk refused that", field: "" });
  }
  return reply;
}

const get = (path: string, query: Record<string, string> = {}) =>
  ask(`${path}?${new URLSearchParams(query).toString()}`);
const post = (path: string, body: unknown) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const desk = () => get("/api/desk") as Promise<DeskFacts>;
export const files = (folder: string) => get("/api/files", { folder }) as Promise<{ entries: Entry[] }>;
export const found = () => get("/api/found") as Promise<{ releases: Entry[]; series: Entry[]; ledgers: Entry[] }>;
export const drafts = () => get("/api/drafts") as Promise<{ drafts: string[] }>;
export const draft = (name: string) => get("/api/draft", { name }) as Promise<Draft>;
export const keepDraft = (draft: Draft) => post("/api/draft", draft) as Promise<{ revision: string; path: string }>;
export const removeDraft = (name: string) => post("/api/draft/remove", { name });
export const script = (job: string, fields: Fields) =>
  post("/api/script", { job, fields }) as Promise<{ command_line: string; python: string }>;
export const stopJob = (id: string) => post("/api/jobs/stop", { id });
export const closeDesk = () => post("/api/close", {});
export interface Ground {
  land: number[][];
  borders: number[][];
  places: [string, number, number][];
}
export const ground = (box: number[]) => get("/api/ground", { bbox: box.join(",") }) as Promise<Ground>;
export const keepZones = (name: string, content: Blob) =>
  ask(`/api/zones?${new URLSearchParams({ name }).toString()}`, { method: "POST", body: content }) as Promise<{
    path: string;
  }>;
export const textOf = (id: string) => `/text?job=${encodeURIComponent(id)}`;
export const exportOf = (path: string) => `/export?path=${encodeURIComponent(path)}`;

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

// What is empty is left out: the program takes a field that is there as meant.
export function given(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, v]) => v !== "" && v !== false && !(Array.isArray(v) && v.length === 0)),
  );
}

// Runs a job to its end; `watch` is told how it goes. Fails with what the job failed with.
export async function run(
  job: string,
  fields: Fields,
  watch: (state: JobState) => void = () => {},
  more: Record<string, string> = {},
): Promise<JobState> {
  const { id } = (await post("/api/jobs", { job, fields: given(fields), ...more })) as { id: string };
  const told: Told[] = [];
  for (let pause = 60; ; pause = Math.min(500, pause * 1.4)) {
    const state = (await get("/api/jobs", { id, from: String(told.length) })) as JobState;
    told.push(...state.told);
    const whole = { ...state, told: [...told] };
    watch(whole);
    if (!state.running) {
      if (state.error) throw new DeskError(state.error);
      return whole;
    }
    await wait(pause);
  }
}
