"""A recording's tables in Python (docs/sql.md). One file; pandas is used where it is there.

    import kymo
    run = kymo.load("my_program.kymo")
    run["thread"]                                       # a table: a DataFrame, or a list of dictionaries without pandas
    run.sql("select kind, share from finding")          # a query, likewise
    run.tables()                                        # their names

The tables are made by `kymo export --to sqlite`: the program `kymo` must be on the PATH, or named in KYMO. A database that was exported before can
be loaded as well.
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

try:
    import pandas
except ImportError:
    pandas = None


class Run:
    """The tables of one recording. Close it, or use it in a `with`, to remove what it keeps on disk."""

    def __init__(self, connection, folder=None):
        self._connection = connection
        self._folder = folder

    def sql(self, query, parameters=()):
        """The rows of a query: a DataFrame, or a list of dictionaries where there is no pandas."""
        if pandas is not None:
            return pandas.read_sql_query(query, self._connection, params=parameters)
        cursor = self._connection.execute(query, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    def tables(self):
        """The tables' names."""
        return [row[0] for row in self._connection.execute("select name from sqlite_schema where type = 'table' order by name")]

    def __getitem__(self, table):
        if table not in self.tables():
            raise KeyError(table)
        return self.sql(f'select * from "{table}"')

    def close(self):
        self._connection.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def load(path, *options):
    """A recording, or a database that `kymo export --to sqlite` wrote. `options`: more words for kymo export, for example "--images", "DIR".

    Raises FileNotFoundError where there is no such recording or no kymo, RuntimeError with kymo's own words where it cannot be read.
    """
    path = pathlib.Path(path)
    if path.is_file():
        return Run(sqlite3.connect(f"file:{path}?mode=ro", uri=True))
    if not path.exists():
        raise FileNotFoundError(path)
    folder = tempfile.mkdtemp(prefix="kymo-")
    database = os.path.join(folder, "run.db")
    try:
        done = subprocess.run([os.environ.get("KYMO", "kymo"), "export", path, "--to", "sqlite", "-o", database, *options], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return Run(sqlite3.connect(database), folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
