"""Forgeries of meaning: what somebody could do to a release, its papers, its ledger or its pack who has no key."""
import json
import math
import random
import shutil

import forged_release
import pyarrow as pa
import pyarrow.parquet as pq
from forged_release import change_head, change_rows, read_head, seal
from forger import (Forgery, axes_of, draw_maps_again, head, leaves_of, measured, neighbours, put, put_edges,
                    raw_rows, rows, siblings, up_the_path)
from stopover_verify import card


def drop_row(columns):
    row = leaves_of(columns)[-1]
    for values in columns.values():
        del values[row]
    columns["parent"] = [parent - (parent > row) for parent in columns["parent"]]


def row_twice(columns):
    row = leaves_of(columns)[-1]
    for values in columns.values():
        values.append(values[row])


def swap(names):
    def change(columns):
        a, b = siblings(columns)
        for name in names(columns):
            columns[name][a], columns[name][b] = columns[name][b], columns[name][a]
    return change


def over_its_sibling(columns):
    a, b = siblings(columns)
    for axis in axes_of(columns):
        for end in ("_lo", "_hi"):
            columns[axis + end][b] = columns[axis + end][a]


def move_face(columns):
    axis, a, b = neighbours(columns)
    columns[axis + "_hi"][a] += 1
    columns[axis + "_lo"][b] += 1


def move_edge(columns):
    axis, a, _ = neighbours(columns)
    columns[axis + "_hi"][a] += 1


def consistent_estimate(columns):
    up_the_path(columns, leaves_of(columns)[0], 5.0)


def of_rows(base, number):
    """Forgeries of one table."""
    what = f"{base}, table {number}"
    leaf, inner = (lambda columns: measured(columns, True)), (lambda columns: measured(columns, False))
    made = [
        ("a leaf's count + 1", rows(number, put("count", leaf, lambda y: y + 1))),
        ("a leaf's count halved", rows(number, put("count", leaf, lambda y: (y - 1) // 2 if y > 0 else y - 9))),
        ("a leaf's estimate + 5", rows(number, put("estimate", lambda c: leaves_of(c)[0], lambda y: y + 5))),
        ("a leaf's estimate + 5, whole path, maps as they were", rows(number, consistent_estimate)),
        ("a leaf's estimate + 5, whole path, maps too", rows(number, consistent_estimate, True)),
        ("counts of two leaves swapped", rows(number, swap(lambda c: ["count"]))),
        ("two partitions swapped", rows(number, swap(lambda c: [a + e for a in axes_of(c) for e in ("_lo", "_hi")]), True)),
        ("an edge moved", rows(number, move_edge)),
        ("an edge moved on both sides", rows(number, move_face, True)),
        ("a box over its sibling", rows(number, over_its_sibling)),
        ("a row's price halved", rows(number, put("ticks", leaf, lambda t: t // 2))),
        ("a row dropped", rows(number, drop_row)),
        ("a row twice", rows(number, row_twice)),
        ("a price beside", rows(number, put("side_ticks", leaf, lambda t: t + 1))),
        ("a leaf hung higher", rows(number, put("parent", lambda c: leaves_of(c)[-1], lambda p: 0))),
        ("a wrong scale", raw_rows(number, put("noise_scale", leaf, lambda s: s / 2))),
        ("a leaf that says it is none", raw_rows(number, put("leaf", leaf, lambda old: False))),
    ]
    if base == "tree" or number == 0:
        made.append(("the count of an inner box - 1", rows(number, put("count", inner, lambda y: y - 1))))
    return [Forgery("rows", f"{what}: {name}", base, change) for name, change in made]


def charge(change):
    return head(lambda told: change(told["charges"]))


def move_bounds(folder, scene):
    told = read_head(folder)
    axis = told["domain"]["axes"][0]
    axis["lower"], axis["upper"] = "1.5", "2.5"
    seal(folder, told)
    axes = {a["name"]: a for a in told["domain"]["axes"]}
    for number, said in enumerate(told["tables"]):
        if axis["name"] in said["axes"]:
            change_rows(folder, lambda columns: put_edges(columns, axes), number)
    draw_maps_again(folder)


def claims_less(folder, scene):
    """All prices of a tree, the receipt, epsilon and the card at half: the noise is what it was."""
    def halve(columns):
        for name in ("ticks", "side_ticks"):
            columns[name] = [ticks // 2 for ticks in columns[name]]
    rows(0, halve)(folder, scene)

    def receipt(told):
        columns = pq.read_table(folder / told["tables"][0]["file"]).to_pydict()
        path = []
        for parent, ticks, side in zip(columns["parent"], columns["ticks"], columns["side_ticks"]):
            path.append((path[parent] if parent >= 0 else 0) + ticks + side)
        for line in told["charges"]:
            line["ticks"] //= 2
        told["tables"][0]["ticks"] = max(path)
        told["epsilon"] = told["spent"] = card.decimal(max(path))
        merged = {}
        for line in told["charges"]:
            key = line["view"], line["depth"], line["purpose"], line["ticks"]
            merged.setdefault(key, {**line, "times": 0})["times"] += line["times"]
        told["charges"] = list(merged.values())
    head(receipt)(folder, scene)


def stop_names(told):
    first, second = told["domain"]["stops"][:2]
    first["name"], second["name"] = second["name"], first["name"]


HEADS = [
    ("epsilon less", head(lambda h: h.update(epsilon="0.5"))),
    ("epsilon more", head(lambda h: h.update(epsilon="2"))),
    ("spent less", head(lambda h: h.update(spent="0.5"))),
    ("k = 2", head(lambda h: h.update(k=2))),
    ("a person, not a trip", head(lambda h: h.update(unit="user"))),
    ("another mechanism", head(lambda h: h.update(mechanism="uniform"))),
    ("another parameter", head(lambda h: h["params"].update(max_partitions="17"))),
    ("another day", head(lambda h: h.update(date="2020-01-01"))),
    ("another number in the ledger", head(lambda h: h.update(number=h["number"] + 1))),
    ("another ledger", head(lambda h: h.update(ledger_head="0" * 32 + ":2:" + "0" * 64))),
    ("a charge times one more", charge(lambda lines: lines[0].update(times=lines[0]["times"] + 1))),
    ("a charge less", charge(lambda lines: lines[0].update(ticks=lines[0]["ticks"] - 1))),
    ("a charge dropped", charge(lambda lines: lines.pop())),
    ("a charge added", charge(lambda lines: lines.append({**lines[0], "view": "more"}))),
    ("a charge for something else", charge(lambda lines: lines[0].update(purpose="ranks"))),
    ("a charge of another view", charge(lambda lines: lines[0].update(view="other"))),
    ("a charge at another depth", charge(lambda lines: lines[0].update(depth=9))),
    ("a table's slice less", head(lambda h: h["tables"][0].update(ticks=1))),
    ("a table of another kind", head(lambda h: h["tables"][0].update(kind="cells"))),
    ("a table bought with another", head(lambda h: h["tables"][0].update(view="maps"))),
    ("rows less", head(lambda h: h["tables"][0].update(rows=h["tables"][0]["rows"] - 1))),
    ("two tables in another order", head(lambda h: h["tables"].reverse())),
    ("names of stops swapped", head(stop_names)),
    ("more cells", head(lambda h: h["domain"]["axes"][0].update(cells=1000))),
    ("bounds moved, all coordinates too", move_bounds),
    ("another answer model", head(lambda h: h.update(answer_model="uniform"))),
    ("a key that says it can be repeated", head(lambda h: h.update(randomness="repeatable:x"))),
    ("randomness not told", head(lambda h: h.update(randomness="not told"))),
    ("randomness of a new kind", head(lambda h: h.update(randomness="fresh"), False)),
    ("a card with another epsilon", head(lambda h: h["guarantee"].update(title="Pure differential privacy with epsilon 0.01 "
                                                                               "for one trip."), False)),
    ("a card that promises more", head(lambda h: h["guarantee"]["promise"].append("Nobody learns anything."), False)),
    ("a card that covers everything", head(lambda h: h["guarantee"].update(not_covered=[]), False)),
    ("a description", head(lambda h: h.update(description={"title": "Trips of another city"}))),
    ("a key that nobody knows", head(lambda h: h.update(remark="x"))),
    ("said to be of format 1", head(lambda h: (h.update(format=1), h.pop("randomness")), False)),
    ("companions left out of the list", head(lambda h: h.pop("companions"))),
]
PROBES = [
    ("a probe's count + 1", head(lambda h: h["probes"]["counts"].__setitem__(0, h["probes"]["counts"][0] + 1))),
    ("probes for less", head(lambda h: h["probes"].update(ticks=h["probes"]["ticks"] - 1))),
    ("narrower intervals", head(lambda h: h["probes"].update(below=["0.001"] * len(h["probes"]["below"])))),
    ("a better certificate", head(lambda h: h["probes"].update(missed_above=["0"] * len(h["probes"]["missed_above"])))),
    ("half a certificate", head(lambda h: h["probes"].pop("missed_below"))),
    ("another scale of probes", head(lambda h: h["probes"].update(scale=3))),
    ("a scale of probes left out", head(lambda h: h["probes"].pop("scale"))),
    ("probes left out", head(lambda h: h.pop("probes"))),
]


def beside(pick):
    """A key that nobody knows, deep inside."""
    return head(lambda told: pick(told).update(remark="8,123 trips"))


def split_charge(lines):
    at = next(i for i, line in enumerate(lines) if line["times"] > 1)
    lines[at]["times"] -= 1
    lines.insert(at, {**lines[at], "times": 1})


DEEP = [
    ("a word beside a table", beside(lambda h: h["tables"][0])),
    ("a word beside a charge", beside(lambda h: h["charges"][0])),
    ("a word beside an axis", beside(lambda h: h["domain"]["axes"][0])),
    ("a word beside a stop", beside(lambda h: h["domain"]["stops"][0])),
    ("a word beside the domain", beside(lambda h: h["domain"])),
    ("a word beside the writer", beside(lambda h: h["writer"])),
    ("a word beside a companion", beside(lambda h: h["companions"][0])),
    ("k is true", head(lambda h: h.update(k=True))),
    ("a number with a fraction", head(lambda h: h.update(number=h["number"] + 0.5))),
    ("a parameter that is a number", head(lambda h: h["params"].update(max_partitions=8123))),
    ("a bound in more digits", head(lambda h: h["domain"]["axes"][0].update(lower=h["domain"]["axes"][0]["lower"] + ".0"))),
    ("an epsilon in more digits", head(lambda h: h.update(epsilon="1.0"))),
    ("charges in another order", charge(lambda lines: lines.reverse())),
    ("a charge in two lines", charge(split_charge)),
    ("two stops of one name", head(lambda h: h["domain"]["stops"][1].update(name=h["domain"]["stops"][0]["name"]))),
    ("a stop with its axes the other way round", head(lambda h: h["domain"]["stops"][0]["axes"].reverse())),
    ("a stop with an axis of another", head(lambda h: h["domain"]["stops"][0].update(axes=h["domain"]["stops"][1]["axes"]))),
    ("an axis with labels", head(lambda h: h["domain"]["axes"][0].update(labels=["8,123 trips"]))),
    ("said to have been upgraded", head(lambda h: h.update(upgraded_from="0" * 64))),
]


def zones_text(change):
    """A change of zones.geojson; its hash follows, and zones.parquet does not."""
    def forge(folder, scene):
        path = folder / "zones.geojson"
        zones = json.loads(path.read_text(encoding="utf-8"))
        change(zones)
        lines = ",\n".join(json.dumps(f, separators=(",", ":"), ensure_ascii=False) for f in zones.pop("features"))
        path.write_text(json.dumps(zones, separators=(",", ":"))[:-1] + ',"features":[\n' + lines + "\n]}\n", encoding="utf-8")
        change_head(folder, lambda told: told["domain"]["zones"].update(sha256=forged_release.hashes.sha256(path.read_bytes())))
    return forge


def zone_elsewhere(folder, scene):
    path = folder / "zones.parquet"
    data = pq.read_table(path)
    swapped = pa.array(data["geometry"].to_pylist()[::-1], data["geometry"].type)
    pq.write_table(data.set_column(data.schema.get_field_index("geometry"), data.schema.field("geometry"), swapped), path)
    seal(folder, read_head(folder))


ZONES = [
    ("a word beside a zone", zones_text(lambda z: z["features"][0]["properties"].update(remark="8,123 trips"))),
    ("a word beside all zones", zones_text(lambda z: z.update(remark="8,123 trips"))),
    ("a number for a name", zones_text(lambda z: z["features"][0]["properties"].update(id=8123))),
    ("a zone moved", zones_text(lambda z: z["features"][0]["geometry"].update(coordinates=[10.5, 50.5]))),
    ("zones in each other's place", zone_elsewhere),
    ("a belief that is surer", raw_rows(1, put("spread", lambda c: len(c["spread"]) - 1, lambda s: s / 2))),
]


def words_beside(folder, scene):
    path = folder / "joint.parquet"
    data = pq.read_table(path)
    pq.write_table(data.replace_schema_metadata({"author": "somebody else"}), path)
    seal(folder, read_head(folder))


def in_package(change):
    def forge(folder, scene):
        path = folder / "datapackage.json"
        package = json.loads(path.read_text(encoding="utf-8"))
        change(package)
        path.write_text(json.dumps(package, sort_keys=True, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        told = read_head(folder)
        for companion in told["companions"]:
            companion["sha256"] = forged_release.hashes.sha256((folder / companion["file"]).read_bytes())
        told["json_sha256"] = forged_release.hashes.json_hash(told)
        (folder / "release.json").write_bytes(forged_release.hashes.pretty(told))
    return forge


def in_map(change):
    def forge(folder, scene):
        path = folder / "maps/map1.parquet"
        data = pq.read_table(path)
        geo = json.loads(data.schema.metadata[b"geo"])
        change(geo)
        pq.write_table(data.replace_schema_metadata({"geo": json.dumps(geo)}), path)
        seal(folder, read_head(folder))
    return forge


def maps_swapped(folder, scene):
    first, second = (folder / f"maps/map{i}.parquet" for i in (1, 2))
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    seal(folder, read_head(folder))


def map_in_another_order(folder, scene):
    path = folder / "maps/map1.parquet"
    data = pq.read_table(path)
    pq.write_table(data.take(list(range(data.num_rows))[::-1]), path)
    seal(folder, read_head(folder))


def linked(folder, scene):
    path = folder / "joint.parquet"
    (folder.parent / "elsewhere.parquet").write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(folder.parent / "elsewhere.parquet")


FILES = [
    ("a file among the maps", lambda folder, scene: (folder / "maps/map3.parquet").write_bytes(b"x")),
    ("a hidden file", lambda folder, scene: (folder / ".trips").write_text("x")),
    ("maps of two stops in each other's place", maps_swapped),
    ("a map in another order", map_in_another_order),
    ("a table that lies elsewhere", linked),
    ("words in a Parquet file", words_beside),
    ("another file", lambda folder, scene: (folder / "more.txt").write_text("x")),
    ("a file gone", lambda folder, scene: (folder / "maps/map1.parquet").unlink()),
    ("a table gone", lambda folder, scene: (folder / "map1.parquet").unlink()),
    ("another description in datapackage.json", in_package(lambda p: p.update(description="Exact counts."))),
    ("another meaning of a column", in_package(lambda p: p["resources"][0]["schema"]["fields"][0].update(description="x"))),
    ("another licence in datapackage.json", in_package(lambda p: p.update(licenses=[{"name": "any", "title": "any"}]))),
    ("a map said to lie elsewhere", in_map(lambda geo: geo["columns"]["geometry"].update(bbox=[0, 0, 1, 1]))),
    ("a map with other coordinates", in_map(lambda geo: geo["columns"]["geometry"].update(edges="spherical"))),
]


def copy_papers(of, kinds=("signatures",), names=None):
    def forge(folder, scene):
        for kind in kinds:
            shutil.rmtree(folder / kind, ignore_errors=True)
            shutil.copytree(scene.folder / of / kind, folder / kind)
            for path in list((folder / kind).iterdir()):
                if names and not path.match(names):
                    path.unlink()
    return forge


def signature(change):
    def forge(folder, scene):
        path = folder / f"signatures/{scene.mine}.minisig"
        path.write_text(change(path.read_text()))
    return forge


def foreign_signature(folder, scene):
    """Signed with another key, under the curator's name."""
    theirs = scene.folder / "foreign.odr/signatures" / f"{scene.yours}.minisig"
    (folder / f"signatures/{scene.mine}.minisig").write_bytes(theirs.read_bytes())


def only_foreign(folder, scene):
    (folder / f"signatures/{scene.mine}.minisig").unlink()
    shutil.copy(scene.folder / "foreign.odr/signatures" / f"{scene.yours}.minisig", folder / "signatures")


def statement_of_another(folder, scene):
    shutil.copy(scene.folder / "other.odr/signatures/statement.txt", folder / "signatures")


def signature_of_another(folder, scene):
    shutil.copy(scene.folder / f"other.odr/signatures/{scene.mine}.minisig", folder / "signatures")


def note(change):
    """A note of an own making on a signed release."""
    def forge(folder, scene):
        said = {"kind": "withdrawn", "release": read_head(folder)["content_sha256"], "by": "", "why": "wrong", "date": "2025-01-01"}
        change(said)
        (folder / "notes").mkdir(exist_ok=True)
        (folder / "notes/superseded.json").write_bytes(forged_release.hashes.pretty(said))
    return forge


def old_signatures(folder, scene):
    shutil.copytree(folder / "signatures", folder / "old_signatures")


PAPERS = [
    ("old signatures of a release that was never upgraded", old_signatures),
    ("a file among the signatures", lambda folder, scene: (folder / "signatures/more.txt").write_text("x")),
    ("a statement with other ends of lines", lambda folder, scene: (folder / "signatures/statement.txt").write_bytes(
        (folder / "signatures/statement.txt").read_bytes().replace(b"\n", b"\r\n"))),
    ("a foreign signature under the curator's name", foreign_signature),
    ("a foreign signature alone", only_foreign),
    ("all papers of another release", copy_papers("other.odr")),
    ("the statement of another release", statement_of_another),
    ("the signature of another release", signature_of_another),
    ("the signatures taken away", lambda folder, scene: shutil.rmtree(folder / "signatures")),
    ("the statement taken away", lambda folder, scene: (folder / "signatures/statement.txt").unlink()),
    ("another trusted comment", signature(lambda t: t.replace("stopover release", "stopover Release"))),
    ("a signature of an older kind", signature(lambda t: t.replace("\nRU", "\nRW"))),
    ("a signature cut off", signature(lambda t: t.rpartition("\n")[0])),
    ("half a signature", signature(lambda t: "\n".join(t.split("\n")[:2]) + "\n")),
    ("a note replayed", copy_papers("old.odr", ("notes",))),
    ("a note nobody signed", note(lambda n: None)),
    ("a note in other words", note(lambda n: n.update(kind="replaced"))),
    ("a note about another release", note(lambda n: n.update(release="0" * 64))),
]
NOTES = [
    ("another reason", note(lambda n: n.update(kind="superseded", by="1" * 64))),
    ("the note's signature of another note", copy_papers("older.odr", ("notes",), "*.minisig")),
]


def other_release(name):
    def forge(folder, scene):
        shutil.rmtree(folder)
        shutil.copytree(scene.folder / name, folder)
    return forge


def made_again_with_a_test_key(folder, scene):
    other_release("testkey.odr")(folder, scene)
    head(lambda told: told.update(randomness="system"))(folder, scene)


def scaled(scale, *which):
    """Noise of a release of the scene's trips, or of its points where one stop was published."""
    def forge(folder, scene):
        trips = scene.points if read_head(folder)["mechanism"] == "multigrid" else scene.trips
        forged_release.scale_noise(folder, trips, scale, which or ("count", "coarse_count"))
    return forge


def coarse(change):
    """A change of the coarse counts of all tables that have some: change(count, coarse rate) of each."""
    def forge(folder, scene):
        told = read_head(folder)
        for number in range(len(told["tables"])):
            def all_of_them(columns):
                if "coarse_ticks" in columns:
                    columns["coarse_count"] = [change(count, ticks / 1e9 / told["k"]) if ticks else 0 for count, ticks in
                                               zip(columns["count"], columns["coarse_ticks"])]
            change_rows(folder, all_of_them, number)
    return forge


def made_up(dice):
    """Laplace noise on top of the refined count, as somebody would add it who does not know the law."""
    return lambda count, rate: count + sum(sign * int(math.log(1 - dice.random()) / -rate) for sign in (1, -1))


def without_coarse(folder, scene):
    told = read_head(folder)
    for said in told["tables"]:
        path = folder / said["file"]
        data = pq.read_table(path)
        if "coarse_ticks" in data.schema.names:
            data = data.drop_columns(["coarse_count", "coarse_ticks"])
            pq.write_table(data, path)
            said["content_sha256"] = forged_release.rows_hash(said, data)
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    for resource in package["resources"]:
        fields = resource["schema"]["fields"]
        fields[:] = [field for field in fields if not field["name"].startswith("coarse_")]
    (folder / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")
    seal(folder, told)


def refined(columns):
    return next(row for row, ticks in enumerate(columns["coarse_ticks"]) if ticks)


COARSE_ROWS = [
    ("a coarse count + 1", raw_rows(0, put("coarse_count", refined, lambda y: y + 1))),
    ("a coarse count for less", raw_rows(0, put("coarse_ticks", refined, lambda t: t - 1))),
    ("a coarse count for more than both", raw_rows(0, put("coarse_ticks", refined, lambda t: 10**9))),
    ("a coarse count that nobody paid for", raw_rows(0, put("coarse_count", lambda c: 0, lambda y: 7))),
    ("coarse counts left out", without_coarse),
]


WHOLE = [
    ("another release of the forger's own", other_release("foreign.odr")),
    ("a release with a test key, said to be of the system's", made_again_with_a_test_key),
]
NOISE = [("noise left out", scaled(0.0)), ("noise halved", scaled(0.5)), ("noise doubled", scaled(2.0)),
         ("a receipt that claims half", claims_less)]
COARSE_NOISE = [("coarse counts alone, noise halved", scaled(0.5, "coarse_count")),
                ("coarse counts alone, noise doubled", scaled(2.0, "coarse_count")),
                ("refined counts alone, noise left out", scaled(0.0, "count")),
                ("refined counts alone, noise halved", scaled(0.5, "count")),
                ("refined counts alone, noise doubled", scaled(2.0, "count")),
                ("coarse counts made up", coarse(made_up(random.Random("made up")))),
                ("coarse counts that are the refined ones", coarse(lambda count, rate: count))]


def all_forgeries():
    made = [forgery for base, number in (("city", 0), ("city", 1), ("tree", 0)) for forgery in of_rows(base, number)]
    made += [Forgery("release.json", name, "city", change) for name, change in HEADS + PROBES + DEEP]
    made += [Forgery("zones", name, "stations", change) for name, change in ZONES]
    made += [Forgery("files", name, "city", change) for name, change in FILES]
    made += [Forgery("papers", name, "city", change, True) for name, change in PAPERS]
    made += [Forgery("papers", "superseded: " + name, "old", change, True) for name, change in NOTES]
    made += [Forgery("whole", name, "city", change) for name, change in WHOLE]
    made += [Forgery("rows", "town: " + name, "town", change) for name, change in COARSE_ROWS]
    made += [Forgery("noise", name, "tree", change) for name, change in NOISE]
    made += [Forgery("noise", f"{base}: {name}", base, change) for base in ("town", "map") for name, change in NOISE[:3]]
    return made + [Forgery("noise", "town: " + name, "town", change) for name, change in COARSE_NOISE]
