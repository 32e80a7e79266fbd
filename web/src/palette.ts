// The colours of style.css, resolved for painting.

export interface Palette {
  paper: string;
  land: string;
  sea: string;
  line: string;
  ink: string;
  soft: string;
  accent: string;
  empty: string;
  coast: string;
  ring: string;
  ramp: [number, number, number][];
  doubt: [number, number, number][];
  differs: [number, number, number][]; // fewer, as many, more
  legs: string[];
  map: { green: string; water: string; building: string; road: string; casing: string; rail: string };
}

export function readPalette(): Palette {
  const probe = document.createElement("span");
  document.body.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const rgb = (name: string): [number, number, number] => {
    const n = read(name)
      .match(/[\d.]+/g)!
      .map(Number);
    return [n[0]!, n[1]!, n[2]!];
  };
  const palette: Palette = {
    paper: read("--paper"),
    land: read("--land"),
    sea: read("--sea"),
    line: read("--line"),
    ink: read("--ink"),
    soft: read("--soft"),
    accent: read("--accent"),
    empty: read("--empty"),
    coast: read("--coast"),
    ring: read("--ring"),
    ramp: [0, 1, 2, 3, 4, 5].map((i) => rgb(`--d${i}`)),
    doubt: [0, 1, 2, 3].map((i) => rgb(`--u${i}`)),
    differs: [0, 1, 2, 3, 4].map((i) => rgb(`--x${i}`)),
    map: {
      green: read("--green"),
      water: read("--water"),
      building: read("--building"),
      road: read("--road"),
      casing: read("--casing"),
      rail: read("--rail"),
    },
    legs: [1, 2, 3, 4, 5].map((i) => read(`--leg${i}`)),
  };
  probe.remove();
  return palette;
}

// t from 0 to 1 along a list of colours.
export function along(ramp: [number, number, number][], t: number): string {
  const at = Math.min(1, Math.max(0, t)) * (ramp.length - 1);
  const i = Math.min(ramp.length - 2, Math.floor(at));
  const f = at - i;
  const a = ramp[i]!;
  const b = ramp[i + 1]!;
  return `rgb(${[0, 1, 2].map((k) => Math.round(a[k]! + (b[k]! - a[k]!) * f)).join(",")})`;
}
