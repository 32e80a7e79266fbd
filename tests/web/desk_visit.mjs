// What the tests of the desk share: synthetic trips, a desk that runs, a browser that visits it, and plain requests.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

export const kPatience = Number(process.env.DESK_PATIENCE ?? 600_000); // as long as a very busy machine may take

// Numbers that are the same every time.
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const kCentres = [
  [-118.25, 34.05],
  [-118.45, 34.0],
  [-118.35, 34.1],
  [-118.2, 33.95],
];

// Two stops a trip; `swapped`: the column lat holds longitudes, and lon latitudes.
export function tripsCsv({ trips = 4000, users = 1500, swapped = false, months = 3, seed = 7 } = {}) {
  const roll = dice(seed);
  const near = (v) => v + (roll() + roll() + roll() - 1.5) * 0.04;
  const lines = ["trip_id,user_id,seq,timestamp,lat,lon"];
  for (let t = 0; t < trips; ++t) {
    const user = Math.floor(roll() * users);
    const day = Math.floor(roll() * months) * 31 + Math.floor(roll() * 28);
    for (let s = 0; s < 2; ++s) {
      const [lng, lat] = kCentres[Math.floor(roll() ** 2 * kCentres.length)].map(near);
      const [a, b] = swapped ? [lng, lat] : [lat, lng];
      lines.push(`${t},u${user},${s},${1546300800 + day * 86400 + s * 900},${a.toFixed(5)},${b.toFixed(5)}`);
    }
  }
  return lines.join("\n") + "\n";
}

// Whole trips between stations, and the public list of these.
export const kStations = ["Union Square", "Harbour", "Museum", "North Gate", "Old Mill", "Campus"];
export function stationTripsCsv({ trips = 4000, seed = 11 } = {}) {
  const roll = dice(seed);
  const lines = ["trip_id,start_station,end_station,start_time"];
  for (let t = 0; t < trips; ++t) {
    const [a, b] = [0, 1].map(() => kStations[Math.floor(roll() ** 1.6 * kStations.length)]);
    const day = String(1 + Math.floor(roll() * 28)).padStart(2, "0");
    lines.push(`${t},${a},${b},2019-01-${day} 08:00:00`);
  }
  return lines.join("\n") + "\n";
}
export const stationsCsv = () =>
  ["id,lat,lng", ...kStations.map((name, i) => `${name},${34.02 + 0.012 * (i % 3)},${-118.27 + 0.015 * i}`)].join(
    "\n",
  ) + "\n";

// A public table of flows between the centres.
export const flowsCsv = () =>
  [
    "o_lat,o_lng,d_lat,d_lng,weight",
    ...kCentres.flatMap(([x, y], i) => kCentres.map(([to, up], j) => `${y},${x},${up},${to},${10 * (i + 1) + j}`)),
  ].join("\n") + "\n";

export function folderWith(work, files) {
  const data = join(work, "data");
  mkdirSync(data, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(data, name), text);
  return data;
}

// A desk while `use` runs; it must end well.
export async function withDesk(program, words, use, shell = "") {
  const all = ["desk", "--json", "--port", "0", ...words];
  const quoted = [program, ...all].map((w) => `'${w.replaceAll("'", "'\\''")}'`).join(" ");
  const desk = shell
    ? spawn("bash", ["-c", `${shell}; exec ${quoted}`], { stdio: ["ignore", "pipe", "inherit"] })
    : spawn(program, all, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => desk.once("exit", done));
  try {
    const told = await new Promise((done, fail) => {
      desk.stdout.once("data", (d) => done(JSON.parse(d)));
      desk.once("exit", (code) => fail(new Error(`the desk ended with ${code}`)));
    });
    await use({
      ...told,
      ended,
      port: Number(new URL(told.url).port),
      token: new URL(told.url).searchParams.get("token"),
      pid: desk.pid,
    });
  } finally {
    if (desk.exitCode === null) desk.kill("SIGTERM");
    const code = await ended;
    if (code !== 0) throw new Error(`the desk ended with ${code}`);
  }
}

// A request with any headers; node's own client adds none that we do not name.
export function ask(port, path, { method = "GET", headers = {}, body = "" } = {}) {
  return new Promise((done, fail) => {
    const sent = request(
      { host: "127.0.0.1", port, path, method, headers: { Host: `127.0.0.1:${port}`, ...headers } },
      (r) => {
        const parts = [];
        r.on("data", (d) => parts.push(d));
        r.on("end", () => done({ status: r.statusCode, headers: r.headers, text: Buffer.concat(parts).toString() }));
      },
    );
    sent.on("error", fail);
    sent.end(body);
  });
}

// What a page of this desk sends: the cookie, its own origin, the mark.
export async function comeIn(desk) {
  const reply = await ask(desk.port, `/?token=${desk.token}`);
  const cookie = (reply.headers["set-cookie"] ?? [""])[0].split(";")[0];
  const own = {
    Cookie: cookie,
    Origin: `http://127.0.0.1:${desk.port}`,
    "X-Stopover-Desk": "1",
    "Content-Type": "application/json",
  };
  const get = async (path) => {
    const r = await ask(desk.port, path, { headers: own });
    return { ...r, json: JSON.parse(r.text || "{}") };
  };
  const post = async (path, body) => {
    const r = await ask(desk.port, path, { method: "POST", headers: own, body: JSON.stringify(body) });
    return { ...r, json: JSON.parse(r.text || "{}") };
  };
  const run = async (job, fields, more = {}) => {
    const started = await post("/api/jobs", { job, fields, ...more });
    if (started.status !== 200) return { refused: started.status, error: started.json.error };
    for (;;) {
      const now = (await get(`/api/jobs?id=${started.json.id}`)).json;
      if (!now.running) return now;
      await new Promise((go) => setTimeout(go, 30));
    }
  };
  return { own, get, post, run, cookie, reply };
}

export async function launch(web, chromiumPath) {
  const { chromium } = createRequire(join(web, "package.json"))("playwright-core");
  return chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}
