// A question in the words of `stopover query --spec` (docs/guide/answers.md).
import type { MapStop, ReleaseInfo } from "./data";
import { digits12 } from "./number";
import type { Region } from "./region";

export interface Question {
  where?: Record<string, object>;
  box?: string;
  range?: string;
  ask?: "share"; // `of` the trips there
  of?: Record<string, object>;
}

export interface Asked {
  stop: MapStop;
  region: Region;
}

export function regionSpec(region: Region): object {
  switch (region.kind) {
    case "circle":
      return { circle: [region.lat, region.lon, region.km] };
    case "bbox":
      return { bbox: [region.west, region.south, region.east, region.north] };
    case "zone":
      return { zone: region.name };
    case "area":
      return { polygon: region.area.geometry };
    case "polygon":
      return { polygon: { type: "Polygon", coordinates: [[...region.points, region.points[0]!]] } };
    case "union":
      return { any_of: region.parts.map(regionSpec) };
  }
}

// Regions of stops without degrees are ranges of their axes' own coordinates.
export function questionOf(info: ReleaseInfo, regions: Asked[], filters: Record<number, [number, number]>): Question {
  const question: Question = {};
  const ranges: string[] = [];
  for (const { stop, region } of regions) {
    if (stop.geographic) {
      (question.where ??= {})[stop.name] = regionSpec(region);
    } else if (region.kind === "bbox") {
      ranges.push(`${info.axes[stop.x]!.name}=${digits12(region.west)}:${digits12(region.east)}`);
      ranges.push(`${info.axes[stop.y]!.name}=${digits12(region.south)}:${digits12(region.north)}`);
    }
  }
  if (ranges.length) question.range = ranges.join(",");
  const cells = Object.entries(filters).map(([axis, [lo, hi]]) => `${info.axes[Number(axis)]!.name}=${lo}:${hi}`);
  if (cells.length) question.box = cells.join(",");
  return question;
}
