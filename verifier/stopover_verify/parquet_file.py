"""A Parquet file says nothing but its rows.

The hash of a table's file is not signed, only that of its rows: so that other programs may write them. What a file says
besides would come to the reader unsigned.
"""
from stopover_verify.broken import require


def check_nothing_more(file, words=frozenset()):
    """`file`: pyarrow's ParquetFile; `words`: names of metadata that may be there."""
    told = set(file.metadata.metadata or {}) - {b"ARROW:schema"}
    require(told <= set(words), f"its Parquet file says more than its rows: {sorted(told)}")
