#!/usr/bin/env python3
"""Plausible noise: the independent verifier catches noise that was left out or scaled, and honest noise passes.

  verifier_noise_test.py STOPOVER_LAB [--figures]

--figures prints the tables of docs/internals/verifier.md. Needs pyarrow: taken from .deps/venv if this Python has none;
else skipped (77). Keys are fixed. With fresh ones honest trees would raise the alarm in at most 1 of 100 trials at the
rate that is asked for, and the bound is far from met: of these trials none does.
"""
import itertools
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    sys.path.insert(0, str(ROOT / "tests"))
    import other_python
    other_python.run_again_with_packages("pyarrow")

sys.path.insert(0, str(ROOT / "verifier"))
import forged_release  # noqa: E402
from stopover_verify import coarse, laplace, noise  # noqa: E402
from stopover_verify.verification import verify  # noqa: E402

LAB = os.path.abspath(sys.argv.pop(1))
LONG = bool(os.environ.get("STOPOVER_LONG_TESTS"))


def draw(dice, rate):
    """Discrete Laplace noise: the difference of two geometric numbers."""
    return sum(sign * int(math.log(1 - dice.random()) / -rate) for sign in (1, -1))


class Tree:
    """A table as the judge of noise reads it: a root, and levels of boxes that are divided into `fan` parts where
    `divides` says so."""

    def __init__(self, dice, levels, fan, ticks, divides, scale=1.0, trips=20000):
        self.said, self.axes, self.name, self.rows = {"kind": "partition"}, [], "joint", 0
        self.columns = {name: [] for name in ("parent", "depth", "ticks", "count")}
        grown = [(-1, trips)]
        for level in range(levels):
            following = []
            for parent, true in grown:
                x = draw(dice, ticks[level] / 1e9)
                for name, value in (("parent", parent), ("depth", level), ("ticks", ticks[level]),
                                    ("count", true + round(scale * x))):
                    self.columns[name].append(value)
                if divides(true + x, x, ticks[level] / 1e9):
                    cuts = sorted(dice.randrange(true + 1) for _ in range(fan - 1))
                    following += [(self.rows, b - a) for a, b in zip([0, *cuts], [*cuts, true])]
                self.rows += 1
            grown = following

    def values(self, name):
        return self.columns[name]


class Refined:
    """A table of families of 16 that were counted gradually; `reveals` says of (coarse count, W, rate) which were refined.
    Noise is scaled by `scale`; `made_up`: coarse counts have noise of their own."""
    COARSE, FINE = 30_000_000, 100_000_000

    def __init__(self, dice, families, reveals, scale=1.0, made_up=False):
        self.said, self.axes, self.name, self.rows = {"kind": "partition"}, [], "joint", 1 + 16 * families
        rates = self.COARSE / 1e9, self.FINE / 1e9
        stay = coarse.Law(*rates).stay
        rows = {"parent": [-1], "depth": [0], "leaf": [False], "ticks": [0], "count": [0], "coarse_ticks": [0], "coarse_count": [0]}
        for row in range(1, self.rows):
            n, h, own = dice.randrange(100), draw(dice, rates[1]), draw(dice, rates[0])
            w = own - h if made_up else 0 if dice.random() < stay else own
            fine, first = n + round(scale * h), n + round(scale * (h + w))
            shown = reveals(first, w, rates[0])
            for name, value in (("parent", 0), ("depth", 1), ("leaf", shown), ("ticks", self.FINE if shown else self.COARSE),
                                ("count", fine if shown else first), ("coarse_ticks", self.COARSE if shown else 0),
                                ("coarse_count", first if shown else 0)):
                rows[name].append(value)
        kinds = {"parent": pa.int32(), "ticks": pa.uint64(), "coarse_ticks": pa.uint64()}
        self.columns = {name: pa.array(values, kinds.get(name)) for name, values in rows.items()}

    def column(self, name):
        return self.columns[name]

    def values(self, name):
        return self.columns[name].to_pylist()


def judged(tree, mechanism="quadtree", false_alarm=1e-6):
    return noise.judge_noise({"k": 1, "mechanism": mechanism}, [tree], false_alarm)


def always(y, x, rate):
    return True


def where_high(y, x, rate):
    return y > 3 / rate


def where_noise_is_small(y, x, rate):
    """No mechanism can do that: the worst case for a test of too little noise."""
    return abs(x) < 0.5 / rate


def where_noise_is_large(y, x, rate):
    return abs(x) > 1 / rate


class Laws(unittest.TestCase):
    def test_expectations_are_those_of_the_exact_law(self):
        for rates in ({0.5: 1}, {0.5: 3}, {0.3: 2, 0.7: 1}, {0.2: 5, 0.05: 1}):
            law = {0: 1.0}
            for rate, times in rates.items():
                a = math.exp(-rate)
                one = {x: (1 - a) / (1 + a) * a ** abs(x) for x in range(-int(34 / rate), int(34 / rate) + 1)}
                for _ in range(times):
                    more = Counter()
                    for (x, p), (y, q) in itertools.product(law.items(), one.items()):
                        if p * q > 1e-18:
                            more[x + y] += p * q
                    law = more
            spread = sum(p * x * x for x, p in law.items())
            self.assertAlmostEqual(laplace.variance(rates), spread, delta=1e-6 * spread)
            for width, log in zip(noise.WIDTHS, laplace.bells(rates, noise.WIDTHS)):
                exact = sum(p * math.exp(-x * x / (2 * width**2 * spread)) for x, p in law.items())
                self.assertGreaterEqual(log, math.log(exact) - 1e-9, (rates, width))
                self.assertLess(log, math.log(exact) + 1e-6, (rates, width))
            at = min(rates) / 3
            exact = sum(p * math.cosh(at * x) for x, p in law.items())
            self.assertAlmostEqual(laplace.log_mean_cosh(rates, at), math.log(exact), places=5)
        self.assertEqual(laplace.log_mean_cosh({0.5: 1}, 0.5), math.inf)


    def test_the_law_of_what_refining_changes(self):
        for rates in ((0.3, 0.7), (0.05, 0.4), (0.5, 0.51), (0.2, 0.2)):
            law, reach = coarse.Law(*rates), range(-int(34 / rates[0]), int(34 / rates[0]) + 1)
            change = {w: math.exp(law.log(w)) for w in reach if w == 0 or law.log_move > -math.inf}
            self.assertAlmostEqual(sum(change.values()), 1, places=9)
            fine, wide = ({x: math.tanh(rate / 2) * math.exp(-rate * abs(x)) for x in reach}
                          for rate in reversed(rates))
            for y in (0, 1, 2, 5, 17):  # H + W is Laplace noise of the coarse rate
                both = sum(p * fine.get(y - w, 0) for w, p in change.items())
                self.assertAlmostEqual(both, wide[y], places=9)
            if rates[0] < rates[1]:
                apart = coarse.Apart(*rates)
                for y in (0, 1, 3, 10):
                    both = sum(p * fine.get(y - x, 0) for x, p in wide.items())
                    self.assertAlmostEqual(math.exp(apart.log(y)), both, places=9)


class Fairness(unittest.TestCase):
    """What a stake becomes on average, for the choice of boxes that is worst: 1 where nothing is lost, never more."""
    TRIALS = 20000

    def mean(self, stake_after, choose):
        dice, total = random.Random("fair"), 0.0
        for _ in range(self.TRIALS):
            x, s = draw(dice, 0.1), sum(draw(dice, 0.2) for _ in range(4))
            total += math.exp(stake_after(choose(x), s))
        return total / self.TRIALS

    def test_too_little(self):
        bets = noise.Bets()

        def after(x, s):
            return bets.too_little([[noise.Family(0.1, {0.2: 4}, x - s, 0)]])[0]
        # All boxes whose own noise was nothing, which no mechanism could pick: the bet is fair. Any others: less.
        self.assertAlmostEqual(self.mean(after, lambda x: 0), 1, delta=0.05)
        self.assertLess(self.mean(after, lambda x: x), 0.95)

    def test_too_much(self):
        bets = noise.Bets()

        def after(x, s):
            families = [] if x is None else [noise.Family(0.1, {0.2: 4}, x - s, 0)]
            return bets.too_much([(families, {0: {0.1: 1}})])[0] if families else math.log(unpicked)
        unpicked = sum(math.exp(-laplace.log_mean_cosh({0.1: 1}, a * 0.1)) for a in noise.ANGLES) / len(noise.ANGLES)
        self.assertAlmostEqual(self.mean(after, lambda x: x), 1, delta=0.06)
        self.assertLess(self.mean(after, lambda x: x if abs(x) > 10 else None), 1.06)

    def test_gradual_counts(self):
        """A box is divided again where its noise is large, so that only small ones are bet on."""
        bets = noise.Bets()

        def after(x, s):
            kind = "leaves" if abs(s) < 3 else "mixed"
            return bets.too_little([[noise.Family(0.1, {0.2: 4}, -s, 0, noise.STAKES[kind], kind == "leaves")]])[0]
        self.assertLess(self.mean(after, lambda x: x), 0.8)

    def test_coarse_counts(self):
        """On average over many families of one count: fair if all are refined, and no better however they are chosen."""
        rates = 0.3, 1.0
        law, one = coarse.Law(*rates), coarse.Differences.__new__(coarse.Differences)
        for reveals in (lambda w: True, lambda w: w == 0, lambda w: abs(w) < 3, lambda w: abs(w) > 3, lambda w: w > 0):
            for ways, known in itertools.product((coarse.TOO_LITTLE, coarse.TOO_MUCH), (True, False)):
                mean = 0.0
                for w in range(-1500, 1501):
                    one.refined, one.beside, one.hidden = ({rates: {abs(w): 1}}, {}, 0) if reveals(w) else (
                        {}, {rates: 1} if known else {}, 0 if known else 1)
                    logs = [log for way in ways for log in coarse.logs_of([one], way)]
                    mean += math.exp(law.log(w)) * sum(map(math.exp, logs)) / len(logs)
                self.assertLess(mean, 1 + 1e-9)
                if reveals(0) and reveals(9):
                    self.assertGreater(mean, 1 - 1e-9)

    def test_shares_of_a_stake(self):
        self.assertLessEqual(sum(math.exp(log) for log in noise.STAKES.values()), 1 + 1e-12)


class Trees(unittest.TestCase):
    def test_honest_noise_passes_however_boxes_are_chosen(self):
        trials = 2000 if LONG else 400
        for divides in (always, where_high, where_noise_is_small, where_noise_is_large):
            alarms = 0
            for trial in range(trials):
                dice = random.Random(f"honest {divides.__name__} {trial}")
                tree = Tree(dice, 4, 4, [10**8, 2 * 10**8, 3 * 10**8, 4 * 10**8], divides)
                alarms += judged(tree, false_alarm=0.01)["verdict"] == "implausible"
            self.assertLessEqual(alarms, trials * 0.01 + 1, divides.__name__)

    def test_noise_left_out_or_scaled_is_caught(self):
        ticks = [100_000_000, 120_000_000, 150_000_000, 200_000_000, 250_000_000, 300_000_000]
        for scale, why, levels in ((0.0, "too little", 3), (0.5, "too little", 6), (2.0, "too much", 5)):
            for divides in (always, where_high):
                tree = Tree(random.Random(f"scaled {scale}"), levels, 4, ticks, divides, scale)
                verdict = judged(tree)
                self.assertEqual((verdict["verdict"], verdict.get("why")), ("implausible", why), (scale, verdict))

    def test_coarse_counts(self):
        def always_refined(y, w, rate):
            return True

        def unless_high(y, w, rate):
            return y < 190

        def where_little_changed(y, w, rate):
            return abs(w) * rate < 2

        def where_much_changed(y, w, rate):
            return abs(w) * rate > 0.3
        trials = 1000 if LONG else 150
        for reveals in (always_refined, unless_high, where_little_changed, where_much_changed):
            alarms = 0
            for trial in range(trials):
                table = Refined(random.Random(f"coarse {reveals.__name__} {trial}"), 20, reveals)
                alarms += judged(table, "anchor", false_alarm=0.01)["verdict"] == "implausible"
            self.assertLessEqual(alarms, trials * 0.01 + 1, reveals.__name__)
        for reveals in (always_refined, unless_high):
            for scale, made_up, why in ((0.0, False, "too little"), (0.5, False, "too little"), (2.0, False, "too much"),
                                        (1.0, True, "too much")):
                verdict = judged(Refined(random.Random(f"coarse {scale}"), 60, reveals, scale, made_up), "anchor")
                self.assertEqual((verdict["verdict"], verdict.get("why")), ("implausible", why), (scale, made_up, verdict))
        honest = judged(Refined(random.Random("honest"), 60, unless_high), "anchor")
        self.assertEqual((honest["verdict"], honest["would_catch"]), ("plausible", ["left out", "halved", "doubled"]))

    def test_nothing_measured_twice_or_too_little_of_it(self):
        dice = random.Random("few")
        self.assertEqual(judged(Tree(dice, 1, 4, [10**8], always))["verdict"], "cannot tell")
        self.assertEqual(judged(Tree(dice, 1, 4, [10**8], always))["repeated"], 0)
        few = judged(Tree(dice, 2, 4, [10**8, 10**8], always))
        self.assertEqual((few["verdict"], few["repeated"], few["would_catch"]), ("cannot tell", 1, []))

    def test_a_mechanism_that_is_not_known_is_taken_to_count_gradually(self):
        tree = Tree(random.Random("new"), 4, 4, [10**8, 2 * 10**8, 3 * 10**8, 4 * 10**8], always, 0.0)
        self.assertEqual(judged(tree, "new")["verdict"], "implausible")
        self.assertIsNone(judged(tree, "new")["log10_too_much"])


class Releases(unittest.TestCase):
    """Real ones, of synthetic trips with a test key, whose noise was scaled by somebody who knows the trips."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.work = Path(holder.name)
        cls.run_it("generate", "city", "--stops", "2", "--n", "20000", "--grid", "256", "--seed", "7", "-o", "m.parquet")
        cls.trips = list(zip(*pq.read_table(cls.work / "m.parquet").to_pydict().values()))

    @classmethod
    def run_it(cls, *words):
        subprocess.run([LAB, *words], cwd=cls.work, check=True, capture_output=True,
                       env={**os.environ, "XDG_STATE_HOME": str(cls.work / "state")})

    def release(self, mechanism):
        folder = self.work / f"{mechanism}.odr"
        if not folder.exists():
            self.run_it("publish", "--matrix", "m.parquet", "--shape", "256x256x256x256", "--stops", "a,b", "--epsilon",
                        "1", "--mechanism", mechanism, "--test-key", mechanism, "--ledger", "m.ledger", "--budget", "100",
                        "--no-calibration", "-o", folder.name)
        return folder

    def scaled(self, mechanism, scale):
        folder = self.work / f"{mechanism}-{scale}.odr"
        shutil.copytree(self.release(mechanism), folder)
        forged_release.scale_noise(folder, self.trips, scale)
        return verify(folder)

    def verdict(self, report):
        return report.broken_by, report.facts["noise"]["verdict"], report.facts["noise"].get("why")

    def test_scaled_noise(self):
        for mechanism, scale, why in (("quadtree", 0.0, "too little"), ("quadtree", 0.5, "too little"),
                                      ("quadtree", 2.0, "too much"), ("anchor", 0.0, "too little"),
                                      ("daf-entropy", 0.0, "too little")):
            with self.subTest(mechanism=mechanism, scale=scale):
                self.assertEqual(self.verdict(self.scaled(mechanism, scale)), ("noise", "implausible", why))

    def test_honest_ones_pass(self):
        for mechanism in ("quadtree", "anchor", "daf-entropy", "privtree", "eug"):
            report = verify(self.release(mechanism))
            verdict = "cannot tell" if mechanism in ("privtree", "eug") else "plausible"
            self.assertEqual(self.verdict(report), ("randomness", verdict, None), mechanism)
            if verdict == "plausible":
                self.assertIn("left out", report.facts["noise"]["would_catch"])


def figures():
    """How many repeated measurements it takes: a box and the four that tile it, so many times."""
    print("| parts cost, of the whole's price | noise left out | halved | doubled |\n|---|---|---|---|")
    for factor in (0.5, 1, 2, 4):
        cells = []
        for scale in (0.0, 0.5, 2.0):
            def caught(n, trial):
                dice = random.Random(f"figures {factor} {scale} {n} {trial}")
                families = []
                for _ in range(n):
                    x, s = draw(dice, 0.1), sum(draw(dice, 0.1 * factor) for _ in range(4))
                    families.append(noise.Family(0.1, {0.1 * factor: 4}, round(scale * x) - round(scale * s), 0))
                needed = math.log(2e6)
                bets = noise.Bets()
                found = bets.too_much([(families, {0: {0.1: n}})]) if scale > 1 else bets.too_little([families])
                return found[0] >= needed
            sizes = [5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000]
            found = next((n for n in sizes if sum(caught(n, trial) for trial in range(20)) >= 19), None)
            cells.append(str(found) if found else "more than 5,000")
        print(f"| {factor} | " + " | ".join(cells) + " |")
    coarse_figures()


def coarse_figures():
    """How many refined counts it takes, by the share of those that were divided instead."""
    print("\n| divided instead | noise left out | halved | doubled | coarse counts made up |\n|---|---|---|---|---|")
    for share in (0.0, 0.02, 0.1):
        cells = []
        for scale, made_up in ((0.0, False), (0.5, False), (2.0, False), (1.0, True)):
            def caught(n, trial):
                dice = random.Random(f"coarse figures {share} {scale} {made_up} {n} {trial}")
                table = Refined(dice, math.ceil(n / 16), lambda *_: dice.random() >= share, scale, made_up)
                scales = coarse.TOO_LITTLE if scale < 1 else coarse.TOO_MUCH
                return noise.log_mean(coarse.CoarseBets([table], 1).logs(scales)) - math.log(2) >= math.log(2e6)
            sizes = [16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192]
            found = next((n for n in sizes if sum(caught(n, trial) for trial in range(20)) >= 19), None)
            cells.append(str(found) if found else "more than 8,192")
        print(f"| {share:.0%} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    figures() if "--figures" in sys.argv else unittest.main()
