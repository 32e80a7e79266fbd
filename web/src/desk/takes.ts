// What it would take to know a flow of some size within some per cent: the least epsilon.
//
// Between zones by a formula: the noise of one count, times what releases were measured to be off beyond it
// (docs/internals/page.md). On a map there is none: places are joined where trips are few, so it is read off forecasts
// for several epsilons.

// Pairs of a hundred trips and more, against the noise of one count that all of epsilon was spent on.
export const zoneFactor = 1.25;

// A count that all of epsilon was spent on: off by at most so much in that share of cases.
export const noiseOf = (share: number, epsilon: number, k: number) => (k * Math.log(1 / (1 - share))) / epsilon;

export const zonesNeed = (trips: number, within: number, share: number, k: number) =>
  (zoneFactor * noiseOf(share, 1, k)) / (trips * within);

export interface SizedError {
  trips: number;
  error: number; // relative
}
export interface ErrorCurve {
  epsilon: number;
  errors: SizedError[];
}

// Between sizes, and a little beyond them, a straight line of logarithms.
export function errorAt(errors: SizedError[], trips: number): number | null {
  const all = errors.filter((e) => e.trips > 0 && e.error >= 0).sort((a, b) => a.trips - b.trips);
  const after = all.findIndex((e) => e.trips >= trips);
  const high = all[after <= 0 ? 1 : after] ?? all[all.length - 1];
  const low = high ? all[all.indexOf(high) - 1] : undefined;
  if (!low || !high || low.trips === high.trips) return null;
  const log = (x: number) => Math.log(Math.max(1e-4, x));
  const slope = (log(high.error) - log(low.error)) / (Math.log(high.trips) - Math.log(low.trips));
  return Math.exp(log(low.error) + slope * (Math.log(trips) - Math.log(low.trips)));
}

// null: not even the largest that was tried.
export function leastEpsilon(curves: ErrorCurve[], trips: number, within: number): number | null {
  let before: { epsilon: number; error: number } | null = null;
  for (const curve of [...curves].sort((a, b) => a.epsilon - b.epsilon)) {
    const error = errorAt(curve.errors, trips);
    if (error === null) continue;
    if (error <= within) {
      if (!before || before.error <= error) return curve.epsilon;
      const share = Math.log(before.error / within) / Math.log(before.error / Math.max(1e-6, error));
      return before.epsilon * (curve.epsilon / before.epsilon) ** share;
    }
    before = { epsilon: curve.epsilon, error };
  }
  return null;
}
