// The map under the cells: fetches the tiles that are in sight, keeps those that were, and draws them on any surface.
import { PMTiles, TileType } from "pmtiles";
import { creditParts } from "./credit";
import type { Palette } from "./palette";
import type { Plane } from "./plane";
import { CanvasSurface, type Picture, type Surface } from "./surface";
import { kFaint, type CreditPart, type TileLayer, type TilePart } from "./tile_layer";
import { columnOf, kUnits, latOf, lonOf, readShapes, rowOf, type TileShapes } from "./tile_shapes";
import { Replaced, ServedArchive } from "./tile_source";
import { placeShown, strokes } from "./tile_style";

const kAtOnce = 6;
const kMostInSight = 60;
const kKept = 240;
const kPad = 96; // pixels around the view that are drawn as well
const kPale = 0.55; // pictures, which come in any colours
const kPause = 70; // milliseconds of rest before the picture is drawn anew
const kAgain = 2000; // milliseconds after which a failure is tried again; doubles

interface Tile {
  state: "asked" | "there" | "none";
  shapes?: TileShapes;
  picture?: Picture;
  used: number;
}
interface Archive {
  tiles: PMTiles;
  vector: boolean;
  mime: string;
  least: number;
  most: number;
  sea: boolean; // what no layer covers is water
  tag: string | undefined;
}
interface Sight {
  zoom: number; // of the picture
  z: number; // of the tiles
  list: { x: number; y: number }[];
}
interface Placed {
  tile: Tile;
  z: number;
  y: number;
  at: Rect; // where it lies
  seen: Rect | null; // what of it is shown; null: all
}
type Rect = [x: number, y: number, width: number, height: number];

export class TileMap implements TileLayer {
  credit: CreditPart[] = [];
  private broken = false;
  private far = false; // too many tiles are in sight
  private archive: Archive | null = null;
  private tiles = new Map<string, Tile>();
  private clock = 0;
  private asked = 0;
  private failures = 0;
  private resting = false; // after a failure
  private age = 0; // of the archive: what comes in from an older one is left
  private wanted: Sight = { zoom: 0, z: 0, list: [] };
  private version = 0; // of the tiles
  private shot: {
    ground: HTMLCanvasElement;
    lines: HTMLCanvasElement;
    plane: Plane;
    palette: Palette;
    version: number;
    ratio: number;
  } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private next: { plane: Plane; palette: Palette } | null = null;

  constructor(
    private readonly address: string,
    private readonly changed: () => void,
  ) {
    void this.open();
  }

  get trouble(): string {
    return this.broken ? "The basemap cannot be read now." : this.far ? "Zoom in to see the basemap." : "";
  }
  get settled(): boolean {
    return (
      this.archive !== null &&
      this.shot?.version === this.version &&
      this.timer === undefined &&
      this.asked === 0 &&
      this.missing().length === 0
    );
  }

  private async open(): Promise<void> {
    const age = ++this.age;
    try {
      const tiles = new PMTiles(new ServedArchive(this.address));
      const header = await tiles.getHeader();
      const metadata = (await tiles.getMetadata()) as {
        attribution?: unknown;
        vector_layers?: { id?: unknown }[];
      } | null;
      if (age !== this.age) return;
      const mime =
        { [TileType.Png]: "image/png", [TileType.Jpeg]: "image/jpeg", [TileType.Webp]: "image/webp" }[
          header.tileType as number
        ] ?? "";
      const same = this.archive !== null && this.archive.tag === header.etag;
      const layers = Array.isArray(metadata?.vector_layers) ? metadata.vector_layers : [];
      this.credit = typeof metadata?.attribution === "string" ? creditParts(metadata.attribution) : [];
      this.archive = {
        tiles,
        vector: header.tileType === TileType.Mvt,
        mime,
        least: header.minZoom,
        most: header.maxZoom,
        sea: layers.some((l) => l?.id === "earth"),
        tag: header.etag,
      };
      this.failures = 0;
      this.broken = false;
      for (const [key, tile] of this.tiles) if (!same || tile.state === "asked") this.tiles.delete(key);
      this.better();
    } catch {
      if (age === this.age) this.failed();
    }
  }

  private failed(): void {
    if (this.resting) return;
    this.resting = true;
    this.broken = ++this.failures > 2;
    setTimeout(
      () => {
        this.resting = false;
        void this.open();
      },
      kAgain * 2 ** Math.min(4, this.failures - 1),
    );
    this.changed();
  }

  // ---- which tiles

  private sight(plane: Plane): Sight {
    const archive = this.archive!;
    const zoom = Math.log2((360 * plane.kx) / 512);
    // Pictures are of 256 pixels; drawn smaller rather than larger.
    const fine = archive.vector ? Math.floor(zoom + 0.3) : Math.ceil(zoom + 0.6);
    const z = Math.max(archive.least, Math.min(archive.most, fine));
    const [x0, x1] = [columnOf(plane.lon(-kPad), z), columnOf(plane.lon(plane.width + kPad), z)].map(Math.floor) as [
      number,
      number,
    ];
    const [y0, y1] = [rowOf(plane.lat(-kPad), z), rowOf(plane.lat(plane.height + kPad), z)].map((y) =>
      Math.max(0, Math.min(2 ** z - 1, Math.floor(y))),
    ) as [number, number];
    const list: Sight["list"] = [];
    if ((x1 - x0 + 1) * (y1 - y0 + 1) <= kMostInSight) {
      for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) list.push({ x, y });
    }
    const [mx, my] = [(x0 + x1) / 2, (y0 + y1) / 2];
    list.sort((a, b) => Math.hypot(a.x - mx, a.y - my) - Math.hypot(b.x - mx, b.y - my));
    return { zoom, z, list };
  }

  private key(z: number, x: number, y: number): string {
    const n = 2 ** z;
    return `${z}/${((x % n) + n) % n}/${y}`;
  }
  private missing(): { x: number; y: number }[] {
    return this.wanted.list.filter((t) => !this.tiles.has(this.key(this.wanted.z, t.x, t.y)));
  }

  private fetch(): void {
    const archive = this.archive;
    if (!archive || this.resting) return;
    for (const { y, x } of this.missing()) {
      if (this.asked >= kAtOnce) return;
      const { z } = this.wanted;
      const key = this.key(z, x, y);
      const tile: Tile = { state: "asked", used: ++this.clock };
      const age = this.age;
      const column = Number(key.split("/")[1]);
      this.tiles.set(key, tile);
      this.asked++;
      this.read(archive, z, column, y, tile).then(
        () => {
          this.asked--;
          if (age !== this.age) return;
          this.failures = 0;
          this.better();
        },
        (error: unknown) => {
          this.asked--;
          if (age !== this.age) return;
          this.tiles.delete(key);
          if (error instanceof Replaced) void this.open();
          else this.failed();
        },
      );
    }
  }

  private async read(archive: Archive, z: number, x: number, y: number, tile: Tile): Promise<void> {
    const got = await archive.tiles.getZxy(z, x, y);
    if (got && got.data.byteLength > 0) {
      try {
        if (archive.vector) tile.shapes = readShapes(new Uint8Array(got.data), z, x, y);
        else tile.picture = await pictureOf(got.data, archive.mime);
        tile.state = "there";
        return;
      } catch {
        // A tile that cannot be read is as good as none.
      }
    }
    tile.state = "none";
  }

  private better(): void {
    this.version++;
    if (this.tiles.size > kKept) {
      const inSight = new Set(this.wanted.list.map((t) => this.key(this.wanted.z, t.x, t.y)));
      const old = [...this.tiles]
        .filter(([key, t]) => t.state !== "asked" && !inSight.has(key))
        .sort((a, b) => a[1].used - b[1].used);
      for (const [key] of old.slice(0, this.tiles.size - kKept)) this.tiles.delete(key);
    }
    this.fetch();
    if (this.next) this.soon();
    else this.changed();
  }

  // ---- drawing

  paint(s: Surface, plane: Plane, palette: Palette, part: TilePart): void {
    const shot = this.shot;
    this.next = { plane, palette };
    if (this.archive && part === "ground") {
      this.wanted = this.sight(plane);
      const far = this.wanted.list.length === 0;
      if (far !== this.far) queueMicrotask(this.changed);
      this.far = far;
      this.fetch();
      if (!shot || shot.palette !== palette || shot.version !== this.version || !samePlane(shot.plane, plane))
        this.soon();
    }
    if (!shot || shot.palette !== palette) return;
    const [x, y] = [plane.x(shot.plane.lon(-kPad)), plane.y(shot.plane.lat(-kPad))];
    const f = plane.scale / shot.plane.scale;
    const source = shot[part];
    s.image(
      { source, url: () => source.toDataURL() },
      x,
      y,
      (source.width / shot.ratio) * f,
      (source.height / shot.ratio) * f,
      part === "lines" ? kFaint : 1,
    );
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.develop(), this.shot && this.shot.palette === this.next!.palette ? kPause : 0);
  }

  private develop(): void {
    this.timer = undefined;
    const { plane, palette } = this.next!;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const developed = (part: TilePart) => {
      const canvas = document.createElement("canvas");
      canvas.width = (plane.width + 2 * kPad) * ratio;
      canvas.height = (plane.height + 2 * kPad) * ratio;
      const context = canvas.getContext("2d")!;
      context.scale(ratio, ratio);
      context.translate(kPad, kPad);
      this.draw(new CanvasSurface(context, plane.width, plane.height), plane, palette, part);
      return canvas;
    };
    this.shot = {
      ground: developed("ground"),
      lines: developed("lines"),
      plane,
      palette,
      version: this.version,
      ratio,
    };
    this.changed();
  }

  draw(s: Surface, plane: Plane, palette: Palette, part: TilePart): void {
    const archive = this.archive;
    if (!archive) return;
    const { zoom, z, list } = this.sight(plane);
    const placed = list.map(({ x, y }) => this.place(plane, z, x, y)).filter((p) => p !== null);
    if (!archive.vector) {
      if (part === "lines") return;
      for (const p of placed) {
        s.rect(...(p.seen ?? whole(p.at)), { fill: palette.land });
        cut(s, p, () => paintPicture(s, p, plane));
      }
      return;
    }
    if (part === "ground") {
      for (const p of placed)
        s.rect(...(p.seen ?? whole(p.at)), { fill: archive.sea ? palette.map.water : palette.land });
    }
    for (const { kind, ink } of strokes(zoom, palette).filter((stroke) => stroke.part === part)) {
      for (const p of placed) {
        const shape = p.tile.shapes?.paths.get(kind);
        const [x, y, w, h] = p.at;
        if (shape) cut(s, p, () => s.shape(shape, [w / kUnits, h / kUnits, x, y], ink));
      }
    }
  }

  // The tile itself, or, while it is not there, what a coarser one has of its place.
  private place(plane: Plane, z: number, x: number, y: number): Placed | null {
    const own = rectOf(plane, z, x, y);
    for (let up = 0; up <= Math.min(6, z); up++) {
      const [ax, ay] = [Math.floor(x / 2 ** up), Math.floor(y / 2 ** up)];
      const tile = this.tiles.get(this.key(z - up, ax, ay));
      if (tile) tile.used = ++this.clock;
      if (tile?.state === "there") {
        return up === 0
          ? { tile, z, y, at: own, seen: null }
          : { tile, z: z - up, y: ay, at: rectOf(plane, z - up, ax, ay), seen: whole(own) };
      }
      if (tile?.state === "none") return null;
    }
    return null;
  }

  label(s: Surface, plane: Plane, palette: Palette): void {
    if (!this.archive?.vector) return;
    const { zoom, z, list } = this.sight(plane);
    const places = list
      .flatMap(({ x, y }) => this.tiles.get(this.key(z, x, y))?.shapes?.places ?? [])
      .filter((p) => placeShown(p.rank, zoom))
      .sort((a, b) => a.rank - b.rank);
    const taken: Rect[] = [];
    for (const p of places) {
      const size = p.rank <= 2 ? 14 : p.rank <= 4 ? 12 : 11;
      const [x, y, w] = [plane.x(p.lon), plane.y(p.lat), 0.58 * size * p.name.length + 10];
      const box: Rect = [x - w / 2, y - size, w, 1.6 * size];
      if (
        box[0] < 4 ||
        box[1] < 18 ||
        box[0] + w > s.width - 4 ||
        y > s.height - 30 ||
        taken.some((t) => overlap(t, box))
      )
        continue;
      taken.push(box);
      s.text(x, y + 0.35 * size, p.name, {
        fill: p.rank <= 3 ? palette.ink : palette.soft,
        size,
        weight: p.rank <= 2 ? 600 : 500,
        align: "middle",
        halo: palette.land,
      });
      if (taken.length >= 40) return;
    }
  }
}

const samePlane = (a: Plane, b: Plane) =>
  a.scale === b.scale &&
  a.cx === b.cx &&
  a.cy === b.cy &&
  a.width === b.width &&
  a.height === b.height &&
  a.kx === b.kx;
const overlap = (a: Rect, b: Rect) =>
  a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];

function rectOf(plane: Plane, z: number, x: number, y: number): Rect {
  const [left, top] = [plane.x(lonOf(x, z)), plane.y(latOf(y, z))];
  return [left, top, plane.x(lonOf(x + 1, z)) - left, plane.y(latOf(y + 1, z)) - top];
}
// To whole pixels, so that neighbours meet.
function whole([x, y, w, h]: Rect): Rect {
  const [x0, y0] = [Math.round(x), Math.round(y)];
  return [x0, y0, Math.round(x + w) - x0, Math.round(y + h) - y0];
}
function cut(s: Surface, p: Placed, draw: () => void): void {
  if (p.seen) s.clip(...p.seen, draw);
  else draw();
}

// A picture is straight in Mercator's rows; where that shows, it is laid down in strips.
function paintPicture(s: Surface, p: Placed, plane: Plane): void {
  const [x, y, w, h] = whole(p.at);
  if (p.z >= 8) {
    s.image(p.tile.picture!, x, y, w, h, kPale);
    return;
  }
  const n = 32;
  for (let i = 0; i < n; i++) {
    const [top, bottom] = [plane.y(latOf(p.y + i / n, p.z)), plane.y(latOf(p.y + (i + 1) / n, p.z))].map(
      Math.round,
    ) as [number, number];
    const tall = (bottom - top) * n;
    s.clip(x, top, w, bottom - top, () => s.image(p.tile.picture!, x, top - (i / n) * tall, w, tall, kPale));
  }
}

async function pictureOf(data: ArrayBuffer, mime: string): Promise<Picture> {
  const source = await createImageBitmap(new Blob([data], { type: mime }));
  return {
    source,
    url: () => {
      let raw = "";
      for (const byte of new Uint8Array(data)) raw += String.fromCharCode(byte);
      return `data:${mime};base64,${btoa(raw)}`;
    },
  };
}
