// A region typed instead of drawn: for keyboards, and for exact places.
import { useState } from "preact/hooks";
import { takesAreas } from "./data";
import type { Panel } from "./panel";
import { extentOf } from "./plane";
import { parseRegion, regionText, type Region } from "./region";
import { allowed } from "./view";

export function TypeRegion(p: Panel & { set(region: Region | null): void }) {
  const stop = p.stops[p.view.stop]!;
  const region = p.view.regions[p.view.stop];
  const e = extentOf(p.info, [stop]);
  const middle = { lat: (e.south + e.north) / 2, lon: (e.west + e.east) / 2 };
  const start = region
    ? regionText(region)
    : takesAreas(stop)
      ? `circle:${middle.lat.toFixed(3)},${middle.lon.toFixed(3)},1`
      : stop.zones
        ? `zone:${stop.zones.names[0]}`
        : `bbox:${e.west},${e.south},${middle.lon},${middle.lat}`;
  const kinds = [
    ...(stop.zones ? ["zone:NAME"] : []),
    ...(takesAreas(stop) ? ["circle:LAT,LNG,KM"] : []),
    ...(stop.zones && !takesAreas(stop) ? [] : ["bbox:W,S,E,N"]),
  ];
  const [wrong, setWrong] = useState(false);
  return (
    <section class="card noprint" aria-label={`Where at ${stop.name}, typed`}>
      <details>
        <summary>Type a place for {stop.name}</summary>
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            const text = (new FormData(event.currentTarget).get("region") as string).trim();
            const read = text === "" ? null : parseRegion(text, [], stop.zones);
            const bad = text !== "" && (read === null || !allowed(stop, read));
            setWrong(bad);
            if (!bad) p.set(read);
          }}
        >
          <label>
            {kinds.slice(0, -1).join(", ")}
            {kinds.length > 1 ? " or " : ""}
            {kinds.at(-1)}
            <input
              type="text"
              name="region"
              key={start}
              defaultValue={start}
              aria-invalid={wrong}
              style={{ width: "17.5rem", maxWidth: "100%" }}
            />
          </label>
          <button type="submit">Ask</button>
          {wrong && <span role="alert">That cannot be asked here.</span>}
        </form>
      </details>
    </section>
  );
}
