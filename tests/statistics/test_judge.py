"""How often the statistical suite errs, exactly: the chances of all sequences of runs, added up."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from judge import ALPHA, BETA, MOST_INCONCLUSIVE, Sequence, decided, note  # noqa: E402


def sequence(hits, misses):
    result = Sequence()
    result.hits, result.misses = hits, misses
    return result


def chance_of(verdict, miss, runs=120):
    """That a test that misses one run with the chance `miss` gets the verdict within so many runs."""
    under_way, total = {(0, 0): 1.0}, 0.0
    for _ in range(runs):
        following = {}
        for (hits, misses), chance in under_way.items():
            for more, part in (((1, 0), 1 - miss), ((0, 1), miss)):
                counts = hits + more[0], misses + more[1]
                told = sequence(*counts).verdict
                total += chance * part if told == verdict else 0.0
                if told is None:
                    following[counts] = following.get(counts, 0.0) + chance * part
        under_way = following
    return total


class Sequences(unittest.TestCase):
    def test_a_sound_test_fails_once_in_ten_thousand_times(self):
        self.assertLessEqual(chance_of("failed", 0.1), ALPHA)
        self.assertGreater(chance_of("passed", 0.1), 1 - 2 * ALPHA)

    def test_a_broken_test_passes_once_in_twenty_times(self):
        self.assertLessEqual(chance_of("passed", 0.6), BETA)
        self.assertGreater(chance_of("failed", 0.6), 1 - 1.01 * BETA)

    def test_a_test_that_never_misses_passes_after_four_runs_and_one_that_always_does_fails_after_six(self):
        self.assertEqual((None, "passed"), (sequence(3, 0).verdict, sequence(4, 0).verdict))
        self.assertEqual((None, "failed"), (sequence(0, 5).verdict, sequence(0, 6).verdict))

    def test_inconclusive_runs_count_for_nothing_and_never_pass(self):
        runs = Sequence()
        for _ in range(MOST_INCONCLUSIVE - 1):
            runs.add("inconclusive")
        self.assertIsNone(runs.verdict)
        runs.add("hit")
        for _ in range(MOST_INCONCLUSIVE):
            runs.add("inconclusive")
        self.assertEqual("undecided", runs.verdict)


class WhatIsLeft(unittest.TestCase):
    def test_takes_decided_tests_of_this_commit_and_of_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            self.assertEqual({}, decided(build, "1234567"))
            note(build, "1234567", ("one", "passed", 4, 0, 1))
            note(build, "1234567", ("two", "undecided", 1, 0, 6))
            note(build, "7654321", ("three", "passed", 4, 0, 0))
            note(build, "1234567-dirty", ("four", "passed", 4, 0, 0))
            self.assertEqual({"one": ("one", "passed", 4, 0, 1)}, decided(build, "1234567"))
            self.assertEqual({}, decided(build, "1234567-dirty"))


if __name__ == "__main__":
    unittest.main()
