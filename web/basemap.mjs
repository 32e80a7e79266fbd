// Natural Earth's coasts and borders (public domain, 1:10 million, by way of world-atlas) as a few bytes a point, and
// its towns (by way of city-timezones), for src/page to cut a city's surroundings from.
//
//   node basemap.mjs OUT
//
// Twice (land, borders): a number of lines; each: a number of points, then steps of longitude and latitude in
// ten-thousandths of a degree. Then a number of towns, the largest first; each: the bytes of its name, the name, its
// longitude and latitude. Numbers are 7 bits a byte, lowest first; steps and places zigzag.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";

const require = createRequire(import.meta.url);
const read = (name) => JSON.parse(readFileSync(require.resolve(`world-atlas/${name}`), "utf8"));
const land = read("land-10m.json");
const countries = read("countries-10m.json");
// Natural Earth has an island at 0, 0 that marks missing coordinates; there is only sea.
const real = (ring) => ring.some(([lon, lat]) => Math.abs(lon) > 0.01 || Math.abs(lat) > 0.01);
const rings = feature(land, land.objects.land)
  .features.flatMap((f) => f.geometry.coordinates.flat())
  .filter(real);
const borders = mesh(countries, countries.objects.countries, (a, b) => a !== b).coordinates;

const bytes = [];
const number = (value) => {
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  bytes.push(value);
};
const step = (value) => number(value < 0 ? -2 * value - 1 : 2 * value);
for (const lines of [rings, borders]) {
  number(lines.length);
  for (const line of lines) {
    number(line.length);
    let [x, y] = [0, 0];
    for (const [lon, lat] of line) {
      const [nx, ny] = [Math.round(lon * 1e4), Math.round(lat * 1e4)];
      step(nx - x);
      step(ny - y);
      [x, y] = [nx, ny];
    }
  }
}
const towns = JSON.parse(readFileSync(require.resolve("city-timezones/data/cityMap.json"), "utf8"))
  .filter((town) => town.city)
  .sort((a, b) => b.pop - a.pop || (a.city < b.city ? -1 : 1));
number(towns.length);
for (const { city, lng, lat } of towns) {
  const name = new TextEncoder().encode(city.trim());
  number(name.length);
  bytes.push(...name);
  step(Math.round(lng * 1e4));
  step(Math.round(lat * 1e4));
}
writeFileSync(process.argv[2], Uint8Array.from(bytes));
