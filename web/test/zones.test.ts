import assert from "node:assert/strict";
import test from "node:test";
import { mapStops, otherAxes, placeZones, takesAreas, type ReleaseInfo } from "../src/data";
import type { CellMap } from "../src/cell_map";
import { paintZones, pointRadius } from "../src/paint";
import { shadeOf } from "../src/shade";
import type { Palette } from "../src/palette";
import { axisWords } from "../src/filters";
import { wayOf } from "../src/flow_list";
import { extentOf, Plane } from "../src/plane";
import { questionOf } from "../src/question";
import { outlines, parseRegion, regionText, regionWords } from "../src/region";
import { SvgSurface } from "../src/surface";
import { readView, startView, writeView } from "../src/view";
import { ZoneMap, type ZoneInfo } from "../src/zones";

// Two by two squares of a hundredth of a degree; the last has a hole.
const square = (w: number, s: number, side = 0.01) => [w, s, w + side, s, w + side, s + side, w, s + side];
const hole = [10.012, 50.012, 10.012, 50.016, 10.016, 50.016, 10.016, 50.012];
const corners = [square(10, 50), square(10.01, 50), square(10, 50.01), square(10.01, 50.01)];
const names = ["1", "Ost", "São Bento", "east"];
const polygons = (): number[] =>
  corners.flatMap((ring, i) => [
    ring[0]! + 0.005,
    ring[1]! + 0.005,
    i === 3 ? 2 : 1,
    4,
    ...ring,
    ...(i === 3 ? [4, ...hole] : []),
  ]);
const levels = [
  {
    name: "side",
    groups: [
      { name: "south", from: 0, to: 2 },
      { name: "Ost", from: 2, to: 4 },
    ],
  },
  { name: "region", groups: [{ name: "all of it", from: 0, to: 4 }] },
];
const zoneInfo = (form: ZoneInfo["form"], exact = true): ZoneInfo => ({ form, levels, exact });

function release(form: ZoneInfo["form"], exact = true): ReleaseInfo {
  const axis = (name: string, kind: "zone" | "category", labels: string[]) => ({
    name,
    kind,
    cells: labels.length,
    lower: 0,
    upper: labels.length,
    labels,
  });
  const info = {
    name: "z.odr",
    axes: [axis("a0", "zone", names), axis("a1", "zone", names), axis("a2", "category", ["am", "pm"])],
    stops: [
      { name: "origin", axes: [0] },
      { name: "destination", axes: [1] },
      { name: "hour", axes: [2] },
    ],
    zones: zoneInfo(form, exact),
  } as unknown as ReleaseInfo;
  const numbers = form === "polygons" ? polygons() : corners.flatMap((r) => [r[0]!, r[1]!, 0]);
  placeZones(info, Float64Array.from(form === "names" ? [] : numbers));
  return info;
}

test("stops with zones that lie somewhere are maps; names and attributes of the trip are lists", () => {
  const info = release("points");
  assert.deepEqual(
    mapStops(info).map((s) => [s.name, s.x, s.y, s.geographic, s.zones === info.zoneMap]),
    [
      ["origin", 0, 0, true, true],
      ["destination", 1, 1, true, true],
    ],
  );
  assert.deepEqual(otherAxes(info), [2]);
  assert.equal(axisWords(info, 2), "hour");
  const plain = release("names");
  assert.deepEqual(mapStops(plain), []);
  assert.deepEqual(otherAxes(plain), [0, 1, 2]);
});

test("zones and groups are found by name, a zone before a group of its name", () => {
  const map = release("polygons").zoneMap!;
  assert.deepEqual(map.find("Ost"), { name: "Ost", from: 1, to: 2 });
  assert.deepEqual(map.find("south"), { name: "south", from: 0, to: 2 });
  assert.equal(map.find("os"), null);
  const found = (text: string) => map.search(text, 3).map((f) => [f.name, f.level, f.from, f.to]);
  assert.deepEqual(found("ost"), [["Ost", "", 1, 2]]); // the group of that name cannot be asked for
  assert.deepEqual(found("sao"), [["São Bento", "", 2, 3]]);
  assert.deepEqual(found("s").slice(0, 2), [
    ["south", "side", 0, 2],
    ["São Bento", "", 2, 3],
  ]);
  assert.deepEqual(found("  "), []);
  assert.deepEqual(map.groupsOf(3), ["Ost", "all of it"]);
});

test("what is under a pointer: areas without their holes, the nearest point", () => {
  const info = release("polygons");
  const map = info.zoneMap!;
  const plane = Plane.fit(extentOf(info, mapStops(info)), true, 400, 400, 10);
  const at = (x: number, y: number) => map.under(x, y, plane, () => 0);
  assert.equal(at(10.005, 50.005), 0);
  assert.equal(at(10.011, 50.011), 3);
  assert.equal(at(10.014, 50.014), -1);
  assert.equal(at(9.9999, 50.005), -1);
  const points = release("points").zoneMap!;
  const near = (x: number, reach: number) => points.under(x, 50, plane, () => reach);
  assert.equal(near(10.0003, 0), 0);
  assert.equal(near(10.004, 0), -1);
  assert.equal(near(10.004, 1000), 0);
});

test("areas have square kilometres, groups one line around them", () => {
  const map = release("polygons").zoneMap!;
  const one = map.km2(0);
  assert.ok(Math.abs(one - 1.11195 ** 2 * Math.cos((50.005 * Math.PI) / 180)) < 1e-9, String(one));
  assert.ok(Math.abs(map.km2(3) / one - 0.84) < 1e-3);
  const length = (lines: [number, number][][]) =>
    lines.reduce(
      (sum, line) => sum + line.slice(1).reduce((l, q, i) => l + Math.hypot(q[0] - line[i]![0], q[1] - line[i]![1]), 0),
      0,
    );
  assert.ok(Math.abs(length(map.border(0, 2)) - 0.06) < 1e-9); // the border between the two is not in it
  assert.equal(map.border(0, 2).length, 1);
  assert.ok(Math.abs(length(map.border(0, 4)) - 0.096) < 1e-9);
});

test("zones in questions and in the address", () => {
  const info = release("points");
  const [origin, destination] = mapStops(info);
  const region = parseRegion("zone:São Bento", [], origin!.zones)!;
  assert.equal(regionText(region), "zone:São Bento");
  assert.equal(regionWords(parseRegion("zone:south", [], origin!.zones)!, true), "south (2 zones)");
  assert.equal(parseRegion("zone:nobody", [], origin!.zones), null);
  assert.equal(parseRegion("zone:1"), null);
  assert.deepEqual(questionOf(info, [{ stop: destination!, region }], { 2: [0, 1] }), {
    where: { destination: { zone: "São Bento" } },
    box: "a2=0:1",
  });
  const view = { ...startView(mapStops(info)), regions: [null, region] };
  const text = writeView(view, info, mapStops(info));
  assert.deepEqual(readView(`#${text}`, [info], mapStops), view);
  assert.deepEqual(outlines(region), []);
});

test("areas that were simplified for the page are not cut", () => {
  const asked = (info: ReleaseInfo, text: string) => readView(`#at.origin=${text}`, [info], mapStops).regions[0];
  for (const [exact, kept] of [
    [true, true],
    [false, false],
  ] as const) {
    const info = release("polygons", exact);
    assert.equal(takesAreas(mapStops(info)[0]!), exact);
    for (const text of ["circle:50,10,1", "bbox:10,50,11,51", "polygon:10 50,11 50,11 51"])
      assert.equal(asked(info, text) !== null, kept, text);
    assert.ok(asked(info, "zone:south"));
  }
});

test("areas are shaded by trips per square kilometre, points sized by trips", () => {
  const palette = {
    ramp: [
      [0, 0, 0],
      [255, 255, 255],
    ],
    doubt: [],
    soft: "soft",
    paper: "paper",
    empty: "empty",
  } as unknown as Palette;
  const known = (values: number[]) => ({
    noiseLower: Float64Array.from(values, (v) => v - 5),
    noiseUpper: Float64Array.from(values, (v) => v + 5),
    lower: Float64Array.from(values),
    upper: Float64Array.from(values),
  });
  const cells = (values: number[]) => ({
    own: true,
    rects: new Float64Array(16),
    estimate: Float64Array.from(values),
    intervals: known(values),
  });
  const shown = (form: ZoneInfo["form"], values: number[]) => {
    const info = release(form);
    const stop = mapStops(info)[0]!;
    const plane = Plane.fit(extentOf(info, [stop]), true, 400, 400, 10);
    const map = cells(values);
    const shade = shadeOf(map, info, stop, plane, palette, false, true, true);
    const s = new SvgSurface(400, 400);
    paintZones(s, plane, map, stop.zones!, shade, palette);
    return { shade, svg: s.finish("z"), plane, zones: stop.zones! };
  };
  const areas = shown("polygons", [100, 100, 3, 84]);
  assert.equal(areas.shade.unit, "trips per km²");
  assert.equal(areas.shade.hidden, 1);
  assert.equal(areas.shade.color(2), null);
  assert.equal(areas.shade.color(0), areas.shade.color(3)); // 84 of 100 trips on 84 % of the area
  assert.equal((areas.svg.match(/fill="rgb/g) ?? []).length, 3);
  // Maps beside each other are on one scale: as many trips, the same colour.
  const [one, other] = [cells([100, 100, 30, 84]), cells([100, 5000, 900, 20])].map((m) => ({ ...m, intervals: null }));
  const form = release("polygons");
  const at = mapStops(form)[0]!;
  const flat = Plane.fit(extentOf(form, [at]), true, 400, 400, 10);
  const color = (m: CellMap, beside: CellMap[]) =>
    shadeOf(m, form, at, flat, palette, false, false, false, beside).color(0);
  assert.equal(color(one!, [other!]), color(other!, [one!]));
  assert.notEqual(color(one!, []), color(other!, []));
  const points = shown("points", [100, 25, 3, 100]);
  assert.equal(points.shade.sizes, true);
  const radius = (trips: number) => pointRadius(points.zones, points.plane, trips, points.shade.most);
  assert.ok(Math.abs(radius(100) / radius(25) - 2) < 1e-9);
  assert.equal((points.svg.match(/fill="soft"/g) ?? []).length, 1);
});

test("ways have the zones' names", () => {
  const info = release("points");
  const stops = mapStops(info);
  const none = { places: [], byArea: [false, false] };
  const flow = { estimate: 1, places: [1, 2], noiseLower: 0, noiseUpper: 1, lower: 0, upper: 1 };
  assert.deepEqual(wayOf(flow, stops, startView(stops), none), ["Ost", "São Bento"]);
  const from = parseRegion("zone:1", [], stops[0]!.zones);
  assert.deepEqual(wayOf({ ...flow, places: [2] }, stops, { ...startView(stops), regions: [from, null] }, none), [
    "here",
    "São Bento",
  ]);
  const area = { name: "Bahnhof", centre: [0, 0] as [number, number], rect: null, area: null };
  const dropped = { places: [area, area, area], byArea: [true, true] };
  assert.deepEqual(wayOf(flow, stops, startView(stops), dropped), ["Bahnhof", "Bahnhof"]);
});

test("a map of zones reads what the engine gives", () => {
  const map = new ZoneMap(zoneInfo("polygons"), names, Float64Array.from(polygons()));
  assert.deepEqual(
    map.rings.map((r) => r.length),
    [1, 1, 1, 2],
  );
  assert.deepEqual(Array.from(map.rings[3]![1]!), hole);
  assert.ok(map.extent.west < 10 && map.extent.east > 10.02 && map.extent.north > 50.02);
});
