// How soon pages show and follow the hand: the first frame, a click, a circle, another stop, zooming; headless,
// software rendering.
//
//   node measure.mjs WEB_FOLDER CHROMIUM PAGE.html...
//
// Each line: median and slowest of the tries, in milliseconds, from the action to the new picture (answer and map of
// the new question). "longest task" is how long the page ever stood still while it worked out intervals and flows
// afterwards.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { statSync } from "node:fs";

const [web, executablePath, ...files] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(web), "package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
const words = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return `${Math.round(sorted[sorted.length >> 1])} (${Math.round(sorted.at(-1))})`;
};
const settled = (page) =>
  page.waitForFunction(() => !/searching …|working out/.test(document.body.innerText), undefined, { timeout: 120_000 });

for (const file of files) {
  const first = [];
  for (let i = 0; i < 3; i++) {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    await page.goto(`file://${resolve(file)}`);
    await page.waitForSelector("#estimate", { timeout: 60_000 });
    await page.waitForFunction(() => performance.getEntriesByName("stopover-painted").length > 0);
    first.push(await page.evaluate(() => performance.getEntriesByName("stopover-painted")[0].startTime));
    await page.context().close();
  }
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.addInitScript(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, e.duration);
    }).observe({ entryTypes: ["longtask"] });
  });
  await page.goto(`file://${resolve(file)}`);
  await page.waitForSelector("#estimate", { timeout: 60_000 });
  const begin = Date.now();
  await settled(page);
  const whole = Date.now() - begin;
  const box = await page.locator("#map").boundingBox();
  const took = () =>
    page.evaluate(async () => {
      while (performance.getEntriesByName("stopover-painted").length === 0)
        await new Promise((done) => setTimeout(done, 1));
      return (
        performance.getEntriesByName("stopover-painted")[0].startTime -
        performance.getEntriesByName("stopover-asked")[0].startTime
      );
    });
  const act = async (what) => {
    await settled(page);
    await page.evaluate(() => {
      performance.clearMarks();
    });
    await what();
    return took();
  };
  await page.evaluate(() => {
    globalThis.longest = 0;
  });
  const clicks = [],
    circles = [],
    stops = [],
    zooms = [];
  for (let i = 0; i < 5; i++) {
    const at = [box.x + box.width * (0.42 + 0.03 * i), box.y + box.height * (0.5 - 0.02 * i)];
    clicks.push(await act(() => page.mouse.click(...at)));
    await act(() => page.mouse.click(...at));
  }
  for (let i = 0; i < 3; i++) {
    circles.push(
      await act(async () => {
        await page.getByRole("button", { name: "Circle", exact: true }).click();
        await page.mouse.move(box.x + box.width * 0.45, box.y + box.height * 0.5);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.5 + 10 * i, box.y + box.height * 0.55, { steps: 3 });
        await page.mouse.up();
      }),
    );
  }
  for (const button of await page.locator(".step").all()) stops.push(await act(() => button.click()));
  await settled(page);
  for (let i = 0; i < 6; i++) {
    zooms.push(
      await page.evaluate(
        (in_) =>
          new Promise((done) => {
            const map = document.getElementById("map");
            const r = map.getBoundingClientRect();
            const start = performance.now();
            map.dispatchEvent(
              new WheelEvent("wheel", {
                deltaY: in_ ? -200 : 200,
                clientX: r.x + r.width / 2,
                clientY: r.y + r.height / 2,
                cancelable: true,
              }),
            );
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
          }),
        i < 3,
      ),
    );
  }
  const longest = await page.evaluate(() => globalThis.longest);
  const facts = (await page.$eval(".facts", (e) => e.textContent)).match(/[\d,.]+ boxes/)[0];
  console.log(
    `${facts}, ${(statSync(file).size / 1e6).toFixed(1)} MB: first frame ${words(first)}, click ${words(clicks)}, circle ${words(circles)}, other stop ${words(stops)}, zoom ${words(zooms)}; all worked out after ${whole}, longest task ${Math.round(longest)}`,
  );
  await page.context().close();
}
await browser.close();
