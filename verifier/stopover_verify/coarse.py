"""Coarse counts: what was counted coarsely and then refined tells whether its noise was drawn as the receipt says.

A refined count is n + H, H discrete Laplace noise of the fine rate. The coarse one before it was n + H + W: W is 0
with a chance p, else discrete Laplace noise of the coarse rate, and does not depend on H (p is such that H + W is
Laplace noise of the coarse rate). So the difference of the two is W, whose law follows from the ticks that were paid.

Which counts were refined depends on the coarse ones, so on W. Let Q be another law of W that somebody may have drawn
from: scaled noise, or a coarse count with other noise. A bet of 1 - b + b Q(W)/P(W), P the right law, is fair.
It is paid out for counts that were refined. For those that were not it is taken to have come out at its least, 1 - b:
so however they were chosen, no stake is worth more than with all fair bets, and it grows to 1/p with a chance of at
most p.

What it does not see: noise H that is wrong while W is right.
"""
import functools
import math

import pyarrow as pa
import pyarrow.compute as pc

# Q. Noise scaled by so much; two noises of their own; coarse noise alone, as where refined counts have no noise, or
# coarse ones were made up.
TOO_LITTLE, TOO_MUCH = (0.0, 0.5, 0.8), (1.25, 2.0, 5.0, "apart", "alone")
BOLD = (0.05, 0.2, 0.5, 0.8, 0.95)  # b
GAINS = {0.0: "left out", 0.5: "halved", 2.0: "doubled"}


def has_coarse(table):
    return "coarse_ticks" in table.columns


def first_of(table):
    """(ticks, counts): of every row as it was counted first."""
    if not has_coarse(table):
        return table.values("ticks"), table.values("count")
    refined = pc.greater(table.column("coarse_ticks"), 0)
    return tuple(pc.if_else(refined, table.column("coarse_" + name), table.column(name)).to_pylist()
                 for name in ("ticks", "count"))


class Law:
    """Of W, for the rates of a coarse count and its refinement."""

    def __init__(self, coarse, fine):
        self.coarse, self.fine = coarse, fine
        self.stay = math.exp(coarse - fine) * (math.expm1(-coarse) / math.expm1(-fine)) ** 2  # p
        self.log_peak = math.log(math.tanh(coarse / 2))  # of Laplace noise: tanh(rate/2) exp(-rate |x|)
        self.log_move = math.log1p(-self.stay) if self.stay < 1 else -math.inf
        self.at_zero = self.stay + (1 - self.stay) * math.exp(self.log_peak)

    def log(self, w):
        """log P(W = w)."""
        return math.log(self.at_zero) if w == 0 else self.log_move + self.log_peak - self.coarse * abs(w)

    def scaled(self, scale):
        return Law(self.coarse / scale, self.fine / scale)


class Apart:
    """The law of the difference of two independent noises of these rates: what somebody would draw who made a coarse
    count up. By partial fractions of the characteristic function (gradual_laplace.h has it)."""

    def __init__(self, coarse, fine):
        self.coarse, self.fine = coarse, fine
        share = math.exp(coarse - fine)
        whole = (1 - share) * -math.expm1(-coarse - fine)
        self.wide = math.expm1(-fine) ** 2 / whole * math.tanh(coarse / 2)
        self.narrow = share * math.expm1(-coarse) ** 2 / whole * math.tanh(fine / 2)

    def log(self, w):
        w = abs(w)
        density = self.wide - self.narrow * math.exp((self.coarse - self.fine) * w)
        return -self.coarse * w + math.log(max(density, 1e-300))


class Alone:
    """The law of coarse noise."""

    def __init__(self, coarse, fine):
        self.coarse, self.log_peak = coarse, math.log(math.tanh(coarse / 2))

    def log(self, w):
        return self.log_peak - self.coarse * abs(w)


def other_law(law, way):
    if way == "apart":
        return Apart(law.coarse, law.fine)
    return Alone(law.coarse, law.fine) if way == "alone" else law.scaled(way) if way else None


def differences_of(table, k, plain_depth=0):
    """({(coarse rate, fine rate): {|W|: how many}}, how many more there may be that were not refined).
    `plain_depth`: that deep, families of several boxes are counted once."""
    columns = {name: table.column(name) for name in ("parent", "leaf", "ticks", "count", "coarse_ticks", "coarse_count")}
    refined = pc.greater(columns["coarse_ticks"], 0)
    beside = pc.is_in(columns["parent"], value_set=columns["parent"].filter(refined).unique())
    alone = pc.and_(pc.greater(columns["ticks"], 0), pc.invert(refined))
    divided = pc.invert(columns["leaf"])
    if plain_depth:
        sizes = columns["parent"].value_counts()
        lone = sizes.field("values").filter(pc.equal(sizes.field("counts"), 1))
        divided = pc.and_(divided, pc.or_(pc.greater(table.column("depth"), plain_depth),
                                          pc.is_in(columns["parent"], value_set=lone)))
    hidden = pc.sum(pc.and_(alone, pc.or_(beside, divided))).as_py() or 0
    groups = pa.table([columns["coarse_ticks"], columns["ticks"],
                       pc.abs_checked(pc.subtract_checked(columns["coarse_count"], columns["count"]))], names=["coarse", "fine", "w"])
    groups = groups.filter(refined).group_by(["coarse", "fine", "w"], use_threads=False).aggregate([([], "count_all")])
    unit, found = 1e9 * k, {}
    for coarse, fine, w, times in zip(*(groups[name].to_pylist() for name in ("coarse", "fine", "w", "count_all"))):
        if coarse < fine:  # else W is 0 and tells nothing
            found.setdefault((coarse / unit, fine / unit), {})[w] = times
    return found, hidden


def gain(law, scale, bold):
    """What the log of a bet is on average where noise was scaled, per count: what one may hope for, about."""
    if scale == 0:
        return math.log1p(bold * (1 / law.at_zero - 1))
    return rounded_gain(float(f"{law.coarse:.1g}"), float(f"{law.fine / law.coarse:.2g}"), scale, bold)


@functools.lru_cache(None)
def rounded_gain(rate, ratio, scale, bold):
    law = Law(max(rate, 0.1), max(rate, 0.1) * max(ratio, 1.01))  # below, on a grid this fine, it is the same
    other, total = law.scaled(scale), 0.0
    for w in range(int(12 * max(scale, 1) / law.coarse) + 2):
        chance, odds = math.exp(other.log(w)), math.exp(other.log(w) - law.log(w))
        total += (2 if w else 1) * chance * math.log1p(bold * (odds - 1))
    return total


class CoarseBets:
    """What stakes on all tables became. `counts`: how many were refined. `plain_depth`: of the first table."""

    def __init__(self, tables, k, plain_depth=0):
        self.counts, self.hidden, self.prices = 0, 0, []
        for number, table in enumerate(tables):
            if has_coarse(table) and table.said["kind"] == "partition":
                found, hidden = differences_of(table, k, 0 if number else plain_depth)
                self.hidden += hidden
                self.prices += [(Law(*rates), times) for rates, times in found.items()]
        self.counts = sum(sum(times.values()) for _, times in self.prices)

    def logs(self, scales):
        """Logs of what a stake of 1 became, one for each scale and boldness."""
        totals = {(scale, bold): self.hidden * math.log1p(-bold) for scale in scales for bold in BOLD}
        for law, times in self.prices:
            for scale in scales:
                other = other_law(law, scale)
                for w, n in times.items():
                    if other:
                        odds = math.exp(min(other.log(w) - law.log(w), 600))
                    else:
                        odds = 0 if w else 1 / law.at_zero
                    for bold in BOLD:
                        totals[scale, bold] += n * math.log1p(bold * (odds - 1))
        return list(totals.values())

    def hopes(self):
        """{scale: log of what a stake would become if noise were scaled so}."""
        told = {}
        for scale in GAINS:
            told[scale] = max(sum(sum(times.values()) * gain(law, scale, bold) for law, times in self.prices)
                              + self.hidden * math.log1p(-bold) for bold in BOLD)
        return told
