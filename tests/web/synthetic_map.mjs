// A synthetic city as a PMTiles file: coast, river, parks, streets, houses and names around 0, 0, as Protomaps or
// OpenMapTiles name them, or as pictures. Also a small writer of PMTiles 3 and of vector tiles.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync, gzipSync } from "node:zlib";

const kExtent = 4096;
const kMargin = 128;

// ---- vector tiles

const zigzag = (n) => (n << 1) ^ (n >> 31);

// A polygon's ring, cut to a square.
function cutRing(ring, low, high) {
  let points = ring;
  for (const [axis, limit, keep] of [
    [0, low, 1],
    [0, high, -1],
    [1, low, 1],
    [1, high, -1],
  ]) {
    const inside = (p) => keep * (p[axis] - limit) >= 0;
    const out = [];
    points.forEach((p, i) => {
      const q = points[(i + points.length - 1) % points.length];
      if (inside(p) !== inside(q)) {
        const t = (limit - q[axis]) / (p[axis] - q[axis]);
        out.push([q[0] + t * (p[0] - q[0]), q[1] + t * (p[1] - q[1])]);
      }
      if (inside(p)) out.push(p);
    });
    points = out;
  }
  return points;
}

function geometry(type, parts) {
  const out = [];
  let [x, y] = [0, 0];
  const step = ([nx, ny]) => {
    out.push(zigzag(nx - x), zigzag(ny - y));
    [x, y] = [nx, ny];
  };
  for (const part of parts) {
    const points = part.map(([px, py]) => [Math.round(px), Math.round(py)]);
    out.push((1 << 3) | 1);
    step(points[0]);
    if (type === 1) continue;
    out.push(((points.length - 1) << 3) | 2);
    points.slice(1).forEach(step);
    if (type === 3) out.push((1 << 3) | 7);
  }
  return out;
}

const area = (ring) =>
  ring.reduce((sum, [x, y], i) => sum + x * ring[(i + 1) % ring.length][1] - ring[(i + 1) % ring.length][0] * y, 0);

function tileOf(PbfWriter, features, z, x, y) {
  const place = ([lon, lat]) => {
    const s = Math.sin((lat * Math.PI) / 180);
    return [
      (((lon + 180) / 360) * 2 ** z - x) * kExtent,
      ((0.5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI)) * 2 ** z - y) * kExtent,
    ];
  };
  const [low, high] = [-kMargin, kExtent + kMargin];
  const inside = ([px, py]) => px >= low && py >= low && px <= high && py <= high;
  const layers = new Map();
  for (const f of features) {
    if (f.from > z) continue;
    const points = f.points.map(place);
    let parts = [];
    if (f.type === 3) {
      const ring = cutRing(points, low, high);
      if (ring.length >= 3) parts = [area(ring) < 0 ? ring.reverse() : ring];
    } else if (f.type === 2) {
      points
        .slice(1)
        .forEach(
          (p, i) =>
            (inside(p) || inside(points[i])) &&
            (parts.at(-1)?.at(-1) === points[i] ? parts.at(-1).push(p) : parts.push([points[i], p])),
        );
    } else if (inside(points[0])) {
      parts = [points];
    }
    if (!parts.length) continue;
    if (!layers.has(f.layer)) layers.set(f.layer, []);
    layers.get(f.layer).push({ type: f.type, geometry: geometry(f.type, parts), properties: f.properties });
  }
  if (!layers.size) return null;
  const pbf = new PbfWriter();
  for (const [name, list] of layers) {
    const keys = [...new Set(list.flatMap((f) => Object.keys(f.properties)))];
    const values = [...new Set(list.flatMap((f) => Object.values(f.properties)))];
    pbf.writeMessage(3, (_, w) => {
      w.writeVarintField(15, 2);
      w.writeStringField(1, name);
      for (const f of list) {
        w.writeMessage(2, (__, v) => {
          v.writePackedVarint(
            2,
            Object.entries(f.properties).flatMap(([k, p]) => [keys.indexOf(k), values.indexOf(p)]),
          );
          v.writeVarintField(3, f.type);
          v.writePackedVarint(4, f.geometry);
        });
      }
      for (const k of keys) w.writeStringField(3, k);
      for (const p of values)
        w.writeMessage(4, (__, v) => (typeof p === "string" ? v.writeStringField(1, p) : v.writeVarintField(4, p)));
      w.writeVarintField(5, kExtent);
    });
  }
  return Buffer.from(pbf.finish());
}

// ---- a city

function city(openmaptiles) {
  const list = [];
  const add = (type, layer, other, kind, points, from = 0, more = {}) => {
    list.push({
      type,
      layer: openmaptiles ? other : layer,
      points,
      from,
      properties: { [openmaptiles ? "class" : "kind"]: kind, ...more },
    });
  };
  const wave = (from, to, steps, f) => Array.from({ length: steps + 1 }, (_, i) => f(from + ((to - from) * i) / steps));
  const circle = (cx, cy, r, bumps = 0) =>
    wave(0, 2 * Math.PI, 60, (a) => [
      cx + (r + bumps * Math.sin(5 * a)) * Math.cos(a),
      cy + (r + bumps * Math.sin(3 * a)) * Math.sin(a),
    ]);
  const coast = wave(-0.3, 0.3, 80, (y) => [-0.082 + 0.012 * Math.sin(22 * y) + 0.005 * Math.sin(71 * y), y]);
  if (!openmaptiles) add(3, "earth", "", "earth", [...coast, [0.3, 0.3], [0.3, -0.3]]);
  add(3, "water", "water", "ocean", [...coast, [-0.3, 0.3], [-0.3, -0.3]]);
  const river = (d) =>
    wave(-0.09, 0.3, 90, (x) => [x, 0.022 + 0.02 * Math.sin(17 * x) + 0.3 * (x + 0.05) * (x + 0.05) + d]);
  add(3, "water", "water", "river", [...river(0.0016), ...river(-0.0016).reverse()]);
  add(
    2,
    "water",
    "waterway",
    "stream",
    wave(-0.2, 0.02, 40, (y) => [0.05 + 0.01 * Math.sin(40 * y), y]),
    11,
  );
  for (const [x, y, r, b] of [
    [0.035, -0.045, 0.014, 0.002],
    [-0.03, 0.06, 0.011, 0.002],
    [0.07, 0.07, 0.02, 0.004],
    [-0.02, -0.015, 0.004, 0],
  ]) {
    add(3, "landuse", "park", "park", circle(x, y, r, b));
  }
  add(3, "landcover", "landcover", "wood", circle(0.12, -0.08, 0.045, 0.007));
  add(2, "roads", "transportation", openmaptiles ? "motorway" : "highway", circle(0.005, 0, 0.062, 0.004));
  for (const a of [0.2, 1.3, 2.6, 4.1, 5.2]) {
    add(
      2,
      "roads",
      "transportation",
      openmaptiles ? "primary" : "major_road",
      wave(0, 0.25, 30, (r) => [0.005 + r * Math.cos(a + 2 * r), r * Math.sin(a + 2 * r)]),
    );
  }
  const [c, s] = [Math.cos(0.25), Math.sin(0.25)];
  const turn = (u, v) => [0.005 + c * u - s * v, s * u + c * v];
  for (let i = -15; i <= 15; i++) {
    const wide = Math.sqrt(0.058 ** 2 - Math.min(0.058, Math.abs(i * 0.0038)) ** 2);
    const word = i % 5 === 0 ? (openmaptiles ? "tertiary" : "medium_road") : openmaptiles ? "minor" : "minor_road";
    for (const flip of [false, true]) {
      add(
        2,
        "roads",
        "transportation",
        word,
        wave(-wide, wide, 24, (t) => (flip ? turn(i * 0.0038, t) : turn(t, i * 0.0038))).filter(([x]) => x > -0.068),
        i % 5 === 0 ? 10 : 12,
      );
    }
  }
  add(
    2,
    "roads",
    "transportation",
    "rail",
    wave(-0.25, 0.25, 40, (y) => [0.02 + 0.3 * y * y - 0.1 * y, y]),
    10,
  );
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let i = 0; i < 900; i++) {
    const [u, v] = [
      Math.floor(random() * 24 - 12) * 0.0038 + 0.0012 + random() * 0.001,
      Math.floor(random() * 24 - 12) * 0.0038 + 0.0012 + random() * 0.001,
    ];
    const [w, h] = [0.0006 + random() * 0.0009, 0.0006 + random() * 0.0009];
    const ring = [turn(u, v), turn(u + w, v), turn(u + w, v + h), turn(u, v + h)];
    if (ring[0][0] > -0.065) add(3, "buildings", "building", "building", ring, 13);
  }
  add(
    2,
    "boundaries",
    "boundary",
    "region",
    wave(-0.25, 0.25, 30, (x) => [x, -0.075 + 0.02 * Math.sin(12 * x)]),
    0,
    { admin_level: 4 },
  );
  for (const [name, kind, x, y] of [
    ["Haven", "city", 0.005, 0.001],
    ["Northbank", "town", 0.02, 0.06],
    ["Old Harbour", "suburb", -0.055, -0.02],
    ["Mill Quarter", "suburb", 0.045, -0.012],
    ["Woodside", "village", 0.085, -0.055],
    ["Saltmarsh", "suburb", -0.045, 0.035],
  ]) {
    add(1, "places", "place", openmaptiles ? kind : "locality", [[x, y]], 0, {
      name,
      ...(openmaptiles ? {} : { kind_detail: kind }),
    });
  }
  return list;
}

// ---- pictures

const crcs = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
const crc = (bytes) => {
  let c = 0xffffffff;
  for (const b of bytes) c = crcs[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
};
function png(size, color) {
  const chunk = (name, data) => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length);
    out.write(name, 4, "latin1");
    data.copy(out, 8);
    out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  const rows = Buffer.alloc(size * (3 * size + 1));
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      color(x, y).forEach((v, k) => {
        rows[y * (3 * size + 1) + 1 + 3 * x + k] = v;
      });
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

// ---- archives

function varint(out, value) {
  for (; value >= 128; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  out.push(value);
}

// tiles: [{id, bytes}] in the order of their ids; all parts gzipped, pictures not.
function archive(tiles, { type, minZoom, maxZoom, bounds, metadata }) {
  const packed = tiles.map((t) => (type === 1 ? gzipSync(t.bytes) : t.bytes));
  const directory = [];
  varint(directory, tiles.length);
  tiles.forEach((t, i) => varint(directory, t.id - (i ? tiles[i - 1].id : 0)));
  tiles.forEach(() => varint(directory, 1));
  packed.forEach((b) => varint(directory, b.length));
  tiles.forEach((_, i) => varint(directory, i ? 0 : 1));
  const root = gzipSync(Uint8Array.from(directory));
  const words = gzipSync(JSON.stringify(metadata));
  const data = Buffer.concat(packed);
  const header = Buffer.alloc(127);
  header.write("PMTiles\x03", "latin1");
  let at = 127;
  [root.length, words.length, 0, data.length].forEach((length, i) => {
    header.writeBigUInt64LE(BigInt(at), 8 + 16 * i);
    header.writeBigUInt64LE(BigInt(length), 16 + 16 * i);
    at += length;
  });
  for (const place of [72, 80, 88]) header.writeBigUInt64LE(BigInt(tiles.length), place);
  header.set([1, 2, type === 1 ? 2 : 1, type, minZoom, maxZoom], 96);
  bounds.forEach((v, i) => header.writeInt32LE(Math.round(v * 1e7), 102 + 4 * i));
  return Buffer.concat([header, root, words, data]);
}

// kind: "protomaps", "openmaptiles" or "pictures". Tiles that have nothing are left out.
export async function syntheticMap(
  web,
  { kind = "protomaps", minZoom = 8, maxZoom = 14, bounds = [-0.2, -0.2, 0.2, 0.2], attribution = "" } = {},
) {
  const load = (path) => import(pathToFileURL(join(web, "node_modules", path)));
  const { PbfWriter } = await load("pbf/index.js");
  const { zxyToTileId } = await load("pmtiles/dist/esm/index.js");
  const features = kind === "pictures" ? [] : city(kind === "openmaptiles");
  const [west, south, east, north] = bounds;
  const tiles = [];
  for (let z = minZoom; z <= maxZoom; z++) {
    const column = (lon) => Math.floor(((lon + 180) / 360) * 2 ** z);
    const row = (lat) => {
      const s = Math.sin((lat * Math.PI) / 180);
      return Math.floor((0.5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI)) * 2 ** z);
    };
    for (let x = column(west); x <= column(east); x++) {
      for (let y = row(north); y <= row(south); y++) {
        const bytes =
          kind === "pictures"
            ? png(64, (px, py) => [(px >> 3) % 2 === (py >> 3) % 2 ? 230 : 120, 160, (31 * (x + y)) % 256])
            : tileOf(PbfWriter, features, z, x, y);
        if (bytes) tiles.push({ id: zxyToTileId(z, x, y), bytes });
      }
    }
  }
  tiles.sort((a, b) => a.id - b.id);
  const layers = [...new Set(features.map((f) => f.layer))];
  const metadata = {
    name: "synthetic",
    ...(attribution ? { attribution } : {}),
    ...(layers.length ? { vector_layers: layers.map((id) => ({ id, fields: {} })) } : {}),
  };
  return archive(tiles, { type: kind === "pictures" ? 2 : 1, minZoom, maxZoom, bounds, metadata });
}
