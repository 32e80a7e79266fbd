#!/usr/bin/env python3
"""kill -9 of a publishing process at random moments: spent never falls, published implies reserved, a visible release
is whole. 30 times, 1,000 with STOPOVER_LONG_TESTS. Moments are drawn from a fixed seed.

  kill9_test.py STOPOVER STOPOVER_LAB
"""
import hashlib
import json
import os
import random
import sys
import time
import unittest

import bench_of_commands
from bench_of_commands import Bench


class Kill9(Bench):
    def ticks(self, text):
        whole, _, decimals = text.partition(".")
        return int(whole) * 10**9 + int(decimals.ljust(9, "0") or 0)

    def ledger(self):
        return self.json_of("ledger", "m.ledger") if (self.work / "m.ledger").exists() else None

    def wait_for_the_moment(self, process, name, kind, draw, usual):
        """Any moment; or soon after the private folder is there, after its last file is, after the release is
        visible."""
        if kind == 0:
            time.sleep(usual * draw.uniform(0, 1.1))
            return
        partial = f".{name}.partial-*"
        signs = {1: partial, 2: f"{partial}/release.json", 3: name}
        while process.poll() is None and not any(self.work.glob(signs[kind])):
            time.sleep(0.0002)
        time.sleep(draw.choice([0, draw.uniform(0, 0.002), draw.uniform(0, 0.1 * usual)]))

    def test_kill9(self):
        times = 1000 if os.environ.get("STOPOVER_LONG_TESTS") else 30
        draw = random.Random(20250301)
        self.matrix(rows=4000, width=64)
        words = lambda name: [*self.publish_words(name, shape="64x64", epsilon="0.001", mechanism="identity",
                                                  budget="1000"),
                              "--quiet", "--threads", "1"]
        begun = time.monotonic()
        self.ok(*words("warm.odr"))
        usual = time.monotonic() - begun
        known = {"warm.odr"}
        killed = finished = cut_short = late = 0
        before = self.ledger()
        for attempt in range(times):
            name = f"r{attempt}.odr"
            process = self.start(*words(name))
            self.wait_for_the_moment(process, name, attempt % 4, draw, usual)
            process.kill()
            _, err = process.communicate()
            killed += process.returncode == -9
            finished += process.returncode == 0
            self.assertIn(process.returncode, (0, -9), err)

            now = self.ledger()
            self.assertGreaterEqual(self.ticks(now["spent"]), self.ticks(before["spent"]))
            hashes = [r["hash"] for r in now["records"]]
            self.assertEqual(hashes[:len(before["records"])], [r["hash"] for r in before["records"]])
            cut_short += self.ticks(now["spent"]) > self.ticks(before["spent"]) and not (self.work / name).exists()
            visible = {p.name for p in self.work.glob("*.odr")}
            for new in visible - known:
                card = json.loads((self.work / new / "release.json").read_text())
                _, record, digest = card["ledger_head"].split(":")
                self.assertEqual(now["records"][int(record) - 1]["hash"], digest)
                self.assertEqual(now["records"][int(record) - 1]["kind"], "RESERVE")
                for table in card["tables"]:
                    digest = hashlib.sha256((self.work / new / f"{table['name']}.parquet").read_bytes()).hexdigest()
                    self.assertEqual(digest, table["file_sha256"])
                self.ok("verify", new)
            if process.returncode == 0:
                self.assertIn(name, visible)
            late += process.returncode == -9 and name in visible
            known |= visible
            before = now
        reserves = [r for r in before["records"] if r["kind"] == "RESERVE"]
        self.assertLessEqual(len(known), len(reserves))
        print(f"{times} runs: {killed} killed, {finished} finished before, {cut_short} cut between reservation and release, "
              f"{late} after the release was visible", file=sys.stderr)
        self.assertGreater(killed, times // 4)
        self.assertGreater(cut_short, 0, "no kill fell between reservation and release")
        # What killed runs left behind is no obstacle.
        self.ok(*words("last.odr"))
        self.ok("verify", "last.odr")


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=sys.argv[:1])
