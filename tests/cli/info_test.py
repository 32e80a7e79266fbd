#!/usr/bin/env python3
"""`stopover info --as`: the release as a page, for data portals and for a registry.

  info_test.py STOPOVER STOPOVER_LAB [unittest arguments]

rdflib and PyYAML come from the environments that scripts/python-env makes; without them their tests are skipped.
"""
import html.parser
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

import bench_of_commands
from bench_of_commands import Bench

READERS = Path(__file__).resolve().parents[2] / ".deps/readers-venv/bin/python"
SAID = {"title": "Trips of <Exampletown> & around", "about": "Bikes_of a *made-up* town.",
        "covers": "Exampletown, 2024", "credit": "Town of Example", "licence": "CC-BY-4.0", "contact": "data@example.org"}
POINTS = ["Epsilon", "Unit of privacy", "Bounds on contributions", "Trust model", "Mechanism", "Composition",
          "Post-processing", "Side channels", "Source of randomness", "Accuracy and bias"]


class Tags(html.parser.HTMLParser):
    """Whether every tag is closed, and the text between."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.sound = [], "", True
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.sound = self.sound and bool(self.open) and self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


class InfoForms(Bench):
    def setUp(self):
        super().setUp()
        lines = ["a0,a1,a2,a3"] + [f"{i * 7 % 16},{i * 3 % 16},{i * 5 % 16},{i * i % 16}" for i in range(500)]
        self.write("m.csv", "\n".join(lines) + "\n")
        words = ["publish", "--matrix", "m.csv", "--shape", "16x16x16x16", "--stops", "origin,destination", "--bbox",
                 "0,0,1,1", "--epsilon", "0.5", "--ledger", "m.ledger", "-q"]
        self.ok(*words, "--budget", "2", "-o", "x.odr", *(w for k, v in SAID.items() for w in (f"--{k}", v)))
        self.ok(*words, "-o", "bare.odr")

    def parsed(self, code, text, package):
        """What Python code makes of the text on its stdin, as JSON."""
        if not READERS.exists() or subprocess.run([READERS, "-c", f"import {package}"], capture_output=True).returncode:
            self.skipTest(f"{package} is not here: scripts/python-env installs it where it can")
        done = subprocess.run([READERS, "-c", code], input=text, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_markdown_and_html_say_what_info_says(self):
        info = self.json_of("info", "x.odr")
        markdown, page = self.ok("info", "x.odr", "--as", "markdown"), self.ok("info", "x.odr", "--as", "html")
        tags = Tags(page)
        self.assertTrue(tags.sound and not tags.open, "every tag is closed")
        self.assertNotIn("<script", page)
        plain = re.sub(r"\\([\\`*_\[\]<>|#])", r"\1", markdown)
        for text in (plain, tags.text):
            for part in [*SAID.values(), info["content_sha256"], "NIST SP 800-226", *POINTS,
                         "Pure differential privacy with epsilon 0.5 for one trip."]:
                self.assertIn(part, text)
        self.assertIn(r"\<Exampletown\> & around", markdown)
        self.assertEqual(markdown.count("\n## "), 6)
        receipt = [line.split("|")[1:-1] for line in markdown.split("## What was spent where")[1].splitlines()
                   if line.startswith("| ")][1:]
        self.assertEqual(sum(int(row[4].replace(",", "")) for row in receipt), sum(c["times"] for c in info["charges"]))

    def test_who_is_not_protected_is_told_first(self):
        self.ok("publish", "--matrix", "m.csv", "--shape", "16x16x16x16", "--epsilon", "1", "--ledger", "lab.ledger",
                "--budget", "1", "--test-key", "lab", "-o", "lab.odr", "-q", program="stopover-lab")
        for form in ("markdown", "html", "dcat", "registry"):
            text = self.ok("info", "lab.odr", "--as", form)
            self.assertIn("No privacy" if form != "registry" else "it protects nobody", text)
            self.assertNotIn("Pure D", text)
            self.assertNotIn("Pure d", text)

    def test_a_withdrawn_release_is_told_as_such(self):
        self.ok("supersede", "bare.odr", "--why", "the wrong <year>")
        for form, words in (("markdown", r"the wrong \<year\>"), ("html", "the wrong &lt;year&gt;"),
                            ("dcat", "the wrong <year>")):
            text = self.run_it("info", "bare.odr", "--as", form)[1]
            self.assertIn("withdrawn on", text)
            self.assertIn(words, text)

    def test_dcat_is_a_data_set_with_all_that_was_declared(self):
        text = self.ok("info", "x.odr", "--as", "dcat", "--url", "https://data.example.org/x.odrz")
        told = self.parsed("""
import json, sys, rdflib
from rdflib.namespace import DCAT, DCTERMS as DCT, FOAF, RDF
graph = rdflib.Graph().parse(data=sys.stdin.read(), format="json-ld")
one = lambda s, p: next(graph.objects(s, p))
sets = list(graph.subjects(RDF.type, DCAT.Dataset)); s = sets[0]; file = one(s, DCAT.distribution)
mobility = rdflib.Namespace("https://w3id.org/mobilitydcat-ap#")
issued = one(s, DCT.issued)
there = lambda p: bool(list(graph.objects(s, p)))
print(json.dumps([len(sets), str(one(s, DCT.title)), str(one(s, DCT.description)),
  str(one(one(s, DCT.publisher), FOAF.name)), str(one(file, DCAT.accessURL)), str(one(file, DCT.license)),
  str(one(one(s, DCT.spatial), DCAT.bbox)), issued.ill_typed, str(issued.datatype),
  [there(mobility.mobilityTheme), there(DCT.accrualPeriodicity), there(DCT.identifier)],
  bool(list(graph.objects(file, mobility.mobilityDataStandard))), sorted(map(str, graph.objects(s, DCAT.keyword)))]))
""", text, "rdflib")
        self.assertEqual(told[:6], [1, SAID["title"], SAID["about"], SAID["credit"], "https://data.example.org/x.odrz",
                                    "https://spdx.org/licenses/CC-BY-4.0"])
        self.assertEqual(told[6], "POLYGON((0 0,1 0,1 1,0 1,0 0))")
        self.assertEqual(told[7:9], [False, "http://www.w3.org/2001/XMLSchema#date"])
        self.assertEqual((told[9], told[10]), ([True] * 3, True))
        self.assertIn("differential privacy", told[11])

    def test_the_registry_gets_its_fields(self):
        told = self.parsed("import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))",
                           self.ok("info", "x.odr", "--as", "registry"), "yaml")
        self.assertEqual(set(told), {"url_slug", "deployment"})
        self.assertRegex(told["url_slug"], "^[a-z0-9_]+$")
        parts = told["deployment"]
        self.assertEqual(set(parts), {"basic", "dp_variant", "privacy_loss", "deployment_model", "implementation",
                                      "administrative"})
        basic = parts["basic"]
        self.assertEqual((basic["name"], basic["description"], basic["data_product_type"]),
                         (SAID["title"], SAID["about"], "Summary statistics"))
        self.assertEqual(basic["data_curators"][0]["data_curator_name"], SAID["credit"])
        self.assertRegex(basic["publication_date"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual(parts["dp_variant"]["variant_name"], "Pure DP")
        self.assertEqual(parts["privacy_loss"]["privacy_parameters"], {"epsilon": 0.5})
        self.assertEqual(parts["privacy_loss"]["privacy_unit"], "Trip")
        self.assertGreater(parts["privacy_loss"]["number_of_privacy_units"], 0)
        self.assertEqual(parts["administrative"]["status"], "Draft")

    def test_what_nobody_declared_is_told_and_not_made_up(self):
        dcat, registry = (self.json_of("info", "bare.odr", "--as", form) for form in ("dcat", "registry"))
        for word in ("title", "credit", "licence", "contact", "url"):
            self.assertTrue(any(f"`{word}`" in line for line in dcat["missing"]), word)
        document = json.loads(dcat["text"])
        self.assertEqual({"dct:publisher", "dcat:contactPoint"} & set(document), set())
        self.assertNotIn("dcat:accessURL", document["dcat:distribution"])
        self.assertEqual(len(registry["missing"]), registry["text"].count("FILL IN: "))
        self.assertGreater(len(registry["missing"]), 3)
        _, out, err = self.run_it("info", "bare.odr", "--as", "dcat")
        self.assertIn("note: missing: licence (--licence of stopover publish)", " ".join(err.split()))
        json.loads(out)

    def test_the_independent_verifier_takes_a_release_with_a_description(self):
        python, script = READERS.parents[2] / "venv/bin/python", READERS.parents[3] / "scripts/verify_release.py"
        if not python.exists():
            self.skipTest("pyarrow is not here: scripts/python-env")
        done = subprocess.run([python, script, self.work / "x.odr"], capture_output=True, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bad_words(self):
        self.fails(2, "info", "x.odr", "--as", "markdwon", says=("--as markdwon", "Did you mean markdown?", "registry"))
        self.fails(2, "info", "x.odr", "--as", "html", "--url", "https://a.example",
                   says="--url does not go with --as html")
        self.fails(2, "info", "x.odr", "--url", "https://a.example", says="--url goes with --as dcat")
        self.fails(2, "info", "x.odr", "--as", "dcat", "--url", "not an address", says='not "not an address"')


if __name__ == "__main__":
    bench_of_commands.use(sys.argv.pop(1), sys.argv.pop(1))
    unittest.main()
