"""Plausible noise: what a release measured twice must scatter as its receipt says.

A box was counted, y = n + X, and so were boxes that tile it, with the sum z = n + S. What is left of the true number n
is nothing: d = y - z = X - S, and the laws of the noises X and S follow from the ticks that were paid. A release whose
noise was left out has d = 0 throughout; noise that was scaled scatters too little or too much.

What makes it hard is that boxes are not divided blindly: where y came out high, a mechanism looks closer. So X is not
Laplace any more for those that were divided, and nothing may be assumed of it. What can be said all the same:

* Too little. S was drawn after the division was decided. Whatever X is, |X - S| tends to be no smaller than |S|
  (Anderson: S is symmetric and has one peak). So E f(d) <= E f(S) for every bell f(d) = exp(-d^2/2 t^2), and
  f(d)/E f(S) is a bet at fair odds or worse.
* Too much. E cosh(l d) given X is cosh(l X) E cosh(l S). Since cosh >= 1, a bet of cosh(l d)/E cosh(l S) on every box
  that was divided, and none on the others, is worth at most E cosh(l X) for every box that was counted. The noise of a
  box is X for its own parts and a part of S for what it lies in; so every other level is bet on, the others separately.

Bets on family after family multiply, in the order in which the noise was drawn; several ways to bet (widths of bells,
l, how deep to look) are averaged. If the receipt is true, the stake of 1 grows to 1/p with a chance of at most p
(Ville): that is the false alarm rate, for the whole release, whatever the mechanism does. It is shared equally by both
sides.

Gradual counts (anchor, multigrid): a count is replaced by a finer one unless its box is divided again. Where the
release keeps the coarse ones (coarse.py), all of a family were drawn at once, and they are what is bet on; what the
refinement changed is bet on apart. Without them, which of the two the release shows depends on the noise, so a family
is bet on in one of three ways, among which the stake is divided: no child was divided, all were, some were (no bet).
"""
import functools
import math
from collections import Counter

from stopover_verify.coarse import BOLD, GAINS, TOO_LITTLE, TOO_MUCH, CoarseBets, first_of, has_coarse
from stopover_verify.laplace import bells, log_cosh, log_mean_cosh, variance

WIDTHS = (0.03, 0.1, 0.25, 0.5, 0.8, 1.2)  # of bells, in deviations of S
SHARES = (0.3, 0.7, 1.1, math.inf)  # ways to bet only where X is not more than this many deviations of S
ANGLES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7)  # l, in rates of X
PLAIN = {"identity", "uniform", "eug", "eug-corrected", "ebp", "mkm", "daf-entropy", "daf-homogeneity", "ug", "ag",
         "quadtree", "kd-tree", "kd-hybrid", "htf", "privtree", "privtree-rr", "hdpview", "zones"}
PLAIN_DEPTHS = {"anchor": 2}  # of the first table: that deep, families of several boxes are counted at once
STAKES = {"leaves": math.log(0.6), "inner": math.log(0.1), "mixed": math.log(0.3)}
FALSE_ALARM = 1e-6


class Family:
    """A measured box and the measured boxes that tile it. `rates`: of the latter, {rate: how many}. `level`: how many boxes
    around it were measured."""

    def __init__(self, rate, rates, difference, level, stake=0.0, bet=True):
        self.rate, self.rates, self.difference, self.level = rate, rates, difference, level
        self.stake, self.bet = stake, bet  # log of the share of the stake; whether it is bet on
        self.deviation = math.sqrt(variance(rates)) if bet else 0.0
        self.bet = bet and self.deviation >= 1
        self.share = math.sqrt(variance({rate: 1})) / self.deviation if self.bet else math.inf


def families_of(table, k, mechanism, first):
    """(plain, gradual) families of one table, in order, and {level: {rate: boxes counted}}."""
    parents, depths, (ticks, counts), rows = table.values("parent"), table.values("depth"), first_of(table), table.rows
    # Of what tiles a row; `paid` is False where something of it was not counted, or not at one depth: noise of one depth
    # is drawn at once, while prices further down may depend on it.
    sums, paid, kinds, deep = [0] * rows, [None] * rows, [None] * rows, [0] * rows
    for row in range(rows - 1, -1, -1):
        parent = parents[row]
        if parent < 0:
            continue
        if ticks[row]:
            deep[row] = depths[row]
        if paid[parent] is None:
            paid[parent], kinds[parent], deep[parent] = {}, set(), deep[row]
        if deep[parent] != deep[row]:
            paid[parent] = False
        if ticks[row]:
            kinds[parent].add(paid[row] is None)
            if paid[parent] is not False:
                paid[parent][ticks[row]] = paid[parent].get(ticks[row], 0) + 1
                sums[parent] += counts[row]
        elif not paid[row] or paid[parent] is False:
            paid[parent] = False
        else:
            kinds[parent] |= kinds[row]
            sums[parent] += sums[row]
            for price, times in paid[row].items():
                paid[parent][price] = paid[parent].get(price, 0) + times
    plain, gradual, counted, unit = [], [], {}, 1e9 * k
    at_once, levels = mechanism in PLAIN or has_coarse(table), []
    for row, parent in enumerate(parents):
        levels.append(levels[parent] + (ticks[parent] > 0) if parent >= 0 else 0)
        if not ticks[row]:
            continue
        rate = ticks[row] / unit
        at = counted.get(levels[row])
        if at is None:
            at = counted[levels[row]] = {}
        at[rate] = at.get(rate, 0) + 1
        if not paid[row]:
            continue
        rates = {price / unit: times for price, times in paid[row].items()}
        difference = counts[row] - sums[row]
        several = sum(paid[row].values()) > 1
        if at_once or (first and several and depths[row] < PLAIN_DEPTHS.get(mechanism, 0)):
            plain.append(Family(rate, rates, difference, levels[row]))
            continue
        kind = "mixed" if len(rates) > 1 or len(kinds[row]) > 1 else "leaves" if True in kinds[row] else "inner"
        gradual.append(Family(rate, rates, difference, levels[row], STAKES[kind], kind != "mixed"))
    return plain, gradual, counted


def slabs_of(table, joint, k):
    """Families across tables: an axis's own counts against the sums over all boxes of the first table beside them."""
    if len(table.axes) != 1 or len(joint.axes) < 2:
        return [], {}
    name, unit = table.axes[0]["name"], 1e9 * k
    sums, paid = Counter(), {}
    for lo, hi, leaf, ticks, count in zip(*(joint.values(column) for column in (
            name + "_lo", name + "_hi", "leaf", "ticks", "count"))):
        if leaf:
            sums[lo, hi] += count
            prices = paid.setdefault((lo, hi), Counter())
            prices[ticks] += 1
    crossed = set()
    for lo, hi in paid:
        crossed.update(range(lo + 1, hi))
    families, counted = [], Counter()
    parts = sorted(paid)
    starts = {}
    for part in parts:
        starts.setdefault(part[0], []).append(part)
    for lo, hi, leaf, ticks, count in zip(*(table.values(column) for column in (
            name + "_lo", name + "_hi", "leaf", "ticks", "count"))):
        if not ticks or not leaf:
            continue
        counted[ticks / unit] += 1
        if lo in crossed or hi in crossed:
            continue
        inside = [part for at in range(lo, hi) for part in starts.get(at, ())]
        prices = sum((paid[part] for part in inside), Counter())
        if prices and 0 not in prices:
            rates = {price / unit: times for price, times in prices.items()}
            families.append(Family(ticks / unit, rates, count - sum(sums[part] for part in inside), 0))
    return families, {0: counted}


def log_mean(logs):
    top = max(logs)
    if top == -math.inf:
        return top
    return top + math.log(sum(math.exp(x - top) for x in logs) / len(logs))


class Bets:
    """The logs of what a stake of 1 has become, by the ways of betting; and what it would become for noise scaled by
    each of SCALES, as far as its mean tells."""
    SCALES = (0.0, 0.5)

    def __init__(self):
        self.cache = {}

    def odds(self, rates):
        key = tuple(sorted(rates.items()))
        if key not in self.cache:
            self.cache[key] = bells(rates, WIDTHS)
        return self.cache[key]

    def too_little(self, groups):
        """`groups`: lists of families whose bets multiply. Log of the mean over groups, shares and widths; and the same as
        it would be for scaled noise."""
        ways = [(share, i) for share in SHARES for i in range(len(WIDTHS))]
        logs, hoped = [], {scale: [] for scale in self.SCALES}
        for families in groups:
            totals = {share: [0.0] * len(WIDTHS) for share in SHARES}
            means = {scale: {share: [0.0] * len(WIDTHS) for share in SHARES} for scale in self.SCALES}
            for family in families:
                odds = self.odds(family.rates) if family.bet else None
                square, spread = (family.difference / family.deviation) ** 2 / 2 if odds else 0, (1 + family.share**2) / 2
                for limit in SHARES:
                    bet = odds and family.share <= limit
                    if not bet and not family.stake:
                        continue
                    for i, width in enumerate(WIDTHS):
                        totals[limit][i] += family.stake - (square / (width * width) + odds[i] if bet else 0)
                        for scale in self.SCALES:
                            hope = scale * scale * spread / (width * width) + odds[i] if bet else 0
                            means[scale][limit][i] += family.stake - hope
            logs += [totals[share][i] for share, i in ways]
            for scale in self.SCALES:
                hoped[scale] += [means[scale][share][i] for share, i in ways]
        return log_mean(logs), {scale: log_mean(values) for scale, values in hoped.items()}

    def too_much(self, groups):
        """`groups`: (families, {level: {rate: boxes counted}}). Every other level, down to each, at each angle."""
        logs, hoped = [], []
        for families, counted in groups:
            levels = {}
            for family in families:
                key = family.level, family.rate, tuple(sorted(family.rates.items()))
                levels.setdefault(family.level, {}).setdefault(key, []).append(family)
            for angle in ANGLES:
                totals = [(0.0, 0.0), (0.0, 0.0)]
                for level in sorted(levels):
                    total, mean = totals[level % 2]
                    cost = sum(n * log_mean_cosh({rate: 1}, angle * rate) for rate, n in counted[level].items())
                    total, mean = total - cost, mean - cost
                    for alike in levels[level].values():
                        some = alike[0]
                        odds = log_mean_cosh(some.rates, angle * some.rate)
                        if odds == math.inf:
                            continue
                        both = math.sqrt(variance({some.rate: 1}) + variance(some.rates))
                        mean += len(alike) * (mean_log_cosh(2 * angle * some.rate * both) - odds)
                        total += sum(log_cosh(angle * some.rate * family.difference) - odds for family in alike)
                    totals[level % 2] = total, mean
                    logs.append(total)
                    hoped.append(mean)
        return (log_mean(logs), log_mean(hoped)) if logs else (-math.inf, -math.inf)


def mean_log_cosh(spread):
    """Of a normal number with this deviation, about: only what one may hope for depends on it."""
    return rounded_mean_log_cosh(float(f"{spread:.2g}"))


@functools.lru_cache(None)
def rounded_mean_log_cosh(spread):
    points = [(i + 0.5) / 10 for i in range(40)]
    weights = [math.exp(-z * z / 2) for z in points]
    return sum(w * log_cosh(spread * z) for w, z in zip(weights, points)) / sum(weights)


def judge_noise(head, tables, false_alarm=FALSE_ALARM):
    """{verdict: "plausible", "implausible" or "cannot tell", ...}; see told()."""
    plain, gradual, groups, cosh_groups, measured = [], [], [], [], 0
    for number, table in enumerate(tables):
        if table.said["kind"] != "partition":
            continue
        at_once, by_steps, counted = families_of(table, head["k"], head["mechanism"], number == 0)
        plain += at_once
        gradual += by_steps
        if (head["mechanism"] in PLAIN or has_coarse(table)) and at_once:
            cosh_groups.append((at_once, counted))
        if number and head["mechanism"] in PLAIN:
            slabs, counted = slabs_of(table, tables[0], head["k"])
            if slabs:
                groups.append(slabs)
                cosh_groups.append((slabs, counted))
    groups += [group for group in (plain, plain + gradual if gradual else []) if group]
    coarse = CoarseBets(tables, head["k"], PLAIN_DEPTHS.get(head["mechanism"], 0))
    measured = len({id(family) for group in groups for family in group if family.bet}) + coarse.counts
    needed = math.log(2 / false_alarm)
    answer = {"verdict": "cannot tell", "repeated": measured, "false_alarm": false_alarm, "would_catch": []}
    if not measured:
        return answer
    bets = Bets()
    little, hoped = bets.too_little(groups) if groups else (-math.inf, dict.fromkeys(Bets.SCALES, -math.inf))
    much, hoped_much = bets.too_much(cosh_groups)
    # The means of the bets on families, which come out less now and then: half of them is nearly sure.
    hoped = {0.0: hoped[0.0], 0.5: hoped[0.5] / 2, 2.0: hoped_much / 2}
    if coarse.counts:
        # Half of the stake on either kind of bets.
        little, much = (log_mean([log, log_mean(coarse.logs(scales))])
                        for log, scales in ((little, TOO_LITTLE), (much, TOO_MUCH)))
        ways = math.log(2 * len(coarse.groups) * len(BOLD) * len(TOO_MUCH))
        hoped = {scale: max(hoped[scale] - math.log(2), hope - ways) for scale, hope in coarse.hopes().items()}
    answer["would_catch"] = [GAINS[scale] for scale in sorted(GAINS) if hoped[scale] >= needed]
    for name, log in (("log10_too_little", little), ("log10_too_much", much)):
        answer[name] = round(log / math.log(10), 2) if log > -math.inf else None
    if little >= needed or much >= needed:
        answer["verdict"] = "implausible"
        answer["why"] = "too little" if little >= needed else "too much"
    elif answer["would_catch"]:
        answer["verdict"] = "plausible"
    return answer
