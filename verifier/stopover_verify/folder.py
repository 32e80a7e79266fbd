"""The folder of a release: which files it may hold."""
from stopover_verify.broken import require
from stopover_verify.papers import PAPER


def check_files(folder, head):
    expected = {"release.json"} | {table["file"] for table in head["tables"]}
    if "zones" in head["domain"]:
        expected.add("zones.geojson")
    expected |= {companion["file"] for companion in head.get("companions", [])}
    files = (entry for entry in folder.rglob("*") if entry.is_symlink() or not entry.is_dir())
    found = {entry.relative_to(folder).as_posix() for entry in files}
    found -= {name for name in found if PAPER.fullmatch(name) and not (folder / name).is_symlink()}
    require(found == expected, f"the directory holds {sorted(found)}, not {sorted(expected)}")
