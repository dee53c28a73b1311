"""`sheaf read`: shuffled order, epochs, workers, frames, truncated sequences."""

import json
import subprocess
import sys
import unittest
from collections import Counter

from command import BAD_USAGE, REPOSITORY, SHEAF, CommandTest

CHECK_ORDER = REPOSITORY.parent / "shared" / "conformance" / "check_order.py"

STREAMS = ("--stream", "a:dense:2")
LENGTHS = [1 + i * 7 % 11 for i in range(60)]
DATA = "".join(f"{i} |a {i} {t}\n" for i, length in enumerate(LENGTHS) for t in range(length))
SAMPLES = sum(LENGTHS)
CNTK = ("--order", "cntk", "--chunk-bytes", "300", "--window-chunks", "3")


class OrderTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.write(DATA)

    def keys(self, *arguments: str) -> list[dict]:
        text = self.good("read", self.path, *STREAMS, "--format", "keys", *arguments)
        return [json.loads(line) for line in text.splitlines()]

    def sequence(self, *arguments: str) -> list:
        return [key for minibatch in self.keys(*arguments) for key in minibatch["keys"]]

    @unittest.skipUnless(CHECK_ORDER.exists(), f"there is no {CHECK_ORDER}")
    def test_orders_match_cntk(self) -> None:
        result = subprocess.run(
            [sys.executable, CHECK_ORDER, "--bin", SHEAF],
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^[1-9]\d* passed, 0 failed$")

    def test_each_sweep_has_every_sequence_in_its_own_order(self) -> None:
        keys = self.sequence(*CNTK, "--sweeps", "2")
        self.assertEqual(sorted(keys[:60]), list(range(60)))
        self.assertEqual(sorted(keys[60:]), list(range(60)))
        self.assertNotEqual(keys[:60], list(range(60)))
        self.assertNotEqual(keys[:60], keys[60:])

    def test_each_seed_gives_one_order(self) -> None:
        orders = [self.sequence(*CNTK, "--seed", seed) for seed in ("0", "1", str(2**64 - 1), "1")]
        self.assertEqual(self.sequence(*CNTK), orders[0])
        self.assertEqual(orders[1], orders[3])
        self.assertEqual(3, len({tuple(order) for order in orders}))

    def test_order_cntk_needs_no_window_option(self) -> None:
        arguments = ("--order", "cntk", "--chunk-bytes", str(1 << 30))
        self.assertEqual(
            self.sequence(*arguments), self.sequence(*arguments, "--window-chunks", "4")
        )
        self.assertNotEqual(
            self.sequence(*CNTK), self.sequence(*CNTK[:4], "--window-samples", str(SAMPLES // 10))
        )

    def test_epochs_have_the_length_given(self) -> None:
        minibatches = self.keys("--epoch-size", "100", "--epochs", "5", "--minibatch-size", "30")
        ends = [i for i, minibatch in enumerate(minibatches) if minibatch["ends_epoch"]]
        self.assertEqual(5, len(ends))
        self.assertEqual(len(minibatches) - 1, ends[-1])
        samples = 0
        for i, minibatch in enumerate(minibatches):
            samples += minibatch["samples"]
            epoch = 1 + sum(1 for end in ends if end < i)
            # The last sequence of an epoch begins in the epoch, and may end after it.
            self.assertLess(samples, 100 * epoch + max(LENGTHS))
            self.assertEqual(samples >= 100 * epoch, minibatch["ends_epoch"])
        in_epochs = self.sequence("--sweeps", "2", "--epochs", "2")
        self.assertEqual(self.sequence("--sweeps", "4"), in_epochs)

    def test_workers_share_all_sequences(self) -> None:
        for order in ((), CNTK):
            for timeline in ("local", "global"):
                with self.subTest(order=order, timeline=timeline):
                    seen: Counter = Counter()
                    for worker in range(3):
                        share = self.sequence(
                            *order, "--worker", f"{worker}/3", "--timeline", timeline
                        )
                        self.assertGreater(len(share), 0)
                        seen.update(share)
                    self.assertEqual(Counter(range(60)), seen)
        self.assertEqual(list(range(1, 60, 2)), self.sequence("--worker", "1/2"))

    def test_a_worker_without_a_chunk_delivers_nothing(self) -> None:
        self.assertEqual([], self.keys(*CNTK, "--worker", "999/1000", "--epochs", "3"))

    def test_frames_are_listed_by_key_and_sample(self) -> None:
        whole = [[i, t] for i, length in enumerate(LENGTHS) for t in range(length)]
        self.assertEqual(whole, self.sequence("--split-frames", "--packing", "frames"))
        shuffled = self.sequence(*CNTK, "--split-frames")
        self.assertNotEqual(whole, shuffled)
        self.assertEqual(whole, sorted(shuffled))

    def test_pieces_are_listed_by_key_first_sample_and_count(self) -> None:
        arguments = ("--truncation-length", "4", "--minibatch-size", "12")
        for order in ((), CNTK):
            with self.subTest(order):
                minibatches = self.keys(*order, *arguments)
                seen = Counter()
                for minibatch in minibatches:
                    self.assertLessEqual(minibatch["samples"], 12)
                    for key, first, count in minibatch["keys"]:
                        self.assertEqual(seen[key], first)  # the end of the piece before
                        seen[key] += count
                self.assertEqual(Counter(dict(enumerate(LENGTHS))), seen)
                self.assertEqual(
                    [False] * (len(minibatches) - 1) + [True],
                    [minibatch["ends_epoch"] for minibatch in minibatches],
                )

    def test_json_has_slices_and_slots(self) -> None:
        text = self.good(
            "read", self.path, *STREAMS, "--format", "json", "--truncation-length", "4",
            "--minibatch-size", "8", "--max-minibatches", "2",
        )  # fmt: skip
        first, second = (json.loads(line) for line in text.splitlines())
        # Lengths are 1, 8, 4: slot 0 has sequence 0 and three samples of sequence 1, slot 1 has 2.
        self.assertEqual([0, 1, 2], first["keys"])
        self.assertEqual([[0, 1, 1], [0, 3, 8], [0, 4, 4]], first["slices"])
        batch = first["streams"]["a"]
        self.assertEqual("truncated", batch["packing"])
        self.assertEqual([4, 2, 2], batch["shape"])
        self.assertEqual(2, batch["slot_count"])
        self.assertEqual([0, 0, 1], batch["slots"])
        self.assertEqual([0, 1, 0], batch["begins"])
        self.assertEqual([1] * 8, batch["mask"])
        self.assertEqual([0, 0, 2, 0, 1, 0, 2, 1, 1, 1, 2, 2, 1, 2, 2, 3], batch["values"])
        self.assertEqual([3, 4, 8], second["slices"][0])

    def test_matrix_output_of_pieces(self) -> None:
        text = self.good(
            "read", self.path, *STREAMS, "--format", "matrix", "--truncation-length", "4",
            "--minibatch-size", "8", "--max-minibatches", "1",
        )  # fmt: skip
        self.assertEqual("0 0\n2 0\n1 0\n2 1\n1 1\n2 2\n1 2\n2 3\n", text)

    def test_rows_of_a_fixed_length_are_filled_by_best_fit(self) -> None:
        # Lengths are 1, 8, 4, 11, 7, 3: 11 and 1 fill a slot of 12, so do 8 and 4; 7 and 3 share.
        arguments = (
            "read", self.path, *STREAMS, "--format", "json", "--unit", "sequences",
            "--minibatch-size", "6", "--max-minibatches", "1", "--row-samples", "12",
        )  # fmt: skip
        text = self.good(*arguments)
        self.assertEqual(text, self.good(*arguments, "--packing", "packed"))
        batch = json.loads(text)["streams"]["a"]
        self.assertEqual("packed", batch["packing"])
        self.assertEqual([12, 3, 2], batch["shape"])
        self.assertEqual([0, 1, 1, 0, 2, 2], batch["slots"])
        self.assertEqual([0, 0, 8, 1, 0, 7], batch["begins"])
        self.assertEqual([1] * 30 + [1, 1, 0] * 2, batch["mask"])
        self.assertEqual([0, 0, 1, 0, 4, 0, 3, 0], batch["values"][:8])

    def test_a_sequence_longer_than_its_row_is_an_error_at_its_step(self) -> None:
        # Sequence 3 has 11 samples.
        result = self.run_sheaf(
            "read", self.path, *STREAMS, "--unit", "sequences", "--minibatch-size", "2",
            "--row-samples", "10",
        )  # fmt: skip
        self.assertEqual(BAD_USAGE, result.returncode)
        self.assertEqual(1, len(result.stdout.splitlines()))
        self.assertIn(
            'sequence 3 has 11 samples in stream "a", more than the 10 of row_samples',
            result.stderr,
        )

    def test_long_sequences_are_split_truncated_or_dropped(self) -> None:
        # Lengths are 1, 8, 4, 11, 7, 3.
        rows = (
            "read", self.path, *STREAMS, "--unit", "sequences", "--minibatch-size", "6",
            "--max-minibatches", "1", "--row-samples", "7",
        )  # fmt: skip
        keys = json.loads(self.good(*rows, "--long", "split", "--format", "keys"))["keys"]
        self.assertEqual([[0, 0, 1], [1, 0, 7], [1, 7, 1], [2, 0, 4], [3, 0, 7], [3, 7, 4]], keys)
        batch = json.loads(self.good(*rows, "--long", "split", "--format", "json"))
        self.assertEqual([[0, 1, 1], [0, 7, 8], [7, 1, 8], [0, 4, 4]], batch["slices"][:4])
        self.assertEqual(7, batch["streams"]["a"]["shape"][0])
        keys = json.loads(self.good(*rows, "--long", "truncate", "--format", "keys"))["keys"]
        self.assertEqual([[0, 0, 1], [1, 0, 7], [2, 0, 4], [3, 0, 7], [4, 0, 7], [5, 0, 3]], keys)
        batch = json.loads(self.good(*rows, "--long", "drop", "--format", "json"))
        self.assertEqual([0, 2, 4, 5], batch["keys"][:4])
        self.assertNotIn("slices", batch)
        self.assertIn("samples 24;", self.good(*rows, "--long", "split"))

    def test_options_that_exclude_long_are_refused(self) -> None:
        for arguments, message in (
            (
                ("--long", "split"),
                "--long split: --row-samples or --pad-length must say how long a row is",
            ),
            (
                ("--long", "drop", "--row-samples", "4", "--split-frames"),
                "leave --split-frames out",
            ),
            (("--long", "split", "--row-samples", "4", "--unit", "cost"), "or take --long drop"),
            (("--long", "x"), "--long"),
            (("--long", "split", "--row-samples", "4", "--packing", "ragged"), "--row-samples: "),
        ):
            error = self.refused("read", self.path, *STREAMS, *arguments)
            self.assertIn(message, error)

    def test_matrix_output_of_rows_has_no_gaps(self) -> None:
        text = self.good(
            "read", self.path, *STREAMS, "--format", "matrix", "--minibatch-size", "3", "--unit",
            "sequences", "--max-minibatches", "1", "--row-samples", "9",
        )  # fmt: skip
        lines = text.splitlines()
        self.assertEqual(13, len(lines))
        # Slot 0 has sequences 0 and 1, slot 1 has sequence 2: step by step.
        self.assertEqual(["0 0", "2 0", "1 0", "2 1", "1 1", "2 2"], lines[:6])

    def test_the_checksum_does_not_depend_on_order_or_packing(self) -> None:
        def report(*arguments: str) -> dict:
            return self.good_json(
                "read", self.path, *STREAMS, "--format", "none", "--json", *arguments
            )

        expected = report()
        for arguments in (
            CNTK,
            ("--split-frames",),
            (*CNTK, "--split-frames", "--packing", "frames"),
            ("--truncation-length", "3", "--minibatch-size", "30"),
            (*CNTK, "--truncation-length", "5", "--minibatch-size", "20"),
            ("--row-samples", "11"),
            (*CNTK, "--row-samples", "40", "--minibatch-size", "100"),
            (*CNTK, "--row-samples", "16", "--split-frames"),
            ("--row-samples", "4", "--long", "split"),
            (*CNTK, "--row-samples", "1", "--long", "split"),
        ):
            with self.subTest(arguments):
                got = report(*arguments)
                self.assertEqual(expected["checksum"], got["checksum"])
                self.assertEqual(SAMPLES, got["samples"])
                self.assertEqual(expected["bytes"], got["bytes"])
        parts = [int(report(*CNTK, "--worker", f"{r}/3")["checksum"], 16) for r in range(3)]
        self.assertEqual(int(expected["checksum"], 16), sum(parts) % 2**64)

    def test_the_summary_marks_the_ends_of_epochs(self) -> None:
        lines = self.good("read", self.path, *STREAMS, "--epochs", "2").splitlines()
        ends = [line.endswith("; ends the sweep; ends the epoch") for line in lines]
        self.assertEqual(2, sum(ends))
        self.assertTrue(ends[-1])


if __name__ == "__main__":
    unittest.main()
