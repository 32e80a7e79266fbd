import assert from "node:assert/strict";
import test from "node:test";
import { PbfWriter } from "pbf";
import { creditParts } from "../src/credit";
import type { Palette } from "../src/palette";
import { SvgSurface } from "../src/surface";
import { columnOf, kUnits, latOf, lonOf, readShapes, rowOf } from "../src/tile_shapes";
import { Replaced, ServedArchive } from "../src/tile_source";
import { kindOf, placeOf, placeShown, strokes } from "../src/tile_style";

test("an attribution gives words and links, and nothing that runs", () => {
  assert.deepEqual(
    creditParts('<a href="https://osm.org/copyright" onclick="x()">&copy; OpenStreetMap</a> &amp; <b>friends</b>'),
    [{ words: "© OpenStreetMap", href: "https://osm.org/copyright" }, { words: " & friends" }],
  );
  assert.deepEqual(
    creditParts("<a href='javascript:alert(1)'>a</a><a href=\"/b\">b</a><a href=http://c.example>c</a>"),
    [{ words: "ab" }, { words: "c", href: "http://c.example" }],
  );
  assert.deepEqual(creditParts("  Plain   words &#169;&#xA9;&nope; "), [{ words: "Plain words ©©&nope;" }]);
  assert.deepEqual(creditParts('<img src=x onerror="alert(1)"><script>'), []);
  assert.deepEqual(creditParts(""), []);
});

test("three schemas, one set of kinds", () => {
  for (const [layer, type, properties, kind] of [
    ["earth", 3, { kind: "earth" }, "land"],
    ["water", 3, { kind: "ocean" }, "water"],
    ["water", 2, { kind: "river" }, "stream"],
    ["landuse", 3, { kind: "park" }, "green"],
    ["landuse", 3, { "pmap:kind": "forest" }, "green"],
    ["landuse", 3, { kind: "industrial" }, null],
    ["roads", 2, { kind: "highway" }, "highway"],
    ["roads", 2, { kind: "minor_road" }, "minor"],
    ["roads", 2, { kind: "rail" }, "rail"],
    ["roads", 2, { kind: "ferry" }, null],
    ["boundaries", 2, { kind: "country" }, "border"],
    ["buildings", 3, {}, "building"],
    ["landcover", 3, { class: "wood" }, "green"],
    ["landcover", 3, { class: "ice" }, null],
    ["waterway", 2, { class: "river" }, "stream"],
    ["transportation", 2, { class: "motorway" }, "highway"],
    ["transportation", 2, { class: "tertiary" }, "medium"],
    ["transportation", 3, { class: "path" }, null],
    ["boundary", 2, { admin_level: 4 }, "border"],
    ["boundary", 2, { admin_level: 4, maritime: 1 }, null],
    ["boundary", 2, { admin_level: 9 }, null],
    ["streets", 2, { kind: "primary" }, "major"],
    ["streets", 2, { kind: "rail", rail: true }, "rail"],
    ["water_polygons", 3, { kind: "water" }, "water"],
    ["pois", 1, { kind: "cafe" }, null],
    ["constructor", 2, {}, null],
  ] as const) {
    assert.equal(kindOf(layer, type, properties), kind, `${layer} ${JSON.stringify(properties)}`);
  }
  assert.deepEqual(placeOf({ kind: "locality", kind_detail: "city", name: "Haven" }), { name: "Haven", rank: 2 });
  assert.deepEqual(placeOf({ class: "suburb", name: "Mill" }), { name: "Mill", rank: 4 });
  assert.equal(placeOf({ kind: "locality" }), null);
  assert.equal(placeOf({ kind: "shop", name: "x" }), null);
  assert.ok(placeShown(2, 3) && !placeShown(6, 11) && placeShown(6, 13) && !placeShown(0, 11));
});

const palette = {
  land: "land",
  soft: "soft",
  map: { green: "g", water: "w", building: "b", road: "r", casing: "c", rail: "l" },
} as unknown as Palette;

test("a map of far away leaves small streets and houses out", () => {
  const kinds = (zoom: number) => new Set(strokes(zoom, palette).map((s) => s.kind));
  assert.ok(!kinds(7).has("minor") && !kinds(12).has("building"));
  assert.ok(kinds(15).has("minor") && kinds(15).has("building") && kinds(7).has("highway"));
  for (const zoom of [0, 5, 12, 18, 24])
    for (const { ink } of strokes(zoom, palette)) assert.ok(ink.fill || (ink.width! >= 0.7 && ink.width! < 30));
});

test("rows and columns of tiles go there and back", () => {
  for (const z of [0, 5, 14]) {
    assert.ok(Math.abs(lonOf(columnOf(7.6, z), z) - 7.6) < 1e-9);
    for (const lat of [-66, 0, 47.55, 84]) assert.ok(Math.abs(latOf(rowOf(lat, z), z) - lat) < 1e-9, `${lat}`);
  }
  assert.ok(rowOf(90, 3) > -0.001 && rowOf(-90, 3) < 8.001);
});

// One layer with one feature of that type.
function tile(layer: string, type: number, geometry: number[], properties: Record<string, string>): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeMessage(
    3,
    (_: unknown, w: PbfWriter) => {
      w.writeVarintField(15, 2);
      w.writeStringField(1, layer);
      w.writeMessage(
        2,
        (__: unknown, f: PbfWriter) => {
          f.writePackedVarint(
            2,
            Object.keys(properties).flatMap((___, i) => [i, i]),
          );
          f.writeVarintField(3, type);
          f.writePackedVarint(4, geometry);
        },
        null,
      );
      for (const key of Object.keys(properties)) w.writeStringField(3, key);
      for (const value of Object.values(properties))
        w.writeMessage(4, (__: unknown, v: PbfWriter) => v.writeStringField(1, value), null);
      w.writeVarintField(5, 2048);
    },
    null,
  );
  return pbf.finish();
}
const zigzag = (n: number) => (n << 1) ^ (n >> 31);

test("a tile becomes paths that are straight in latitude", () => {
  // A line from the tile's top left corner to its bottom, by the middle.
  const bytes = tile("roads", 2, [9, 0, 0, (2 << 3) | 2, zigzag(0), zigzag(1024), zigzag(2048), zigzag(1024)], {
    kind: "highway",
  });
  const deep = readShapes(bytes, 14, 8500, 5700).paths.get("highway")!.d;
  assert.equal(deep, `M0 0L0 ${kUnits / 2}L${kUnits} ${kUnits}`);
  // Far away Mercator's middle is not latitude's.
  const [, row] = /^M0 0L0 (\d+)L4096 4096$/.exec(readShapes(bytes, 2, 2, 0).paths.get("highway")!.d)!;
  const wanted = (kUnits * (latOf(0, 2) - latOf(0.5, 2))) / (latOf(0, 2) - latOf(1, 2));
  assert.ok(Math.abs(Number(row) - wanted) <= 0.5 && wanted < 0.45 * kUnits, `${row} ${wanted}`);
});

test("places of a tile's margin are its neighbour's", () => {
  const at = (x: number) =>
    readShapes(tile("places", 1, [9, zigzag(x), zigzag(1024)], { kind: "city", name: "Haven" }), 10, 512, 511).places;
  const [place] = at(1024);
  assert.equal(place!.name, "Haven");
  assert.ok(Math.abs(place!.lon - lonOf(512.5, 10)) < 1e-9 && Math.abs(place!.lat - latOf(511.5, 10)) < 1e-9);
  assert.deepEqual(at(-3), []);
  assert.deepEqual(at(2048), []);
});

test("a drawing takes stretched paths, pictures and faint groups", () => {
  const s = new SvgSurface(10, 10);
  s.faint(0.5, () => s.shape({ d: "M0 0L1 1" }, [2, 3, 4, 5], { stroke: "red", width: 2 }));
  s.image({ source: null as unknown as CanvasImageSource, url: () => "data:image/png;base64,AA" }, 1, 2, 3, 4, 0.5);
  const text = s.finish("x");
  assert.match(
    text,
    /<g opacity="0.5">\n<path d="M0 0L1 1" transform="matrix\(2 0 0 3 4 5\)" vector-effect="non-scaling-stroke"[^>]*stroke-width="2"[^>]*\/>\n<\/g>/,
  );
  assert.match(
    text,
    /<image x="1" y="2" width="3" height="4" opacity="0.5" preserveAspectRatio="none" href="data:image\/png;base64,AA"\/>/,
  );
});

test("an archive's parts are of one file", async () => {
  const asked: string[] = [];
  let tag = '"a"';
  let status = 206;
  const usual = globalThis.fetch;
  globalThis.fetch = (async (_: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(headers["Range"]!);
    return new Response("abcdefgh", { status, headers: { ETag: tag } });
  }) as unknown as typeof fetch;
  try {
    const archive = new ServedArchive("x");
    assert.equal((await archive.getBytes(0, 8)).etag, '"a"');
    assert.equal((await archive.getBytes(100, 8)).data.byteLength, 8);
    tag = '"b"';
    await assert.rejects(archive.getBytes(200, 8), Replaced);
    tag = '"a"';
    status = 412;
    await assert.rejects(archive.getBytes(200, 8), Replaced);
    status = 429;
    await assert.rejects(archive.getBytes(200, 8), /status 429/);
    assert.deepEqual(asked.slice(0, 2), ["bytes=0-7", "bytes=100-107"]);
  } finally {
    globalThis.fetch = usual;
  }
});
