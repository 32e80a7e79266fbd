"""Sums of independent discrete Laplace noises: P(x) proportional to exp(-|x| rate) on the integers.

A sum is told by {rate: how many}. All that is needed of it are expectations of two kinds of functions, both exact up to
rounding: a bell exp(-x^2/2 t^2), by the characteristic function, and cosh(l x), in closed form.
"""
import math

STEP = 0.3  # of the integral, in units of 1/deviation: what lies beyond 20 deviations is taken to be nothing
SAFETY = 1e-9  # relative; rounding and what the integral leaves out is far less


def variance(rates):
    """2 a/(1 - a)^2 for each, a = exp(-rate)."""
    return sum(n * 2 * math.exp(-rate) / math.expm1(-rate) ** 2 for rate, n in rates.items())


def bells(rates, widths):
    """Log of E exp(-S^2/2 (w s)^2), s the deviation of the sum S, for each w of `widths`. REQUIRES: s >= 1.

    The mean of the characteristic function over a normal angle of deviation 1/(w s), by the trapezoid rule. That rule
    is exact but for the chance that S lies a whole 2 pi/step away, beyond 20 deviations. A sum of Laplace noises has
    its largest chance of that with one term: exp(-20 sqrt 2) = 5e-13.
    """
    deviation = math.sqrt(variance(rates))
    terms = [(n, 4 * math.exp(-rate) / math.expm1(-rate) ** 2) for rate, n in rates.items()]
    sums = [0.5] * len(widths)
    j, most = 0, int(7 / (min(widths) * STEP)) + 1
    while j < most:
        j += 1
        half = j * STEP / deviation / 2
        square = math.sin(half) ** 2
        value = math.exp(-sum(n * math.log1p(c * square) for n, c in terms))
        for i, w in enumerate(widths):
            sums[i] += value * math.exp(-(j * STEP * w) ** 2 / 2)
        if value < 1e-13 and half < math.pi / 4:
            break
    return [math.log(s * 2 * STEP * w / math.sqrt(2 * math.pi) + 1e-11) + SAFETY for s, w in zip(sums, widths)]


def log_cosh(x):
    x = abs(x)
    return x + math.log1p(math.exp(-2 * x)) - math.log(2)


def log_mean_cosh(rates, at):
    """Log of E cosh(at S): the product of (1 - a)^2/(1 - 2 a cosh(at) + a^2). inf where that is."""
    total, square = 0.0, math.sinh(min(at, 500) / 2) ** 2
    for rate, n in rates.items():
        left = 1 - 4 * math.exp(-rate) / math.expm1(-rate) ** 2 * square
        if at >= rate or left <= 0:
            return math.inf
        total -= n * math.log(left)
    return total
