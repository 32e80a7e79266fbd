// A map of one stop as small as a stamp.
import { useEffect, useRef } from "preact/hooks";
import type { CellMap } from "./cell_map";
import type { MapStop, ReleaseInfo } from "./data";
import { paintCells, paintZones, regionPath } from "./paint";
import { readPalette } from "./palette";
import { Plane, type Extent } from "./plane";
import type { Region } from "./region";
import { shadeOf } from "./shade";
import { CanvasSurface } from "./surface";

export function MapThumb(p: {
  map: CellMap | null;
  beside?: CellMap[]; // on one scale of colours with it
  info: ReleaseInfo;
  stop: MapStop;
  region: Region | null;
  extent: Extent;
  theme: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const c = canvas.current!;
    const w = c.clientWidth || 58;
    const h = c.clientHeight || 58;
    c.width = 2 * w;
    c.height = 2 * h;
    const context = c.getContext("2d")!;
    context.scale(2, 2);
    const palette = readPalette();
    const { map, info, stop } = p;
    const plane = Plane.fit(p.extent, stop.geographic, w, h, 0);
    const s = new CanvasSurface(context, w, h);
    s.rect(0, 0, w, h, { fill: palette.land });
    const shade = map && shadeOf(map, info, stop, plane, palette, false, false, false, p.beside);
    if (stop.zones) paintZones(s, plane, map, stop.zones, shade, palette);
    else if (map && shade) paintCells(s, plane, map, info, stop, shade, null);
    if (p.region) s.path(regionPath(plane, p.region, 3), { stroke: palette.accent, width: 2, fill: undefined });
  }, [p.map, p.theme, p.extent, p.region]);
  return <canvas ref={canvas} aria-hidden="true" />;
}
