#!/usr/bin/env python3
"""Runs a plan of `stopover cells --engine spark`: reads the source, makes its views, writes the cells as Parquet.

    python3 spark/cells.py PLAN.json OUTPUT_FOLDER --master local[*] --scratch FOLDER [--with-parent]

The plan's SQL is the one that DuckDB runs, but for the few words of its first view. What is left to do here is to give
that view its rows exactly as stopover reads them: a line is a row, whatever it holds (src/ingest/text_table.h states
the rules). The output holds true counts and is private.
"""

import argparse
import ctypes
import importlib.util
import json
import math
import os
import re
import signal
import sys

try:
    from pyspark.sql import Observation, SparkSession
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, StringType, StructType
except ImportError:
    sys.exit(2)

NO_PACKAGE = 3  # exit code; 2 is that of a Python without pyspark
PACKAGES = ("stopover", "numpy", "pandas", "pyarrow")  # of those who count or look places up
LONGEST_LINE = 1 << 20
MOST_BRACKETS = 64
BOM = "\ufeff"
# Windows-1252 is Latin-1 but for these; the bytes that it leaves open are control characters, as in
# src/ingest/text_encoding.cc.
WINDOWS_1252 = {chr(byte): bytes([byte]).decode("cp1252") for byte in range(0x80, 0xA0)
                if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}


def split_csv(line, delimiter=","):
    """The fields of a line, or None: as split_csv in src/ingest/csv_lines.cc."""
    fields, at = [], 0
    while True:
        if at < len(line) and line[at] == '"':
            field, at = "", at + 1
            while True:
                quote = line.find('"', at)
                if quote < 0:
                    return None
                field += line[at:quote]
                at = quote + 1
                if at >= len(line) or line[at] != '"':
                    break
                field += '"'
                at += 1
            if at < len(line) and line[at] != delimiter:
                return None
        else:
            end = line.find(delimiter, at)
            end = len(line) if end < 0 else end
            field, at = line[at:end], end
        fields.append(field)
        if at >= len(line):
            return fields
        at += 1


def no_constant(text):
    raise ValueError(text)


class Number(str):
    """As it is written."""


def number(text):
    if math.isinf(float(text)):
        raise ValueError(text)
    return Number("0" if text == "-0" else text)


def split_json(line, names):
    """The texts of some members of one object, or None: as split_json in src/ingest/text_table.cc."""
    if line.count("{") + line.count("[") > MOST_BRACKETS:
        return None
    try:
        row = json.loads(line, parse_constant=no_constant, parse_int=number, parse_float=number)
        if "\\u" in line:
            json.dumps(row, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None

    def text(value):
        if value is None or isinstance(value, (dict, list)):
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        return None if "\0" in value else str(value)

    return [text(row.get(name)) for name in names]


def read_lines(spark, paths, encoding="utf-8"):
    lines = spark.read.text(paths, lineSep="\n")
    if encoding in ("latin1", "windows-1252"):
        lines = lines.select(F.decode(F.col("value").cast("binary"), "ISO-8859-1").alias("value"))
    if encoding == "windows-1252":
        lines = lines.select(F.translate("value", "".join(WINDOWS_1252), "".join(WINDOWS_1252.values())).alias("value"))
    lines = lines.select(F.expr("CASE WHEN endswith(value, '\r') THEN left(value, length(value) - 1) ELSE value END AS value"))
    readable = f"octet_length(value) <= {LONGEST_LINE} AND is_valid_utf8(value) AND instr(value, char(0)) = 0"
    return lines.where(readable).where("value RLIKE '[^ \\t\\r]'")


def spark_type(name):
    """Spark's name of the type of a column that DuckDB calls so; None where the plan makes nothing of such columns."""
    known = {"VARCHAR": "string", "TINYINT": "byte", "SMALLINT": "short", "INTEGER": "int", "BIGINT": "long",
             "UTINYINT": "short",
             "USMALLINT": "int", "UINTEGER": "long", "UBIGINT": "decimal(20,0)", "FLOAT": "float", "DOUBLE": "double",
             "DATE": "date",
             "TIMESTAMP": "timestamp", "TIMESTAMP WITH TIME ZONE": "timestamp", "UUID": "binary"}
    return name.lower() if name.startswith("DECIMAL(") else known.get(name)


def read_view(spark, source, view, facts):
    """One view's rows. Files that differ in what is read of them are views apart, each read by its own types."""
    names = [column["name"] for column in view["columns"]]
    if source["format"] == "parquet":
        # By declared types: what else is in a file, and Spark may not know, is not looked at.
        typed = [(column["name"], spark_type(column["type"])) for column in view["columns"]]
        quoted = ["`" + name.replace("`", "``") + "`" for name, kind in typed if kind]
        schema = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, [kind for _, kind in typed if kind]))
        reader = spark.read.schema(schema) if schema else spark.read.schema(StructType([]))
        if "folder" in source:
            reader = reader.option("basePath", source["folder"])
        return reader.parquet(*view["paths"]).select(*(quoted or [F.lit(1).alias("nothing")]))
    lines = read_lines(spark, view["paths"], source.get("encoding", "utf-8"))
    if source["format"] == "json_lines":
        lines = lines.select(F.regexp_replace("value", "^" + BOM, "").alias("value"))
        fields = F.udf(lambda line: split_json(line, names), ArrayType(StringType()))
        rows = lines.select(fields("value").alias("f")).where("f IS NOT NULL")
        return rows.select(*[F.col("f")[i].alias(name) for i, name in enumerate(names)])
    odd = F.expr("(length(value) - length(replace(value, '\"', ''))) % 2 = 1")
    lines = lines.observe(facts, F.coalesce(F.sum(odd.cast("bigint")), F.lit(0)).alias("odd_quotes"))
    # The header is one more line that makes no sense as a row.
    delimiter = source.get("delimiter", ",")
    plain = lines.where("instr(value, '\"') = 0").select(F.split("value", re.escape(delimiter), -1).alias("f"))
    fields = F.udf(lambda line: split_csv(line, delimiter), ArrayType(StringType()))
    other = lines.where("instr(value, '\"') > 0").select(fields("value").alias("f")).where("f IS NOT NULL")
    rows = plain.unionAll(other).where(f"size(f) <= {source['width']}")
    return rows.select(*[F.get("f", F.lit(c["index"])).alias(c["name"]) for c in view["columns"]])


def end_with_parent():
    """If who started this is killed, this ends too, and Java with it: rows are not worked on for nobody."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def keep_files_in(scratch):
    """What Python and Java put into a folder for temporary files goes there too, where only this user can look."""
    os.environ["TMPDIR"] = scratch
    options = f'"-Djava.io.tmpdir={scratch}" -XX:-UsePerfData'
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join(filter(None, [os.environ.get("SPARK_SUBMIT_OPTS"), options]))


def start(master, scratch):
    builder = (
        SparkSession.builder.master(master)
        .appName("stopover cells")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .config("spark.sql.caseSensitive", "true")
        .config("spark.local.dir", scratch)
        .config("spark.log.level", "ERROR")
    )
    if master.startswith("local"):
        # Workers of this machine are this Python, which has what they import; another one on the PATH may not.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # Pieces that a worker of a gigabyte sorts without spilling; Spark joins small ones again.
        builder = builder.config("spark.sql.shuffle.partitions", "64")
        builder = builder.config("spark.sql.adaptive.coalescePartitions.parallelismFirst", "false")
    return builder.getOrCreate()


def cells_of(spark, plan, facts=None):
    """The plan's last view. `facts` (an Observation) will hold what was seen in the lines of CSV files."""
    if "zones" in plan:
        from stopover.spark import add_zone_lookup

        add_zone_lookup(spark, plan["zones"])
    for view in plan["source"]["views"]:
        read_view(spark, plan["source"], view, facts or Observation()).createOrReplaceTempView(view["name"])
    for step in plan["steps"]:
        spark.sql(step["sql"]).createOrReplaceTempView(step["name"])
    return spark.table("cells")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("plan")
    arguments.add_argument("output")
    arguments.add_argument("--master", default="local[*]")
    arguments.add_argument("--scratch", required=True)
    arguments.add_argument("--with-parent", action="store_true")
    options = arguments.parse_args()
    if options.with_parent:
        end_with_parent()
    os.umask(0o077)
    keep_files_in(options.scratch)
    with open(options.plan, encoding="utf-8") as file:
        plan = json.load(file)
    if "zones" in plan and any(importlib.util.find_spec(name) is None for name in PACKAGES):
        sys.exit(NO_PACKAGE)
    spark = start(options.master, options.scratch)
    facts = Observation()
    cells_of(spark, plan, facts).write.mode("error").parquet(options.output)
    if plan["source"]["format"] == "csv":
        with open(options.output + ".facts.json", "w", encoding="utf-8") as file:
            json.dump(facts.get, file)
    spark.stop()


if __name__ == "__main__":
    main()
