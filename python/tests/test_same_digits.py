"""The command line and Python give the same digits, texts and bytes."""

import filecmp
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import stopover as so
from conftest import BOX, PROGRAMS, ZONES, cli_json, lab_publish, run, same_words
from stopover import _core, _html, _lab


def test_count(city, rel):
    words = ["--stop", "home=circle:37.75,-122.45,3", "--stop", "evening=bbox:-122.50,37.70,-122.40,37.80"]
    reply = cli_json("query", city / "city.odr", *words)
    answer = rel.count(home=so.circle(37.75, -122.45, km=3), evening=so.bbox(-122.50, 37.70, -122.40, 37.80))
    assert answer == so.Answer.of(reply)
    assert answer.estimate == reply["estimate"] and answer.noise == (reply["noise_lower"], reply["noise_upper"])
    assert answer.calibrated and not answer.aligned
    text = run("stopover", "query", city / "city.odr", *words)
    figures = [f"{_html.figure(low)} to {_html.figure(high)}" for low,
               high in (answer.noise, answer.interval, answer.bounds)]
    assert text.splitlines()[0] == _html.figure(answer.estimate) and all(shown in text for shown in figures)
    assert rel.count(home="circle:37.75,-122.45,3", evening="bbox:-122.50,37.70,-122.40,37.80") == answer
    whole = rel.count()
    assert whole == so.Answer.of(cli_json("query", city / "city.odr")) and whole.aligned
    assert 15_000 < float(whole) < 25_000


def test_questions_are_put_together(city, rel, tmp_path):
    zones = tmp_path / "zones.geojson"
    zones.write_text(json.dumps(ZONES))
    release, names = city / "city.odr", [feature["properties"]["name"] for feature in ZONES["features"]]
    a, b = so.zone(names[0]), so.zone(names[1])
    near = so.circle(37.75, -122.45, km=3)

    def typed(*words):
        return so.Answer.of(cli_json("query", release, "--zones", zones, *words))

    stop = f"zone:{names[0]}|zone:{names[1]}"
    for both in (a | b, [a, b], so.zone(*names[:2]), stop):
        assert rel.count(home=both, zones=ZONES).estimate == typed("--stop", f"home={stop}").estimate
    assert rel.count(home=a - near, zones=ZONES) == typed("--stop", f"home=zone:{names[0]} - circle:37.75,-122.45,3")
    assert rel.count(home=a & near, zones=ZONES) == typed("--stop", f"home=zone:{names[0]} & circle:37.75,-122.45,3")
    assert rel.count(any_stop=near) == typed("--any-stop", "circle:37.75,-122.45,3")
    assert rel.count(no_stop=near) == typed("--no-stop", "circle:37.75,-122.45,3")
    assert rel.count(in_order=[a, b], zones=ZONES) == typed("--in-order", f"zone:{names[0]} > zone:{names[1]}")
    share = rel.share(evening=b, of={"home": a}, zones=ZONES)
    assert share.part.estimate == typed("--stop", f"home=zone:{names[0]}", "--stop", f"evening=zone:{names[1]}").estimate
    assert 0 <= share.share <= 1
    assert [len(table) for table in rel.totals(k=2, tiles=4, any_stop=near)] == [2] * len(rel.stops)
    assert repr((a | b) - near) == f'(zone("{names[0]}") | zone("{names[1]}")) - circle([37.75, -122.45, 3.0])'
    with pytest.raises(TypeError):
        a | "zone:x"


def test_every_other_question(city, rel, tmp_path):
    zones = tmp_path / "zones.geojson"
    zones.write_text(json.dumps(ZONES))
    release = city / "city.odr"
    top = rel.top(3, zones=zones)
    reply = cli_json("query", release, "--top", "3", "--zones", zones)
    assert [row.answer.estimate for row in top] == [row["estimate"] for row in reply["tables"][0]["rows"]]
    assert top[0].places == tuple(reply["tables"][0]["rows"][0]["where"][stop]["zone"] for stop in top.stops)
    given = rel.given("home", home=so.circle(37.75, -122.45, km=3), k=2, tiles=4)
    reply = cli_json("query", release, "--stop", "home=circle:37.75,-122.45,3", "--given", "home", "--top", "2",
                     "--tiles", "4")
    assert [[row.answer.upper for row in t] for t in given] == [[r["upper"] for r in t["rows"]]
                                                                for t in reply["tables"]]
    assert given["evening"].stops == ("evening",)
    matrix = rel.to_zones(ZONES, start="home", end="evening")
    reply = cli_json("query", release, "--matrix", "home,evening", "--zones", zones)
    assert matrix.estimate.tolist() == reply["estimate"] and matrix.upper.tolist() == reply["upper"]
    assert not matrix.estimate.flags.writeable
    share = rel.share(work=so.circle(37.75, -122.45, km=3))
    assert share.share == cli_json("query", release, "--stop", "work=circle:37.75,-122.45,3", "--share")["share"]
    totals = rel.totals(zones=ZONES)
    reply = cli_json("query", release, "--totals", "--zones", zones)
    assert [t[0].answer.estimate for t in totals] == [t["rows"][0]["estimate"] for t in reply["tables"]]
    compared = rel.count(home=so.circle(37.75, -122.45, km=3), compare=rel)
    assert compared.difference.estimate == 0


def test_differences_ratios_and_sides(city, rel, later):
    release, words = city / "city.odr", ["--stop", "home=circle:37.75,-122.45,3"]
    near, other = so.circle(37.75, -122.45, km=3), so.circle(37.70, -122.45, km=3)
    reply = cli_json("query", release, *words, "--minus", "home=circle:37.70,-122.45,3", "--above", "100")
    less = rel.count(home=near, minus={"home": other}, above=100)
    assert less.count.interval == rel.count(home=near).interval
    assert less.minus.interval == rel.count(home=other).interval
    assert less.difference == so.Answer.of(reply["difference"]) and less.ratio == so.Ratio.of(reply["ratio"])
    assert less.sides == so.Sides(above=reply["above"]["probability"], claimed=reply["above"]["claimed"])
    assert float(less) == pytest.approx(less.count.estimate - less.minus.estimate)
    assert "times" in less._repr_html_()
    reply = cli_json("query", release, *words, "--at-least", "--at-most", "--above", "0")
    answer = rel.count(home=near, at_least=True, at_most=True, above=0)
    assert answer == so.Answer.of(reply) and answer.sides.at_least == reply["at_least"]["value"]
    assert answer.lower <= answer.sides.at_least <= answer.estimate <= answer.sides.at_most <= answer.upper
    # Two releases: a count and every table.
    words = ["--compare", later.path]
    reply = cli_json("query", release, *words)
    both = rel.count(compare=later)
    assert both.ratio == so.Ratio.of(reply["ratio"]) and both.difference == so.Answer.of(reply["difference"])
    reply = cli_json("query", release, *words, "--top", "3", "--tiles", "4")["tables"][0]["rows"]
    top = rel.top(3, tiles=4, compare=later)
    assert [row.difference for row in top] == [so.Answer.of(row["difference"]) for row in reply]
    assert top[0].names == tuple(reply[0]["names"].values())
    assert top.columns()["difference_lower"].tolist() == [row["difference"]["lower"] for row in reply]
    assert "change" in repr(top) and "change" in top._repr_html_()
    reply = cli_json("query", release, *words, "--totals", "--tiles", "3")["tables"][1]["rows"]
    assert [row.second.estimate for row in rel.totals(tiles=3, compare=later)[1]] == [r["second"]["estimate"]
                                                                                    for r in reply]
    matrix = rel.to_zones(ZONES, compare=later)
    assert (matrix.compared["second"]["estimate"] == later.to_zones(ZONES).estimate).all()
    assert np.allclose(matrix.compared["difference"]["estimate"],
                       matrix.compared["second"]["estimate"] - matrix.estimate)
    with pytest.raises(so.UsageError, match="one at a time"):
        rel.count(minus={"home": other}, compare=later)


def test_batch(city, rel, tmp_path):
    dice = np.random.default_rng(3)
    ends = np.sort(dice.integers(0, 100, (500, 6, 2)), axis=2)
    ends[:, :, 1] += 1
    boxes = ends.reshape(500, 12)
    answers = rel.count_boxes(boxes)
    names = [f"a{i}_{end}" for i in range(6) for end in ("lo", "hi")]
    (tmp_path / "boxes.csv").write_text("\n".join([",".join(names), *(",".join(map(str, box)) for box in boxes)]) +
                                        "\n")
    lines = run("stopover", "query", city / "city.odr", "--batch", tmp_path / "boxes.csv").splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]
    found = [[row["estimate"], row["noise_lower"], row["noise_upper"]] for row in rows]
    figures = zip(answers.estimate, answers.noise_lower, answers.noise_upper)
    assert [[f"{x + 0.0:.12g}" for x in row] for row in figures] == found
    few = rel.count_boxes({"a0_lo": boxes[:, 0], "a0_hi": boxes[:, 1]}, intervals=False)
    assert few.estimate[0] == pytest.approx(rel.count(box=f"a0={boxes[0, 0]}:{boxes[0, 1]}").estimate, rel=1e-11)
    assert few.lower is None


def test_batch_refuses(rel):
    box = np.array([[0, 100] * 6])
    for column, value, words in ((0, -1, "a0"), (1, 101, "a0"), (2, 100, "a1")):
        bad = box.copy()
        bad[0, column] = value
        with pytest.raises(so.InputError, match=f"batch row 1: {words}"):
            rel.count_boxes(bad)
    with pytest.raises(so.UsageError, match="12 numbers"):
        rel.count_boxes(box[:, :10])
    with pytest.raises(so.UsageError, match="whole numbers"):
        rel.count_boxes(box + 0.5)
    with pytest.raises(so.UsageError, match="a0_hi"):
        rel.count_boxes({"a0_lo": [1]})


def test_reports(city, rel, tmp_path):
    assert rel.info == cli_json("info", city / "city.odr")
    assert rel.card == run("stopover", "info", city / "city.odr").rstrip("\n")
    book = so.ledger(city / "city.ledger")
    assert dict(book) == cli_json("ledger", city / "city.ledger")
    assert repr(book) == run("stopover", "ledger", city / "city.ledger").rstrip("\n") and book.left == 0
    listed = cli_json("mechanisms")
    assert [row["name"] for row in listed] == list(so.mechanisms())
    assert same_words(repr(so.mechanisms()), run("stopover", "mechanisms"))
    plan = so.plan(50_000, epsilon=[0.5, 1], stops=1, mechanism="eug", formulas=True, progress=False)
    words = ["--n", "50000", "--epsilon", "0.5,1", "--stops", "1", "--mechanism", "eug", "--formulas"]
    assert dict(plan) == cli_json("plan", *words)
    assert same_words(repr(plan), run("stopover", "plan", *words))
    run("stopover", "html", city / "city.odr", "-o", tmp_path / "city.html")
    assert rel.html() == (tmp_path / "city.html").read_text(encoding="utf-8")
    with pytest.raises(so.CheckFailedError, match="can be repeated"):
        rel.verify()
    rel.verify(accept_test_key=True)


def test_same_bytes_under_a_test_key(table, tmp_path):
    """The same rows, from memory through Python and from a file through the command line: not a byte differs."""
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(table, tmp_path / "rows.parquet")
    words = ["--seq", "seq", "--bbox", ",".join(map(repr, BOX)), "--grid", "100x100", "--stops", "od+1", "--stop-names",
             "home,work,evening", "--unit", "user", "--max-trips-per-user", "2", "--epsilon", "1", "--budget", "1",
             "--test-key", "python"]
    run("stopover-lab", "publish", "rows.parquet", "-o", "by_cli.odr", "--ledger", "cli.ledger", *words)
    domain = so.Domain(bbox=BOX, grid=(100, 100), stops=["home", "work", "evening"])
    made = lab_publish(table, domain, "by_python.odr", "python.ledger")
    names = sorted(p.name for p in (tmp_path / "by_cli.odr").iterdir())
    assert names == sorted(p.name for p in (tmp_path / "by_python.odr").iterdir())
    tables = [name for name in names if name.endswith(".parquet")]
    assert len(tables) >= 2
    for name in tables:
        assert filecmp.cmp(tmp_path / "by_cli.odr" / name, tmp_path / "by_python.odr" / name, shallow=False), name

    def settled(folder):
        """The ledgers are two: their ids differ, and so do the hashes over them. Nothing else may."""
        document = json.loads((tmp_path / folder / "release.json").read_text())
        assert document["probes"]
        return {name: value for name, value in document.items()
                if name not in ("ledger_head", "companions") and "sha256" not in name}

    assert settled("by_cli.odr") == settled("by_python.odr")
    assert made.stops == ("home", "work", "evening")


def test_a_release_says_whether_it_is_private(rel, tmp_path):
    assert not rel.is_private and rel.randomness == "repeatable:python"
    assert "NOT PRIVATE: made with a key that can be repeated (python)" in repr(rel) and "epsilon" not in repr(rel)
    assert rel._repr_html_().startswith("<p style=") and "No privacy: made with a key" in rel._repr_html_()
    assert "protects nobody" in rel.ask({})["not_private"]
    run("stopover", "generate", "city", "--stops", "1", "--n", "500", "--grid", "8", "--seed", "1", "-o",
        tmp_path / "m.parquet")
    run("stopover", "publish", "--matrix", tmp_path / "m.parquet", "--shape", "8x8", "--epsilon", "1", "--ledger",
        tmp_path / "l", "--budget", "1",
        "-o", tmp_path / "m.odr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good = so.open_release(tmp_path / "m.odr")
    assert good.is_private and good.randomness == "system"
    assert "epsilon 1 per trip" in repr(good) and "PRIVATE" not in repr(good)
    assert good._repr_html_().startswith("<pre>") and "not_private" not in good.ask({})
    good.verify()


@pytest.mark.parametrize("kind, name, options, words", [
    ("csv", "p.csv", {}, []),
    ("parquet", "p.parquet", {}, []),
    ("csv", "d.csv", {"draws": 2, "seed": 7}, ["--draws", "2", "--seed", "7"]),
    ("geojson", "s.geojson", {"layer": "stops", "tiles": 4}, ["--layer", "stops", "--tiles", "4"]),
    ("flowmap", "f.json", {"start": "home", "end": "work"}, ["--from", "home", "--to", "work"]),
    ("zones", "z.csv", {"zones": ZONES}, ["--zones", "zones.geojson"]),
    ("omx", "z.omx", {"zones": ZONES, "draws": 1}, ["--zones", "zones.geojson", "--draws", "1"]),
    ("trips", "t.csv", {"n": 50}, ["--n", "50"]),
])
def test_exports_are_the_command_lines(city, rel, tmp_path, kind, name, options, words):
    (tmp_path / "zones.geojson").write_text(json.dumps(ZONES))
    told = rel.export(kind, tmp_path / name, progress=False, **options)
    (tmp_path / "cli").mkdir()
    same = cli_json("export", city / "city.odr", "--as", kind, "-o", tmp_path / "cli" / name, *words)
    assert told["as"] == kind and {**told, "output": 0, "files": 0} == {**same, "output": 0, "files": 0}
    for file in told["files"]:
        assert Path(file).read_bytes() == Path(tmp_path / "cli" / Path(file).name).read_bytes(), file
    with pytest.raises(so.OutputExistsError):
        rel.export(kind, tmp_path / name, **options)
    with pytest.raises(so.UsageError, match="estimates=") as wrong:
        rel.export("csv", tmp_path / "x", estimates="plain")
    assert wrong.value.field == "estimates"


def test_notebooks_show_rounded_numbers_and_escaped_names(rel):
    answer = rel.count(home=so.circle(37.75, -122.45, km=3))
    page = answer._repr_html_()
    assert f"<b>{answer.estimate:,.0f}</b>" in page and "likely" in page and "95 %" in page
    zones = json.loads(json.dumps(ZONES).replace(ZONES["features"][0]["properties"]["name"], "<b>&"))
    table, matrix = rel.top(3, zones=zones, over=["home", "work"]), rel.to_zones(zones)
    for shown in (table, matrix, rel.share(home=so.circle(37.75, -122.45, km=3)), rel.totals(zones=zones)):
        page = shown._repr_html_()
        assert page.count("<table") == page.count("</table>") and "<script" not in page and "<b>&<" not in page
    assert "&lt;b&gt;&amp;" in matrix._repr_html_() and f"{matrix.total.estimate:,.0f}" in matrix._repr_html_()


def test_the_package_has_no_key_that_can_be_repeated():
    with pytest.raises(so.UsageError, match="not private"):
        so._publish.finish(_core.start_publish({"test_key": "x", "epsilon": 1.0, "input": "x.csv"}, None), False)
    symbols = PROGRAMS.parent
    for folder in [symbols, *symbols.parents]:
        if (folder / "tests" / "house" / "symbols.py").is_file():
            break
    check = [sys.executable, str(folder / "tests" / "house" / "symbols.py")]
    fine = subprocess.run([*check, _core.__file__], capture_output=True, text=True)
    assert fine.returncode == 0, fine.stdout
    assert subprocess.run([*check, _lab.__file__], capture_output=True).returncode == 1
