// What every panel of the column beside the map is given.
import type { MapStop, ReleaseInfo } from "./data";
import type { Results } from "./model";
import type { View } from "./view";

export interface Panel {
  info: ReleaseInfo;
  stops: MapStop[];
  view: View;
  results: Results;
}
