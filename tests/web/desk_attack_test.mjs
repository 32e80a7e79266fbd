// Attacks on the desk: who must not come in, what must not be reached, and what a broken job, disk or file must not
// break.
//
//   node desk_attack_test.mjs STOPOVER STOPOVER_LAB WEB_FOLDER CHROMIUM
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ask, comeIn, dice, folderWith, kPatience, launch, tripsCsv, withDesk } from "./desk_visit.mjs";

const [stopover, , web, chromiumPath] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "stopover-attack-"));
after(() => rmSync(work, { recursive: true, force: true }));

const data = folderWith(work, { "trips.csv": tripsCsv({ trips: 3000 }) });
let desks = 0;
const at = (use, shell = "") =>
  withDesk(
    stopover,
    ["--data", data, "--folder", join(work, `desk${++desks}`), "--state", join(work, "state")],
    use,
    shell,
  );
const fields = (desk, name) => ({
  input: join(data, "trips.csv"),
  shape_of: "stops",
  trip: "trip_id",
  user: "user_id",
  seq: "seq",
  time: "timestamp",
  lat: "lat",
  lng: "lon",
  bbox: "-118.62,33.8,-118,34.3",
  grid: "100x100",
  unit: "user",
  max_trips_per_user: "4",
  epsilon: "0.5",
  budget: "2",
  ledger: join(desk.folder, `ledgers/${name}.ledger`),
  output: join(desk.folder, `releases/${name}.odr`),
});
const spent = (desk, name) => {
  const path = join(desk.folder, `ledgers/${name}.ledger`);
  if (!existsSync(path)) return "0";
  return JSON.parse(
    execFileSync(stopover, ["ledger", path, "--json", "--state", join(work, "state")], { encoding: "utf8" }),
  ).spent;
};

test("without the token, or with it a second time, nobody comes in", async () => {
  await at(async (desk) => {
    for (const path of ["/", "/api/desk", "/api/files?folder=/", "/text?job=1", "/export?path=/etc/passwd"]) {
      assert.equal((await ask(desk.port, path, { headers: { "X-Stopover-Desk": "1" } })).status, 403, path);
    }
    assert.equal((await ask(desk.port, "/?token=0")).status, 403);
    assert.equal((await ask(desk.port, `/?token=${"0".repeat(64)}`)).status, 403);
    const one = await comeIn(desk);
    assert.match(one.reply.headers["set-cookie"][0], /HttpOnly; SameSite=Strict/);
    assert.equal((await one.get("/api/desk")).status, 200);
    const again = await ask(desk.port, `/?token=${desk.token}`);
    assert.equal(again.status, 403);
    assert.equal(again.headers["set-cookie"], undefined);
    const wrong = { ...one.own, Cookie: one.cookie.replace(/.$/, (c) => (c === "0" ? "1" : "0")) };
    assert.equal((await ask(desk.port, "/api/desk", { headers: wrong })).status, 403);
    for (const reply of [one.reply, again, await one.get("/api/desk")]) {
      assert.equal(reply.headers["cache-control"], "no-store");
      assert.equal(reply.headers["access-control-allow-origin"], undefined);
      assert.match(reply.headers["content-security-policy"], /frame-ancestors 'none'/);
    }
  });
});

test("a name that was bent to this machine, another origin, another site are turned away", async () => {
  await at(async (desk) => {
    // DNS rebinding: the token is right, the name is not. It is not used up by that.
    const bent = await ask(desk.port, `/?token=${desk.token}`, { headers: { Host: `evil.example:${desk.port}` } });
    assert.equal(bent.status, 421);
    assert.equal(bent.headers["set-cookie"], undefined);
    const one = await comeIn(desk);
    const tried = async (more, path = "/api/desk", method = "GET", without = []) => {
      const headers = { ...one.own, ...more };
      for (const name of without) delete headers[name];
      return (
        await ask(desk.port, path, { method, headers, body: method === "POST" ? '{"job":"plan","fields":{}}' : "" })
      ).status;
    };
    assert.equal(await tried({ Host: `evil.example:${desk.port}` }), 421);
    assert.equal(await tried({ Host: "127.0.0.1" }), 421);
    for (const Origin of ["http://evil.example", "null", "http://127.0.0.1:1", `https://127.0.0.1:${desk.port}`]) {
      assert.equal(await tried({ Origin }), 421, Origin);
      assert.equal(await tried({ Origin }, "/api/jobs", "POST"), 421, Origin);
      assert.equal(await tried({ Origin }, "/text?job=1"), 421, Origin);
    }
    for (const site of ["cross-site", "same-site"]) assert.equal(await tried({ "Sec-Fetch-Site": site }), 421, site);
    // A form or a picture of another page has no such header; a POST without an origin is none of ours.
    assert.equal(await tried({}, "/api/desk", "GET", ["X-Stopover-Desk"]), 403);
    assert.equal(await tried({}, "/api/jobs", "POST", ["Origin"]), 403);
    assert.equal(
      (await ask(desk.port, "/api/jobs", { method: "OPTIONS", headers: { ...one.own, Origin: "http://evil.example" } }))
        .status,
      421,
    );
    assert.equal((await one.get("/api/desk")).status, 200, "and the desk goes on");
  });
});

test("a page of another program on this machine gets nothing, though the browser sends it the same cookies", async () => {
  const browser = await launch(web, chromiumPath);
  try {
    await at(async (desk) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(kPatience);
      await page.goto(desk.url);
      await page.locator("#newname").waitFor();
      const evil = createServer((_, r) => r.setHeader("Content-Type", "text/html").end("<h1>evil</h1>"));
      await new Promise((done) => evil.listen(0, "127.0.0.1", done));
      const other = await context.newPage();
      await other.goto(`http://127.0.0.1:${evil.address().port}/`);
      const got = await other.evaluate(async (to) => {
        const tries = [
          () => fetch(`${to}/api/desk`, { credentials: "include" }),
          () => fetch(`${to}/api/desk`, { credentials: "include", headers: { "X-Stopover-Desk": "1" } }),
          () => fetch(`${to}/api/close`, { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }),
        ];
        const told = [];
        for (const one of tries)
          told.push(
            await one().then(
              (r) => r.type,
              () => "failed",
            ),
          );
        const frame = document.createElement("iframe");
        frame.src = `${to}/`;
        document.body.append(frame);
        await new Promise((done) => setTimeout(done, 500));
        let inside = "";
        try {
          inside = frame.contentDocument?.body.innerText ?? "";
        } catch {
          inside = "";
        }
        return { told, inside };
      }, `http://127.0.0.1:${desk.port}`);
      assert.deepEqual(got.told, ["failed", "failed", "failed"]);
      assert.doesNotMatch(got.inside, /desk leads you/);
      evil.close();
      await page.reload();
      await page.locator("#newname").waitFor();
      await context.close();
    });
  } finally {
    await browser.close();
  }
});

test("no path leads out of the folders", async () => {
  symlinkSync("/etc", join(data, "outside"));
  symlinkSync("/etc/passwd", join(data, "secret.csv"));
  await at(async (desk) => {
    const one = await comeIn(desk);
    const list = async (folder) => (await one.get(`/api/files?folder=${encodeURIComponent(folder)}`)).status;
    assert.equal(await list(data), 200);
    for (const folder of [
      "/",
      "/etc",
      `${data}/..`,
      `${data}/../..`,
      `${data}/outside`,
      `${data}2`,
      "",
      "data",
      `${data}/none`,
      `${data}\0`,
    ]) {
      assert.notEqual(await list(folder), 200, folder);
    }
    assert.equal((await one.get(`/api/files?folder=${data}`)).text.includes("secret.csv"), false);
    for (const input of [
      "/etc/passwd",
      `${data}/../../etc/passwd`,
      `${data}/secret.csv`,
      `${data}/outside/passwd`,
      "trips.csv",
    ]) {
      const told = await one.run("columns", { input });
      assert.equal(told.refused, 403, input);
      assert.equal(JSON.stringify(told).includes("root:"), false);
    }
    const good = fields(desk, "city");
    for (const output of ["/usr/x.odr", `${desk.folder}/releases/../../x.odr`, join(data, "x.odr"), "x.odr"]) {
      assert.equal((await one.run("rehearse", { ...good, output })).refused, 403, output);
    }
    for (const [name, value] of Object.entries({
      sql: "SELECT 1",
      state: "/usr",
      test_key: "x",
      sign: "/etc/passwd",
      matrix: "/etc/passwd",
      extensions: ["httpfs"],
      memory_limit: "1GB",
    })) {
      assert.ok([403, 422].includes((await one.run("rehearse", { ...good, [name]: value })).refused), name);
    }
    for (const name of ["../../x", "/etc/x", ".x", "a/b", "x".repeat(200)]) {
      assert.equal((await one.post("/api/draft", { name, revision: "", publish: {}, plan: {} })).status, 422, name);
    }
    assert.equal((await one.get("/export?path=/etc/passwd")).status, 404);
    assert.equal(
      (await one.get(`/export?path=${encodeURIComponent(`${desk.folder}/exports/../drafts/x.toml`)}`)).status,
      404,
    );
  });
  rmSync(join(data, "outside"));
  rmSync(join(data, "secret.csv"));
});

test("a second tab does not undo the first, and cannot publish beside it", async () => {
  await at(async (desk) => {
    const one = await comeIn(desk);
    const keep = (revision, epsilon) => one.post("/api/draft", { name: "d", revision, publish: { epsilon }, plan: {} });
    const first = await keep("", "0.5");
    const second = await keep(first.json.revision, "0.7");
    assert.equal(second.status, 200);
    assert.equal((await keep(first.json.revision, "0.9")).status, 409);
    assert.equal((await one.get("/api/draft?name=d")).json.publish.epsilon, "0.7");
    const good = fields(desk, "city");
    assert.equal((await one.run("publish", good)).refused, 422, "without the typed name");
    const [a, b] = await Promise.all([
      one.run("publish", good, { confirm: "city" }),
      one.run("publish", good, { confirm: "city" }),
    ]);
    assert.equal([a, b].filter((x) => x.result).length, 1, JSON.stringify([a, b]).slice(0, 500));
    assert.equal(spent(desk, "city"), "0.5");
    const late = await one.run("publish", good, { confirm: "city" });
    assert.equal(late.error.code, 6, "the release is there already, and nothing is spent again");
    assert.equal(spent(desk, "city"), "0.5");
  });
});

// The worker of a desk that runs now.
const workerOf = (pid) => {
  for (const task of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      const stat = readFileSync(`/proc/${task}/stat`, "utf8");
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid) return Number(task);
    } catch {
      continue;
    }
  }
  return 0;
};

test("a worker that is killed leaves the desk alive, and cancelling is safe", async () => {
  folderWith(work, { "many.csv": tripsCsv({ trips: 120000, users: 40000 }) });
  await at(async (desk) => {
    const one = await comeIn(desk);
    const many = { ...fields(desk, "many"), input: join(data, "many.csv") };
    const start = async () => {
      const id = (await one.post("/api/jobs", { job: "publish", fields: many, confirm: "many" })).json.id;
      while (workerOf(desk.pid) === 0) await new Promise((go) => setTimeout(go, 5));
      return id;
    };
    const ended = async (id) => {
      for (;;) {
        const now = (await one.get(`/api/jobs?id=${id}`)).json;
        if (!now.running) return now;
        await new Promise((go) => setTimeout(go, 20));
      }
    };
    const killed = await start();
    process.kill(workerOf(desk.pid), "SIGKILL");
    assert.match((await ended(killed)).error.message, /signal 9.*\n.*desk goes on/i);
    const stopped = await start();
    await one.post("/api/jobs/stop", { id: stopped });
    assert.equal((await ended(stopped)).error.code, 130);
    assert.equal(spent(desk, "many"), "0", "both were stopped while rows were read");
    assert.equal(existsSync(many.output), false);
    assert.ok((await one.run("publish", many, { confirm: "many" })).result);
    assert.equal(spent(desk, "many"), "0.5");
    const left = readdirSync(join(desk.folder, "releases"));
    assert.deepEqual(left, ["many.odr"], "nothing half done is left");
  });
});

test("a full disk is told, and loses nothing", async (t) => {
  const disk = join(work, "disk");
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", disk], { stdio: "ignore" });
  } catch {
    t.skip("no right to mount a small file system: run it as root");
    return;
  }
  try {
    const words = ["--data", data, "--folder", join(disk, "desk"), "--state", join(work, "state")];
    await withDesk(stopover, words, async (desk) => {
      const one = await comeIn(desk);
      const kept = await one.post("/api/draft", { name: "d", revision: "", publish: { epsilon: "1" }, plan: {} });
      const filler = join(disk, "filler");
      const free = () => statfsSync(disk).bavail * statfsSync(disk).bsize;
      const fill = (leave) => writeFileSync(filler, Buffer.alloc(Math.max(0, free() - leave)));
      // Nothing left at all: nobody is charged, and the draft stays as it was.
      fill(0);
      const big = { name: "d", revision: kept.json.revision, publish: { about: "x".repeat(9000) }, plan: {} };
      assert.equal((await one.post("/api/draft", big)).status, 422);
      const none = await one.run("publish", fields(desk, "city"), { confirm: "city" });
      assert.ok(none.error, JSON.stringify(none).slice(0, 300));
      assert.equal(existsSync(join(desk.folder, "releases/city.odr")), false);
      // Room for the ledger, not for the release: what was reserved stays spent, and no half release is left.
      rmSync(filler);
      fill(16384);
      const half = await one.run("publish", fields(desk, "half"), { confirm: "half" });
      assert.ok(half.error, JSON.stringify(half).slice(0, 300));
      assert.deepEqual(readdirSync(join(desk.folder, "releases")), [], "nothing half done is left");
      assert.ok(["0", "0.5"].includes(spent(desk, "half")));
      rmSync(filler);
      assert.equal((await one.get("/api/draft?name=d")).json.publish.epsilon, "1", "the draft is as it was");
      const before = Number(spent(desk, "half"));
      assert.ok((await one.run("publish", fields(desk, "half"), { confirm: "half" })).result, "with room it goes on");
      assert.equal(Number(spent(desk, "half")), before + 0.5);
    });
  } finally {
    execFileSync("umount", [disk]);
  }
});

test("a desk that nobody asks closes itself, and one that is asked stays", async () => {
  const words = ["--data", data, "--folder", join(work, "idle"), "--state", join(work, "state"), "--idle", "0.05"];
  await withDesk(stopover, words, async (desk) => {
    const one = await comeIn(desk);
    assert.equal((await one.get("/api/desk")).json.idle_minutes, 0.05);
    const until = Date.now() + 6000;
    while (Date.now() < until) {
      assert.equal((await one.get("/api/desk")).status, 200, "asked every second, it stays");
      await new Promise((go) => setTimeout(go, 1000));
    }
    await one.post("/api/draft", { name: "d", revision: "", publish: { epsilon: "1" }, plan: {} });
    assert.equal(await desk.ended, 0, "left alone, it ends, and well");
    await assert.rejects(one.get("/api/desk"));
    assert.ok(existsSync(join(work, "idle/drafts/d.toml")), "drafts are kept");
  });
});

test("rows by SQL only where that was allowed", async () => {
  const sql = `SELECT * FROM read_csv('${join(data, "trips.csv")}', all_varchar = true)`;
  await at(async (desk) => {
    const one = await comeIn(desk);
    assert.equal((await one.get("/api/desk")).json.sql, false);
    for (const job of ["columns", "inspect", "rehearse", "publish"]) {
      const rest = job === "columns" || job === "inspect" ? {} : fields(desk, "sql");
      const told = await one.run(job, { ...rest, input: "", sql }, { confirm: "sql" });
      assert.equal(told.refused, 403, job);
      assert.match(told.error.message, /must be allowed/);
    }
    assert.equal(existsSync(join(desk.folder, "ledgers/sql.ledger")), false);
  });
  const words = ["--data", data, "--folder", join(work, "sql"), "--state", join(work, "state"), "--allow-sql"];
  await withDesk(stopover, words, async (desk) => {
    const one = await comeIn(desk);
    assert.equal((await one.get("/api/desk")).json.sql, true);
    const told = await one.run("columns", { sql });
    assert.ok(
      told.result?.columns.some((c) => c.name === "trip_id"),
      JSON.stringify(told).slice(0, 300),
    );
    const done = await one.run("publish", { ...fields(desk, "sql"), input: "", sql }, { confirm: "sql" });
    assert.ok(done.result, JSON.stringify(done).slice(0, 300));
    assert.equal(spent(desk, "sql"), "0.5");
    assert.equal((await one.run("columns", { sql: "SELEC nonsense" })).error?.code > 0, true);
  });
});

test("a file that may not grow is told, and loses nothing", async () => {
  await at(async (desk) => {
    const one = await comeIn(desk);
    const draft = await one.post("/api/draft", { name: "small", revision: "", publish: { epsilon: "1" }, plan: {} });
    assert.equal(draft.status, 200);
    const big = { name: "small", revision: draft.json.revision, publish: { about: "x".repeat(40000) }, plan: {} };
    const full = await one.post("/api/draft", big);
    assert.equal(full.status, 422);
    assert.equal(full.json.error.code, 8);
    assert.equal((await one.get("/api/draft?name=small")).json.publish.epsilon, "1", "the draft is as it was");
    const told = await one.run("publish", fields(desk, "city"), { confirm: "city" });
    assert.equal(told.error.code, 8, JSON.stringify(told).slice(0, 400));
    assert.equal(existsSync(join(desk.folder, "releases/city.odr")), false);
    assert.equal((await one.get("/api/desk")).status, 200);
  }, "ulimit -f 4");
});

test("a million rows of nonsense are told, and nothing is published by accident", async () => {
  const roll = dice(3);
  const junk = ["lat,lon,user_id,trip_id,seq"];
  const odd = ["", "NaN", "1e999", "-", "'; DROP TABLE x; --", "\u00e9\u00e9", "91", "-181", "0x10", '"unclosed'];
  for (let i = 0; i < 1_000_000; ++i)
    junk.push(`${odd[Math.floor(roll() * odd.length)]},${odd[Math.floor(roll() * odd.length)]},u,${i},`);
  writeFileSync(join(data, "junk.csv"), junk.join("\n"));
  writeFileSync(join(data, "zeros.csv"), Buffer.alloc(100_000));
  await at(async (desk) => {
    const one = await comeIn(desk);
    const input = join(data, "junk.csv");
    assert.ok((await one.run("columns", { input })).result);
    const places = (await one.run("places", { input, lat: "lat", lng: "lon" })).result;
    assert.equal(places.columns[0].swapped, false);
    const told = await one.run("rehearse", { ...fields(desk, "junk"), input, time: "" });
    assert.equal(told.result?.trips, 0, JSON.stringify(told).slice(0, 500));
    const zeros = await one.run("columns", { input: join(data, "zeros.csv") });
    assert.ok(zeros.error || zeros.result);
    const binary = await one.run("columns", { input: join(data, "trips.csv"), delimiter: "no" });
    assert.ok(binary.error);
    assert.equal(existsSync(join(desk.folder, "ledgers/junk.ledger")), false);
    assert.equal((await one.get("/api/desk")).status, 200);
  });
});

test("requests that are none do not end the desk", async () => {
  await at(async (desk) => {
    const one = await comeIn(desk);
    for (const body of [
      "",
      "{",
      "[]",
      "null",
      '{"job":5}',
      '{"job":"publish","fields":7}',
      "\u0000",
      "x".repeat(100000),
    ]) {
      const reply = await ask(desk.port, "/api/jobs", { method: "POST", headers: one.own, body });
      assert.ok(reply.status >= 400 && reply.status < 500, body.slice(0, 20));
    }
    for (const path of [
      "/%00",
      "/api/jobs?id=%ff&from=-1",
      "/api/ground?bbox=nan,0,1,1",
      "/api/ground?bbox=1,2",
      "/api/nothing",
      "//",
      "/?token",
    ]) {
      await ask(desk.port, path, { headers: one.own });
    }
    mkdirSync(join(desk.folder, "drafts/folder.toml"));
    writeFileSync(join(desk.folder, "drafts/bad.toml"), "[publish\nx");
    for (const name of ["folder", "bad", "none"])
      assert.notEqual((await one.get(`/api/draft?name=${name}`)).status, 200);
    assert.equal((await one.get("/api/desk")).status, 200);
  });
});
