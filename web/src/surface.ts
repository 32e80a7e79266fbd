// Where a picture is drawn: a canvas for the screen, an SVG for the file. The same painter draws both.

export interface Ink {
  fill?: string;
  stroke?: string;
  width?: number;
  dash?: number[];
  opacity?: number;
}

export interface TextInk {
  fill: string;
  size: number;
  align?: "start" | "middle" | "end";
  weight?: number;
  halo?: string;
}

// A path that is drawn often: read once.
export interface Drawn {
  readonly d: string;
  path?: Path2D;
}

export interface Picture {
  readonly source: CanvasImageSource;
  url(): string; // data:
}

export interface Surface {
  readonly width: number;
  readonly height: number;
  rect(x: number, y: number, w: number, h: number, ink: Ink): void;
  // SVG path text.
  path(d: string, ink: Ink): void;
  // Closed lines, longitude and latitude in turn, stretched and shifted; corners nearer than half a pixel are one.
  rings(rings: Float64Array[], stretch: [sx: number, sy: number, x: number, y: number], ink: Ink): void;
  // A path, stretched and shifted; its lines are as wide as any. Areas that overlap stay full, unless turned the other
  // way round.
  shape(shape: Drawn, stretch: [sx: number, sy: number, x: number, y: number], ink: Ink): void;
  image(picture: Picture, x: number, y: number, w: number, h: number, opacity?: number): void;
  text(x: number, y: number, words: string, ink: TextInk): void;
  // Everything until the matching call is cut off at the rectangle.
  clip(x: number, y: number, w: number, h: number, draw: () => void): void;
  // A surface of its own on a part of this one.
  inset(x: number, y: number, w: number, h: number, draw: (s: Surface) => void): void;
}

const font = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

export class CanvasSurface implements Surface {
  constructor(
    private readonly c: CanvasRenderingContext2D,
    readonly width: number,
    readonly height: number,
  ) {}

  private ink(ink: Ink, draw: (what: "fill" | "stroke") => void): void {
    const c = this.c;
    c.globalAlpha = ink.opacity ?? 1;
    if (ink.fill) {
      c.fillStyle = ink.fill;
      draw("fill");
    }
    if (ink.stroke) {
      c.strokeStyle = ink.stroke;
      c.lineWidth = ink.width ?? 1;
      c.setLineDash(ink.dash ?? []);
      c.lineCap = "round";
      c.lineJoin = "round";
      draw("stroke");
    }
    c.globalAlpha = 1;
  }
  rect(x: number, y: number, w: number, h: number, ink: Ink): void {
    this.ink(ink, (what) => (what === "fill" ? this.c.fillRect(x, y, w, h) : this.c.strokeRect(x, y, w, h)));
  }
  path(d: string, ink: Ink): void {
    const path = new Path2D(d);
    this.ink(ink, (what) => (what === "fill" ? this.c.fill(path, "evenodd") : this.c.stroke(path)));
  }
  rings(rings: Float64Array[], stretch: [number, number, number, number], ink: Ink): void {
    const path = new Path2D();
    for (const ring of rings) {
      eachCorner(ring, stretch, (x, y, first) => (first ? path.moveTo(x, y) : path.lineTo(x, y)));
      path.closePath();
    }
    this.ink(ink, (what) => (what === "fill" ? this.c.fill(path, "evenodd") : this.c.stroke(path)));
  }
  shape(shape: Drawn, [sx, sy, x, y]: [number, number, number, number], ink: Ink): void {
    shape.path ??= new Path2D(shape.d);
    const path = new Path2D();
    path.addPath(shape.path, { a: sx, d: sy, e: x, f: y });
    this.ink(ink, (what) => (what === "fill" ? this.c.fill(path) : this.c.stroke(path)));
  }
  image(picture: Picture, x: number, y: number, w: number, h: number, opacity = 1): void {
    this.c.globalAlpha = opacity;
    this.c.drawImage(picture.source, x, y, w, h);
    this.c.globalAlpha = 1;
  }
  text(x: number, y: number, words: string, ink: TextInk): void {
    const c = this.c;
    c.font = `${ink.weight ?? 400} ${ink.size}px ${font}`;
    c.textAlign = ink.align === "middle" ? "center" : (ink.align ?? "start");
    if (ink.halo) {
      c.strokeStyle = ink.halo;
      c.lineWidth = 3;
      c.setLineDash([]);
      c.strokeText(words, x, y);
    }
    c.fillStyle = ink.fill;
    c.fillText(words, x, y);
  }
  clip(x: number, y: number, w: number, h: number, draw: () => void): void {
    this.c.save();
    this.c.beginPath();
    this.c.rect(x, y, w, h);
    this.c.clip();
    draw();
    this.c.restore();
  }
  inset(x: number, y: number, w: number, h: number, draw: (s: Surface) => void): void {
    this.c.save();
    this.c.translate(x, y);
    this.clip(0, 0, w, h, () => draw(new CanvasSurface(this.c, w, h)));
    this.c.restore();
  }
}

// Corners on a lattice of half pixels, so that what two areas share stays the same line however it is drawn.
function eachCorner(
  ring: Float64Array,
  [sx, sy, tx, ty]: [number, number, number, number],
  use: (x: number, y: number, first: boolean) => void,
): void {
  let px = NaN;
  let py = NaN;
  for (let i = 0; i < ring.length; i += 2) {
    const x = Math.round(2 * (ring[i]! * sx + tx)) / 2;
    const y = Math.round(2 * (ring[i + 1]! * sy + ty)) / 2;
    if (x === px && y === py) continue;
    use(x, y, i === 0);
    px = x;
    py = y;
  }
}

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
const near = (v: number) => String(Number(v.toFixed(2)));

export class SvgSurface implements Surface {
  private body = "";
  private clips = 0;
  constructor(
    readonly width: number,
    readonly height: number,
    private readonly prefix = "c",
  ) {}

  private attributes(ink: Ink): string {
    let text = ` fill="${ink.fill ?? "none"}"`;
    if (ink.stroke)
      text += ` stroke="${ink.stroke}" stroke-width="${ink.width ?? 1}" stroke-linecap="round" stroke-linejoin="round"`;
    if (ink.dash) text += ` stroke-dasharray="${ink.dash.join(" ")}"`;
    if (ink.opacity !== undefined) text += ` opacity="${ink.opacity}"`;
    return text;
  }
  rect(x: number, y: number, w: number, h: number, ink: Ink): void {
    this.body += `<rect x="${near(x)}" y="${near(y)}" width="${near(w)}" height="${near(h)}"${this.attributes(ink)}/>\n`;
  }
  path(d: string, ink: Ink): void {
    this.body += `<path d="${d}" fill-rule="evenodd"${this.attributes(ink)}/>\n`;
  }
  rings(rings: Float64Array[], stretch: [number, number, number, number], ink: Ink): void {
    let d = "";
    for (const ring of rings) {
      eachCorner(ring, stretch, (x, y, first) => (d += `${first ? "M" : "L"}${x} ${y}`));
      d += "Z";
    }
    this.path(d, ink);
  }
  shape(shape: Drawn, [sx, sy, x, y]: [number, number, number, number], ink: Ink): void {
    const matrix = [sx, 0, 0, sy].map((v) => Number(v.toPrecision(8))).join(" ");
    this.body += `<path d="${shape.d}" transform="matrix(${matrix} ${near(x)} ${near(y)})" vector-effect="non-scaling-stroke"${this.attributes(ink)}/>\n`;
  }
  image(picture: Picture, x: number, y: number, w: number, h: number, opacity = 1): void {
    this.body += `<image x="${near(x)}" y="${near(y)}" width="${near(w)}" height="${near(h)}" opacity="${opacity}" preserveAspectRatio="none" href="${picture.url()}"/>\n`;
  }
  text(x: number, y: number, words: string, ink: TextInk): void {
    const halo = ink.halo ? ` stroke="${ink.halo}" stroke-width="3" paint-order="stroke"` : "";
    this.body += `<text x="${near(x)}" y="${near(y)}" fill="${ink.fill}" font-size="${ink.size}" font-weight="${ink.weight ?? 400}" text-anchor="${ink.align ?? "start"}"${halo}>${escaped(words)}</text>\n`;
  }
  clip(x: number, y: number, w: number, h: number, draw: () => void): void {
    const id = `${this.prefix}${this.clips++}`;
    this.body += `<clipPath id="${id}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#${id})">\n`;
    draw();
    this.body += "</g>\n";
  }
  inset(x: number, y: number, w: number, h: number, draw: (s: Surface) => void): void {
    const part = new SvgSurface(w, h, `${this.prefix}${this.clips++}-`);
    part.clip(0, 0, w, h, () => draw(part));
    this.body += `<g transform="translate(${near(x)} ${near(y)})">\n${part.body}</g>\n`;
  }
  // Everything until the matching call, as one picture that is see-through.
  faint(opacity: number, draw: () => void): void {
    this.body += `<g opacity="${opacity}">\n`;
    draw();
    this.body += "</g>\n";
  }
  finish(title: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}" ` +
      `font-family="${escaped(font)}" role="img" aria-label="${escaped(title)}">\n<title>${escaped(title)}</title>\n${this.body}</svg>\n`
    );
  }
}
