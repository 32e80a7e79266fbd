"""SHA-256 of files, of JSON documents and of the rows of a table, as docs/internals/release_format.md has them."""
import array
import hashlib
import json
import sys

CODES = {"uint32": "I", "int32": "i", "uint16": "H", "int64": "q", "uint64": "Q", "double": "d", "float": "f"}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def pretty(value):
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False).encode() + b"\n"


NOT_CONTENT = ("content_sha256", "json_sha256", "guarantee", "writer", "companions")


def content_hash(head):
    """The identity of a release, over what its release.json holds."""
    content = {key: value for key, value in head.items() if key not in NOT_CONTENT}
    content["tables"] = [{k: v for k, v in table.items() if k != "file_sha256"} for table in head["tables"]]
    return sha256(compact(content))


def json_hash(head):
    return sha256(compact({key: value for key, value in head.items() if key != "json_sha256"}))


def is_hashed(name, kind):
    """Whether a table's column is part of its hash; the others follow from these."""
    return name not in ("leaf", "noise_scale") and not (name.endswith(("_from", "_to")) and kind == "double")


def rows_hash(schema, columns, rows, axes):
    """Over whole columns. `schema`: (name, type) in order; `columns`: {name: pyarrow array without NULLs}."""
    digest = hashlib.sha256(f"stopover-table-1 {rows} {axes}\n".encode())
    for name, kind in schema:
        if not is_hashed(name, kind):
            continue
        column = columns[name]
        if sys.byteorder == "big":
            values = array.array(CODES[kind], column.to_pylist())
            values.byteswap()
            digest.update(values.tobytes())
        elif rows:
            width = column.type.bit_width // 8
            digest.update(memoryview(column.buffers()[1])[column.offset * width:(column.offset + rows) * width])
    return digest.hexdigest()
