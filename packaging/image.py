#!/usr/bin/env python3
"""Writes a folder as an OCI image of one layer, into one tar file: no daemon, no root, the same bytes every time.

  image.py --layer FOLDER --machine amd64|arm64 --version V --epoch SECONDS --out FILE

The file is an OCI layout (oci-layout, index.json, blobs/) with a manifest.json beside it, so that both `podman load` and
`docker load` take it.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import tarfile
from datetime import datetime, timezone
from pathlib import Path


def entry_of(path, name, epoch):
    state = os.lstat(path)
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.mode = epoch, state.st_mode & 0o7777
    if path.is_symlink():
        entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
    elif path.is_dir():
        entry.type = tarfile.DIRTYPE
    else:
        entry.size = state.st_size
    return entry


def layer_of(folder, epoch):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(folder.rglob("*"), key=lambda p: p.relative_to(folder).as_posix()):
            entry = entry_of(path, path.relative_to(folder).as_posix(), epoch)
            if entry.isreg():
                with path.open("rb") as file:
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry)
    return data.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("layer", "machine", "version", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    arguments = parser.parse_args()
    layer = layer_of(Path(arguments.layer), arguments.epoch)
    packed = gzip.compress(layer, 9, mtime=0)
    blobs = {}

    def keep(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}

    def text(value):
        return json.dumps(value, sort_keys=True).encode()

    kind = "application/vnd.oci.image"
    in_layer = keep(packed, f"{kind}.layer.v1.tar+gzip")
    when = datetime.fromtimestamp(arguments.epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"org.opencontainers.image.title": "stopover", "org.opencontainers.image.version": arguments.version,
              "org.opencontainers.image.licenses": "Apache-2.0"}
    config = {"architecture": arguments.machine, "os": "linux", "created": when,
              "config": {"User": "65532:65532", "WorkingDir": "/data", "Entrypoint": ["/usr/bin/stopover"],
                         "Env": ["PATH=/usr/bin", "HOME=/data", "LANG=C.UTF-8"], "Labels": labels},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
              "history": [{"created": when, "created_by": "packaging/image.py"}]}
    in_config = keep(text(config), f"{kind}.config.v1+json")
    manifest = keep(text({"schemaVersion": 2, "mediaType": f"{kind}.manifest.v1+json", "config": in_config,
                          "layers": [in_layer], "annotations": labels}), f"{kind}.manifest.v1+json")
    reference = f"stopover:{arguments.version}"
    manifest["annotations"] = {"org.opencontainers.image.ref.name": reference}
    files = {"oci-layout": text({"imageLayoutVersion": "1.0.0"}),
             "index.json": text({"schemaVersion": 2, "mediaType": f"{kind}.index.v1+json", "manifests": [manifest]}),
             "manifest.json": text([{"Config": f"blobs/sha256/{in_config['digest'][7:]}", "RepoTags": [reference],
                                     "Layers": [f"blobs/sha256/{in_layer['digest'][7:]}"]}])}
    files.update({f"blobs/sha256/{digest}": data for digest, data in blobs.items()})
    with tarfile.open(arguments.out, "w", format=tarfile.GNU_FORMAT) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(files[name]), arguments.epoch, 0o644
            tar.addfile(entry, io.BytesIO(files[name]))
    print(f"{arguments.out}  {Path(arguments.out).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
