import assert from "node:assert/strict";
import test from "node:test";
import { epsilonWords, mapStops, otherAxes, type ReleaseInfo } from "../src/data";
import { areaUnder, packAreas, readAreas, unpackAreas } from "../src/areas";
import { csvText, noiseReach, tableRows } from "../src/dialogs";
import type { Answer } from "../src/engine";
import {
  commandOfInquiry,
  emptyInquiry,
  inquiryOf,
  questionOfInquiry,
  readInquiry,
  writeInquiry,
} from "../src/inquiry";
import { digits12, grouped, letters, niceStep, share } from "../src/number";
import { differenceOf } from "../src/cell_map";
import { cellsAtOnce, type Results } from "../src/model";
import { chainUnder, type Chain } from "../src/chains";
import { paintNoPrivacy } from "../src/paint";
import type { Palette } from "../src/palette";
import { busyStrips, centreOf, clusters, opened, type Raster } from "../src/places";
import { Plane } from "../src/plane";
import { questionOf } from "../src/question";
import {
  circleOutline,
  distanceKm,
  parseRegion,
  regionPlace,
  regionText,
  settled,
  toggled,
  type Region,
} from "../src/region";
import { shortNames } from "../src/release_timeline";
import { SvgSurface } from "../src/surface";
import { readView, startView, writeView } from "../src/view";

const axis = (
  name: string,
  kind: "longitude" | "latitude" | "number" | "category" | "time",
  cells: number,
  lower: number,
  upper: number,
  labels: string[] = [],
) => ({ name, kind, cells, lower, upper, labels });
const info: ReleaseInfo = {
  name: "city.odr",
  description: {},
  mechanism: "anchor",
  epsilon: "1",
  spent: "1",
  unit: "trip",
  max_trips_per_user: 1,
  protects: "one trip",
  most_epsilon: "1",
  date: "2024-02-29",
  partitions: 9,
  answer_model: "uniform",
  content_sha256: "0",
  not_private: "",
  superseded: "",
  card: { title: "t", promise: [], not_covered: [] },
  axes: [
    axis("a0", "longitude", 16, -122.52, -122.36),
    axis("a1", "latitude", 8, 37.7, 37.82),
    axis("h", "time", 24, 0, 24),
    axis("x", "number", 10, 0, 10),
    axis("y", "number", 10, 0, 10),
    axis("why", "category", 2, 0, 2, ["work", "other"]),
  ],
  stops: [
    { name: "origin", axes: [0, 1, 2] },
    { name: "hall & co", axes: [3, 4] },
    { name: "why", axes: [5] },
  ],
  zones: null,
};

test("epsilon is told for one period and for all of them", () => {
  assert.equal(epsilonWords(info), "1");
  assert.equal(epsilonWords({ epsilon: "0.5", most_epsilon: "6" }), "0.5 a period, 6 for who is in all of them");
});

test("stops with two axes of place are maps; the rest filters", () => {
  assert.deepEqual(
    mapStops(info).map((s) => [s.name, s.x, s.y, s.geographic]),
    [
      ["origin", 0, 1, true],
      ["hall & co", 3, 4, false],
    ],
  );
  assert.deepEqual(otherAxes(info), [2, 5]);
});

const regions: Region[] = [
  { kind: "circle", lat: 37.795, lon: -122.393, km: 1.25 },
  { kind: "bbox", west: -122.52, south: 37.7, east: -122.4, north: 37.75 },
  {
    kind: "polygon",
    points: [
      [-122.5, 37.7],
      [-122.4, 37.71],
      [-122.45, 37.8],
    ],
  },
];

test("regions survive their text", () => {
  for (const region of regions) assert.deepEqual(parseRegion(regionText(region)), region);
  assert.deepEqual(settled({ kind: "circle", lat: 1 / 3, lon: 0, km: 1 }), {
    kind: "circle",
    lat: 0.333333,
    lon: 0,
    km: 1,
  });
  const both = parseRegion("circle:37.795,-122.393,1.25 | bbox:-122.52,37.7,-122.4,37.75");
  assert.deepEqual(both, { kind: "union", parts: regions.slice(0, 2) });
  assert.equal(regionText(both!), `${regionText(regions[0]!)}|${regionText(regions[1]!)}`);
  for (const bad of [
    "circle:1,2,3|bbox:3,0,1,1",
    "",
    "circle:1,2",
    "circle:1,2,-3",
    "circle:1,2,x",
    "bbox:3,0,1,1",
    "polygon:1 2,3 4",
    "polygon:1 2,3 4,5",
    "disc:1,2,3",
  ]) {
    assert.equal(parseRegion(bad), null, bad);
  }
});

test("several regions together, each once; a second time lets go", () => {
  const [circle, box] = regions as [Region, Region];
  const both = toggled(circle, box);
  assert.equal(regionText(both!), `${regionText(circle)}|${regionText(box)}`);
  assert.deepEqual(toggled(both, circle), box);
  assert.equal(toggled(circle, circle), null);
  assert.deepEqual(toggled(null, box), box);
  const question = questionOf(info, [{ stop: mapStops(info)[0]!, region: both! }], {});
  assert.deepEqual(question.where!["origin"], {
    any_of: [{ circle: [37.795, -122.393, 1.25] }, { bbox: [-122.52, 37.7, -122.4, 37.75] }],
  });
});

test("words for paper say where a region is", () => {
  assert.equal(regionPlace(regions[0]!, true), "a circle of 1.25 km around 37.795, −122.393");
  assert.equal(regionPlace(regions[1]!, true), "a box from 37.7, −122.52 to 37.75, −122.4");
});

test("the address holds the view", () => {
  const stops = mapStops(info);
  const view = {
    ...startView(stops),
    stop: 1,
    regions: [regions[2]!, regions[1]!],
    filters: { 2: [7, 10] as [number, number] },
    map: { west: -122.5, south: 37.71, east: -122.41, north: 37.79 },
    places: 48,
    flows: false,
    hide: false,
    shade: "doubt" as const,
    base: false,
  };
  assert.deepEqual(readView(`#${writeView(view, info, stops)}`, [info], mapStops), view);
  assert.equal(writeView(startView(stops), info, stops), "");
});

test("nonsense in the address is left out, and named", () => {
  const bad =
    "stop=nobody&at.origin=circle:1&in.h=9-3&in.why=0-99&places=1000&%E0%A4%A=1&x&release=7&map=1,2,0,3".split("&");
  const wrong: string[] = [];
  const view = readView(`#${bad.join("&")}`, [info], mapStops, [], wrong);
  assert.deepEqual(view, startView(mapStops(info)));
  assert.deepEqual(wrong.sort(), bad.sort());
  const none: string[] = [];
  readView("#map", [info], mapStops, [], none); // where the keyboard skips to
  readView("#map=all&places=12", [info], mapStops, [], none);
  assert.deepEqual(none, []);
});

// Trips in two corners of the map, more in the first.
const raster = (): Raster => {
  const trips = new Float64Array(32 * 32);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++) {
      trips[(2 + j) * 32 + 2 + i] = 10;
      trips[(26 + j) * 32 + 26 + i] = 5;
    }
  const edges = Array.from({ length: 33 }, (_, k) => k);
  return { xs: edges, ys: edges, trips, reach: null };
};

test("clusters cover the view, the fullest first, and are where the trips are", () => {
  for (const most of [2, 12, 24]) {
    const places = clusters(raster(), most, 1);
    assert.ok(places.length <= most && places.length >= 2);
    const area = places.reduce((sum, p) => sum + (p.rect!.east - p.rect!.west) * (p.rect!.north - p.rect!.south), 0);
    assert.equal(area, 32 * 32);
    for (const p of places) assert.ok(p.rect!.east - p.rect!.west >= 3 && p.rect!.north - p.rect!.south >= 3);
    assert.equal(places[0]!.name, "A");
  }
  const [a, b] = clusters(raster(), 2, 1);
  assert.ok(a!.centre[0] < 10 && b!.centre[0] > 20);
  assert.deepEqual(
    centreOf(raster(), (x) => x < 16),
    [4, 4],
  );
  const wide = clusters({ ...raster(), reach: { west: -9, east: 40, south: -9, north: 40 } }, 12, 1);
  assert.equal(Math.min(...wide.map((p) => p.rect!.west)), -9);
});

test("the opening box holds 99 % of the trips", () => {
  const across = [0, 1, 0, 40, 50, 8, 0.5, 0.2, 0];
  const up = [0.3, 0, 99.4, 0];
  const [x0, x1, y0, y1] = busyStrips(across, up);
  assert.deepEqual([x0, x1, y0, y1], [1, 7, 2, 3]);
  const all = { west: 0, east: 100, south: 0, north: 100 };
  assert.deepEqual(opened([{ west: 10, east: 20, south: 10, north: 20 }], all), {
    west: 9.6,
    east: 20.4,
    south: 9.6,
    north: 20.4,
  });
  assert.deepEqual(opened([{ west: 5, east: 95, south: 40, north: 60 }], all), all);
});

test("a flow under the pointer is found, a ring too", () => {
  const plane = Plane.fit({ west: 0, south: 0, east: 1, north: 1 }, false, 1000, 1000, 0);
  const chain = (points: [number, number][], stays: boolean): Chain => ({
    points,
    estimate: 10,
    stays,
    doubtful: false,
    words: "",
    from: 1,
    to: 20,
  });
  const way = chain(
    [
      [0.1, 0.5],
      [0.9, 0.5],
    ],
    false,
  );
  const home = chain(
    [
      [0.5, 0.9],
      [0.5, 0.9],
    ],
    true,
  );
  assert.equal(chainUnder(plane, [way, home], 500, 471), way); // it bends to the left of its way
  assert.equal(chainUnder(plane, [way, home], 500, 540), null);
  assert.equal(chainUnder(plane, [way, home], 500 + 15.4, 100), home);
  assert.equal(chainUnder(plane, [way, home], 500, 100), null);
});

test("questions speak the command line's language", () => {
  const [origin, hall] = mapStops(info);
  assert.deepEqual(questionOf(info, [], {}), {});
  assert.deepEqual(questionOf(info, [{ stop: origin!, region: regions[0]! }], { 2: [7, 10] }), {
    where: { origin: { circle: [37.795, -122.393, 1.25] } },
    box: "h=7:10",
  });
  assert.deepEqual(
    questionOf(info, [{ stop: hall!, region: { kind: "bbox", west: 1, south: 2, east: 3, north: 4 } }], {}),
    { range: "x=1:3,y=2:4" },
  );
  const polygon = questionOf(info, [{ stop: origin!, region: regions[2]! }], {}).where!["origin"] as {
    polygon: { coordinates: number[][][] };
  };
  assert.deepEqual(polygon.polygon.coordinates[0]![0], polygon.polygon.coordinates[0]!.at(-1));
});

test("a circle's outline is a circle", () => {
  for (const [lon, lat] of circleOutline(60, 10, 5)) assert.ok(Math.abs(distanceKm([10, 60], [lon, lat]) - 5) < 1e-6);
});

test("the plane goes there and back", () => {
  const plane = Plane.fit({ west: 10, south: 59, east: 11, north: 60 }, true, 800, 600, 10);
  assert.ok(Math.abs(plane.lon(plane.x(10.3)) - 10.3) < 1e-9);
  assert.ok(Math.abs(plane.lat(plane.y(59.7)) - 59.7) < 1e-9);
  const near = plane.zoomed(2, 100, 100, plane.scale);
  assert.ok(Math.abs(near.lon(100) - plane.lon(100)) < 1e-9);
  assert.ok(plane.x(10) >= 9 && plane.y(60) >= 9);
});

test("numbers as people read them", () => {
  assert.equal(grouped(1234567.8), "1,234,568");
  assert.equal(grouped(-0.01), "0");
  assert.equal(grouped(-12.4), "−12");
  assert.equal(digits12(1 / 3), "0.333333333333");
  assert.equal(niceStep(130), 100);
  assert.equal(niceStep(0.07), 0.05);
  assert.equal(share(1, 8), "13 %");
  assert.deepEqual([0, 25, 26, 53].map(letters), ["A", "Z", "AA", "BB"]);
});

test("CSV quotes what needs it", () => {
  const text = csvText(
    [
      {
        what: 'a "b"',
        where: "A1, B2",
        estimate: 1 / 3,
        lower: 0,
        upper: 0.5,
        noiseLower: NaN,
        noiseUpper: 2,
        calibrated: true,
        claimed: false,
      },
    ],
    info,
  );
  assert.equal(
    text,
    'what,where,estimate,lower,upper,noise_lower,noise_upper,calibrated,claimed\n"a ""b""","A1, B2",0.333333333333,0,0.5,,2,true,false\n',
  );
});

test("a release that protects nobody says so in every row and on every picture that leaves the page", () => {
  const open = { ...info, not_private: 'made with a key that can be repeated ("a")' };
  const row = {
    what: "answer",
    where: "the question",
    estimate: 1,
    lower: 0,
    upper: 2,
    noiseLower: 0,
    noiseUpper: 2,
    calibrated: false,
    claimed: false,
  };
  const lines = csvText([row, row], open).trim().split("\n");
  assert.match(lines[0]!, /,claimed,not_private$/);
  for (const line of lines.slice(1))
    assert.match(line, /,false,false,"made with a key that can be repeated \(""a""\)"$/);
  const palette = { accent: "red", paper: "white" } as Palette;
  const picture = (of: ReleaseInfo) => {
    const s = new SvgSurface(200, 100);
    paintNoPrivacy(s, of, palette);
    return s.finish("map");
  };
  assert.match(picture(open), /No privacy: city\.odr was made with a key that can be repeated/);
  assert.doesNotMatch(picture(info), /privacy/);
});

test("rows say what their interval is, and the noise's alone is never claimed", () => {
  const stops = mapStops(info);
  const zone = { name: "A1", estimate: 5, lower: 1, upper: 9, noiseLower: 3, noiseUpper: 7 };
  const rows = (calibrated: boolean, claimed: boolean) => {
    const answer: Answer = {
      estimate: 5,
      noise_lower: 3,
      noise_upper: 7,
      level: 0.95,
      partitions_cut: 1,
      aligned: false,
      bounds_lower: 0,
      bounds_upper: 20,
      lower: 1,
      upper: 9,
      calibrated,
      claimed,
    };
    const flow = { ...zone, places: [0, 0] };
    const results: Results = {
      answer,
      others: [],
      share: null,
      failure: null,
      total: 5,
      calibrated,
      claimed,
      map: null,
      difference: null,
      labels: {},
      bins: {},
      thumbs: [],
      places: [],
      byArea: [false, false],
      raster: null,
      zones: [[zone], null],
      flows: [flow],
      flowsDone: true,
    };
    return tableRows({ info, stops, view: startView(stops), results }).map((r) => [r.what, r.calibrated, r.claimed]);
  };
  for (const [calibrated, claimed, said] of [
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ] as const) {
    assert.deepEqual(
      rows(calibrated, claimed),
      ["answer", "origin", "flow"].map((what) => [what, calibrated, said]),
    );
  }
});

test("a drawing escapes its words", () => {
  const s = new SvgSurface(10, 10);
  s.text(1, 1, "<script>", { fill: "red", size: 3 });
  assert.ok(!s.finish('"x"').includes("<script>"));
});

test("areas of a GeoJSON file", () => {
  const square = (x: number, name: string) => ({
    type: "Feature",
    properties: { name },
    geometry: {
      type: "Polygon",
      coordinates: [
        [
          [x, 0],
          [x + 1, 0],
          [x + 1, 1],
          [x, 1],
          [x, 0],
        ],
      ],
    },
  });
  const areas = readAreas(
    JSON.stringify({ type: "FeatureCollection", features: [square(0, "West"), square(1, "East")] }),
  );
  assert.equal(areaUnder(areas, 1.5, 0.5)?.name, "East");
  assert.equal(areaUnder(areas, 5, 0.5), null);
  for (const bad of ["{}", '{"type":"FeatureCollection","features":[]}', "[1]"]) assert.throws(() => readAreas(bad));
});

test("small zones travel in the address, large ones do not", async () => {
  const square = (x: number, n: number) => ({
    type: "Feature",
    properties: { name: `Bezirk ${n}` },
    geometry: {
      type: "Polygon",
      coordinates: [
        [
          [x, 0],
          [x + 1 / 3, 0],
          [x + 1, 1],
          [x, 1],
          [x, 0],
        ],
      ],
    },
  });
  const areas = readAreas(JSON.stringify({ type: "FeatureCollection", features: [square(0, 1), square(1, 2)] }));
  const packed = await packAreas(areas);
  assert.match(packed!, /^[\w-]+$/);
  const stops = mapStops(info);
  const view = { ...startView(stops), areas: packed!, regions: [{ kind: "area" as const, area: areas[1]! }, null] };
  const text = writeView(view, info, stops);
  const back = await unpackAreas(readView(text, [info], mapStops).areas);
  assert.deepEqual(
    back.map((a) => a.name),
    ["Bezirk 1", "Bezirk 2"],
  );
  assert.deepEqual(back[1]!.rings[0]![1], [1.333333, 0]);
  assert.equal(regionText(readView(text, [info], mapStops, back).regions[0]!), "area:Bezirk 2");
  assert.equal(readView(text, [info], mapStops).regions[0], null);
  assert.equal(writeView({ ...view, areas: "" }, info, stops), "");
  const noise = Array.from({ length: 3000 }, (_, i) => [Math.sin(i * 7.77), Math.cos(i * 3.33)] as [number, number]);
  assert.equal(
    await packAreas([{ name: "x", geometry: { type: "Polygon", coordinates: [noise] }, rings: [noise] }]),
    null,
  );
  await assert.rejects(unpackAreas("AAAA"));
});

test("a typed question: for the engine, for a shell, for the address", () => {
  const stop = info.stops[0]!.name;
  const end = info.stops.at(-1)!.name;
  const empty = emptyInquiry(info);
  assert.deepEqual(questionOfInquiry(empty, []), {});
  assert.equal(writeInquiry(empty, info), "{}");
  assert.equal(commandOfInquiry(empty, ["city.odr"], 0, []), "stopover query city.odr");
  const q = {
    ...empty,
    where: { [stop]: " zone:O'Hare | zone:B ", [end]: "" },
    minus: { [end]: "zone:C" },
    above: "100",
  };
  assert.deepEqual(questionOfInquiry(q, []), {
    where: { [stop]: "zone:O'Hare | zone:B" },
    minus: { [end]: "zone:C" },
    above: 100,
  });
  assert.equal(
    commandOfInquiry(q, ["my city.odr"], 0, []),
    `stopover query 'my city.odr' --stop '${stop}=zone:O'\\''Hare | zone:B' --minus ${end}=zone:C --above 100`,
  );
  // A share has no use for what a count had.
  const share = { ...q, ask: "share" as const, of: stop };
  assert.deepEqual(questionOfInquiry(share, []), {
    ask: "share",
    where: { [stop]: "zone:O'Hare | zone:B" },
    of: { [stop]: "zone:O'Hare | zone:B" },
  });
  const back = readInquiry(writeInquiry(q, info), [info], 0)!;
  assert.deepEqual(questionOfInquiry(back, []), questionOfInquiry(q, []));
  for (const bad of [
    "",
    "[]",
    "null",
    '{"ask":"all"}',
    '{"where":{"nowhere":"x"}}',
    '{"versus":0}',
    '{"top":3}',
    '{"x":1}',
  ])
    assert.equal(readInquiry(bad, [info], 0), null, bad);
  const view = readView(`ask=${encodeURIComponent(writeInquiry(q, info))}`, [info], mapStops);
  assert.equal(view.ask, writeInquiry(q, info));
  assert.equal(readView(writeView(view, info, mapStops(info)), [info], mapStops).ask, view.ask);
  const wrong: string[] = [];
  assert.equal(readView("ask=nonsense", [info], mapStops, [], wrong).ask, "");
  assert.deepEqual(wrong, ["ask=nonsense"]);
  // What the map asks is where one goes on from; a dropped area is a zone to the engine.
  const area = { name: "Old Town", geometry: { type: "Polygon", coordinates: [] }, rings: [] };
  const asked = { ...startView(mapStops(info)), regions: [{ kind: "area" as const, area }, null] };
  assert.equal(inquiryOf(info, mapStops(info), asked).where[stop], "zone:Old Town");
});

test("the difference of two releases has the noise of both", () => {
  const a = { estimate: 100, lower: 97, upper: 103, noiseLower: 96, noiseUpper: 102 };
  const b = { estimate: 60, lower: 56, upper: 64, noiseLower: 56, noiseUpper: 64 };
  assert.deepEqual(differenceOf(a, b), { estimate: 40, lower: 35, upper: 45, noiseLower: 34, noiseUpper: 44 });
});

test("names of releases without what they all begin with", () => {
  assert.deepEqual(shortNames(["2019-01", "2019-02"]), ["01", "02"]);
  assert.deepEqual(shortNames(["2019-12", "2020-01"]), ["2019-12", "2020-01"]);
  assert.deepEqual(shortNames(["city-a", "city-ab"]), ["a", "ab"]);
  assert.deepEqual(shortNames(["one"]), ["one"]);
});

test("a slow release is drawn with fewer cells first", () => {
  assert.equal(cellsAtOnce(0), 1400);
  assert.equal(cellsAtOnce(0.03), 1400);
  assert.equal(cellsAtOnce(0.05), 700);
  assert.equal(cellsAtOnce(5), 350);
});

test("noise of a count", () => {
  // P(|x| > m) <= 0.05 < P(|x| > m - 1)
  for (const [epsilon, trips] of [
    [1, 1],
    [0.1, 1],
    [2, 4],
  ] as const) {
    const q = Math.exp(-epsilon / trips);
    const beyond = (m: number) => (2 * q ** (m + 1)) / (1 + q);
    const m = noiseReach(epsilon, trips);
    assert.ok(beyond(m) <= 0.05 && beyond(m - 1) > 0.05);
  }
});
