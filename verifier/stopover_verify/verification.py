"""All checks of one release, in their order."""
import contextlib
import tempfile
import zipfile
from pathlib import Path

from stopover_verify.broken import Broken, require
from stopover_verify.card import check_card
from stopover_verify.companions import check_companion_hashes, check_companions
from stopover_verify.document import check_private, check_zones, randomness_of, read_document
from stopover_verify.folder import check_files
from stopover_verify.ledger import check_heads, check_paid, check_published
from stopover_verify.noise import FALSE_ALARM, judge_noise
from stopover_verify.pack import unpack
from stopover_verify.papers import check_papers
from stopover_verify.receipt import check_coarse, check_paths, check_receipt, check_sums
from stopover_verify.report import NO_RELEASE, Report
from stopover_verify.steps import check_steps
from stopover_verify.table import check_derived, read_table
from stopover_verify.tiling import check_boxes


class Wishes:
    """What is asked for besides the rules of the format. `heads`: (list of heads, name); `ledger`: a Ledger."""

    def __init__(self, accept_test_key=False, keys=(), heads=None, ledger=None, false_alarm=FALSE_ALARM):
        self.accept_test_key, self.keys, self.heads, self.ledger = accept_test_key, keys, heads, ledger
        self.false_alarm = false_alarm


def verify(name, wishes=None):
    """The Report on the release of this name: a folder, or one file."""
    report, folder = Report(str(name)), Path(name)
    with contextlib.suppress(Broken):
        if not folder.is_file() or not (folder.suffix == ".odrz" or zipfile.is_zipfile(folder)):
            check_folder(folder, report, wishes)
            return report
        with tempfile.TemporaryDirectory() as place:
            with report.check("pack", "its files, and nothing between them"):
                unpack(folder, Path(place))
            check_folder(Path(place), report, wishes)
    return report


def check_folder(folder, report, wishes):
    if (folder / "release.json").is_file():
        check_release(folder, report, wishes or Wishes())
    else:
        report.fail("release", f"there is no release at {report.release}", NO_RELEASE)


def each(tables, rule):
    """rule(table) of each, with its name before what it complains of."""
    results = []
    for table in tables:
        try:
            results.append(rule(table))
        except Broken as problem:
            named = table["name"] if isinstance(table, dict) else table.name
            raise Broken(f"table {named}: {problem}") from None
    return results


def check_release(folder, report, wishes):
    with report.check("document", "release.json has its keys, its form and its hashes"):
        head = read_document(folder)
        check_files(folder, head)
    with report.check("signatures", "good" if wishes.keys else "not asked for (--signed-by NAME.pub)"):
        papers = check_papers(folder, head, wishes.keys)
        report.signed_by, report.superseded, report.keys = papers.signed_by, papers.note, len(wishes.keys)
    with report.check("hashes", "of files and rows are right"):
        check_companion_hashes(folder, head)
        if "zones" in head["domain"]:
            check_zones(folder, head)
        axes = {axis["name"]: axis for axis in head["domain"]["axes"]}
        require(head["tables"] and head["tables"][0]["axes"] == list(axes), "the first table does not have all axes")
        tables = each(head["tables"], lambda said: read_table(folder, said, axes))
        require(len({table.name for table in tables}) == len(tables), "two tables have one name")
    with report.check("tiling", "boxes nest and tile, estimates add up"):
        each(tables, lambda table: check_derived(table, head["k"]))
        each(tables, lambda table: check_boxes(table, report.notes))
        if head["answer_model"] == "maps":
            each(tables[1:] or tables, check_steps)
    with report.check("receipt", "every path stays within epsilon; rows and receipt agree"):
        most = sum(each(tables, check_paths))
        each(tables, lambda table: check_coarse(head, table))
        each((table for table in tables if not table.said["view"]), lambda table: check_receipt(head["charges"], table))
        check_sums(head, tables, most)
    with report.check("companions", "card, maps, zones and datapackage.json follow from the rest"):
        check_card(head)
        check_companions(folder, head, tables)
    if "upgraded_from" in head:
        report.notes.append(f"Upgraded from format 1, where its content was {head['upgraded_from']}.")
    report.randomness = randomness_of(head)
    report.facts = {"format": head["format"], "rows": sum(table.rows for table in tables), "epsilon": head["epsilon"],
                    "content_sha256": head["content_sha256"]}
    with report.check("noise", ""):
        noise = judge_noise(head, tables, wishes.false_alarm)
        report.facts["noise"] = noise
        require(noise["verdict"] != "implausible", told(noise))
    report.checks["noise"] = told(noise)
    check_payment(head, report, wishes)
    with report.check("randomness", f"{report.randomness}"):
        check_private(head, wishes.accept_test_key)


def check_payment(head, report, wishes):
    """Who paid for it: heads, ledger."""
    if wishes.heads:
        with report.check("heads", "its ledger's head is among those published"):
            check_published(head, *wishes.heads)
            if wishes.ledger:
                check_heads(wishes.ledger, *wishes.heads)
    if wishes.ledger:
        with report.check("ledger", "its chain holds, paid for the release and committed to its content"):
            check_paid(wishes.ledger, head)
        if wishes.ledger.torn:
            report.notes.append(f"{wishes.ledger.name} ends in a torn record: what a crash, or somebody, cut off.")


def told(noise):
    times = f"{noise['repeated']:,} repeated measurement" + ("" if noise["repeated"] == 1 else "s")
    if noise["verdict"] == "cannot tell":
        return f"cannot tell: {times if noise['repeated'] else 'nothing was measured twice'}" + (
            ", too few" if noise["repeated"] else "")
    if noise["verdict"] == "plausible":
        return f"plausible: {times}; noise {' or '.join(noise['would_catch'])} would show"
    return (f"its noise is not what the receipt says: {noise['why']} in {times} "
            f"(such a verdict is wrong at most once in {1 / noise['false_alarm']:,.0f} releases)")
