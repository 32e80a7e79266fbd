// The explorer in a real browser: what a person sees and does, and that its numbers are the command line's.
//
//   node explorer_test.mjs STOPOVER STOPOVER_LAB WEB_FOLDER CHROMIUM
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
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
let page; // fresh for every test, so that one that fails leaves nothing behind for the next
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
async function serving(words, use, of = "city.odr") {
  const server = spawn(stopover, ["serve", of, "--port", "0", "--json", "--log", "none", ...words], {
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
function told(question, of = release) {
  writeFileSync(join(work, "question.json"), JSON.stringify(question));
  const a = JSON.parse(run("query", of, "--spec", join(work, "question.json"), "--json"));
  return { digits: String(a.estimate), lower: String(a.noise_lower), upper: String(a.noise_upper) };
}
async function agrees(p, question, of) {
  const { digits, lower, upper } = await shown(p);
  assert.deepEqual({ digits, lower, upper }, told(question, of));
}
// The picture follows what was done to it when the browser comes to it: asks again and again.
async function until(what, holds) {
  for (const end = Date.now() + kPatience; !(await holds());) {
    assert.ok(Date.now() < end, `it never came: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
// A dialog is in the document a moment before it is shown; until then its text has no layout.
async function dialogText(p) {
  await p.waitForSelector("dialog[open]");
  return p.innerText("dialog");
}
// The pixel of a place. Where the map opens depends on the release, so on its noise.
async function pixelOf(p, lng, lat) {
  await p.waitForSelector(".map[data-seen]:not([data-seen=''])");
  const [west, east, south, north] = (await p.getAttribute(".map", "data-seen")).split(",").map(Number);
  const box = await p.locator("#map").boundingBox();
  return [box.x + (box.width * (lng - west)) / (east - west), box.y + (box.height * (north - lat)) / (north - south)];
}
async function go(p, to) {
  await p.evaluate((h) => {
    location.hash = h;
  }, to);
  await p.waitForFunction((h) => location.hash.replace(/^#/, "") === h, to);
  await settled(p);
}

const PUBLISH_TRIPS = (
  "publish --matrix trips.parquet --shape 500x500x500x500x500x500 --stops origin,stop,destination " +
  "--bbox=-0.1,-0.1,0.1,0.1"
).split(" ");

before(async () => {
  run("generate", "city", "--stops", "3", "--n", "60000", "--grid", "500", "--seed", "3", "-o", "trips.parquet");
  run(...PUBLISH_TRIPS, "--epsilon", "1", "--ledger", "city.ledger", "--budget", "1", "-o", "city.odr");
  run("html", "city.odr", "-o", "city.html");
  browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
});
beforeEach(async () => {
  page = await open(await browser.newContext({ viewport: { width: 1280, height: 800 } }), url);
  await page.waitForSelector("#estimate");
});
afterEach(async () => {
  await page.context().close();
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
  assert.match(await page.innerText("aside"), /after: stop by place/i);
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
  assert.match(await page.innerText(".say"), /^About [\d,]+ trips; likely [\d,]+ to [\d,]+/);
  assert.doesNotMatch(await page.innerText(".answer"), /not claimed/);
  assert.doesNotMatch(await page.innerText(".answer"), /Noise alone/); // folded
  await page.click(".how summary");
  assert.match(await page.innerText(".answer"), /Likely:\s+\S+ to \S+\s+\(95 %\)\s+Noise alone:/);
  await page.click(".how summary");
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
  await page.waitForSelector("dialog[open] table");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.getByRole("button", { name: /2\. stop/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("stop=stop"));
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
});

test("fits a phone", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels`);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("colours change with the map; paper is light and its map a drawing", async () => {
  // The middle brightness of the map's pixels. No single pixel is surely free: noise decides where cells are drawn.
  const brightness = () =>
    page.evaluate(() => {
      const c = document.querySelector(".map canvas");
      const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      const sums = [];
      for (let i = 0; i < data.length; i += 4 * 53) sums.push(data[i] + data[i + 1] + data[i + 2]);
      return sums.sort((a, b) => a - b)[sums.length >> 1] / 3;
    });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await settled(page);
  await until("the map is light", async () => (await brightness()) > 150);
  const light = await ground();
  await page.getByRole("button", { name: /Colours/ }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await until("the map is dark", async () => (await brightness()) < 110);
  const dark = await ground();
  assert.notEqual(light, dark);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await theme(), "light");
  const drawing = await page.$eval(".paper svg", (e) => e.outerHTML);
  assert.match(drawing, />trips per km²</); // its legend is on it
  assert.ok(drawing.includes(`fill="${light}"`) && !drawing.includes(`fill="${dark}"`), `${light} ${dark}`);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await theme(), "dark");
  assert.equal(await page.$(".paper svg"), null);
});

test("downloads the table, whole although flows are still searched", async () => {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.selectOption("select[aria-label=Download]", "csv"),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  assert.match(
    text,
    /^what,where,estimate,lower,upper,noise_lower,noise_upper,calibrated,claimed\nanswer,all trips,\d/,
  );
  // The release has learned its intervals: each holds its estimate, which the noise's need not do.
  const lines = text.trim().split("\n").slice(1);
  for (const line of lines) assert.match(line, /,true,(true|false)$/);
  assert.match(lines[0], /,true,true$/); // all trips
  assert.ok(lines.some((line) => line.endsWith(",true,false"))); // two of three stops left open
  const rows = lines.map((line) => line.split(",").slice(-7, -2).map(Number));
  assert.ok(rows.length > 100);
  for (const [estimate, lower, upper] of rows)
    assert.ok(lower <= estimate && estimate <= upper, `${lower} ${estimate} ${upper}`);
  assert.ok(rows.some(([, lower, upper, noiseLower, noiseUpper]) => upper - lower > noiseUpper - noiseLower));
  assert.match(await page.innerText("section[aria-label='Largest flows']"), /likely/);
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
  // The address has them a moment before the map does: a click then would pick a cell.
  await page.waitForFunction(() => document.body.innerText.includes("2 zones; click one"));
  await settled(page);
  await page.mouse.click(...(await pixelOf(page, 0.02, 0.01)));
  await page.waitForFunction(() => location.hash.includes("at.origin=area:East"));
  await settled(page);
  await agrees(page, { where: { origin: { polygon: features[1].geometry } } });
  const again = await open(page.context(), await page.evaluate(() => location.href));
  await again.waitForFunction(() => document.body.innerText.includes("2 zones; click one"));
  await settled(again);
  await agrees(again, { where: { origin: { polygon: features[1].geometry } } });
  await again.close();
});

// A file that the page gives away.
async function saved(p, kind) {
  const [file] = await Promise.all([p.waitForEvent("download"), p.selectOption("select[aria-label=Download]", kind)]);
  return readFileSync(await file.path());
}
// Rows of the CSV: what, where, and the estimate's digits.
async function csvRows(p) {
  await settled(p);
  return (await saved(p, "csv"))
    .toString("utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((c) => c.replace(/,$/, "").replace(/^"|"$/g, ""));
      return { what: cells[0], where: cells[1], digits: cells[2] };
    });
}

test("flows that stay in one place are listed with their numbers, and have rings", async () => {
  await settled(page);
  const rows = await csvRows(page);
  const flows = rows.filter((r) => r.what === "flow");
  const stays = flows.filter((r) => new Set(r.where.split(" > ")).size === 1);
  const waits = flows.filter((r) => /^(\w+) > \1 > (?!\1$)/.test(r.where));
  assert.ok(stays.length > 0 && waits.length > 0, flows.map((r) => r.where).join("; "));
  const place = stays[0].where.split(" > ")[0];
  const box = rows.find((r) => r.what === "origin" && r.where.startsWith(`${place} bbox:`));
  const bbox = box.where.split("bbox:")[1].split(",").map(Number);
  const { digits } = told({ where: { origin: { bbox }, stop: { bbox }, destination: { bbox } } });
  assert.ok(Math.abs(Number(stays[0].digits) - Number(digits)) < 1e-6 * Number(digits), `${digits} ${stays[0].digits}`);
  const number = Math.round(Number(stays[0].digits)).toLocaleString("en-US");
  assert.ok((await saved(page, "svg")).toString("utf8").includes(`>${number}</text>`));
  assert.match(await page.innerText(".legend"), /trips by width; rings stay/);
});

test("zones that are dropped drive the flows, the arrows and the table; names are whole", async () => {
  const ring = (w, s, e, n) => [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
    [w, s],
  ];
  const areas = {
    "Financial District and its harbour": ring(-0.05, -0.05, 0, 0.05),
    "East of the river": ring(0, -0.05, 0.05, 0.05),
  };
  const features = Object.entries(areas).map(([name, r]) => ({
    type: "Feature",
    properties: { name },
    geometry: { type: "Polygon", coordinates: [r] },
  }));
  writeFileSync(join(work, "quarters.geojson"), JSON.stringify({ type: "FeatureCollection", features }));
  const p = await open(await browser.newContext({ viewport: { width: 1280, height: 800 } }), url);
  await p.waitForSelector("#estimate");
  await settled(p);
  await p.setInputFiles("input[type=file]", join(work, "quarters.geojson"));
  await p.waitForFunction(() => location.hash.includes("areas="));
  await until("flows between the zones", async () =>
    /Financial District and its harbour\s+→/.test(await p.innerText("section[aria-label='Largest flows']")),
  );
  const rows = await csvRows(p);
  const flows = rows.filter((r) => r.what === "flow");
  assert.equal(flows.length, 8);
  for (const row of [flows[0], flows[7]]) {
    const [origin, stop, destination] = row.where
      .split(" > ")
      .map((name) => ({ polygon: { type: "Polygon", coordinates: [areas[name]] } }));
    assert.equal(row.digits, told({ where: { origin, stop, destination } }).digits);
  }
  for (const name of Object.keys(areas)) {
    const bar = p.locator("section[aria-label='origin by zone'] .rowline b", { hasText: name });
    assert.ok(await bar.evaluate((b) => b.scrollWidth <= b.clientWidth && b.innerText === b.textContent));
  }
  const drawing = (await saved(p, "svg")).toString("utf8");
  assert.match(drawing, />East of the river<\/text>/);
  await p.getByRole("button", { name: "Remove them" }).click();
  await p.waitForFunction(() => !location.hash.includes("areas="));
  await p.close();
});

test("the tooltip says what is under the pointer now", async () => {
  await go(page, "flows=0");
  await settled(page);
  const box = await page.locator("#map").boundingBox();
  const tip = async () => (await page.locator(".tip").allInnerTexts()).join();
  const tipAt = async (x, y) => {
    await page.mouse.move(x - 1, y);
    await page.mouse.move(x, y);
    await until("a tooltip", async () => /trips/.test(await tip()));
    return tip();
  };
  // A pixel that shows another cell once the map is 1.5^3 times as near: how wide cells are is up to the noise.
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  let at;
  for (const [dx, dy] of [-60, -120, 90, 150, -200].flatMap((x) => [-45, 110, -150].map((y) => [x, y]))) {
    at = [middle[0] + dx, middle[1] + dy];
    const then = await tipAt(middle[0] + dx / 1.5 ** 3, middle[1] + dy / 1.5 ** 3);
    if ((await tipAt(...at)) !== then) break;
  }
  const agreesWithAMove = async (what) => {
    await settled(page);
    const said = await tip();
    await page.mouse.move(at[0] + 1, at[1]);
    await page.mouse.move(...at);
    await until(`the tooltip, ${what}`, async () => /trips/.test(await tip()));
    assert.equal(said, await tip(), what);
  };
  const first = await tip();
  await page.focus("#map");
  for (let i = 0; i < 3; i++) await page.keyboard.press("+");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await agreesWithAMove("nearer");
  assert.notEqual(first, await tip());
  await page.getByRole("button", { name: /2\. stop/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("stop=stop"));
  await agreesWithAMove("at another stop");
});

test("the document does not scroll into blank space", async () => {
  await settled(page);
  await page.setViewportSize({ width: 1400, height: 900 });
  await settled(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) <= 900);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("zoom and pan are in the address; what a link cannot mean is said", async () => {
  const seen = (p) => p.getAttribute(".map", "data-seen");
  await go(page, "");
  const start = await seen(page);
  await page.getByRole("button", { name: "Nearer" }).click();
  await page.waitForFunction(() => location.hash.includes("map="));
  const box = await page.locator("#map").boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  const near = await hash(page);
  await page.mouse.down();
  await page.mouse.move(box.x + 240, box.y + 330, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction((old) => decodeURIComponent(location.hash) !== old, near);
  await settled(page);
  const now = (await seen(page)).split(",").map(Number);
  assert.notEqual(await seen(page), start);
  const again = await open(page.context(), await page.evaluate(() => location.href));
  await again.waitForSelector("#estimate");
  await again.waitForSelector(".map[data-seen]:not([data-seen=''])");
  const there = (await seen(again)).split(",").map(Number);
  for (const [i, edge] of now.entries()) assert.ok(Math.abs(edge - there[i]) < 1e-5, `${now} ${there}`);
  await again.close();
  await page.getByRole("button", { name: "The whole map" }).click();
  await page.waitForFunction(() => location.hash === "#map=all");
  assert.equal(await page.locator("#trouble").count(), 0);
  await go(page, "at.oirgin=circle:0,0,1&stop=nowhere");
  await page.waitForSelector("#trouble");
  assert.match(await page.innerText("#trouble"), /left out: stop=nowhere; at\.oirgin=circle:0,0,1/);
  await go(page, "");
  await page.waitForSelector("#trouble", { state: "detached" });
});

test("what leaves the page says what was asked, and where", async () => {
  await go(page, "at.origin=circle:0.01,0.005,2.5&at.destination=bbox:0,0,0.05,0.05");
  const [answer] = await csvRows(page);
  assert.match(
    answer.where,
    /origin in a circle of 2\.5 km around 0\.01, 0\.005, destination in a box from 0, 0 to 0\.05/,
  );
  const drawing = (await saved(page, "svg")).toString("utf8");
  for (const words of [
    />city: origin</,
    /Asked: origin in a circle of 2\.5 km around 0\.01/,
    /epsilon 1 /,
    />trips per km²</,
  ])
    assert.match(drawing, words);
  assert.match(drawing, />About [\d,]+ trips; likely [\d,]+ to [\d,]+\.</);
  assert.match(drawing, />flows, trips by width/);
  const png = await saved(page, "png");
  const map = await page.locator("#map").boundingBox();
  assert.ok(png.readUInt32BE(20) > map.height + 100, "a title and a legend take room");
  await page.emulateMedia({ media: "print" });
  assert.match(
    (await page.innerText(".ask")).replace(/\s+/g, " "),
    /origin in a circle of 2\.5 km around 0\.01, 0\.005/,
  );
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: "Clear" }).click();
  await page.waitForFunction(() => location.hash === "");
});

test("an interval that is not claimed says so", async () => {
  run(...PUBLISH_TRIPS, "--epsilon", "0.1", "--ledger", "faint.ledger", "--budget", "1", "-o", "faint.odr");
  run("html", "faint.odr", "-o", "faint.html");
  const p = await open(
    await browser.newContext(),
    `file://${join(work, "faint.html")}#at.origin=circle:0.01,0.005,2.5`,
  );
  await p.waitForSelector("#estimate");
  await settled(p);
  assert.match(await p.innerText(".answer"), /Likely: meant for 95 %, not claimed/);
  await p.click(".how summary");
  assert.match(
    await p.innerText(".answer"),
    /Likely:\s+\S+ to \S+\s+\(meant for 95 %, not claimed\)\s+Noise alone:/,
  );
  await p.close();
});

test("two stops: the share of those at the first, as on the command line", async () => {
  const [origin, destination] = [{ circle: [0.01, 0.005, 2.5] }, { circle: [0, 0, 3] }];
  await go(page, "at.origin=circle:0.01,0.005,2.5&at.destination=circle:0,0,3");
  writeFileSync(join(work, "q.json"), JSON.stringify({ ask: "share", where: { origin, destination }, of: { origin } }));
  const { share } = JSON.parse(run("query", release, "--spec", join(work, "q.json"), "--json"));
  await page.waitForSelector("#share");
  const words = await page.innerText("#share");
  assert.ok(words.startsWith(`${Number((100 * share).toPrecision(3))} % of the trips with origin in a circle`), words);
  await go(page, "at.origin=circle:0.01,0.005,2.5");
  assert.equal(await page.locator("#share").count(), 0);
});

test("several regions at a stop are asked for together", async () => {
  await settled(page);
  const box = await page.locator("#map").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await page.waitForFunction(() => location.hash.includes("bbox"));
  await page.keyboard.down("Shift");
  await page.mouse.click(x + 120, y + 60);
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("|bbox"));
  await settled(page);
  const any_of = (await hash(page))
    .match(/at\.origin=([^&]*)/)[1]
    .split("|")
    .map((text) => ({ bbox: text.replace("bbox:", "").split(",").map(Number) }));
  assert.equal(any_of.length, 2);
  await agrees(page, { where: { origin: { any_of } } });
  assert.match(await page.innerText(".ask"), /a box or a box/);
  await page.getByRole("button", { name: "Several" }).click();
  await page.getByRole("button", { name: "Circle" }).click();
  await page.mouse.move(x - 150, y);
  await page.mouse.down();
  await page.mouse.move(x - 130, y + 20, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("|circle"));
  await settled(page);
  assert.match(await page.innerText(".ask"), /a box or a box or a circle of/);
  await page.getByRole("button", { name: "Several" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.waitForFunction(() => location.hash === "");
});

test("any question can be typed; the reply is that of the command line it shows", async () => {
  run(...PUBLISH_TRIPS, ..."--epsilon 0.7 --ledger later.ledger --budget 1 --no-calibration -o later.odr".split(" "));
  run("html", "city.odr", "later.odr", "-o", "asked.html");
  const square = (w, name) => ({
    type: "Feature",
    properties: { name },
    geometry: { type: "Polygon", coordinates: [[-0.04, 0.04, 0.04, -0.04].map((y, i) => [w + (i > 1 ? 0 : 0.05), y])] },
  });
  const features = [square(-0.05, "West side"), square(0, "East")];
  for (const f of features) f.geometry.coordinates[0].push(f.geometry.coordinates[0][0]);
  writeFileSync(join(work, "zones.geojson"), JSON.stringify({ type: "FeatureCollection", features }));
  const p = await open(await browser.newContext(), `file://${join(work, "asked.html")}#at.origin=circle:0,0,2`);
  await p.waitForSelector("#estimate");
  await p.setInputFiles("input[type=file]", join(work, "zones.geojson"));
  await p.waitForFunction(() => document.body.innerText.includes("2 zones; click one"));
  await p.getByRole("button", { name: "Ask", exact: true }).click();
  await p.waitForSelector("dialog[open] form");
  const form = p.locator("dialog form");
  const field = (label) => form.locator(`label:has(> span:text-is("${label}"))`).locator("input, select");
  assert.equal(await field("origin").inputValue(), "circle:0,0,2"); // what the map asked
  for (const summary of await form.locator("summary").all()) await summary.click();
  // Types, asks, and has the shell run what the page shows.
  const ask = async (texts, words) => {
    for (const [label, text] of Object.entries(texts)) {
      const at = field(label);
      if ((await at.evaluate((e) => e.tagName)) === "SELECT") await at.selectOption({ label: text });
      else await at.fill(text);
    }
    await form.getByRole("button", { name: "Ask" }).click();
    await p.waitForFunction((command) => document.querySelector("#reply .shell")?.innerText.endsWith(command), words);
    const command = await p.innerText("#reply .shell");
    const [file] = await Promise.all([
      p.waitForEvent("download"),
      p.getByRole("button", { name: "All digits as JSON" }).click(),
    ]);
    const printed = execFileSync("sh", ["-c", `${command.replace(/^stopover/, '"$0"')} --json`, stopover], {
      cwd: work,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    assert.deepEqual(JSON.parse(readFileSync(await file.path(), "utf8")), JSON.parse(printed), command);
    return (await p.innerText("#reply")).replace(/\s+/g, " ");
  };
  const zones = "--zones zones.geojson";
  const later = `${zones} --compare later.odr`;
  const at = "query city.odr --stop ";
  // Several together; at some stop; at none; in order.
  assert.match(
    await ask({ origin: "zone:West side | zone:East" }, `${at}'origin=zone:West side | zone:East' ${zones}`),
    /^About [\d,]+ trips; .*Likely: /,
  );
  await ask({ origin: "", "at some stop": "circle:0,0,1.5" }, `--any-stop circle:0,0,1.5 ${zones}`);
  await ask({ "at no stop": "zone:East" }, `--no-stop zone:East ${zones}`);
  await ask(
    { "at some stop": "", "at no stop": "", "in this order": "zone:West side > zone:East" },
    `--in-order 'zone:West side > zone:East' ${zones}`,
  );
  // One place less another; how sure; a hospital, a station, a district.
  assert.match(
    await ask(
      { "in this order": "", origin: "zone:East", "less origin": "zone:West side" },
      `${at}origin=zone:East --minus 'origin=zone:West side' ${zones}`,
    ),
    /Difference: [+−][\d,.]+ trips; .* times as many/,
  );
  assert.match(
    await ask(
      {
        "less origin": "",
        origin: "circle:0,0,2",
        stop: "circle:0.01,0.01,3",
        destination: "zone:East",
        "sure of more than": "100",
      },
      `${at}origin=circle:0,0,2 --stop stop=circle:0.01,0.01,3 --stop destination=zone:East --above 100 ${zones}`,
    ),
    /[\d.]+ % sure that it is more than 100|only bounds/,
  );
  // Two releases, a count; shares; tables; two releases, a table.
  assert.match(
    await ask(
      { stop: "", destination: "", "sure of more than": "", "compare with": "later.odr" },
      `origin=circle:0,0,2 ${later}`,
    ),
    /later\.odr less city\.odr: [+−][\d,.]+ trips/,
  );
  assert.match(
    await ask(
      { "compare with": "—", Question: "What share?", stop: "zone:East", "of those at": "origin, where it is asked" },
      `--stop stop=zone:East --share-of origin ${zones}`,
    ),
    /^[\d.]+ %; [\d.]+ to [\d.]+ %.* of [\d,]+ trips/,
  );
  const most = { Question: "Which places, or ways between them, have most?", origin: "", stop: "", rows: "3" };
  await field("Question").selectOption({ label: most.Question });
  await form.getByRole("checkbox", { name: "stop", exact: true }).check();
  assert.match(await ask(most, `--top 3 --over stop ${zones}`), /trips from to (West side|East) [\d,]+/);
  assert.match(await ask({ "compare with": "later.odr" }, `--top 3 --over stop ${later}`), /in later\.odr more by/i);
  await ask({ "compare with": "—", Question: "How many at each place of every stop?" }, `--totals --top 3 ${zones}`);
  assert.match(
    await ask({ Question: "How many from each place to each?" }, `--matrix origin,destination ${zones}`),
    /From origin \(down\) to destination \(across\)/,
  );
  assert.deepEqual(await faultsOf(p), []);
  // A link has the question, and its reply.
  const reply = await p.innerText("#reply");
  const again = await open(p.context(), await p.evaluate(() => location.href));
  await again.waitForSelector("#reply table");
  assert.equal(await again.innerText("#reply"), reply);
  await again.close();
  // What cannot be asked is said, in the engine's words.
  await field("origin").fill("circle:0,0");
  await form.getByRole("button", { name: "Ask" }).click();
  await p.waitForSelector("#refused");
  assert.match(await p.innerText("#refused"), /circle:0,0/);
  await p.keyboard.press("Escape");
  await p.waitForFunction(() => !location.hash.includes("ask="));
  await p.context().close();
});

test("opens where nearly all trips are; the house shows all", async () => {
  run(
    ..."publish --matrix trips.parquet --shape 2000x2000x2000x2000x2000x2000 --stops origin,stop,destination".split(
      " ",
    ),
    ..."--bbox=-0.1,-0.1,0.7,0.7 --epsilon 1 --ledger corner.ledger --budget 1 --no-calibration -o corner.odr".split(
      " ",
    ),
  );
  run("html", "corner.odr", "-o", "corner.html");
  const p = await open(
    await browser.newContext({ viewport: { width: 1280, height: 800 } }),
    `file://${join(work, "corner.html")}`,
  );
  await p.waitForSelector("#estimate");
  await settled(p);
  const seen = async () => (await p.getAttribute(".map", "data-seen")).split(",").map(Number);
  const [west, east, south, north] = await seen();
  assert.ok(east < 0.3 && north < 0.3, `${west} ${east} ${south} ${north}`);
  const bbox = [west, south, east, north];
  for (const stop of ["origin", "stop", "destination"]) {
    const inside = Number(told({ where: { [stop]: { bbox } } }, join(work, "corner.odr")).digits);
    const all = Number(told({}, join(work, "corner.odr")).digits);
    assert.ok(inside >= 0.99 * all, `${stop}: ${inside} of ${all}`);
  }
  await p.getByRole("button", { name: "The whole map" }).click();
  await p.waitForFunction(() => location.hash === "#map=all");
  await until("the whole map", async () => (await seen())[1] >= 0.7);
  await p.close();
});

test("a timeline has the trips of every hour; dragging over it asks, and it plays", async () => {
  const lines = ["trip,seq,time,lat,lng"];
  for (let i = 0; i < 3000; i++) {
    const hour = i % 3 === 0 ? 8 : (i * 7) % 24;
    for (const seq of [0, 1]) {
      const place = [0.01 * (((i + seq) * 13) % 17) - 0.08, 0.01 * (((i + 5 * seq) * 7) % 17) - 0.08];
      lines.push(`${i},${seq},2024-03-05 ${String(hour).padStart(2, "0")}:10:00,${place}`);
    }
  }
  writeFileSync(join(work, "hours.csv"), `${lines.join("\n")}\n`);
  run(
    ..."publish hours.csv --trip trip --seq seq --time time --stops od --axis time-of-day:24 --unit trip".split(" "),
    ..."--bbox=-0.1,-0.1,0.1,0.1 --grid 100x100 --epsilon 4 --ledger hours.ledger --budget 4".split(" "),
    ..."--no-calibration -o hours.odr".split(" "),
  );
  run("html", "hours.odr", "-o", "hours.html");
  const p = await open(
    await browser.newContext({ viewport: { width: 1280, height: 800 } }),
    `file://${join(work, "hours.html")}`,
  );
  await p.waitForSelector("#estimate");
  await settled(p);
  const line = p.getByRole("group", { name: "time at origin", exact: true });
  const bars = line.locator("svg rect");
  await until("24 bars", async () => (await bars.count()) === 24);
  const heights = await bars.evaluateAll((list) => list.map((r) => Number(r.getAttribute("height"))));
  assert.equal(heights.indexOf(Math.max(...heights)), 8);
  const box = await line.locator("svg").boundingBox();
  const at = (hour) => [box.x + (box.width * (hour + 0.5)) / 24, box.y + 20];
  await p.mouse.move(...at(7));
  await p.mouse.down();
  await p.mouse.move(...at(9), { steps: 3 });
  await p.mouse.up();
  await p.waitForFunction(() => /in\.[^=]+=7-10/.test(location.hash));
  await settled(p);
  const axis = (await hash(p)).match(/in\.([^=]+)=7-10/)[1];
  await agrees(p, { box: `${axis}=7:10` }, join(work, "hours.odr"));
  assert.match(await line.innerText(), /07:00 to 10:00/);
  const play = p.getByRole("button", { name: "Play time at origin" });
  await play.click();
  await p.waitForFunction(() => Number(/=(\d+)-/.exec(location.hash)?.[1]) >= 9); // two steps on, or more
  await play.click();
  await p.getByRole("button", { name: "All of time at origin" }).click();
  await p.waitForFunction(() => !location.hash.includes("in."));
  assert.deepEqual(await faultsOf(p), []);
  await p.close();
});

test("on a phone the answer is a sheet at the bottom, and fingers pinch", async () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const p = await open(await browser.newContext(phone), `${url}#at.origin=circle:0,0,2`);
  await p.waitForSelector("#estimate");
  await settled(p);
  const sheet = await p.locator(".answer").boundingBox();
  assert.ok(Math.abs(sheet.y + sheet.height - 740) < 2 && sheet.height < 330, JSON.stringify(sheet));
  assert.match(await p.innerText(".stage"), /pinch to zoom/);
  assert.ok((await p.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  // Two fingers that part bring the map nearer.
  await p.locator("#map").evaluate((e) => e.scrollIntoView());
  const map = await p.locator("#map").boundingBox();
  const seen = () => p.getAttribute(".map", "data-seen");
  const before = await seen();
  const client = await p.context().newCDPSession(p);
  const [x, y] = [map.x + map.width / 2, map.y + 80];
  const touch = (type, apart) =>
    client.send("Input.dispatchTouchEvent", {
      type,
      touchPoints:
        apart === null
          ? []
          : [
              { x: x - apart, y, id: 1 },
              { x: x + apart, y, id: 2 },
            ],
    });
  await touch("touchStart", 20);
  for (const apart of [30, 40, 50, 60]) await touch("touchMove", apart);
  await touch("touchEnd", null);
  await p.waitForFunction(() => location.hash.includes("map="));
  const span = (text) => Number(text.split(",")[1]) - Number(text.split(",")[0]);
  assert.ok(span(await seen()) < 0.6 * span(before), `${before} ${await seen()}`);
  assert.deepEqual(await faultsOf(p), []);
  await p.close();
});

test("two releases in one page are compared", async () => {
  run(
    ...PUBLISH_TRIPS,
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
    /other\.odr: [\d,]+ \(noise alone [−\d,]+ to [\d,]+\); here [+−][\d,.]+, [+−][\d,.]+ to [+−][\d,.]+/,
  );
  // The map as a difference: cells with their intervals, no flows.
  await both.selectOption("select[aria-label='Difference to another release']", "1");
  await both.waitForFunction(() => location.hash.includes("versus=1"));
  await until("the difference", async () => /less those of other\.odr/.test(await both.innerText(".legend")));
  assert.match(await both.innerText(".legend"), /\d+ of \d+ cells may be as full in other\.odr and are hidden/);
  assert.doesNotMatch(await both.innerText(".legend"), /trips by width/);
  const map = await both.locator("#map").boundingBox();
  await both.mouse.move(map.x + map.width / 2, map.y + map.height / 2);
  await until("a difference under the pointer", async () =>
    /^[+−]?[\d,.]+ trips in this cell\n\w[\w ]*: [−\d,.]+ to [−\d,.]+$/.test(
      (await both.locator(".tip").allInnerTexts()).join().replace(/ · \w+/, ""),
    ),
  );
  assert.deepEqual(await faultsOf(both), []);
  await both.selectOption("select[aria-label='Difference to another release']", "");
  await both.waitForFunction(() => !location.hash.includes("versus"));
  await both.selectOption("select[aria-label=Release]", "1");
  await settled(both);
  assert.match(await both.innerText("section[aria-label='Largest flows']"), /noise alone, 95 %|No flow/);
  await both.close();
});

test("releases of one form are a timeline with whiskers: a click goes there with the question, and it plays", async () => {
  const months = ["2024-01", "2024-02", "2024-03"];
  for (const month of months)
    run(
      ...PUBLISH_TRIPS,
      ...`--epsilon 0.5 --mechanism daf-entropy --ledger ${month}.ledger --budget 1 --no-calibration -o ${month}.odr`.split(
        " ",
      ),
    );
  run("html", ...months.map((month) => `${month}.odr`), "-o", "months.html");
  const p = await open(await browser.newContext(), `file://${join(work, "months.html")}#at.origin=circle:0,0,2`);
  await p.waitForSelector("#period");
  await settled(p);
  const bars = p.locator(".releases .bars button");
  assert.deepEqual(await bars.allInnerTexts(), ["01", "02", "03"]);
  const question = { where: { origin: { circle: [0, 0, 2] } } };
  for (const [i, month] of months.entries()) {
    const { digits } = told(question, join(work, `${month}.odr`));
    const words = await bars.nth(i).getAttribute("aria-label");
    assert.ok(words.startsWith(`${month}: about ${Math.round(Number(digits)).toLocaleString("en-US")} trips, `), words);
  }
  await bars.nth(1).click();
  await p.waitForFunction(() => location.hash.includes("release=1"));
  await settled(p);
  assert.match(await p.innerText("#period"), /^2024-02: /);
  await agrees(p, question, join(work, "2024-02.odr"));
  // A small map for each, drawn; a click on one goes there, too.
  const maps = p.locator(".smallmaps button");
  await until("small maps", async () => (await maps.count()) === 3);
  assert.deepEqual(await maps.allInnerTexts(), ["01", "02", "03"]);
  assert.equal(await maps.nth(1).getAttribute("aria-pressed"), "true");
  const drawn = await p.evaluate(() =>
    [...document.querySelectorAll(".smallmaps canvas")].map((c) => {
      const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }),
  );
  assert.ok(
    drawn.every((colors) => colors > 3),
    drawn.join(),
  );
  await maps.nth(0).click();
  await p.waitForFunction(() => !location.hash.includes("release="));
  await settled(p);
  assert.match(await p.innerText("#period"), /^2024-01: /);
  assert.match(await hash(p), /at\.origin=circle:0,0,2/);
  await maps.nth(1).click();
  await p.waitForFunction(() => location.hash.includes("release=1"));
  await settled(p);
  await p.getByRole("button", { name: "Play the releases" }).click();
  await p.waitForFunction(() => location.hash.includes("release=2"));
  await p.waitForFunction(() => !location.hash.includes("release=")); // from the beginning again
  await p.getByRole("button", { name: "Play the releases" }).click();
  assert.match(await hash(p), /at\.origin=circle:0,0,2/);
  assert.deepEqual(await faultsOf(p), []);
  await p.context().close();
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
  assert.match(await dialogText(p), /^Close\s+No privacy: made with a repeatable key/);
  assert.doesNotMatch(await dialogText(p), /differential privacy|at most \d+ % after/i);
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

// A city of zones: `side` x `side` areas with borders of `per` corners that neighbours share, or stations in them.
function zonesOf(side, per, kind) {
  const node = (i, k) => [10 + 0.01 * i, 50 + 0.01 * k];
  const border = (a, b) => {
    const turned = a[0] > b[0] || a[1] > b[1];
    const [from, to] = turned ? [b, a] : [a, b];
    const points = Array.from({ length: per }, (_, s) => {
      const u = (turned ? per - s : s) / per;
      const wave = 1e-3 * Math.sin(Math.PI * u) * Math.sin(4 * u + 700 * from[0] + 900 * from[1]);
      return [0, 1].map((c) => from[c] + (to[c] - from[c]) * u + (from[c] === to[c] ? wave : 0));
    });
    return points;
  };
  const zones = [];
  for (let i = 0; i < side; i++)
    for (let k = 0; k < side; k++) {
      const n = [node(i, k), node(i + 1, k), node(i + 1, k + 1), node(i, k + 1)];
      const ring = n.flatMap((at, j) => border(at, n[(j + 1) % 4]));
      zones.push({ id: `${kind} ${i}-${k}`, ring: [...ring, ring[0]], half: i < side / 2 ? "west" : "east" });
    }
  return zones;
}
// Most trips go from the first zone to the second.
function zoneTrips(zones, rows) {
  const lines = ["trip,o,d,why"];
  for (let i = 0; i < rows; i++) {
    const busy = i % 3 === 0;
    const [o, d] = busy ? [0, 1] : [(i * 7) % zones.length, (i * i) % zones.length];
    lines.push(`${i},${zones[o].id},${zones[d].id},${i % 4 ? "work" : "play"}`);
  }
  return `${lines.join("\n")}\n`;
}
function publishZones(name, file, zones, rows, words = []) {
  const csv = file.endsWith(".csv");
  writeFileSync(
    join(work, file),
    csv
      ? `id,lat,lng,half\n${zones.map((z) => `${z.id},${z.ring[0][1] + 0.005},${z.ring[0][0] + 0.005},${z.half}\n`).join("")}`
      : JSON.stringify({
          type: "FeatureCollection",
          features: zones.map((z) => ({
            type: "Feature",
            properties: { id: z.id, half: z.half },
            geometry: { type: "Polygon", coordinates: [z.ring] },
          })),
        }),
  );
  writeFileSync(join(work, `${name}_trips.csv`), zoneTrips(zones, rows));
  run(
    ...["publish", `${name}_trips.csv`, "--shape-of", "trips", "--trip", "trip", "--zones", file, "--zone-id", "id"],
    ...["--zone-columns", "o,d", "--levels", "half", "--unit", "trip", "--epsilon", "1", "--ledger", `${name}.ledger`],
    ...["--budget", "1", "--no-calibration", ...words, "-o", `${name}.odr`],
  );
  run("html", `${name}.odr`, "-o", `${name}.html`);
  return `file://${join(work, `${name}.html`)}`;
}

test("stations: circles, names, a search by keyboard, lists of attributes, the command line's numbers", async () => {
  const zones = zonesOf(6, 4, "Dock");
  const address = publishZones("docks", "docks.csv", zones, 6000, [
    ...["--trip-axis", "category:why=work,play", "--title", "Docks of the town", "--covers", "May 2024"],
    ...["--licence", "CC-BY-4.0"],
  ]);
  const docks = join(work, "docks.odr");
  const p = await open(await browser.newContext({ viewport: { width: 1280, height: 800 } }), address);
  await p.waitForSelector("#estimate");
  await settled(p);
  await agrees(p, {}, docks);
  // What its publisher says it is: in the head, and all of it beside the promise.
  assert.equal(await p.innerText("h1"), "Docks of the town");
  assert.match(await p.innerText(".facts"), /; May 2024$/);
  await p.getByRole("button", { name: "Guarantee" }).click();
  assert.match(await dialogText(p), /licence\s+CC-BY-4\.0/);
  await p.keyboard.press("Escape");
  // An attribute of the trip is a list with totals, not a stop with a map.
  assert.equal(await p.locator(".step").count(), 2);
  const why = p.getByRole("group", { name: "why" });
  await until("the totals are there", async () => /play\s+1,[45]/.test(await why.innerText()));
  await why.getByRole("button", { name: /play/ }).click();
  await settled(p);
  await agrees(p, { where: { why: { category: "play" } } }, docks);
  await why.getByRole("button", { name: /play/ }).click();
  // Found by name: a station with Enter, a group with the arrow.
  await p.getByRole("combobox", { name: /Find a zone/ }).fill("dock 3-2");
  await p.keyboard.press("Enter");
  await p.waitForFunction(() => decodeURIComponent(location.hash).includes("at.origin=zone:Dock 3-2"));
  await settled(p);
  await agrees(p, { where: { origin: { zone: "Dock 3-2" } } }, docks);
  assert.match(await p.innerText("section[aria-label='After: destination by zone']"), /Dock \d-\d/);
  await p.getByRole("combobox", { name: /Find a zone/ }).fill("e");
  await p.waitForSelector("[role=option]");
  assert.deepEqual(await p.locator("[role=option]").first().innerText(), "east half, 18 zones");
  await p.keyboard.press("ArrowDown");
  await p.keyboard.press("Enter");
  await p.waitForFunction(() => location.hash.includes("zone:west"));
  await settled(p);
  await agrees(p, { where: { origin: { zone: "west" } } }, docks);
  assert.deepEqual(await faultsOf(p), []);
  // Circles, boxes and shapes take the stations inside.
  await go(p, "at.origin=circle:50.01,10.02,2.2&at.destination=zone:Dock%200-1");
  await agrees(p, { where: { origin: { circle: [50.01, 10.02, 2.2] }, destination: { zone: "Dock 0-1" } } }, docks);
  await go(p, "at.origin=bbox:10,50,10.03,50.02");
  await agrees(p, { where: { origin: { bbox: [10, 50, 10.03, 50.02] } } }, docks);
  // The largest flow by name, and in the table.
  await go(p, "");
  assert.match(
    (await p.innerText("section[aria-label='Largest flows']")).replace(/\s+/g, " "),
    /Dock 0-0 → Dock 0-1 (1,9|2,0)\d\d /,
  );
  await p.getByRole("button", { name: "Table" }).click();
  assert.match(await dialogText(p), /flow\s+Dock 0-0 > Dock 0-1/);
  await p.keyboard.press("Escape");
  // A click on a circle asks for it, a second one lets go; the pointer is told its name.
  const at = await pixelOf(p, 10.035, 50.035);
  const name = "Dock 3-3";
  await p.mouse.move(...at);
  await until("the zone's name", async () => (await p.locator(".tip").allInnerTexts()).join().startsWith(name));
  await p.mouse.click(...at);
  await p.waitForFunction((n) => decodeURIComponent(location.hash).includes(`at.origin=zone:${n}`), name);
  await settled(p);
  await agrees(p, { where: { origin: { zone: name } } }, docks);
  await p.mouse.click(...at);
  await p.waitForFunction(() => !location.hash.includes("at.origin"));
  await p.setViewportSize({ width: 360, height: 740 });
  const wide = await p.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels`);
  await p.close();
  // The same page from a server.
  await serving(
    [],
    async (served) => {
      const q = await open(await browser.newContext(), `${served}#at.origin=zone:Dock%203-2`);
      await q.waitForSelector("#estimate");
      await settled(q);
      await agrees(q, { where: { origin: { zone: "Dock 3-2" } } }, docks);
      await q.close();
    },
    "docks.odr",
  );
  assert.deepEqual(complaints, []);
});

test("areas: what cuts them is answered as on the command line, to twelve digits", async () => {
  const address = publishZones("taz", "taz.geojson", zonesOf(5, 24, "Z"), 6000);
  const taz = join(work, "taz.odr");
  const p = await open(
    await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" }),
    address,
  );
  await p.waitForSelector("#estimate");
  await settled(p);
  const triangle = [
    [10.003, 50.004],
    [10.037, 50.011],
    [10.014, 50.033],
  ];
  for (const [hash, where] of [
    ["at.origin=zone:Z%202-2", { origin: { zone: "Z 2-2" } }],
    ["at.origin=zone:west&at.destination=zone:east", { origin: { zone: "west" }, destination: { zone: "east" } }],
    ["at.origin=circle:50.021,10.017,1.3", { origin: { circle: [50.021, 10.017, 1.3] } }],
    [
      "at.destination=bbox:10.004,50.003,10.0275,50.0319",
      { destination: { bbox: [10.004, 50.003, 10.0275, 50.0319] } },
    ],
    [
      `at.origin=polygon:${triangle.map((q) => q.join("%20")).join(",")}`,
      { origin: { polygon: { type: "Polygon", coordinates: [[...triangle, triangle[0]]] } } },
    ],
  ]) {
    await go(p, hash);
    await agrees(p, { where }, taz);
  }
  await p.click(".how summary");
  assert.match(await p.innerText(".answer"), /cuts \d+ of the \d+ zones/);
  await go(p, "");
  await p.mouse.click(...(await pixelOf(p, 10.025, 50.025)));
  await p.waitForFunction(() => decodeURIComponent(location.hash).includes("at.origin=zone:Z 2-2"));
  assert.match(await p.innerText(".legend"), /trips per km²/);
  assert.deepEqual(await faultsOf(p), []);
  await p.close();
  assert.deepEqual(complaints, []);
});

test("areas too fine for a page are drawn with fewer corners, and what would cut them is not asked", async () => {
  const address = publishZones("fine", "fine.geojson", zonesOf(10, 1400, "Z"), 1000);
  assert.ok(statSync(join(work, "fine.html")).size < 3e6);
  const p = await open(await browser.newContext(), `${address}#at.origin=circle:50.03,10.03,2`);
  await p.waitForSelector("#estimate");
  await settled(p);
  await agrees(p, {}, join(work, "fine.odr")); // the circle is left out
  assert.match(await p.innerText(".side"), /drawn with fewer corners/);
  assert.equal(await p.getByRole("button", { name: "Circle" }).count(), 0);
  await go(p, "at.origin=zone:Z%200-0");
  await agrees(p, { where: { origin: { zone: "Z 0-0" } } }, join(work, "fine.odr"));
  await p.close();
  assert.deepEqual(complaints, []);
});
