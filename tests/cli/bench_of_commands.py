"""A folder to run the programs in: every test gets a fresh one, with a state folder of its own."""
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

PROGRAMS = {}


def use(stopover, lab):
    PROGRAMS["stopover"] = os.path.abspath(stopover)
    PROGRAMS["stopover-lab"] = os.path.abspath(lab)


class Bench(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stopover-cli-"))
        self.work = self.folder / "work"
        self.work.mkdir()
        self.state = self.folder / "state"
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder / "home"),
                            "XDG_STATE_HOME": str(self.state), "TMPDIR": str(self.folder / "tmp"), "LC_ALL": "C.UTF-8",
                            **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
        (self.folder / "tmp").mkdir()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def start(self, *words, program="stopover", largest_file=None, **more):
        def limit():
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        if largest_file is not None:
            more["preexec_fn"] = limit
        return subprocess.Popen([PROGRAMS[program], *map(str, words)], cwd=self.work, env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=more.pop("stdout", subprocess.PIPE),
                                stderr=subprocess.PIPE, **more)

    def run_it(self, *words, **more):
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=3000)
        return process.returncode, out, err

    def ok(self, *words, **more):
        code, out, err = self.run_it(*words, **more)
        self.assertEqual(code, 0, f"{words}\n{out}\n{err}")
        return out

    def json_of(self, *words, **more):
        return json.loads(self.ok(*words, "--json", **more))

    def fails(self, code, *words, says=(), **more):
        """The command ends with `code` and an `error:` that holds every text of `says`; the folder is as it was
        before."""
        before = self.snapshot()
        got, out, err = self.run_it(*words, **more)
        self.assertEqual(got, code, f"{words}\n{out}\n{err}")
        self.assertRegex(err, r"(?m)^error: ")
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, err)
        for line in err[err.index("error: "):].splitlines()[1:]:
            self.assertTrue(line.startswith("  "), f"further lines of an error are indented: {err}")
        self.assertEqual(self.snapshot(), before, f"{words} left something behind")
        return err

    def snapshot(self):
        return {str(p.relative_to(self.work)): p.read_bytes() if p.is_file() else None
                for p in sorted(self.work.rglob("*"))}

    def write(self, name, text):
        (self.work / name).write_text(text)
        return name

    def matrix(self, name="m.csv", rows=200, width=16, axes=2):
        """A small matrix on width^axes cells."""
        lines = [",".join(f"a{axis}" for axis in range(axes))]
        for i in range(rows):
            lines.append(",".join(str(((7 * i + i * i) if axis % 2 == 0 else 3 * i) % width) for axis in range(axes)))
        return self.write(name, "\n".join(lines) + "\n")

    def publish_words(self, output="x.odr", matrix="m.csv", shape="16x16", epsilon="0.1", mechanism="daf-entropy",
                      budget="1",
                      ledger="m.ledger"):
        words = ["publish", "--matrix", matrix, "--epsilon", epsilon, "--mechanism", mechanism, "--ledger", ledger,
                 "-o", output]
        if shape is not None:
            words += ["--shape", shape]
        if budget is not None:
            words += ["--budget", budget]
        return words

    def csv_rows(self, name):
        with open(self.work / name, newline="") as file:
            return list(csv.reader(file))

    def spent(self, ledger="m.ledger"):
        return self.json_of("ledger", ledger)["spent"]


def interrupt(process):
    process.send_signal(signal.SIGINT)
