// A small map for each release of one form, all on one scale of colours: where something moved, at a glance. A click
// goes to that release, with the question.
import { useEffect, useRef, useState } from "preact/hooks";
import { everyCell, type CellMap } from "./cell_map";
import type { MapStop, ReleaseInfo } from "./data";
import type { Engine } from "./engine";
import { MapThumb } from "./map_thumb";
import { kMostCells, kThumbCells } from "./model";
import { grouped } from "./number";
import type { Extent } from "./plane";
import type { Question } from "./question";
import { shortNames, type Told } from "./release_timeline";
import type { View } from "./view";

export interface SmallMapsProps {
  engine: Engine;
  told: Told[];
  view: View;
  stop: MapStop;
  info: ReleaseInfo;
  question: Question; // but for what is asked at this stop
  extent: Extent;
  idle: boolean; // nothing else is being computed: then it is their turn
  theme: string;
  go(release: number): void;
}

export function SmallMaps(p: SmallMapsProps) {
  const [maps, setMaps] = useState<CellMap[]>([]);
  const { stop } = p;
  const releases = p.told.map((t) => t.release);
  const asked = JSON.stringify([p.question, stop.name, releases]);
  const known = useRef("");
  const many = (stop.zones?.size ?? 0) > kMostCells;
  useEffect(() => {
    if (!p.idle || many || known.current === asked) return;
    let stale = false;
    const work = async () => {
      // The same cells for all, or colours would not compare: those of the first.
      const cells = stop.zones
        ? { own: true, rects: everyCell(stop.zones.size) }
        : p.engine.cells(releases[0]!, stop.x, stop.y, kThumbCells);
      const made: CellMap[] = [];
      for (const release of releases) {
        await new Promise((done) => setTimeout(done, 0));
        if (stale) return;
        const { estimate } = p.engine.boxes(release, p.question, stop, cells.rects, false, 0.95);
        made.push({ ...cells, estimate, intervals: null });
      }
      known.current = asked;
      setMaps(made);
    };
    void work();
    return () => {
      stale = true;
    };
  }, [asked, p.idle, many]);
  if (many || maps.length !== releases.length) return null;
  const short = shortNames(p.told.map((t) => t.name));
  return (
    <section class="card smallmaps" aria-label="Maps, release by release">
      <h2>{stop.name}, release by release</h2>
      <div class="maps">
        {p.told.map((t, i) => (
          <button
            type="button"
            aria-pressed={t.release === p.view.release}
            aria-label={`Map of ${t.name}: about ${grouped(t.answer.estimate)} trips`}
            title={`${t.name}: about ${grouped(t.answer.estimate)} trips`}
            onClick={() => p.go(t.release)}
          >
            <MapThumb
              map={maps[i]!}
              beside={maps.filter((_, j) => j !== i)}
              info={p.info}
              stop={stop}
              region={p.view.regions[p.view.stop] ?? null}
              extent={p.extent}
              theme={p.theme}
            />
            <span class="name">{short[i]}</span>
          </button>
        ))}
      </div>
      <p class="soft small">Estimates, one scale of colours for all.</p>
    </section>
  );
}
