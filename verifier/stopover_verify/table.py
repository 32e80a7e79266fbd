"""A table of a release: its file, its columns, and the columns that follow from others."""
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stopover_verify.broken import Broken, require
from stopover_verify.hashes import rows_hash, sha256
from stopover_verify.parquet_file import check_nothing_more

LABELLED = ("category", "zone")  # kinds of axes without coordinates


class Table:
    """One table: what release.json says of it (`said`), the domain's axes by name, and its columns as pyarrow arrays."""

    def __init__(self, said, axes, columns):
        self.said, self.name, self.rows = said, said["name"], said["rows"]
        self.axes = [axes[name] for name in said["axes"]]
        self.columns = columns
        self.lists = {}

    def column(self, name):
        return self.columns[name]

    def values(self, name):
        """The column as a list."""
        if name not in self.lists:
            self.lists[name] = self.columns[name].to_pylist()
        return self.lists[name]

    def ends(self, axis):
        return self.columns[axis["name"] + "_lo"], self.columns[axis["name"] + "_hi"]

    def box(self, row):
        return tuple((lo[row].as_py(), hi[row].as_py()) for lo, hi in map(self.ends, self.axes))

    def whole(self):
        return tuple((0, axis["cells"]) for axis in self.axes)


COARSE = [("coarse_count", "int64"), ("coarse_ticks", "uint64")]


def expected_schema(said, axes, names):
    """`names`: of the file's columns, of which some are there or not."""
    columns = []
    for name in said["axes"]:
        columns += [(name + "_lo", "uint32"), (name + "_hi", "uint32")]
        if axes[name]["kind"] not in LABELLED:
            columns += [(name + "_from", "double"), (name + "_to", "double")]
    return columns + [("parent", "int32"), ("depth", "uint16"), ("leaf", "bool"), ("count", "int64"),
                      ("ticks", "uint64"), ("side_ticks", "uint64"), ("noise_scale", "double"), ("estimate", "double")
                      ] + [("spread", "float")] * ("spread" in names) + COARSE * ("coarse_ticks" in names)


def flat(column):
    column = column.combine_chunks()
    return column if isinstance(column, pa.Array) else pa.concat_arrays(column.chunks)


def read_table(folder, said, axes):
    """Checks hashes, types, NULLs."""
    path = folder / said["file"]
    require(said["file"] == said["name"] + ".parquet" and path.is_file() and not path.is_symlink(), "its file is odd")
    data = path.read_bytes()
    require(sha256(data) == said["file_sha256"], "the file does not have its file_sha256")
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        data = file.read(use_threads=False)
    except (pa.ArrowException, OSError) as problem:
        raise Broken(f"the file is not Parquet: {problem}") from None
    check_nothing_more(file)
    schema = expected_schema(said, axes, data.schema.names)
    require([(f.name, str(f.type)) for f in data.schema] == schema, f"its columns are {data.schema.names}")
    require(data.num_rows == said["rows"], f"it has {data.num_rows} rows, not {said['rows']}")
    columns = {name: flat(data.column(i)) for i, (name, _) in enumerate(schema)}
    for name, column in columns.items():
        require(name == "noise_scale" or not column.null_count, f"column {name} holds a NULL")
    hashed = rows_hash(schema, columns, said["rows"], len(said["axes"]))
    require(hashed == said["content_sha256"], "its rows do not have their content_sha256")
    return Table(said, axes, columns)


def as_double(column):
    return pc.cast(column, pa.float64(), safe=False)


def check_derived(table, k):
    """`k`: trips per unit."""
    for axis in table.axes:
        if axis["kind"] in LABELLED:
            continue
        lower, upper, cells = float(axis["lower"]), float(axis["upper"]), float(axis["cells"])
        for cell, edge in (("_lo", "_from"), ("_hi", "_to")):
            cell, edge = axis["name"] + cell, axis["name"] + edge
            at = pc.add(lower, pc.divide(pc.multiply(upper - lower, as_double(table.column(cell))), cells))
            require(at.equals(table.column(edge)), f"column {edge} does not follow from its cells")
    inner = pc.is_in(pa.array(range(table.rows), pa.int32()), value_set=table.column("parent"))
    require(pc.invert(inner).equals(table.column("leaf")), "column leaf does not follow from parent")
    ticks = table.column("ticks")
    scales = pc.if_else(pc.equal(ticks, 0), pa.scalar(None, pa.float64()), pc.divide(1e9 * k, as_double(ticks)))
    require(scales.equals(table.column("noise_scale")), "column noise_scale does not follow from ticks")
