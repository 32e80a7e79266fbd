// Numbers as people read them.

export function grouped(value: number): string {
  const rounded = Math.abs(value) < 10 ? Number(value.toFixed(1)) : Math.round(value);
  return (Object.is(rounded, -0) ? 0 : rounded).toLocaleString("en-US").replace("-", "−");
}

// The twelve digits every face of the program prints.
export const digits12 = (value: number): string => String(Number(value.toPrecision(12)));

export function share(part: number, whole: number): string {
  if (!(whole > 0)) return "–";
  const percent = (100 * part) / whole;
  return `${percent >= 10 ? Math.round(percent) : percent >= 0.1 ? percent.toFixed(1) : "under 0.1"} %`;
}

// 1, 2 or 5 times a power of ten, at most `most`.
export function niceStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  for (const m of [5, 2, 1]) if (m * power <= most * (1 + 1e-9)) return m * power;
  return power;
}

// A, B, ..., Z, AA, AB, ...
export const letters = (i: number): string =>
  (i >= 26 ? letters(Math.floor(i / 26) - 1) : "") + String.fromCharCode(65 + (i % 26));
