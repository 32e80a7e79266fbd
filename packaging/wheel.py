#!/usr/bin/env python3
"""Puts a portable wheel together from what was built: no compiler, no network, and the same bytes every time.

  wheel.py --build BUILD --tag cp310|cp311|abi3 --machine x86_64|aarch64 --glibc 2.28 --duckdb LIBRARY --sbom FILE
           --licences FOLDER --epoch SECONDS --out FOLDER

A wheel is a zip file (PEP 427). Names are in order, times are SOURCE_DATE_EPOCH's, modes are 644 or 755, so that the
bytes depend on nothing but the files.
"""
import argparse
import base64
import hashlib
import sys
import time
import zipfile
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    tomllib = None

PYTHON_OF = {"cp310": ("cp310", "cp310", "cpython-310"), "cp311": ("cp311", "cp311", "cpython-311"),
             "abi3": ("cp312", "abi3", "abi3")}


def project_of(root):
    if tomllib is None:
        sys.exit("wheel.py: needs Python 3.11 or later")
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def metadata_of(project, root):
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License-Expression: {project['license']}"]
    lines += [f"License-File: {name}" for name in project["license-files"]]
    lines += [f"Classifier: {name}" for name in project["classifiers"]]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; extra == '{extra}'" for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (root / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines)


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def files_of(arguments, root):
    """Name in the wheel: (bytes, whether it can be run)."""
    project = project_of(root)
    python, abi, suffix = PYTHON_OF[arguments.tag]
    platform = f"manylinux_{arguments.glibc.replace('.', '_')}_{arguments.machine}"
    tag = f"{python}-{abi}-{platform}"
    name = f"{project['name']}-{project['version']}"
    files = {}
    for path in sorted((root / "python" / "stopover").glob("**/*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.endswith(".so"):
            files[path.relative_to(root / "python").as_posix()] = (path.read_bytes(), False)
    build = Path(arguments.build)
    module = "_core.abi3.so" if abi == "abi3" else f"_core.{suffix}-{arguments.machine}-linux-gnu.so"
    files[f"stopover/{module}"] = ((build / "python" / arguments.tag / "_core.so").read_bytes(), True)
    for program in ("stopover", "stopover-lab"):
        files[f"stopover/bin/{program}"] = ((build / program).read_bytes(), True)
    files["stopover/lib/stopover/libduckdb.so"] = (Path(arguments.duckdb).read_bytes(), True)
    for job in ("cells.py", "count.py"):
        files[f"stopover/share/stopover/spark/{job}"] = ((root / "spark" / job).read_bytes(), False)
    information = f"{name}.dist-info"
    files[f"{information}/METADATA"] = (metadata_of(project, root).encode(), False)
    files[f"{information}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: stopover packaging/wheel.py\n"
                                     f"Root-Is-Purelib: false\nTag: {tag}\n".encode(), False)
    scripts = "".join(f"{word} = {where}\n" for word, where in project["scripts"].items())
    files[f"{information}/entry_points.txt"] = (f"[console_scripts]\n{scripts}".encode(), False)
    for licence in project["license-files"]:
        files[f"{information}/licenses/{licence}"] = ((root / licence).read_bytes(), False)
    for licence in sorted(Path(arguments.licences).glob("*.txt")):
        files[f"{information}/licenses/inside/{licence.name}"] = (licence.read_bytes(), False)
    files[f"{information}/sboms/stopover.cdx.json"] = (Path(arguments.sbom).read_bytes(), False)
    record = [f"{path},{digest(data)},{len(data)}" for path, (data, _) in sorted(files.items())]
    files[f"{information}/RECORD"] = ("\n".join([*record, f"{information}/RECORD,,", ""]).encode(), False)
    return f"{name}-{tag}.whl", files


def write_wheel(path, files, epoch):
    when = time.gmtime(max(epoch, 315532800))[:6]  # a zip file knows no time before 1980
    with zipfile.ZipFile(path, "w") as wheel:
        ordinary = [name for name in sorted(files) if ".dist-info/" not in name]
        for name in ordinary + [name for name in sorted(files) if ".dist-info/" in name]:  # as the standard advises
            data, runs = files[name]
            entry = zipfile.ZipInfo(name, when)
            entry.create_system = 3
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 6)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("build", "tag", "machine", "glibc", "duckdb", "sbom", "licences", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    arguments = parser.parse_args()
    if arguments.tag not in PYTHON_OF:
        sys.exit(f"wheel.py: --tag is one of {', '.join(PYTHON_OF)}")
    name, files = files_of(arguments, Path(__file__).resolve().parent.parent)
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    part = out / f"{name}.part"
    write_wheel(part, files, arguments.epoch)
    part.replace(out / name)  # whole or not at all
    size = (out / name).stat().st_size
    print(f"{out / name}  {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
