// Unpacks what the page carries and starts the app; if that fails, the picture that is in the page stays.
import { render } from "preact";
import { App } from "./app";
import { fromBase64, gunzip } from "./bytes";
import { placeZones, type PageData } from "./data";
import { Engine } from "./engine";
import { grouped } from "./number";

const carried = (id: string) => document.getElementById(id)!.textContent!;

async function start(): Promise<void> {
  const data = JSON.parse(carried("stopover-data")) as PageData;
  const engine = await Engine.start(await gunzip(fromBase64(carried("stopover-engine"))));
  for (let i = 0; i < data.releases.length; i++) {
    engine.load(await gunzip(fromBase64(carried(`stopover-release-${i}`))));
    placeZones(data.releases[i]!, engine.zones(i));
  }
  document.getElementById("wait")?.remove();
  render(<App engine={engine} data={data} />, document.getElementById("app")!);
}

// Above this many boxes a tab needs more than a third of a gigabyte.
const kMany = 300_000;

function howMany(): string {
  try {
    const boxes = (JSON.parse(carried("stopover-data")) as PageData).releases.reduce((sum, r) => sum + r.partitions, 0);
    return boxes > kMany
      ? ` It has ${grouped(boxes)} boxes, which need much memory: close other tabs, or ask a coarser release.`
      : "";
  } catch {
    return "";
  }
}

start().catch((error: unknown) => {
  const place = document.getElementById("app")!;
  place.textContent = "";
  place.className = "trouble";
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = `This browser could not start the explorer (${String((error as Error).message)}).${howMany()} Below is what the release looks like; stopover query answers questions.`;
  place.append(words);
  const picture = document.getElementById("static");
  if (picture) picture.style.display = "block";
});
