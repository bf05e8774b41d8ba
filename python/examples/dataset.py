# %% [markdown]
# # A look at a dataset Is every claimed solution right and unique? How hard are the puzzles? Run this file cell by cell
# in a notebook or an editor, or as a script: `python dataset.py sudoku.csv.gz guesses.png`. Needs polars and
# matplotlib.

# %%
import sys

import matplotlib
import polars

import batchdoku

path, picture = sys.argv[1:]

# %% [markdown]
# Any layout and compression that the command reads. A record that is not a puzzle is a row with an error.

# %%
puzzles = batchdoku.read(path)
print(puzzles)
print(puzzles.to_polars().head())

# %% [markdown]
# `verify` reads the column `solution`; a file without claimed solutions does not have it, and is solved instead.

# %%
has_claims = "solution" in puzzles.columns
answers = (batchdoku.verify if has_claims else batchdoku.solve)(puzzles)
print(answers)
rows = answers.to_polars()
as_it_should_be = ["correct"] if has_claims else ["unique"]
print(rows.filter(~polars.col("status").is_in(as_it_should_be)).head(10))

# %% [markdown] Guesses measure difficulty in the same way on every machine. Most puzzles in most datasets need none, so
# the count axis is logarithmic.

# %%
matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

guesses: list[int] = rows["guesses"].drop_nulls().to_list()
figure, axes = pyplot.subplots(figsize=(8, 4))
axes.hist(guesses, bins=min(60, max(guesses, default=0) + 1), log=True)
axes.set(xlabel="guesses", ylabel="puzzles", title=f"{path}: {len(guesses):,} puzzles")
figure.tight_layout()
figure.savefig(picture)
print(f"searched: {len(guesses):,}, without a guess: {guesses.count(0):,}; see {picture}")
