"""Coarse counts: what was counted coarsely and then refined tells whether its noise was drawn as the receipt says.

A refined count is n + H, H discrete Laplace noise of the fine rate. The coarse one before it was n + H + W: W is 0
with a chance p, else discrete Laplace noise of the coarse rate, and does not depend on H (p is such that H + W is
Laplace noise of the coarse rate). So the difference of the two is W, whose law follows from the ticks that were paid.

Which counts were refined depends on the coarse ones, so on W. Let Q be another law of W that somebody may have drawn
from: scaled noise, or a coarse count with other noise. A bet of 1 - b + b Q(W)/P(W), P the right law, is fair.
It is paid out for counts that were refined. For those that were not it is taken to have come out at its least, 1 - b or
somewhat more: so however they were chosen, no stake is worth more than with all fair bets, and it grows to 1/p with a
chance of at most p.

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


class Differences:
    """Of one table. `refined`: {(coarse rate, fine rate): {|W|: how many}}. `beside`: {rates: how many were counted with
    them and not refined}; `hidden`: how many more may have been counted gradually. `plain_depth`: that deep, families of
    several boxes are counted once."""

    def __init__(self, table, k, plain_depth=0):
        unit = 1e9 * k
        columns = [table.column(name) for name in ("parent", "leaf", "ticks", "count", "coarse_ticks", "coarse_count")]
        parent, leaf, ticks, count, coarse, first = columns
        refined = pc.greater(coarse, 0)
        changed = pa.table([coarse, ticks, pc.abs_checked(pc.subtract_checked(first, count)), parent],
                           names=["coarse", "fine", "w", "parent"]).filter(refined)
        groups = changed.group_by(["coarse", "fine", "w"], use_threads=False).aggregate([([], "count_all")])
        self.refined, self.beside = {}, {}
        for price, fine, w, times in zip(*(groups[name].to_pylist() for name in ("coarse", "fine", "w", "count_all"))):
            if price < fine:  # else W is 0 and tells nothing
                self.refined.setdefault((price / unit, fine / unit), {})[w] = times
        families = changed.group_by("parent", use_threads=False).aggregate([("coarse", "min"), ("fine", "min"), ("fine", "max")])
        rates = {of: (price / unit, least / unit) for of, price, least, most in
                 zip(*(families[name].to_pylist() for name in ("parent", "coarse_min", "fine_min", "fine_max")))
                 if price < least == most}
        once = pc.and_(pc.greater(ticks, 0), pc.invert(refined))
        near = pc.is_in(parent, value_set=families["parent"].combine_chunks())
        divided = pc.invert(leaf)
        if plain_depth:
            sizes = parent.value_counts()
            lone = sizes.field("values").filter(pc.equal(sizes.field("counts"), 1))
            deep = pc.greater(table.column("depth"), plain_depth)
            divided = pc.and_(divided, pc.or_(deep, pc.is_in(parent, value_set=lone)))
        self.hidden = pc.sum(pc.and_(once, pc.and_(divided, pc.invert(near)))).as_py() or 0
        for of in parent.filter(pc.and_(once, near)).to_pylist():
            if of in rates:
                self.beside[rates[of]] = self.beside.get(rates[of], 0) + 1
            else:
                self.hidden += 1


def gain(law, scale, bold):
    """(mean, variance) of the log of a bet where noise was scaled, per count: what one may hope for, about."""
    if scale == 0:
        return math.log1p(bold * (1 / law.at_zero - 1)), 0
    return rounded_gain(float(f"{law.coarse:.1g}"), float(f"{law.fine / law.coarse:.2g}"), scale, bold)


@functools.lru_cache(None)
def rounded_gain(rate, ratio, scale, bold):
    """(mean, variance)."""
    law = Law(max(rate, 0.1), max(rate, 0.1) * max(ratio, 1.01))  # below, on a grid this fine, it is the same
    other, total, squares = law.scaled(scale), 0.0, 0.0
    for w in range(int(12 * max(scale, 1) / law.coarse) + 2):
        chance, odds = (2 if w else 1) * math.exp(other.log(w)), math.exp(other.log(w) - law.log(w))
        log = math.log1p(bold * (odds - 1))
        total += chance * log
        squares += chance * log * log
    return total, max(squares - total * total, 0)


def odds(other, law, w):
    """Q(w)/P(w); `other` is None where all noise was left out."""
    if other is None:
        return 0 if w else 1 / law.at_zero
    return math.exp(min(other.log(w) - law.log(w), 600))


def least_odds(other, law, way):
    """The least that odds() can be. Of wider laws they grow with |w| from 1 on."""
    return min(odds(other, law, w) for w in (0, 1)) if way in TOO_MUCH else 0


class CoarseBets:
    """What stakes became, on the first table alone and on all. `counts`: how many were refined. `plain_depth`: of the
    first table."""

    def __init__(self, tables, k, plain_depth=0):
        found = [Differences(table, k, 0 if number else plain_depth) for number, table in enumerate(tables)
                 if has_coarse(table) and table.said["kind"] == "partition"]
        self.groups = [found[:1], found] if len(found) > 1 else [found] if found else []
        self.counts = sum(sum(times.values()) for table in found for times in table.refined.values())

    def logs(self, ways):
        """Logs of what a stake of 1 became, one for each group, way and boldness."""
        return [log for group in self.groups for way in ways for log in logs_of(group, way)]

    def hopes(self):
        """{scale: log of what a stake would nearly surely become if noise were scaled so}."""
        told = {}
        for scale in GAINS:
            told[scale] = -math.inf
            for group in self.groups:
                prices = [(Law(*rates), sum(times.values())) for table in group
                          for rates, times in table.refined.items()]
                others = sum(table.hidden + sum(table.beside.values()) for table in group)
                for bold in BOLD:
                    each = [(n, *gain(law, scale, bold)) for law, n in prices]
                    mean, variance = (sum(n * one[i] for n, *one in each) for i in (0, 1))
                    told[scale] = max(told[scale], mean - 2 * math.sqrt(variance) + others * math.log1p(-bold))
        return told


def logs_of(tables, way):
    totals = [0.0] * len(BOLD)
    for table in tables:
        for i, bold in enumerate(BOLD):
            totals[i] += table.hidden * math.log1p(-bold)
        for rates in set(table.refined) | set(table.beside):
            law = Law(*rates)
            other = other_law(law, way)
            paid = [(odds(other, law, w), n) for w, n in table.refined.get(rates, {}).items()]
            if rates in table.beside:
                paid.append((least_odds(other, law, way), table.beside[rates]))
            for i, bold in enumerate(BOLD):
                totals[i] += sum(n * math.log1p(bold * (ratio - 1)) for ratio, n in paid)
    return totals
