#!/usr/bin/env python3
"""Forgeries of releases, and what catches them: single bits, and changes of meaning with all hashes made right.

  forgeries_test.py STOPOVER STOPOVER_LAB [--figures]

With STOPOVER_LONG_TESTS=1 there are 100,000 single bits, else 600. --figures prints the tables of
docs/internals/verifier.md. Needs pyarrow: taken from .deps/venv if this Python has none; else skipped (77).
"""
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
try:
    import pyarrow.parquet as pq
except ImportError:
    sys.path.insert(0, str(ROOT / "tests"))
    import other_python
    other_python.run_again_with_packages("pyarrow")

sys.path.insert(0, str(ROOT / "verifier"))
import forgeries  # noqa: E402
from forged_release import change_head, read_head  # noqa: E402
from stopover_verify import ed25519  # noqa: E402
from stopover_verify.broken import Broken  # noqa: E402
from stopover_verify.ledger import Ledger, read_heads  # noqa: E402
from stopover_verify.pack import pack_bytes  # noqa: E402
from stopover_verify.signatures import Signature, key_of  # noqa: E402
from stopover_verify.verification import Wishes, verify  # noqa: E402

STOPOVER, LAB = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
BITS = 100_000 if os.environ.get("STOPOVER_LONG_TESTS") else 600
COLUMNS = ("its own rules", "its noise", "the ledger and its heads", "a signature alone")


class Scene:
    """A curator with a key, a ledger and signed releases; a forger with a key and a ledger of his own."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = Path(self.holder.name) / "within"  # what leads out of it still lies in a folder of its own
        self.folder.mkdir()
        for name, trips in (("m", "8000"), ("t", "30000")):
            self.run("generate", "city", "--stops", "2", "--n", trips, "--grid", "64", "--seed", "7", "-o", f"{name}.parquet")
        self.trips = list(zip(*pq.read_table(self.folder / "t.parquet").to_pydict().values()))  # of the tree
        self.mine, self.yours = (self.key(name) for name in ("mine", "yours"))
        self.publish("city.odr", "anchor", "--sign", "mine.key")
        # 4,000 repeated measurements: evidence of halved noise is 1e25, 1e6 is asked for.
        self.publish("tree.odr", "quadtree", "--sign", "mine.key", matrix="t.parquet")
        # Counts that were refined: of two stops, and of one.
        self.publish("town.odr", "anchor", "--sign", "mine.key", matrix="t.parquet")
        self.run("generate", "city", "--stops", "1", "--n", "60000", "--grid", "512", "--seed", "7", "-o", "p.parquet")
        self.points = list(zip(*pq.read_table(self.folder / "p.parquet").to_pydict().values()))
        self.publish("map.odr", "multigrid", "--sign", "mine.key", matrix="p.parquet", shape="512x512", stops="home")
        self.publish("other.odr", "anchor", "--sign", "mine.key", "--title", "A city", "--about", "Trips, made up.",
                     "--licence", "CC0", "--credit", "nobody")
        for name, why, mechanism in (("old", "the wrong year", "anchor"), ("older", "the wrong city", "quadtree")):
            self.publish(f"{name}.odr", mechanism, "--sign", "mine.key")
            self.run("supersede", f"{name}.odr", "other.odr", "--why", why, "--key", "mine.key")
        (self.folder / "stations.csv").write_text("id,lat,lng\n" + "".join(f"s{i},{50 + i / 100},{10 + i / 50}\n" for i in range(9)))
        (self.folder / "rides.csv").write_text("o,d\n" + "".join(f"s{i % 3},s{i % 4}\n" for i in range(2400)))
        self.run("publish", "rides.csv", "--shape-of", "trips", "--zones", "stations.csv", "--zone-columns", "o,d", "--unit", "trip",
                 "--epsilon", "1", "--ledger", "c.ledger", "--budget", "100", "--sign", "mine.key", "-q", "-o", "stations.odr")
        self.publish("foreign.odr", "anchor", "--sign", "yours.key", ledger="yours.ledger")
        self.publish("testkey.odr", "anchor", "--test-key", "x", ledger="lab.ledger", program=LAB)
        heads = self.run("ledger", "heads", "c.ledger")
        self.heads = read_heads(heads, "heads.txt"), "heads.txt"
        self.ledger_text = (self.folder / "c.ledger").read_bytes()
        self.ledger = Ledger(self.ledger_text, "c.ledger")
        self.keys = [key_of(str(self.folder / "mine.pub"))]
        self.wishes = {"rules": Wishes(), "ledger": Wishes(heads=self.heads, ledger=self.ledger),
                       "signed": Wishes(keys=self.keys)}

    def run(self, *words, program=STOPOVER):
        run = subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True,
                             env={**os.environ, "XDG_STATE_HOME": str(self.folder / "state")})
        assert run.returncode == 0, run.stderr
        return run.stdout

    def key(self, name):
        return re.search(r"[0-9A-F]{16}", self.run("key", "new", "-o", name, "--json"))[0]

    def publish(self, name, mechanism, *words, ledger="c.ledger", program=STOPOVER, matrix="m.parquet", shape="64x64x64x64",
                stops="home,work"):
        self.run("publish", "--matrix", matrix, "--shape", shape, "--stops", stops, "--bbox",
                 "13.0,52.3,13.7,52.7", "--epsilon", "1", "--mechanism", mechanism, "--ledger", ledger, "--budget", "100",
                 *words, "-o", name, program=program)

    def copy(self, base):
        folder = self.folder / "forged.odr"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder / f"{base}.odr", folder)
        return folder


def caught_by(scene, folder):
    """(index into COLUMNS of what first catches it or None, the check that did, whether a signature catches it)."""
    bare = verify(folder, scene.wishes["rules"])
    signed = verify(folder, scene.wishes["signed"]).code == 5
    if bare.code:
        return (1 if bare.broken_by == "noise" else 0), bare.broken_by, signed
    paid = verify(folder, scene.wishes["ledger"])
    if paid.code:
        return 2, paid.broken_by, signed
    return (3, "signatures", signed) if signed else (None, "nothing", signed)


def chained(lines):
    """Records with a chain that is right again."""
    previous, made = "0" * 64, []
    for line in lines:
        body = line.rpartition(" hash=")[0]
        previous = hashlib.sha256(f"{previous} {body}".encode()).hexdigest()
        made.append(f"{body} hash={previous}")
    return "".join(line + "\n" for line in made).encode()


def numbered(lines):
    """Numbers and references follow where records were dropped."""
    new = {line.split(" ")[0]: str(at) for at, line in enumerate(lines, 1)}
    lines = [re.sub(r"^\d+", lambda found: new[found[0]], line) for line in lines]
    return [re.sub(r"(COMMIT ticks=0 ref=)(\d+)", lambda found: found[1] + new.get(found[2], "1"), line) for line in lines]


LEDGERS = [
    ("a byte changed", lambda t, lines: t.replace(b"quadtree", b"Quadtree", 1)),
    ("a record dropped", lambda t, lines: b"".join(t.splitlines(True)[:2] + t.splitlines(True)[3:])),
    ("a record dropped, the chain made again", lambda t, lines: chained(lines[:2] + lines[3:])),
    ("a release dropped, numbers and chain made again", lambda t, lines: chained(numbered(lines[:3] + lines[5:]))),
    ("rolled back to the first release", lambda t, lines: chained(lines[:3])),
    ("rolled back to the beginning", lambda t, lines: chained(lines[:1])),
    ("forked: another nonce, the chain made again",
     lambda t, lines: chained([re.sub(r"nonce=[0-9a-f]{32}", "nonce=" + "0" * 32, line) for line in lines])),
    ("less reserved, the chain made again",
     lambda t, lines: chained([line.replace("RESERVE ticks=1000000000", "RESERVE ticks=100000000") for line in lines])),
    ("a larger budget, the chain made again",
     lambda t, lines: chained([line.replace("GENESIS ticks=100000000000", "GENESIS ticks=900000000000") for line in lines])),
    ("more spent than the budget, the chain made again",
     lambda t, lines: chained([line.replace("GENESIS ticks=100000000000", "GENESIS ticks=1000000000") for line in lines])),
    ("other content committed to, the chain made again",
     lambda t, lines: chained([re.sub(r"(COMMIT .* note=)[0-9a-f]{64}", r"\g<1>" + "0" * 64, line) for line in lines])),
    ("another ledger's id, the chain made again",
     lambda t, lines: chained([re.sub(r"(GENESIS .* note=)[0-9a-f]{32}", r"\g<1>" + "0" * 32, line) for line in lines])),
    ("a release that was aborted, the chain made again",
     lambda t, lines: chained([re.sub(r"COMMIT (.*) note=[0-9a-f]{64}", r"ABORT \1 note=-", line) for line in lines])),
    ("a torn end that hides what follows", lambda t, lines: chained(lines[:3])[:-20]),
]


def ledger_verdict(scene, text):
    """Which check sees a forged ledger beside an honest release and published heads; None if none does."""
    try:
        ledger = Ledger(text, "c.ledger")
    except Broken:
        return "chain"
    report = verify(scene.folder / "city.odr", Wishes(heads=scene.heads, ledger=ledger))
    return report.broken_by or None


def zipped(files, method=zipfile.ZIP_STORED):
    def make(path):
        with zipfile.ZipFile(path, "w", method) as archive:
            for name in files:
                archive.writestr(zipfile.ZipInfo(name), files[name], method)
    return make


def packs_of(files):
    """Forged packs: functions of a path."""
    whole = pack_bytes(files)
    changed = {**files, "release.json": files["release.json"].replace(b"2", b"3", 1)}
    fewer = {name: data for name, data in files.items() if name != "joint.parquet"}
    return [("bytes before", lambda path: path.write_bytes(b"x" * 30 + whole)),
            ("bytes behind", lambda path: path.write_bytes(whole + b"x")),
            ("a comment", lambda path: path.write_bytes(whole[:-2] + b"\x01\x00x")),
            ("bytes between files", lambda path: path.write_bytes(whole.replace(b"PAR1PK", b"PAR1xPK", 1))),
            ("compressed", zipped(files, zipfile.ZIP_DEFLATED)),
            ("another order", zipped(dict(reversed(list(files.items()))))),
            ("a file twice", lambda path: path.write_bytes(pack_bytes({**files, "release.json2": files["release.json"]}))),
            ("a file that leads out", lambda path: path.write_bytes(pack_bytes({**files, "../x": b"x"}))),
            ("a file gone", lambda path: path.write_bytes(pack_bytes(fewer))),
            ("a file changed", lambda path: path.write_bytes(pack_bytes(changed)))]


def flips(scene, times=BITS, part=0):
    """Flips single bits of a signed release with a note, of its pack too; gives {file: (flips, missed)}."""
    dice = random.Random(f"bits {part}")
    base = scene.folder / "old.odr"
    names = sorted(path.relative_to(base).as_posix() for path in base.rglob("*") if path.is_file())
    files = {name: (base / name).read_bytes() for name in names}
    pack = scene.folder / "flipped.odrz"
    whole = scene.folder / "whole.odrz"
    scene.run("pack", "old.odr", "-o", whole.name)
    packed = whole.read_bytes()
    assert pack_bytes(files) == packed
    folder, told = scene.copy("old"), {}
    bits = [(name, 8 * len(files[name])) for name in names]
    for turn in range(times):
        if turn % 5 == 4:
            name, data, path = "the pack", packed, pack
        else:  # one turn by size, one turn by file
            name = dice.choices(names, [size for _, size in bits])[0] if turn % 2 else dice.choice(names)
            data, path = files[name], folder / name
        begin = data.index(b"\n") + 1 if name.endswith(".minisig") else 0  # minisign's untrusted comment says nothing
        at = dice.randrange(8 * begin, 8 * len(data))
        path.write_bytes(data[:at // 8] + bytes([data[at // 8] ^ 1 << at % 8]) + data[at // 8 + 1:])
        missed = verify(path if name == "the pack" else folder, scene.wishes["signed"]).code == 0
        path.write_bytes(data)
        done, lost = told.get(name, (0, 0))
        told[name] = done + 1, lost + missed
    return told


class Forgeries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scene = Scene()
        cls.addClassCleanup(cls.scene.holder.cleanup)

    def test_honest_ones_pass(self):
        for name in ("city", "tree", "town", "map", "stations", "other", "old", "older"):
            wishes = Wishes(keys=self.scene.keys, heads=self.scene.heads, ledger=self.scene.ledger)
            report = verify(self.scene.folder / f"{name}.odr", wishes)
            self.assertEqual((report.code, report.reason), (0, ""), name)
            self.assertEqual(bool(report.superseded), name.startswith("old"))
        self.assertIsNone(ledger_verdict(self.scene, self.scene.ledger_text))

    def test_probes_of_another_scale_are_honest(self):
        """Written before the scale was told, or by a later program: valid for both verifiers, whoever can read them."""
        self.scene.publish("plain.odr", "anchor", ledger="plain.ledger")
        self.assertEqual(read_head(self.scene.folder / "plain.odr")["probes"]["scale"], 2)
        for scale in (None, 1, 3):
            folder = self.scene.copy("plain")
            change_head(folder, lambda head, to=scale: head["probes"].update(scale=to) if to else head["probes"].pop("scale"))
            report = verify(folder, Wishes())
            self.assertEqual((report.code, report.reason), (0, ""), scale)
            self.scene.run("verify", "forged.odr")
        for scale in (0, "2", 2.5, None):
            folder = self.scene.copy("plain")
            change_head(folder, lambda head, to=scale: head["probes"].update(scale=to))
            self.assertEqual(verify(folder, Wishes()).code, 5, scale)

    def test_meaning(self):
        made = forgeries.all_forgeries()
        self.assertGreaterEqual(len(made), 100)
        self.assertEqual(len({forgery.name for forgery in made}), len(made))
        honest = {}
        for forgery in made:
            with self.subTest(forgery.name):
                folder = self.scene.copy(forgery.base)
                before = honest.setdefault(forgery.base, {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()})
                forgery.commit(folder, self.scene)
                self.assertNotEqual({p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}, before, "nothing was forged")
                by, _, signed = caught_by(self.scene, folder)
                self.assertTrue(signed, "a signature does not catch it")
                self.assertIsNotNone(by)
                if forgery.group == "noise":
                    self.assertEqual(by, 1)

    def test_ledgers(self):
        lines = self.scene.ledger_text.decode().splitlines()
        for name, change in LEDGERS:
            with self.subTest(name):
                text = change(self.scene.ledger_text, lines)
                self.assertNotEqual(text, self.scene.ledger_text)
                self.assertIsNotNone(ledger_verdict(self.scene, text))

    def test_ledgers_of_all_kinds(self):
        """A total asked for first, a torn end and its repair, periods."""
        work, scene = self.scene.folder, self.scene

        def report(name, ledger):
            return verify(work / name, Wishes(ledger=Ledger((work / ledger).read_bytes(), ledger)))
        words = ("publish", "--matrix", "m.parquet", "--shape", "64x64x64x64", "--mechanism", "eug", "--ledger", "e.ledger")
        scene.run(*words, "--epsilon", "1", "--expect-trips", "8000", "--accept-total-only", "--budget", "3", "-o", "e1.odr")
        self.assertEqual((report("e1.odr", "e.ledger").code, report("e1.odr", "e.ledger").notes), (0, []))
        with (work / "e.ledger").open("ab") as file:
            file.write(b"6 RESERVE ticks=1000 ref=0 ti")
        self.assertIn("torn", report("e1.odr", "e.ledger").notes[0])
        scene.run(*words, "--epsilon", "0.5", "-o", "e2.odr")
        for name in ("e1.odr", "e2.odr"):
            self.assertEqual((report(name, "e.ledger").reason, report(name, "e.ledger").notes), ("", []))
        text = (work / "e.ledger").read_bytes()
        for damaged in (text.replace(b" ref=0 ti TORN", b" ref=0 tI TORN"), text.replace(b" TORN\n", b"\n")):
            with self.assertRaisesRegex(Broken, "corrupt after record 5"):
                Ledger(damaged, "e.ledger")

        (work / "days.csv").write_text("began,o_lat,o_lng,d_lat,d_lng\n2019-01-03T08:10:00,52.5,13.4,52.6,13.5\n")
        scene.run("publish", "days.csv", "--shape-of", "trips", "--time", "began", "--period", "quarter:2019-Q1..2019-Q2", "--unit",
                  "trip", "--bbox", "13.0,52.3,13.7,52.7", "--grid", "64x64", "--mechanism", "eug", "--epsilon", "0.5", "--ledger",
                  "d.ledger", "--budget-per-period", "1", "--budget-per-year", "3", "-o", "days")
        for quarter in ("days/2019-Q1.odr", "days/2019-Q2.odr"):
            self.assertEqual(report(quarter, "d.ledger").reason, "")
        lines = (work / "d.ledger").read_text().splitlines()
        for old, new, why in (("per_period=1000000000", "per_period=400000000", "more than a period's budget"),
                              ("per_year=3000000000", "per_year=600000000", "more than a year's budget"),
                              ("at=2019-Q2", "at=2019-Q5", "which is no period"), ("at=2019-Q2", "at=2019-Q1", "closed"),
                              (" at=2019-Q2", "", "which periods are charged"), ("unit=trip", "unit=trip zeal=1", "not known")):
            with self.subTest(why), self.assertRaisesRegex(Broken, why):
                Ledger(chained([line.replace(old, new) for line in lines]), "d.ledger")

    def test_both_ways_to_check_a_signature_agree(self):
        key, dice = self.scene.keys[0], random.Random("curve")
        signature = Signature(self.scene.folder / f"city.odr/signatures/{self.scene.mine}.minisig")
        message = hashlib.blake2b((self.scene.folder / "city.odr/signatures/statement.txt").read_bytes()).digest()
        self.assertTrue(ed25519.is_signed(key[10:], message, signature.bytes))
        self.assertTrue(ed25519.is_signed_plainly(key[10:], message, signature.bytes))
        for _ in range(8):
            bad, at = bytearray(signature.bytes), dice.randrange(512)
            bad[at // 8] ^= 1 << at % 8
            self.assertFalse(ed25519.is_signed(key[10:], message, bytes(bad)))
            self.assertFalse(ed25519.is_signed_plainly(key[10:], message, bytes(bad)))

    def test_packs(self):
        base, path = self.scene.folder / "city.odr", self.scene.folder / "forged.odrz"
        files = {p.relative_to(base).as_posix(): p.read_bytes() for p in sorted(base.rglob("*")) if p.is_file()}
        path.write_bytes(pack_bytes(files))
        self.assertEqual(verify(path).code, 0)
        for name, make in packs_of(files):
            with self.subTest(name):
                path.unlink()
                make(path)
                self.assertEqual(verify(path).code, 5)
                self.assertFalse((self.scene.folder.parent / "x").exists())

    def test_single_bits(self):
        told = flips(self.scene)
        self.assertEqual({name: lost for name, (_, lost) in told.items() if lost}, {})
        self.assertGreaterEqual(len(told), 10)


def figures():
    scene = Scene()
    made = forgeries.all_forgeries()
    table, checks, missed = {}, Counter(), []
    for forgery in made:
        folder = scene.copy(forgery.base)
        forgery.commit(folder, scene)
        by, check, signed = caught_by(scene, folder)
        table.setdefault(forgery.group, Counter())[by] += 1
        checks[check] += 1
        if by is None or not signed:
            missed.append(forgery.name)
        if by in (2, 3):
            print(f"  {COLUMNS[by]}: {forgery.name}", file=sys.stderr)
    print("| forged | how many | " + " | ".join(COLUMNS) + " |\n|---|---|---|---|---|---|")
    for group, found in table.items():
        print(f"| {group} | {sum(found.values())} | " + " | ".join(str(found[i] or "-") for i in range(4)) + " |")
    lines = scene.ledger_text.decode().splitlines()
    seen = Counter(ledger_verdict(scene, change(scene.ledger_text, lines)) for _, change in LEDGERS)
    print(f"\n{len(made)} forgeries; not caught: {missed or 'none'}; by check: {dict(checks)}")
    print(f"{len(LEDGERS)} ledgers, by check: {dict(seen)}")
    began = time.monotonic()
    told = flips(scene)
    done, lost = (sum(pair[i] for pair in told.values()) for i in (0, 1))
    print(f"{done:,} single bits of {len(told)} files (the pack is one), {lost} not caught; {time.monotonic() - began:.0f} s")
    scene.holder.cleanup()


if __name__ == "__main__":
    figures() if "--figures" in sys.argv else unittest.main()
