// The explorer in a real browser: what a person sees and does, and that its numbers are the command line's.
//
//   node explorer_test.mjs STOPOVER STOPOVER_LAB WEB_FOLDER CHROMIUM
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { syntheticMap } from "./synthetic_map.mjs";

const [stopover, lab, web, chromiumPath] = process.argv.slice(-4);
const require = createRequire(join(web, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const kPatience = 600_000; // milliseconds: as long as a very busy machine may take. How fast it is, `make bench-page` measures.

const work = mkdtempSync(join(tmpdir(), "stopover-explorer-"));
const release = join(work, "city.odr");
const url = `file://${join(work, "city.html")}`;
let browser;
let page;
const requests = [];
const complaints = [];

const run = (...args) =>
  execFileSync(stopover, args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

async function open(context, address) {
  const opened = await context.newPage();
  opened.setDefaultTimeout(kPatience);
  opened.on("request", (r) => requests.push(r.url()));
  opened.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
  opened.on("pageerror", (e) => complaints.push(e.message));
  await opened.goto(address);
  return opened;
}
const settled = (p) =>
  p.waitForFunction(
    () => !document.body.innerText.includes("searching …") && !document.body.innerText.includes("working out"),
  );
const shown = (p) => p.$eval("#estimate", (e) => ({ ...e.dataset }));
const hash = (p) => p.evaluate(() => decodeURIComponent(location.hash));

async function faultsOf(p) {
  await p.evaluate(axe);
  const result = await p.evaluate(() => globalThis.axe.run());
  return result.violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map(
      (v) =>
        `${v.id}: ${v.nodes
          .map((n) => n.html)
          .join(" ")
          .slice(0, 300)}`,
    );
}
// While `stopover serve` runs.
async function serving(words, use) {
  const server = spawn(stopover, ["serve", "city.odr", "--port", "0", "--json", "--log", "none", ...words], {
    cwd: work,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await use(
      await new Promise((done, fail) => {
        server.stdout.once("data", (d) => done(JSON.parse(d).url));
        server.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
      }),
    );
  } finally {
    const gone = server.exitCode === null ? new Promise((done) => server.once("exit", done)) : server.exitCode;
    server.kill("SIGTERM");
    assert.equal(await gone, 0);
  }
}

// The command line's answer to a question, by its twelve digits.
function told(question) {
  writeFileSync(join(work, "question.json"), JSON.stringify(question));
  const a = JSON.parse(run("query", release, "--spec", join(work, "question.json"), "--json"));
  return { digits: String(a.estimate), lower: String(a.noise_lower), upper: String(a.noise_upper) };
}
async function agrees(p, question) {
  const { digits, lower, upper } = await shown(p);
  assert.deepEqual({ digits, lower, upper }, told(question));
}
// The picture follows what was done to it when the browser comes to it: asks again and again.
async function until(what, holds) {
  for (const end = Date.now() + kPatience; !(await holds());) {
    assert.ok(Date.now() < end, `it never came: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
async function go(p, to) {
  await p.evaluate((h) => {
    location.hash = h;
  }, to);
  await p.waitForFunction((h) => location.hash.replace(/^#/, "") === h, to);
  await settled(p);
}

before(async () => {
  run("generate", "city", "--stops", "3", "--n", "60000", "--grid", "500", "--seed", "3", "-o", "trips.parquet");
  run(
    "publish",
    "--matrix",
    "trips.parquet",
    "--shape",
    "500x500x500x500x500x500",
    "--stops",
    "origin,stop,destination",
    "--bbox=-0.1,-0.1,0.1,0.1",
    "--epsilon",
    "1",
    "--ledger",
    "city.ledger",
    "--budget",
    "1",
    "-o",
    "city.odr",
  );
  run("html", "city.odr", "-o", "city.html");
  browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  page = await open(await browser.newContext({ viewport: { width: 1280, height: 800 } }), url);
  await page.waitForSelector("#estimate");
});
after(async () => {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
});

test("opens from disk with one request and no complaint", async () => {
  await settled(page);
  assert.deepEqual(requests, [url]);
  assert.deepEqual(complaints, []);
  const first = await page.evaluate(() => performance.getEntriesByName("stopover-painted")[0].startTime);
  const boxes = await page.$eval(".facts", (e) => e.textContent);
  console.log(
    `page: ${statSync(join(work, "city.html")).size} bytes; first frame after ${Math.round(first)} ms; ${boxes}`,
  );
  assert.ok(statSync(join(work, "city.html")).size < 3e6);
  await agrees(page, {});
});

test("a click drills down, a second one lets go", async () => {
  const box = await page.locator("#map").boundingBox();
  const at = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(() => performance.clearMarks());
  await page.mouse.click(...at);
  await page.waitForFunction(() => location.hash.includes("at.origin=bbox"));
  await page.waitForFunction(() => performance.getEntriesByName("stopover-painted").length > 0);
  const took = await page.evaluate(
    () =>
      performance.getEntriesByName("stopover-painted")[0].startTime -
      performance.getEntriesByName("stopover-asked")[0].startTime,
  );
  console.log(`from the click to the new picture: ${Math.round(took)} ms`);
  await settled(page);
  assert.match(await page.innerText("aside"), /after: stop by zone/i);
  const bbox = (await hash(page))
    .match(/at\.origin=bbox:([^&]*)/)[1]
    .split(",")
    .map(Number);
  await agrees(page, { where: { origin: { bbox } } });
  await page.mouse.click(...at);
  await page.waitForFunction(() => !location.hash.includes("at.origin"));
});

test("a drawn circle, and any region, has the command line's numbers", async () => {
  const box = await page.locator("#map").boundingBox();
  const [x, y] = [box.x + box.width / 2 - 30, box.y + box.height / 2 + 20];
  await page.getByRole("button", { name: "Circle" }).click();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 30, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes("circle"));
  await settled(page);
  const circle = (await hash(page))
    .match(/at\.origin=circle:([^&]*)/)[1]
    .split(",")
    .map(Number);
  await agrees(page, { where: { origin: { circle } } });
  assert.match(await page.innerText("body"), /Likely:\s+\S+ to \S+\s+\(meant for 95 %, not claimed\)/); // three stops
  const ring = [
    [-0.05, -0.03],
    [0.06, -0.05],
    [0.01, 0.07],
  ];
  await go(page, `at.origin=circle:0.01,0.005,2.5&at.destination=polygon:${ring.map((q) => q.join("%20")).join(",")}`);
  await agrees(page, {
    where: {
      origin: { circle: [0.01, 0.005, 2.5] },
      destination: { polygon: { type: "Polygon", coordinates: [[...ring, ring[0]]] } },
    },
  });
  await go(page, "");
});

test("works by keyboard alone", async () => {
  await page.focus("#map");
  for (const key of ["ArrowLeft", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash.includes("bbox"));
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => !location.hash.includes("bbox"));
  for (const key of ["c", "Enter", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash.includes("circle"));
  await page.getByRole("button", { name: "Table" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog table");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.getByRole("button", { name: /2\. stop/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("stop=stop"));
  await go(page, "");
});

test("axe finds nothing serious, light, dark and in the dialogs", async () => {
  const faults = () => faultsOf(page);
  await go(page, "at.origin=circle:0,0,2");
  assert.deepEqual(await faults(), []);
  await page.getByRole("button", { name: "Guarantee" }).click();
  assert.deepEqual(await faults(), []);
  await page.keyboard.press("Escape");
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await faults(), []);
  await page.emulateMedia({ colorScheme: "light" });
  await go(page, "");
});

test("fits a phone", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels`);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("colours change with the map; paper is light and its map a drawing", async () => {
  const corner = () =>
    page.evaluate(() =>
      Array.from(document.querySelector(".map canvas").getContext("2d").getImageData(2, 2, 1, 1).data.slice(0, 3)),
    );
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const light = await corner();
  await page.getByRole("button", { name: /Colours/ }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  assert.ok(Math.min(...light) > 200, `${light}`);
  await until("the map is dark", async () => Math.max(...(await corner())) < 80);
  const dark = await corner();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await theme(), "light");
  const drawing = await page.$eval(".paper svg", (e) => e.outerHTML);
  assert.ok(drawing.includes(`rgb(${light.join(", ")})`) && !drawing.includes(`rgb(${dark.join(", ")})`));
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await theme(), "dark");
  assert.equal(await page.$(".paper svg"), null);
  await page.getByRole("button", { name: /Colours/ }).click();
});

test("downloads the table", async () => {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.selectOption("select[aria-label=Download]", "csv"),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  assert.match(
    text,
    /^what,where,estimate,lower,upper,noise_lower,noise_upper,calibrated,claimed\nanswer,the question,\d/,
  );
  // The release has learned its intervals: each holds its estimate, which the noise's need not do.
  const lines = text.trim().split("\n").slice(1);
  for (const line of lines) assert.ok(line.endsWith(",true,false"), line); // three stops
  const rows = lines.map((line) => line.split(",").slice(-7, -2).map(Number));
  assert.ok(rows.length > 100);
  for (const [estimate, lower, upper] of rows)
    assert.ok(lower <= estimate && estimate <= upper, `${lower} ${estimate} ${upper}`);
  assert.ok(rows.some(([, lower, upper, noiseLower, noiseUpper]) => upper - lower > noiseUpper - noiseLower));
  assert.match(await page.innerText("section[aria-label='Largest flows']"), /likely/);
  assert.match(await page.innerText("body"), /not claimed/); // three stops
});

test("zones that are dropped are asked for, and travel in the address", async () => {
  const square = (w, name) => ({
    type: "Feature",
    properties: { name },
    geometry: {
      type: "Polygon",
      coordinates: [
        [
          [w, -0.04],
          [w + 0.05, -0.04],
          [w + 0.05, 0.04],
          [w, 0.04],
          [w, -0.04],
        ],
      ],
    },
  });
  const features = [square(-0.05, "West"), square(0, "East")];
  writeFileSync(join(work, "zones.geojson"), JSON.stringify({ type: "FeatureCollection", features }));
  await go(page, "");
  await page.setInputFiles("input[type=file]", join(work, "zones.geojson"));
  await page.waitForFunction(() => location.hash.includes("areas="));
  const box = await page.locator("#map").boundingBox();
  await page.mouse.click(box.x + box.width / 2 + 30, box.y + box.height / 2);
  await page.waitForFunction(() => location.hash.includes("at.origin=area:East"));
  await settled(page);
  await agrees(page, { where: { origin: { polygon: features[1].geometry } } });
  const again = await open(page.context(), await page.evaluate(() => location.href));
  await again.waitForFunction(() => document.body.innerText.includes("2 zones; click one"));
  await settled(again);
  await agrees(again, { where: { origin: { polygon: features[1].geometry } } });
  await again.close();
  await page.goto("about:blank");
  await page.goto(url);
  await page.waitForSelector("#estimate");
});

test("two releases in one page are compared", async () => {
  run(
    "publish",
    "--matrix",
    "trips.parquet",
    "--shape",
    "500x500x500x500x500x500",
    "--stops",
    "origin,stop,destination",
    "--bbox=-0.1,-0.1,0.1,0.1",
    "--epsilon",
    "0.5",
    "--mechanism",
    "daf-entropy",
    "--ledger",
    "other.ledger",
    "--budget",
    "1",
    "--no-calibration",
    "-o",
    "other.odr",
  );
  run("html", "city.odr", "other.odr", "-o", "both.html");
  const both = await open(await browser.newContext(), `file://${join(work, "both.html")}#at.origin=circle:0,0,2`);
  await both.waitForSelector("#estimate");
  assert.match(
    await both.innerText(".answer"),
    /other\.odr: [\d,]+ \(noise alone [−\d,]+ to [\d,]+\); here [+−][\d,]+/,
  );
  await both.selectOption("select[aria-label=Release]", "1");
  await settled(both);
  assert.match(await both.innerText("section[aria-label='Largest flows']"), /noise alone, 95 %|No flow/);
  await both.close();
});

test("a release that protects nobody says so, on the page, on paper, in its pictures and its table", async () => {
  execFileSync(
    lab,
    [
      "publish",
      "--matrix",
      "trips.parquet",
      "--shape",
      "500x500x500x500x500x500",
      "--stops",
      "origin,stop,destination",
      "--bbox=-0.1,-0.1,0.1,0.1",
      "--epsilon",
      "1",
      "--mechanism",
      "daf-entropy",
      "--ledger",
      "lab.ledger",
      "--budget",
      "1",
      "--test-key",
      "a <i>key</i>",
      "--no-calibration",
      "-o",
      "lab.odr",
    ],
    { cwd: work, stdio: "ignore" },
  );
  assert.equal(await page.$("header .noprivacy, #static .noprivacy"), null);
  assert.doesNotMatch(await page.innerText("body"), /no privacy/i);
  const words = "No privacy: lab.odr was made with a key that can be repeated (a <i>key</i>): it protects nobody.";
  run("html", "city.odr", "lab.odr", "-o", "mixed.html");
  const mixed = await open(
    await browser.newContext({ viewport: { width: 1280, height: 800 } }),
    `file://${join(work, "mixed.html")}`,
  );
  await mixed.waitForSelector("#estimate");
  assert.equal(await mixed.innerText("header .noprivacy"), words);
  await mixed.close();
  run("html", "lab.odr", "-o", "lab.html");
  const p = await open(
    await browser.newContext({ viewport: { width: 1280, height: 800 } }),
    `file://${join(work, "lab.html")}`,
  );
  await p.waitForSelector("#estimate");
  await settled(p);
  assert.equal(await p.innerText("header .noprivacy"), words);
  assert.ok(await p.locator("header .noprivacy").isVisible());
  assert.match(await p.innerText(".facts"), /published without privacy/);
  assert.deepEqual(await faultsOf(p), []);
  await p.emulateMedia({ colorScheme: "dark", media: "print" });
  assert.ok(await p.locator("header .noprivacy").isVisible());
  await p.emulateMedia({ colorScheme: "light", media: "screen" });
  await p.getByRole("button", { name: "Guarantee" }).click();
  assert.match(await p.innerText("dialog"), /^Close\s+No privacy: made with a repeatable key/);
  assert.doesNotMatch(await p.innerText("dialog"), /differential privacy|at most \d+ % after/i);
  await p.keyboard.press("Escape");
  const saved = async (kind) => {
    const [file] = await Promise.all([p.waitForEvent("download"), p.selectOption("select[aria-label=Download]", kind)]);
    return readFileSync(await file.path(), "utf8");
  };
  assert.match(await saved("svg"), />No privacy: lab\.odr was made with a key/);
  for (const line of (await saved("csv")).trim().split("\n").slice(1))
    assert.match(line, /,made with a key that can be repeated \(a <i>key<\/i>\): it protects nobody$/);
  await p.setViewportSize({ width: 360, height: 740 });
  assert.ok((await p.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  await p.close();
});

test("needs no WebGL; without WebAssembly there is still the picture", async () => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = ((old) =>
      function (kind, ...rest) {
        return kind === "2d" ? old.call(this, kind, ...rest) : null;
      })(HTMLCanvasElement.prototype.getContext);
  });
  const plain = await open(context, url);
  await plain.waitForSelector("#estimate");
  await plain.close();
  await context.addInitScript(() => {
    delete globalThis.WebAssembly;
  });
  const bare = await open(context, url);
  await bare.waitForSelector("#static img", { state: "visible" });
  assert.ok(await bare.$eval("#static img", (i) => i.naturalWidth > 300));
  assert.doesNotMatch(await bare.innerText("[role=alert]"), /boxes/);
  writeFileSync(
    join(work, "large.html"),
    readFileSync(join(work, "city.html"), "utf8").replace(/"partitions":\d+/, '"partitions":400000'),
  );
  const large = await open(context, `file://${join(work, "large.html")}`);
  assert.match(await large.innerText("[role=alert]"), /400,000 boxes, which need much memory/);
  await context.close();
});

test("is served as it is on disk, with an API", async () => {
  await serving([], async (address) => {
    const served = await open(await browser.newContext(), address);
    await served.waitForSelector("#estimate");
    await agrees(served, {});
    const question = { where: { stop: { circle: [0, 0, 3] } } };
    const reply = await fetch(`${address}api/query`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
    });
    const { answer } = await reply.json();
    assert.deepEqual(
      { digits: String(answer.estimate), lower: String(answer.noise_lower), upper: String(answer.noise_upper) },
      told(question),
    );
    assert.equal(await served.getByRole("button", { name: "Basemap" }).count(), 0);
  });
});

const drawn = (p) => p.waitForSelector(".map[data-tiles=settled]");
// Some thousand pixels of the map, and the share of them that differs from another picture's.
const pixels = async (p) => {
  await settled(p);
  return p.evaluate(() => {
    const c = document.querySelector(".map canvas");
    const data = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
    return Array.from(data.filter((_, i) => i % 53 === 0));
  });
};
const changed = (a, b) =>
  a.filter(
    (v, i) => [0, 8, 16].reduce((far, shift) => far + Math.abs(((v >> shift) & 255) - ((b[i] >> shift) & 255)), 0) > 6,
  ).length / a.length;

test("map tiles lie under the cells where serve is given some", async () => {
  const attribution =
    '<a href="https://map.example/copyright" onclick="alert(1)">&copy; Map of Nowhere</a> and friends';
  writeFileSync(
    join(work, "city.pmtiles"),
    await syntheticMap(web, { attribution, maxZoom: 13, bounds: [-0.12, -0.08, 0.12, 0.12] }),
  );
  await serving(["--basemap", "city.pmtiles"], async (address) => {
    const before = requests.length;
    const p = await open(await browser.newContext({ viewport: { width: 1280, height: 800 } }), address);
    await p.waitForSelector("#estimate");
    await settled(p);
    await drawn(p);
    const own = requests.slice(before);
    assert.ok(own.length > 4 && own.every((r) => r === address || r === `${address}basemap.pmtiles`), own.join(" "));
    assert.equal(await p.innerText(".credit"), "© Map of Nowhere and friends");
    assert.equal(await p.getAttribute(".credit a", "href"), "https://map.example/copyright");
    assert.equal(await p.getAttribute(".credit a", "onclick"), null);
    await agrees(p, {});

    const shownTiles = await pixels(p);
    await p.getByRole("button", { name: "Basemap" }).focus();
    await p.keyboard.press("Enter");
    await p.waitForFunction(() => location.hash === "#base=0");
    await p.waitForSelector(".map[data-tiles=none]");
    const differs = async () => changed(await pixels(p), shownTiles);
    await until("the map without tiles", async () => (await differs()) > 0.3);
    console.log(`map tiles change ${Math.round(100 * (await differs()))} % of the map's pixels`);
    assert.equal(await p.$(".credit"), null);
    await p.keyboard.press("Enter");
    await p.waitForFunction(() => location.hash === "");
    await drawn(p);
    await until("the same map again", async () => (await differs()) === 0);

    assert.deepEqual(await faultsOf(p), []);
    await p.emulateMedia({ colorScheme: "dark" });
    await until("the dark map", async () => (await differs()) > 0.9);
    await drawn(p);
    assert.deepEqual(await faultsOf(p), []);
    await p.emulateMedia({ colorScheme: "light" });
    await until("the light map", async () => (await differs()) === 0);
    await drawn(p);

    const [file] = await Promise.all([
      p.waitForEvent("download"),
      p.selectOption("select[aria-label=Download]", "svg"),
    ]);
    const drawing = readFileSync(await file.path(), "utf8");
    assert.match(drawing, />© Map of Nowhere and friends<\/text>/);
    assert.match(drawing, />Haven<\/text>/);
    assert.ok((drawing.match(/non-scaling-stroke/g) ?? []).length > 20);
    assert.match(drawing, /<g opacity="0.62">\n<path[^>]*non-scaling-stroke/);

    // Nearer than the tiles go, and to where there are none.
    for (let i = 0; i < 9; i++) await p.getByRole("button", { name: "Nearer" }).click();
    await drawn(p);
    await go(p, "base=0");
    const bare = await pixels(p);
    await go(p, "");
    await until("tiles from near", async () => changed(await pixels(p), bare) > 0.02);
    await p.getByRole("button", { name: "The whole map" }).click();
    await drawn(p);

    // Another file in its place is taken up, with pictures and nothing of the old one. It is longer: of a part that it
    // lacks the browser would complain, rightly.
    const pictures = await syntheticMap(web, {
      kind: "pictures",
      attribution: "Pictures of <b>nowhere</b>",
      maxZoom: 12,
    });
    writeFileSync(join(work, "new.pmtiles"), Buffer.concat([pictures, Buffer.alloc(300_000)]));
    renameSync(join(work, "new.pmtiles"), join(work, "city.pmtiles"));
    const tag = async () => (await fetch(`${address}basemap.pmtiles`, { method: "HEAD" })).headers.get("ETag");
    for (const old = await tag(); (await tag()) === old;) await p.waitForTimeout(100);
    const box = await p.locator("#map").boundingBox();
    await p.mouse.move(box.x + 0.75 * box.width, box.y + 0.25 * box.height);
    await p.mouse.wheel(0, -1300);
    await p.waitForFunction(() => document.querySelector(".credit")?.innerText === "Pictures of nowhere");
    await p.getByRole("button", { name: "The whole map" }).click();
    await until("the pictures of the new file", async () => (await differs()) > 0.5);
    await p.close();
  });
});

test("map tiles of other makers are drawn too, and none where there are none", async () => {
  writeFileSync(
    join(work, "other.pmtiles"),
    await syntheticMap(web, { kind: "openmaptiles", minZoom: 9, maxZoom: 12 }),
  );
  writeFileSync(
    join(work, "far.pmtiles"),
    await syntheticMap(web, { kind: "pictures", minZoom: 9, maxZoom: 10, bounds: [10, 10, 10.1, 10.1] }),
  );
  const look = async (words) => {
    let picture;
    await serving(words, async (address) => {
      const p = await open(await browser.newContext({ viewport: { width: 1000, height: 700 } }), address);
      await p.waitForSelector("#estimate");
      await settled(p);
      if (words.length) await drawn(p);
      assert.equal(await p.$(".credit"), null);
      picture = await pixels(p);
      await p.close();
    });
    return picture;
  };
  const plain = await look([]);
  assert.ok(changed(await look(["--basemap", "other.pmtiles"]), plain) > 0.3);
  await look(["--basemap", "far.pmtiles"]);
});

test("nobody complained", () => {
  assert.deepEqual(complaints, []);
});
