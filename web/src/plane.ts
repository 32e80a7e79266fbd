// The flat picture of the ground: degrees (or plain coordinates) to pixels and back. A city is small: east-west is
// shortened by the cosine of its middle latitude and the rest is straight.

import type { MapStop, ReleaseInfo } from "./data";

export interface Extent {
  west: number;
  south: number;
  east: number;
  north: number;
}

export class Plane {
  constructor(
    readonly extent: Extent,
    readonly geographic: boolean,
    readonly width: number,
    readonly height: number,
    readonly scale: number, // pixels a degree of latitude
    readonly cx: number, // what is in the middle
    readonly cy: number,
  ) {}

  static stretch(extent: Extent, geographic: boolean): number {
    return geographic ? Math.max(0.05, Math.cos((((extent.south + extent.north) / 2) * Math.PI) / 180)) : 1;
  }

  static fit(extent: Extent, geographic: boolean, width: number, height: number, margin: number): Plane {
    const dx = (extent.east - extent.west) * Plane.stretch(extent, geographic);
    const dy = extent.north - extent.south;
    const scale = Math.min(Math.max(20, width - 2 * margin) / dx, Math.max(20, height - 2 * margin) / dy);
    return new Plane(
      extent,
      geographic,
      width,
      height,
      scale,
      (extent.west + extent.east) / 2,
      (extent.south + extent.north) / 2,
    );
  }

  // The same ground with a part of it in sight.
  showing(box: Extent, margin = 0): Plane {
    const dx = (box.east - box.west) * Plane.stretch(this.extent, this.geographic);
    const dy = box.north - box.south;
    const scale = Math.min((this.width - 2 * margin) / dx, (this.height - 2 * margin) / dy);
    return this.with(scale, (box.west + box.east) / 2, (box.south + box.north) / 2);
  }
  // What is in sight, to a hundredth of a pixel or so.
  get seen(): Extent {
    const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(this.scale)) + 1));
    const near = (v: number) => Number(v.toFixed(digits));
    return {
      west: near(this.lon(0)),
      east: near(this.lon(this.width)),
      south: near(this.lat(this.height)),
      north: near(this.lat(0)),
    };
  }

  get kx(): number {
    return this.scale * Plane.stretch(this.extent, this.geographic);
  }
  x(lon: number): number {
    return this.width / 2 + (lon - this.cx) * this.kx;
  }
  y(lat: number): number {
    return this.height / 2 - (lat - this.cy) * this.scale;
  }
  lon(x: number): number {
    return this.cx + (x - this.width / 2) / this.kx;
  }
  lat(y: number): number {
    return this.cy - (y - this.height / 2) / this.scale;
  }

  // Pixels are degrees times the first two, plus the others.
  get stretched(): [number, number, number, number] {
    return [this.kx, -this.scale, this.x(0), this.y(0)];
  }

  moved(dx: number, dy: number): Plane {
    const clamp = (v: number, a: number, b: number) => Math.min(b, Math.max(a, v));
    return this.with(
      this.scale,
      clamp(this.cx - dx / this.kx, this.extent.west, this.extent.east),
      clamp(this.cy + dy / this.scale, this.extent.south, this.extent.north),
    );
  }
  // `factor` times nearer, with the ground under (x, y) staying there.
  zoomed(factor: number, x: number, y: number, least: number): Plane {
    const scale = Math.min(least * 64, Math.max(least, this.scale * factor));
    const lon = this.lon(x);
    const lat = this.lat(y);
    const f = this.scale / scale;
    if (scale === least)
      return this.with(scale, (this.extent.west + this.extent.east) / 2, (this.extent.south + this.extent.north) / 2);
    return this.with(scale, lon - (lon - this.cx) * f, lat - (lat - this.cy) * f);
  }
  kmPerPixel(): number {
    return 111.195 / this.scale;
  }
  private with(scale: number, cx: number, cy: number): Plane {
    return new Plane(this.extent, this.geographic, this.width, this.height, scale, cx, cy);
  }
}

// Around all that the stops have.
export function extentOf(info: ReleaseInfo, stops: MapStop[]): Extent {
  const all = stops.map((s): Extent => {
    if (s.zones) return s.zones.extent;
    const [x, y] = [info.axes[s.x]!, info.axes[s.y]!];
    return { west: x.lower, east: x.upper, south: y.lower, north: y.upper };
  });
  return {
    west: Math.min(...all.map((e) => e.west)),
    east: Math.max(...all.map((e) => e.east)),
    south: Math.min(...all.map((e) => e.south)),
    north: Math.max(...all.map((e) => e.north)),
  };
}
