"""`sheaf order`: the numbers of an order, and the advice."""

import random
import unittest
from collections.abc import Iterable

from command import BAD_DATA, DIGITS, DIGITS_STREAMS, GOOD, CommandTest

STREAMS = ("--stream", "x:dense:1", "--stream", "y:sparse:10")
BYTES = 20  # bytes of a row, about
READING = (2 << 20) + (1 << 16)  # other memory for reading and minibatches


class OrderVerbTest(CommandTest):
    def make(self, lengths: Iterable[int], classes: int = 10, name: str = "data.ctf") -> str:
        """Returns sequences whose classes lie in blocks."""
        lengths = list(lengths)
        rows = []
        for key, length in enumerate(lengths):
            label = key * classes // len(lengths)
            rows.append(f"{key:05} |x {key % 7}.5 |y {label}:1\n")
            rows += [f"{key:05} |x {key % 7}.5\n"] * (length - 1)
        return self.write("".join(rows), name)

    def report(self, path: str, *arguments: str) -> dict:
        return self.good_json("order", path, *STREAMS, "--json", *arguments)

    def codes(self, path: str, *arguments: str) -> list[str]:
        return [advice["code"] for advice in self.report(path, *arguments)["advice"]]

    def advice(self, path: str, *arguments: str) -> str:
        return " ".join(advice["text"] for advice in self.report(path, *arguments)["advice"])

    def test_sequences_longer_than_a_row_are_counted(self) -> None:
        path = self.make([1, 9, 4, 5, 2])
        x = ("order", path, "--stream", "x:dense:1", "--row-samples", "4", "--long")
        report = self.good_json(*x, "drop", "--json")["long_sequences"]
        self.assertEqual(
            {
                "long": "drop", "row_samples": 4, "sequences": 2, "of_sequences": 5, "pieces": 0,
                "left_out_samples": 14, "of_samples": 21,
            },
            report,
        )  # fmt: skip
        text = self.good(*x, "drop")
        self.assertRegex(text, r"--long drop +leaves out 2 of 5 sequences, 14 samples\n")
        self.assertIn("--long drop leaves out 2 of 5 sequences, 66.7 % of all samples", text)
        self.assertRegex(self.good(*x, "truncate"), "cuts off 6 samples from the ends of 2 of 5 s")
        self.assertRegex(self.good(*x, "split"), "splits 2 of 5 sequences into 5 pieces")

    # --- numbers ----------------------------------------------------------------------------------

    def test_the_report_of_the_digits(self) -> None:
        report = self.good_json(
            "order", DIGITS, *DIGITS_STREAMS, "--json", "--order", "keyed", "--worker", "1/3"
        )
        self.assertEqual(
            (1438, 1438, 1), tuple(report[k] for k in ("sequences", "samples", "chunks"))
        )
        self.assertEqual(("keyed", 0, 3), tuple(report[k] for k in ("order", "seed", "workers")))
        self.assertEqual(3, report["looked_at"]["workers"])
        self.assertAlmostEqual(1438 / 6, report["all"]["sequences"], delta=0.1)
        self.assertAlmostEqual(
            report["all"]["sequences"] / 3, report["worker"]["sequences"], delta=0.1
        )
        self.assertLess(report["all"]["noise"], 1.05)
        self.assertEqual(0, report["idle_steps"])
        self.assertLess(report["excess"], 0.02)
        self.assertLess(report["foreign_sequences"], 0.1)
        self.assertEqual(0, report["padding"])
        self.assertGreater(report["index_bytes"], 0)
        self.assertEqual(report["memory_bytes"], report["index_bytes"] + report["window_bytes"])
        # Everything is held, so later sweeps read only foreign sequences.
        self.assertLess(report["later_sweep_bytes"], 0.1 * report["bytes"])
        self.assertGreaterEqual(report["sweep_bytes"], report["bytes"])
        self.assertGreater(report["first_minibatch_seconds"], 0)
        self.assertEqual([], report["advice"])

    def test_only_times_and_memory_differ_between_runs(self) -> None:
        path = self.make([1, 3, 2] * 300)
        arguments = ("--order", "keyed", "--window-samples", "500", "--noise-of", "y")
        reports = []
        for threads in ("1", "4"):
            report = self.report(path, *arguments, "--threads", threads)
            for field in ("open_seconds", "first_minibatch_seconds", "memory_bytes", "index_bytes"):
                report.pop(field)
            reports.append(report)
        self.assertEqual(*reports)

    def test_costs_are_reported_where_minibatches_count_costs(self) -> None:
        path = self.make([1, 3, 2] * 300)
        report = self.report(path, "--order", "keyed", "--unit", "cost", "--minibatch-size", "500")
        self.assertEqual({"name": "bytes", "total": report["bytes"]}, report["cost"])
        self.assertEqual("cost", report["unit"])
        self.assertAlmostEqual(500, report["all"]["cost"], delta=50)
        plain = self.report(path, "--order", "keyed")
        self.assertNotIn("cost", plain)
        self.assertNotIn("cost", plain["all"])

    def test_file_order_makes_each_worker_parse_the_whole_file(self) -> None:
        path = self.make([1] * 2000)
        report = self.report(path, "--worker", "0/4")
        self.assertEqual(3, report["foreign_samples"])
        self.assertEqual(4 * report["bytes"], report["sweep_bytes"])
        self.assertEqual(report["bytes"], report["worker_sweep_bytes"])
        self.assertEqual(report["sweep_bytes"], report["later_sweep_bytes"])
        self.assertIn(
            "each of 4 workers parses the whole file", self.advice(path, "--worker", "0/4")
        )

    def test_larger_windows_of_cntk_need_memory_and_reduce_noise(self) -> None:
        path = self.make([1] * 4000)
        chunks = ("--order", "cntk", "--chunk-bytes", str(40 * BYTES), "--minibatch-size", "20")
        few = self.report(path, *chunks, "--window-chunks", "10")
        many = self.report(path, *chunks, "--window-chunks", "40")
        self.assertGreater(few["chunks"], 80)
        self.assertAlmostEqual(4, many["window_bytes"] / few["window_bytes"], delta=0.5)
        self.assertGreater(few["all"]["noise"], 1.2 * many["all"]["noise"])
        self.assertLess(few["all"]["chunks"], many["all"]["chunks"])
        self.assertEqual(few["bytes"], few["sweep_bytes"])

    def test_noise_can_be_measured_by_a_stream(self) -> None:
        path = self.make([1] * 5000)
        blocks = self.report(path, "--noise-of", "y", "--minibatch-size", "50")
        self.assertEqual("y", blocks["noise_of"])
        self.assertAlmostEqual(50**0.5, blocks["all"]["noise"], delta=0.2)
        # x repeats every seven sequences, so file order is mixed already.
        self.assertLess(self.report(path, "--noise-of", "x")["all"]["noise"], 0.2)
        shuffled = self.report(path, "--noise-of", "y", "--order", "keyed")
        self.assertLess(shuffled["all"]["noise"], 1.1)

    def test_noise_of_a_stream_needs_differing_values(self) -> None:
        rows = [f"{i} |x {i // 100} |y {'3:1' if i % 2 else ''}\n" for i in range(1000)]
        rows[7] = "7 |x z |y 3:1\n"  # left out
        path = self.write("".join(rows))
        report = self.report(path, "--noise-of", "x", "--minibatch-size", "50")
        self.assertAlmostEqual(50**0.5, report["all"]["noise"], delta=0.2)
        error = self.refused("order", path, *STREAMS[2:], "--noise-of", "y")
        self.assertIn("--noise-of y: all sequences have the same first index in it", error)
        path = self.write("0 |x 1 |y\n1 |x 1 |y\n", "none.ctf")
        error = self.refused("order", path, *STREAMS, "--noise-of", "y")
        self.assertIn("--noise-of y: no sequence has a value in it", error)
        error = self.refused("order", path, *STREAMS, "--noise-of", "x")
        self.assertIn("--noise-of x: all sequences have the same value in it", error)
        error = self.refused("order", path, *STREAMS, "--noise-of", "z")
        self.assertIn("--noise-of z: there is no such stream; there are: x, y", error)

    def test_steps_limits_the_measured_steps(self) -> None:
        path = self.make([1] * 5000)
        report = self.report(path, "--steps", "17", "--worker", "0/40", "--order", "keyed")
        self.assertEqual({"steps": 17, "workers": 40}, report["looked_at"])
        self.assertEqual(17, report["all"]["steps"])
        self.assertIn("--steps takes a whole number", self.refused("order", path, "--steps", "0"))

    def test_some_of_very_many_workers_are_measured(self) -> None:
        path = self.make([1] * 20_000)
        arguments = ("--order", "keyed", "--worker", "0/1000", "--minibatch-size", "9000")
        report = self.report(path, *arguments)
        self.assertLess(report["looked_at"]["workers"], 1000)
        self.assertAlmostEqual(20_000 / 3, report["all"]["sequences"], delta=1)
        self.assertRegex(
            " ".join(self.good("order", path, *STREAMS, *arguments).split()),
            r"looked at: 8 steps from the beginning of the run on, of \d+ of the 1000 workers",
        )

    def test_frames_and_pieces_are_reported(self) -> None:
        rows = [f"{i} |x {t}\n" for i in range(300) for t in range(1 + i % 5)]
        path = self.write("".join(rows))
        report = self.good_json("order", path, *STREAMS[:2], "--json", "--split-frames")
        self.assertEqual(report["samples"], report["sequences"])
        self.assertEqual(0, report["padding"])
        report = self.good_json(
            "order", path, *STREAMS[:2], "--json", "--truncation-length", "4",
            "--minibatch-size", "32", "--order", "cntk",
        )  # fmt: skip
        self.assertIsNone(report["all"]["noise"])
        self.assertIsNone(report["padding"])
        self.assertEqual([], report["windows"])

    # --- advice -----------------------------------------------------------------------------------

    def test_classes_in_blocks_get_advice(self) -> None:
        path = self.make([1] * 2000)
        self.assertEqual(["file-order"], self.codes(path))
        self.assertIn("--noise-of STREAM tells whether it is", self.advice(path))
        self.assertEqual(["file-blocks"], self.codes(path, "--noise-of", "y"))
        self.assertRegex(
            self.advice(path, "--noise-of", "y"),
            r"by y, minibatches are \d+(\.\d+)? times as noisy .* lie in blocks: --order keyed",
        )
        self.assertEqual([], self.codes(path, "--noise-of", "x"))
        self.assertEqual([], self.codes(path, "--noise-of", "y", "--order", "keyed"))

    def test_cntk_windows_that_mix_too_little_get_advice(self) -> None:
        path = self.make([1] * 2000)
        chunks = ("--order", "cntk", "--chunk-bytes", str(50 * BYTES))
        for size, does_mix in (("1", False), ("2", False), ("3", True)):
            with self.subTest(window_chunks=size):
                codes = self.codes(path, *chunks, "--window-chunks", size)
                self.assertEqual(not does_mix, "cntk-window" in codes)
        self.assertIn("Take 3 at least", self.advice(path, *chunks, "--window-chunks", "2"))
        report = self.report(path, *chunks)
        chunk_samples = report["samples"] / report["chunks"]
        for size, does_mix in ((int(4 * chunk_samples), False), (int(4 * chunk_samples) + 9, True)):
            with self.subTest(window_samples=size):
                codes = self.codes(path, *chunks, "--window-samples", str(size))
                self.assertEqual(not does_mix, "cntk-window" in codes)
        # A window of all data mixes, even if there are few.
        half = (*chunks[:3], str(1000 * BYTES))
        self.assertEqual(2, self.report(path, *half)["chunks"])
        self.assertNotIn("cntk-window", self.codes(path, *half, "--window-chunks", "2"))

    def test_idle_cntk_workers_get_advice(self) -> None:
        path = self.make([1] * 2000)
        cntk = ("--order", "cntk", "--chunk-bytes", str(400 * BYTES), "--minibatch-size", "400")
        chunks = self.report(path, *cntk)["chunks"]
        self.assertNotIn("cntk-workers", self.codes(path, *cntk, "--worker", f"0/{chunks - 1}"))
        one_each = self.advice(path, *cntk, "--worker", f"0/{chunks}")
        self.assertIn(f"each of {chunks} workers has one chunk", one_each)
        arguments = (*cntk, "--worker", f"0/{chunks + 3}")
        report = self.report(path, *arguments)
        self.assertEqual(report["looked_at"]["steps"], report["idle_steps"])
        self.assertIn(
            f"3 of {chunks + 3} workers have nothing to do", self.advice(path, *arguments)
        )

    def test_too_few_sequences_of_a_worker_get_advice(self) -> None:
        random.seed(7)
        path = self.make(1 + int(random.lognormvariate(2, 1)) for _ in range(3000))
        keyed = ("--order", "keyed", "--unit", "sequences")
        self.assertNotIn(
            "few-sequences",
            self.codes(path, *keyed, "--worker", "0/8", "--minibatch-size", "100"),
        )
        arguments = (*keyed, "--worker", "0/8", "--minibatch-size", "40")
        self.assertIn("few-sequences", self.codes(path, *arguments))
        self.assertRegex(
            self.advice(path, *arguments),
            r"5 sequences a worker and step .* Ten are enough: --minibatch-size 80, or fewer",
        )
        self.assertNotIn("few-sequences", self.codes(path, *keyed, "--minibatch-size", "4"))

    def test_avoidable_padding_gets_advice(self) -> None:
        random.seed(7)
        path = self.make(1 + int(random.lognormvariate(2, 1)) for _ in range(3000))
        plain = self.report(path, "--order", "keyed")
        bucketed = self.report(path, "--order", "keyed", "--batching", "bucketed")
        self.assertEqual(plain["padding"], plain["plain_padding"])
        self.assertEqual(bucketed["padding"], bucketed["bucketed_padding"])
        self.assertGreater(plain["padding"], 0.5)
        self.assertLess(bucketed["padding"], 0.1)
        self.assertIn("padding", self.codes(path, "--order", "keyed"))
        self.assertNotIn("padding", self.codes(path, "--order", "keyed", "--packing", "ragged"))
        self.assertNotIn("padding", self.codes(path, "--order", "keyed", "--batching", "bucketed"))

    def test_exact_sizes_are_reported(self) -> None:
        path = self.make([1 + i % 7 for i in range(1000)])
        keyed = ("--order", "keyed", "--unit", "sequences", "--minibatch-size", "64")
        even = self.report(path, *keyed)
        self.assertEqual((even["sizes"], even["drop_last"]), ("even", False))
        exact = self.report(path, *keyed, "--sizes", "exact", "--drop-last", "--worker", "0/4")
        self.assertEqual((exact["sizes"], exact["drop_last"]), ("exact", True))
        self.assertEqual(exact["all"]["sequences"], 64)
        self.assertEqual(exact["idle_steps"], 0)

    def test_windows_of_half_and_double_size_are_reported(self) -> None:
        path = self.make([1] * 4000)
        cntk = ("--order", "cntk", "--chunk-bytes", str(40 * BYTES))
        windows = self.report(path, *cntk, "--window-chunks", "20")["windows"]
        self.assertEqual([10, 20, 40], [window["window_chunks"] for window in windows])
        self.assertEqual([False, True, False], [window["is_asked"] for window in windows])
        noises = [window["noise"] for window in windows]
        self.assertEqual(noises, sorted(noises, reverse=True))
        memory = [window["memory_bytes"] for window in windows]
        self.assertEqual(memory, sorted(memory))
        # "keyed" can also read parts of a chunk.
        keyed = ("--order", "keyed", "--window-chunks", "1")
        windows = self.report(path, *keyed)["windows"]
        self.assertEqual([2000, None], [window["window_samples"] for window in windows])

    def test_a_larger_window_has_less_noise(self) -> None:
        path = self.make([1] * 8000)
        arguments = ("--order", "cntk", "--chunk-bytes", str(50 * BYTES), "--window-chunks", "5")
        self.assertEqual(["noisy"], self.codes(path, *arguments))
        self.assertRegex(self.advice(path, *arguments), r"with --window-chunks 10 it is \d.*KiB")
        # The noise concerns the number of a sequence in the file; x is evenly spread.
        self.assertEqual([], self.codes(path, *arguments, "--noise-of", "x"))
        room = (*arguments, "--memory-limit", "64MiB")
        self.assertEqual(["memory-room"], self.codes(path, *room))
        chunks = self.report(path, *arguments)["chunks"]
        self.assertRegex(
            self.advice(path, *room),
            rf"with 64.0 MiB --window-chunks {chunks} fits, and the noise is then (1|0\.9)\S* in",
        )

    def test_windows_that_fit_the_memory_limit_are_reported(self) -> None:
        path = self.make([40] * 8000)
        for order in ("cntk", "keyed"):
            arguments = ("--order", order, "--chunk-bytes", "100000", "--window-chunks", "50")
            with self.subTest(order):
                free = self.report(path, *arguments)
                self.assertFalse(any(window["is_fit"] for window in free["windows"]))
                half = int(free["window_bytes"] / 2) + free["index_bytes"] + READING
                report = self.report(path, *arguments, "--memory-limit", str(half))
                self.assertEqual(half, report["memory_limit_bytes"])
                fits = [window for window in report["windows"] if window["is_fit"]]
                self.assertEqual(1, len(fits))
                self.assertLess(fits[0]["memory_bytes"], half)
                self.assertIn("memory-window", [advice["code"] for advice in report["advice"]])
                self.assertRegex(
                    " ".join(advice["text"] for advice in report["advice"]),
                    r"--window-chunks \d+ takes .* need, too much for .*: "
                    rf"--window-chunks {fits[0]['window_chunks']} fits, and the noise is then",
                )
                least = self.report(path, *arguments, "--memory-limit", "100000")
                self.assertIn("memory-too-small", [advice["code"] for advice in least["advice"]])
                self.assertIsNone(least["first_minibatch_seconds"])
        # The window that the report marks as fitting does fit.
        fit = ("--order", "cntk", "--chunk-bytes", "100000", "--window-chunks")
        limit = str(16 << 20)
        windows = self.report(path, *fit, "50", "--memory-limit", limit)["windows"]
        size = next(window["window_chunks"] for window in windows if window["is_fit"])
        self.good("read", path, *STREAMS, *fit, str(size), "--memory-limit", limit,
                  "--format", "none")  # fmt: skip

    # --- the rest ---------------------------------------------------------------------------------

    def test_text_output_fits_80_columns(self) -> None:
        path = self.make([1, 2] * 500)
        text = self.good("order", path, *STREAMS, "--order", "keyed", "--worker", "0/3")
        for part in (
            "\nminibatches\n", "\nworkers\n", "\ncost\n", "\nwindows\n",
            "noise, by place in the file", "excess of the slowest", "foreign sequences",
            "first minibatch after that", "128 chunks, all there are", "asked for",
        ):  # fmt: skip
            self.assertIn(part, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        # Numbers are aligned.
        lines = text.splitlines()
        table = lines[1 : lines.index("")]
        self.assertEqual(1, len({len(line) for line in table}), table)

    def test_with_more_workers_than_sequences_noise_is_null(self) -> None:
        path = self.write("0 |x 1\n1 |x 2\n")
        text = self.good_json("order", path, "--stream", "x:dense:1", "--json", "--order", "keyed",
                              "--worker", "0/5")  # fmt: skip
        self.assertEqual(2, text["sequences"])
        self.assertIsNone(text["all"]["noise"])

    def test_bad_sequences_are_counted_too(self) -> None:
        path = self.write("".join(f"{i} |x {'z' if i % 2 else i} |y 1:1\n" for i in range(100)))
        self.assertEqual(100, self.report(path)["sequences"])

    def test_options_that_no_reader_accepts_are_refused(self) -> None:
        path = self.write("".join(f"{i} |x 1 |y 1:1\n{i} |x 2\n" for i in range(100)))
        arguments = ("order", path, *STREAMS, "--truncation-length", "2", "--minibatch-size", "8")
        for limit in ((), ("--memory-limit", "64MiB")):
            result = self.run_sheaf(*arguments, *limit)
            self.assertNotEqual(GOOD, result.returncode)
            self.assertIn("equally long in every stream", result.stderr)
            self.assertEqual("", result.stdout)

    def test_text_that_cannot_be_opened_is_an_error(self) -> None:
        result = self.run_sheaf("order", self.write("nonsense\n"), *STREAMS)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertEqual("", result.stdout)

    def test_found_streams_are_reported(self) -> None:
        result = self.run_sheaf("order", DIGITS)
        self.assertEqual(GOOD, result.returncode)
        self.assertIn("streams found: --stream labels:sparse:10", result.stderr)


if __name__ == "__main__":
    unittest.main()
