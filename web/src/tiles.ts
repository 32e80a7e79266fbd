// The script that reads and draws map tiles; see tile_layer.ts.
import { TileMap } from "./tile_map";

globalThis.stopoverTiles = (address, changed) => new TileMap(address, changed);
