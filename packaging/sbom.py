#!/usr/bin/env python3
"""The list of parts of a package, as CycloneDX 1.5: what is inside, which version, under which licence.

  sbom.py --version V --commit C --epoch SECONDS --parts FILE --duckdb VERSION [--python] > bom.json

FILE has a line for each part, NAME|VERSION|LICENCE|PACKAGE-URL (scripts/get-portable writes it). Headers and the page's
modules, which are compiled in too, are named here. The same words give the same bytes.
"""
import argparse
import json
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

HEADERS = [("nlohmann-json3-dev", "nlohmann/json", "MIT"), ("libcli11-dev", "CLI11", "BSD-3-Clause"),
           ("libtomlplusplus-dev", "toml++", "MIT"), ("libboost1.74-dev", "Boost.Geometry", "BSL-1.0")]
PAGE = {"preact": "MIT", "pmtiles": "BSD-3-Clause", "fflate": "MIT", "@mapbox/vector-tile": "BSD-3-Clause",
        "pbf": "BSD-3-Clause", "@mapbox/point-geometry": "ISC", "world-atlas": "ISC", "city-timezones": "MIT"}
NAME_OF_LICENCE = re.compile(r"[A-Za-z0-9.+-]+")


def component(name, version, licence, purl):
    key = "id" if NAME_OF_LICENCE.fullmatch(licence) else None
    licences = [{"license": {key: licence}}] if key else [{"expression": licence}]
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "licenses": licences, "purl": purl}


def installed_version(package):
    run = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else "unknown"


def parts_of(arguments, root):
    for line in Path(arguments.parts).read_text(encoding="utf-8").splitlines():
        yield component(*line.split("|"))
    yield component("DuckDB", arguments.duckdb, "MIT", f"pkg:generic/duckdb@{arguments.duckdb}")
    for package, name, licence in HEADERS:
        version = installed_version(package)
        yield component(name, version, licence, f"pkg:deb/debian/{package}@{version}")
    lock = json.loads((root / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, licence in PAGE.items():
        entry = lock.get(f"node_modules/{name}")
        if entry:
            yield component(name, entry["version"], licence, f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}")
    if arguments.python:
        requirements = (root / "pyproject.toml").read_text(encoding="utf-8")
        version = re.search(r"nanobind==([0-9.]+)", requirements).group(1)
        yield component("nanobind", version, "BSD-3-Clause", f"pkg:pypi/nanobind@{version}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("version", "commit", "epoch", "parts", "duckdb"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--python", action="store_true")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    parts = sorted(parts_of(arguments, root), key=lambda part: part["bom-ref"])
    whole = {"type": "application", "bom-ref": f"pkg:pypi/stopover@{arguments.version}", "name": "stopover",
             "version": arguments.version, "licenses": [{"license": {"id": "Apache-2.0"}}],
             "purl": f"pkg:pypi/stopover@{arguments.version}",
             "properties": [{"name": "stopover:commit", "value": arguments.commit}]}
    time = datetime.fromtimestamp(int(arguments.epoch), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([whole, parts], sort_keys=True))
    bom = {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}", "version": 1,
           "metadata": {"timestamp": time, "component": whole}, "components": parts,
           "dependencies": [{"ref": whole["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}]}
    json.dump(bom, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
