// A tile, read: paths by kind and places. Its coordinates run from 0 to kUnits across and down, and down is straight in
// latitude, not in Mercator's: so that one shift and stretch puts them on the page's plane.
import { VectorTile } from "@mapbox/vector-tile";
import { PbfReader } from "pbf";
import type { Drawn } from "./surface";
import { kindOf, placeLayers, placeOf, type Kind, type Place } from "./tile_style";

export const kUnits = 4096;

export const lonOf = (x: number, z: number): number => (x / 2 ** z) * 360 - 180;
export const latOf = (y: number, z: number): number =>
  (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;
export const columnOf = (lon: number, z: number): number => ((lon + 180) / 360) * 2 ** z;
export const rowOf = (lat: number, z: number): number => {
  const s = Math.sin((Math.max(-85.0511, Math.min(85.0511, lat)) * Math.PI) / 180);
  return (0.5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI)) * 2 ** z;
};

export interface TileShapes {
  paths: Map<Kind, Drawn>;
  places: (Place & { lon: number; lat: number })[];
}

export function readShapes(bytes: Uint8Array, z: number, x: number, y: number): TileShapes {
  const top = latOf(y, z);
  const tall = latOf(y + 1, z) - top;
  const texts = new Map<Kind, string[]>();
  const places: TileShapes["places"] = [];
  for (const [name, layer] of Object.entries(new VectorTile(new PbfReader(bytes)).layers)) {
    const across = (v: number) => Math.round((v / layer.extent) * kUnits);
    const latitude = (v: number) => latOf(y + v / layer.extent, z);
    const down = (v: number) => Math.round(((latitude(v) - top) / tall) * kUnits);
    for (let i = 0; i < layer.length; i++) {
      const feature = layer.feature(i);
      if (feature.type === 1 && placeLayers.has(name)) {
        const place = placeOf(feature.properties);
        const point = feature.loadGeometry()[0]?.[0];
        // In the tile itself: its neighbours have the same place in their margins.
        if (place && point && point.x >= 0 && point.y >= 0 && point.x < layer.extent && point.y < layer.extent) {
          places.push({ ...place, lon: lonOf(x + point.x / layer.extent, z), lat: latitude(point.y) });
        }
        continue;
      }
      const kind = kindOf(name, feature.type, feature.properties);
      if (!kind) continue;
      if (!texts.has(kind)) texts.set(kind, []);
      const text = texts.get(kind)!;
      for (const line of feature.loadGeometry()) {
        if (line.length < 2) continue;
        text.push(
          line.map((point, k) => `${k ? "L" : "M"}${across(point.x)} ${down(point.y)}`).join("") +
            (feature.type === 3 ? "Z" : ""),
        );
      }
    }
  }
  return { paths: new Map([...texts].map(([kind, text]) => [kind, { d: text.join("") }])), places };
}
