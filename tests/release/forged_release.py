"""What a forger can do to a release without a key: change anything, and make all hashes right again."""
import hashlib
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "verifier"))
from stopover_verify import hashes  # noqa: E402


def read_head(folder):
    return json.loads((folder / "release.json").read_text(encoding="utf-8"))


def rows_hash(table, data):
    """Of a table's content; by other means than the verifier's."""
    digest = hashlib.sha256(f"stopover-table-1 {data.num_rows} {len(table['axes'])}\n".encode())
    names = [n + end for n in table["axes"] for end in ("_lo", "_hi")]
    told = [name for name in ("spread", "coarse_count", "coarse_ticks") if name in data.schema.names]
    for name in names + ["parent", "depth", "count", "ticks", "side_ticks", "estimate"] + told:
        column = data.column(name).combine_chunks()
        column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
        width = column.type.bit_width // 8
        begin = column.offset * width
        digest.update(column.buffers()[1].to_pybytes()[begin:begin + len(column) * width])
    return digest.hexdigest()


def list_again(folder, head):
    """Makes datapackage.json and the companions' hashes right again."""
    path = folder / "datapackage.json"
    if not isinstance(head.get("companions"), list) or not path.is_file():
        return
    package = json.loads(path.read_text(encoding="utf-8"))
    said, words = head.get("description", {}), " ".join(head["guarantee"]["promise"])
    package["id"], package["title"] = "sha256:" + head["content_sha256"], said.get("title", head["guarantee"]["title"])
    package["description"] = f"{said['about']} {words}" if "about" in said else words
    package["created"] = head["date"] + "T00:00:00Z"
    package["name"] = "release-" + head["content_sha256"][:16]
    for resource in package["resources"]:
        if (folder / resource["path"]).is_file():
            resource["hash"] = "sha256:" + hashes.sha256((folder / resource["path"]).read_bytes())
    path.write_text(json.dumps(package, sort_keys=True, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for companion in head["companions"]:
        if (folder / companion["file"]).is_file():
            companion["sha256"] = hashes.sha256((folder / companion["file"]).read_bytes())


def seal(folder, head):
    """Writes release.json with right hashes over whatever the head and the files are."""
    for table in head["tables"]:
        if (folder / table["file"]).is_file():
            table["file_sha256"] = hashes.sha256((folder / table["file"]).read_bytes())
    head["content_sha256"] = hashes.content_hash(head)
    list_again(folder, head)
    head.pop("json_sha256", None)
    head["json_sha256"] = hashes.sha256(hashes.compact(head))
    (folder / "release.json").write_bytes(hashes.pretty(head))


def change_head(folder, change):
    head = read_head(folder)
    change(head)
    seal(folder, head)


def change_rows(folder, change, number=0, rehash=True):
    """change({column: list}) of one table; everything that hashes it follows."""
    head = read_head(folder)
    table = head["tables"][number]
    path = folder / table["file"]
    data = pq.ParquetFile(path).read()
    columns = {name: data.column(name).to_pylist() for name in data.schema.names}
    change(columns)
    data = pa.table([pa.array(columns[field.name], field.type) for field in data.schema], schema=data.schema)
    pq.write_table(data, path)
    table["rows"] = data.num_rows
    if rehash:
        table["content_sha256"] = rows_hash(table, data)
    seal(folder, head)


def true_counts(columns, axes, trips):
    """Of every row, by sending the trips down the tree."""
    children, true = {}, [0] * len(columns["parent"])
    boxes = list(zip(*(zip(columns[axis + "_lo"], columns[axis + "_hi"]) for axis in axes)))
    for row, parent in enumerate(columns["parent"]):
        children.setdefault(parent, []).append(row)
    held = {-1: [tuple(trip[int(axis[1:])] for axis in axes) for trip in trips]}
    for parent in sorted(children):
        left = held.pop(parent)
        for row in children[parent]:
            inside = [trip for trip in left if all(lo <= c < hi for c, (lo, hi) in zip(trip, boxes[row]))]
            true[row] = len(inside)
            if row in children:
                held[row] = inside
    return true


def scale_noise(folder, trips, scale, which=("count", "coarse_count")):
    """As somebody could who knows the trips: `trips` are tuples of cells, in the order of the axes a0, a1, ..."""
    for number, table in enumerate(read_head(folder)["tables"]):
        def change(columns, axes=tuple(table["axes"])):
            true = true_counts(columns, axes, trips)
            for count, price in (("count", "ticks"), ("coarse_count", "coarse_ticks")):
                if count in columns and count in which:
                    columns[count] = [n + round(scale * (y - n)) if ticks else y
                                      for y, n, ticks in zip(columns[count], true, columns[price])]
        change_rows(folder, change, number)
