"""The scoring itself, on reports made by hand."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import planted
import score

OUTPUT = """
{"truth": {"kind": "lock-contention", "version": "bad", "file": "lock.cpp"}}
{"place": {"function": "add", "line_begin": 10, "line_end": 20}}
{"thread": "worker-0"}
{"thread": "worker-1"}
{"decoy": {"function": "score", "line_begin": 30, "line_end": 40}}
{"timing": {"wall_s": 1.5, "planted_s": 0.5}}
"""


def finding(kind="lock-contention", function="add(int)", file="/src/lock.cpp", line=12, threads=("worker-0",), share=0.4):
    return {"kind": kind, "share": share, "title": "", "threads": [{"tid": 1, "name": name} for name in threads],
            "place": {"function": function, "file": file, "line_begin": line, "line_end": line}}


def recorded(*findings, others=0.0):
    return planted.Recorded(planted.read_truth(OUTPUT), {"findings": list(findings)}, others)


class Scoring(unittest.TestCase):
    def test_reads_what_a_program_says(self):
        truth = planted.read_truth(OUTPUT)
        self.assertEqual(("lock-contention", "bad", 1.5, 0.5), (truth.kind, truth.version, truth.wall_s, truth.planted_s))
        self.assertEqual(["worker-0", "worker-1"], truth.threads)

    def test_refuses_silence(self):
        with self.assertRaises(ValueError):
            planted.read_truth("hello\n")

    def test_all_right(self):
        result = score.score_bad(recorded(finding()))
        self.assertTrue(result.rank1 and result.strict)
        self.assertEqual([], result.noise)
        self.assertEqual(0.4, result.predicted)

    def test_nothing_found(self):
        result = score.score_bad(recorded())
        self.assertFalse(result.rank1 or result.strict)
        self.assertIsNone(result.predicted)

    def test_second_is_not_first_and_the_first_is_noise(self):
        result = score.score_bad(recorded(finding(kind="page-faults"), finding()))
        self.assertFalse(result.rank1)
        self.assertEqual(["page-faults"], result.noise)

    def test_twice_the_kind_is_noise(self):
        self.assertEqual(["lock-contention"], score.score_bad(recorded(finding(), finding(line=35))).noise)

    def test_the_decoy_is_a_wrong_place(self):
        result = score.score_bad(recorded(finding(function="score(int)", line=33)))
        self.assertTrue(result.rank1)
        self.assertFalse(result.strict)

    def test_a_line_in_the_place_is_enough(self):
        self.assertTrue(score.score_bad(recorded(finding(function="inlined_into_something", line=15))).strict)
        self.assertFalse(score.score_bad(recorded(finding(function="other", file="other.cpp", line=15))).strict)

    def test_a_thread_without_a_part_is_wrong(self):
        self.assertFalse(score.score_bad(recorded(finding(threads=("worker-0", "logger")))).strict)
        self.assertFalse(score.score_bad(recorded(finding(threads=()))).strict)

    def test_clones_and_scopes_have_their_functions_name(self):
        for name in ("(anonymous namespace)::add(int, std::vector<int>)", "add [clone ._omp_fn.0]", "add._omp_fn.0", "void a::b::add<int>(x)"):
            self.assertEqual("add", score.last_name(name.replace("<int>", "")), name)

    def test_a_disturbance_that_there_was_is_no_false_alarm(self):
        alarm = finding(kind="outside-interference")
        self.assertEqual([], score.false_alarms(recorded(alarm, others=0.5)))
        self.assertEqual(["outside-interference"], score.false_alarms(recorded(alarm, others=0.01)))


class OthersUse(unittest.TestCase):
    def test_a_process_that_is_not_ours_is_seen(self):
        with planted.Outsiders(1), planted.Others() as others:
            import time
            time.sleep(0.3)
        # One processor was taken at least, by the outsider; it is waited for only after the second reading.
        self.assertGreater(others.share, 0.5 / planted.os.cpu_count())


if __name__ == "__main__":
    unittest.main()
