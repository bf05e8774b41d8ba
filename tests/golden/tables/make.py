"""Makes the tables beside it, of the puzzles and answers in data/judge; with pyarrow 26.0.1, numpy 2.4.6, duckdb 2.0.0."""

import os
import pathlib
import re

import duckdb
import numpy
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

here = pathlib.Path(__file__).parent
os.chdir(here)


def digits(name):
    return "".join(re.findall(r"\d", (here / "../../../data/judge" / name).read_text()))


names = ["boj2239", "boj2580", "boj2239"]
puzzles = [digits(f"{name}.in") for name in names]
solutions = [digits(f"{name}.out") for name in names]
cells = numpy.array([[int(digit) for digit in puzzle] for puzzle in puzzles])
ids = ["007", None, "9"]

texts = pa.table({"id": ids, "puzzle": puzzles, "solution": solutions, "rating": [1.5, None, 2.0]})
pa.parquet.write_table(texts, "strings.parquet", compression="gzip", use_dictionary=False)
pa.feather.write_feather(texts, "strings.arrow", compression="lz4")

flat = pa.FixedSizeListArray.from_arrays(pa.array(cells.ravel(), pa.uint8()), 81)
lists = pa.table({"cells": flat, "label": pa.array(solutions, pa.large_binary())})
pa.parquet.write_table(lists, "lists.parquet", row_group_size=1, data_page_version="2.0")
with pa.ipc.new_stream("lists.arrows", lists.schema) as stream:
    stream.write_table(lists, max_chunksize=2)

grids = pa.table({"board": pa.array(cells.reshape(3, 9, 9).tolist(), pa.list_(pa.list_(pa.int16())))})
pa.parquet.write_table(grids, "grids.parquet", compression="zstd")
words = pa.table({"quizzes": pa.array(puzzles).dictionary_encode(), "solutions": pa.array(solutions).dictionary_encode()})
with pa.ipc.new_file("dictionaries.arrow", words.schema) as file:
    file.write_table(words)

rows = ", ".join(f"('{puzzle}', '{solution}', DATE '2020-01-01')" for puzzle, solution in zip(puzzles, solutions))
duckdb.sql(f"COPY (SELECT * FROM (VALUES {rows}) AS t(puzzle, solution, day)) TO 'duckdb.parquet' (FORMAT parquet)")

numpy.save("81.npy", cells.astype(numpy.uint8))
numpy.save("9x9.npy", cells.reshape(3, 9, 9).astype(">i4"))
numpy.save("tokens.npy", cells + 1)
numpy.save("texts.npy", numpy.array(puzzles))
