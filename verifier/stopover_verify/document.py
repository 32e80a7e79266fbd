"""release.json: its keys, its canonical form, its hashes, and what it says of intervals and randomness."""
import json
import math

from stopover_verify.broken import Broken, require
from stopover_verify.form import check_form, check_zones_form
from stopover_verify.hashes import content_hash, json_hash, pretty, sha256
from stopover_verify.upgrade import check_upgrade

KEYS = {"format", "guarantee", "domain", "mechanism", "params", "epsilon", "spent", "unit", "k", "answer_model",
        "tables", "charges", "number", "ledger_head", "date", "content_sha256", "json_sha256", "writer"}
NEW_KEYS = {1: set(), 2: {"randomness"}}  # by format
MAY_KEYS = {1: {"calibration"}, 2: {"calibration", "probes", "companions", "description", "upgraded_from"}}
DESCRIPTION = {"title", "about", "covers", "credit", "licence", "contact"}


def read_document(folder):
    text = (folder / "release.json").read_bytes()
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Broken(f"release.json is not JSON: {problem}") from None
    require(isinstance(head, dict) and "format" in head, "release.json has no format")
    require(type(head["format"]) is int and head["format"] in NEW_KEYS, f"format {head['format']} is not known here")
    keys = set(head) - MAY_KEYS[head["format"]]
    require(keys == KEYS | NEW_KEYS[head["format"]], "release.json has other keys than it should")
    require(text == pretty(head), "release.json is not in canonical form")
    check_form(head)
    require(json_hash(head) == head["json_sha256"], "release.json does not have its json_sha256")
    require(content_hash(head) == head["content_sha256"], "release.json does not have its content_sha256")
    check_calibration(head)
    check_probes(head)
    check_randomness(head)
    check_upgrade(head)
    said = head.get("description", {"title": "-"})
    require(isinstance(said, dict) and said and set(said) <= DESCRIPTION
            and all(isinstance(text, str) and text for text in said.values()), "its description is not one")
    return head


def check_zones(folder, head):
    """The public zones beside the tables: the file that was hashed, and one zone per cell of every zone axis."""
    said = head["domain"]["zones"]
    require(head["format"] > 1 and set(said) == {"file", "sha256"} and said["file"] == "zones.geojson",
            "the domain's zones are told otherwise than they should")
    text = (folder / "zones.geojson").read_bytes()
    require(sha256(text) == said["sha256"], "zones.geojson does not have its sha256")
    zones = json.loads(text)
    check_zones_form(zones)
    ids = [feature["properties"]["id"] for feature in zones["features"]]
    require(len(set(ids)) == len(ids), "two zones have one id")
    for axis in head["domain"]["axes"]:
        require(axis["kind"] != "zone" or axis["labels"] == ids, f"axis {axis['name']} has other labels than the zones")
    for level in zones["levels"]:
        groups = [feature["properties"][level] for feature in zones["features"]]
        runs = [group for i, group in enumerate(groups) if i == 0 or groups[i - 1] != group]
        require(len(set(runs)) == len(runs), f"the zones of a {level} do not stand together")


def randomness_of(head):
    """Where the noise came from: "system", "repeatable:NAME" or "not told". Format 1 had a parameter for it."""
    if head["format"] > 1:
        return head["randomness"]
    return "repeatable:" + head["params"]["test_key"] if "test_key" in head["params"] else "system"


def check_randomness(head):
    """Told in one place, and the card does not promise what the key cannot keep."""
    if head["format"] == 1:
        return
    said = head["randomness"]
    require(said in ("system", "not told") or (isinstance(said, str) and said.startswith("repeatable:")),
            f"its randomness is {said!r}, which means nothing")
    require("test_key" not in head["params"], "its parameters name a key")
    require(head["guarantee"]["title"].startswith("No privacy") == (said != "system"),
            f"its card does not fit its randomness, {said}")


def check_private(head, accept):
    """`accept`: a release for tests, made with a key that can be repeated, may pass."""
    said = randomness_of(head)
    if said == "system" or (accept and said.startswith("repeatable:")):
        return
    told = said != "not told"
    known = f"a key that can be repeated ({said.partition(':')[2]})" if told else "randomness that nobody told about"
    advice = "; if a release for tests is what you expect: --accept-test-key" if told else ""
    raise Broken(f"it was made with {known} and protects nobody; its other rules hold{advice}")


def descend(numbers):
    return all(a > b for a, b in zip(numbers, numbers[1:]))


def check_calibration(head):
    """Intervals learned from the rest of the release: where they are there, a table that must make sense."""
    if "calibration" not in head:
        return
    table = head["calibration"]
    require(head["answer_model"] == "maps", "a calibration needs answers that use maps")
    require(set(table) == {"draws", "questions", "weights", "tails", "signals", "below", "above"},
            "the calibration has other keys than it should")
    number = {key: [float(x) for x in table[key]] for key in ("weights", "tails", "signals")}
    require(all(math.isfinite(x) for values in number.values() for x in values), "the calibration is not finite")
    require(len(number["weights"]) == 7 and min(number["weights"]) >= 0 and max(number["weights"]) > 0,
            "the calibration's weights are wrong")
    tails, signals = number["tails"], number["signals"]
    require(tails and 0 < tails[-1] and tails[0] <= 0.5 and descend(tails), "the calibration's tails do not descend")
    require(signals and descend(signals[::-1]), "the calibration's signals do not ascend")
    for side, sign in (("below", -1), ("above", 1)):
        require(len(table[side]) == len(signals), f"the calibration's {side} has not one row a signal")
        for row in table[side]:
            values = [sign * float(x) for x in row]
            require(len(values) == len(tails) and all(math.isfinite(x) for x in values) and values[0] >= 0
                    and all(a <= b for a, b in zip(values, values[1:])), f"the calibration's {side} is wrong")


def check_probes(head):
    """Evidence that was bought for intervals: paid once in the receipt, and tables of the sizes they should have."""
    paid = [charge for charge in head["charges"] if charge["purpose"] == "ranks"]
    if "probes" not in head:
        require(not paid, "the receipt has ranks, but there are no probes")
        return
    probes = head["probes"]
    require(head["answer_model"] == "maps" and "calibration" not in head, "the probes are not the one source of intervals")
    certified = {"missed_above": 84, "missed_below": 70}  # 14 cells by edges; older releases have none
    require(set(probes) - set(certified) - {"scale"} == {"ticks", "lattices", "counts", "scales", "squares", "signals", "whole",
                                             "tails", "below", "above"}
            and len(set(certified) & set(probes)) in (0, 2), "the probes have other keys than they should")
    for key in set(certified) & set(probes):
        shares = [float(x) for x in probes[key]]
        require(len(shares) == certified[key] and all(0 <= x <= 1 for x in shares),
                "the probes certify what is no share")
    require([(charge["ticks"], charge["times"]) for charge in paid] == [(probes["ticks"], 1)],
            "the receipt does not have what the probes say was paid for them")
    number = {key: [float(x) for x in probes[key]]
              for key in ("scales", "squares", "signals", "whole", "tails", "below", "above")}
    require(all(math.isfinite(x) and x >= 0 for values in number.values() for x in values), "the probes are not finite")
    tails = number["tails"]
    require(tails and 0 < tails[-1] and tails[0] <= 0.5 and descend(tails), "the probes' tails do not descend")
    sizes = {"scales": 14, "squares": 14, "signals": 14, "whole": 70, "below": 14 * len(tails), "above": 14 * len(tails)}
    require(probes["lattices"] > 0 and len(probes["counts"]) == 168
            and all(len(number[key]) == size for key, size in sizes.items()), "the probes' tables have wrong sizes")
    require(min(number["below"] + number["above"]) > 0, "the probes have a distance that is not above 0")
