"""`sheaf read --order keyed`: the same minibatches for any number of workers, also in mid-run."""

import json
import random
import unittest
from pathlib import Path

from command import CommandTest

STREAMS = ("--stream", "a:dense:1")
LENGTHS = [1 + i * 5 % 7 for i in range(600)]
DATA = "".join(f"{i} |a {i}.{t}\n" for i, length in enumerate(LENGTHS) for t in range(length))
KEYED = ("--order", "keyed", "--seed", "5", "--chunk-bytes", "2000", "--window-chunks", "4")
RUN = (*KEYED, "--sweeps", "2", "--minibatch-size", "90")

Minibatch = tuple[list[str], bool, bool]


class KeyedTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.write(DATA)

    def read(self, *arguments: str) -> list[Minibatch]:
        output = self.good("read", self.path, *STREAMS, "--format", "keys", *arguments)
        lines = [json.loads(line) for line in output.splitlines()]
        return [([str(k) for k in m["keys"]], m["ends_sweep"], m["ends_epoch"]) for m in lines]

    def together(self, count: int, *arguments: str) -> list[Minibatch]:
        """Returns the sequences of all workers, joined step by step."""
        parts = [self.read(*arguments, "--worker", f"{w}/{count}") for w in range(count)]
        self.assertEqual(len({len(part) for part in parts}), 1)
        steps = []
        for step in zip(*parts, strict=True):
            self.assertEqual(len({(ends, over) for _, ends, over in step}), 1)
            keys = [key for part in step for key in part[0]]
            steps.append((keys, *step[0][1:]))
        return steps

    def assert_same(self, found: list[Minibatch], expected: list[Minibatch]) -> None:
        def normal(steps: list[Minibatch]) -> list[Minibatch]:
            return [(sorted(keys), ends, over) for keys, ends, over in steps]

        self.assertEqual(normal(found), normal(expected))

    def test_any_number_of_workers_delivers_the_same_minibatches(self) -> None:
        for batching in ("plain", "bucketed"):
            one = self.read(*RUN, "--batching", batching)
            keys = [key for minibatch in one for key in minibatch[0]]
            self.assertEqual(sorted(keys), sorted(map(str, [*range(600)] * 2)))
            for count in (2, 3, 7):
                with self.subTest(batching=batching, workers=count):
                    self.assert_same(self.together(count, *RUN, "--batching", batching), one)

    def test_a_run_resumes_with_another_number_of_workers(self) -> None:
        whole = self.read(*RUN)
        rng = random.Random(3)
        at, done = str(self.folder / "at.json"), 0
        resume: tuple[str, ...] = ()
        while done < len(whole):
            count, steps = rng.choice((1, 2, 3, 5)), rng.randint(1, 9)
            limits = ("--max-minibatches", str(steps))
            self.assert_same(
                self.together(count, *RUN, *limits, *resume), whole[done : done + steps]
            )
            worker = (
                "--worker",
                f"{rng.randrange(count)}/{count}",
            )  # the position of any worker will do
            self.read(*RUN, *limits, *resume, *worker, "--save-position", at)
            resume, done = ("--resume", at), done + steps

    def test_another_minibatch_size_resumes_in_the_same_order(self) -> None:
        at = str(self.folder / "at.json")
        first = self.read(*RUN, "--max-minibatches", "5", "--save-position", at)
        rest = self.read(*KEYED, "--sweeps", "2", "--minibatch-size", "31", "--resume", at)
        keys = [key for minibatch in first + rest for key in minibatch[0]]
        self.assertEqual(keys, [key for minibatch in self.read(*RUN) for key in minibatch[0]])

    def test_a_bucketed_run_is_the_same_in_parts_and_pads_less(self) -> None:
        run = (*RUN, "--batching", "bucketed")
        at = str(self.folder / "at.json")
        parts = self.read(*run, "--max-minibatches", "4", "--save-position", at)
        self.assertIn("carry", Path(at).read_text())
        parts += self.read(*run, "--resume", at)
        self.assertEqual(parts, self.read(*run))
        padding = [
            json.loads(
                self.good("read", self.path, *STREAMS, *options, "--format", "none", "--json")
            )
            for options in (RUN, run)
        ]
        self.assertLess(3 * padding[1]["padding_ratio"], padding[0]["padding_ratio"])

    def test_minibatches_that_count_bytes_of_text(self) -> None:
        bytes_of = {str(i): 0 for i in range(600)}
        for line in DATA.splitlines(keepends=True):
            bytes_of[line.split()[0]] += len(line)
        run = (*KEYED, "--sweeps", "2", "--minibatch-size", "900", "--unit", "cost")
        largest = max(bytes_of.values())
        for batching in ("plain", "bucketed"):
            with self.subTest(batching=batching):
                one = self.read(*run, "--batching", batching)
                self.assert_same(self.together(3, *run, "--batching", batching), one)
                for keys, *_ in one:
                    costs = [bytes_of[key] for key in keys]
                    if batching == "plain":
                        self.assertLess(sum(costs), 900 + largest)
                    else:
                        self.assertLessEqual(len(costs) * max(costs), 900)
                at = str(self.folder / "at.json")
                parts = self.read(
                    *run, "--batching", batching, "--max-minibatches", "5", "--save-position", at
                )
                parts += self.read(*run, "--batching", batching, "--resume", at)
                self.assertEqual(parts, one)
        error = self.refused("read", self.path, *STREAMS, *RUN, "--resume", at)
        self.assertIn("unit", error)
        for algorithm in ("file", "cntk"):
            order = (*KEYED[2:], "--order", algorithm) if algorithm == "cntk" else ()
            run = (*order, "--minibatch-size", "900", "--unit", "cost")
            for keys, *_ in self.read(*run):
                self.assertLessEqual(sum(bytes_of[key] for key in keys), 900)

    def test_data_without_a_cost_are_refused(self) -> None:
        cbf = str(self.folder / "a.cbf")
        self.good("convert", self.path, cbf, *STREAMS)
        self.assertEqual(
            f'sheaf: error: unit "cost": the data declare no cost of a sequence: {cbf}: CBF files '
            "declare none; leave unit out, or read data that declare one (docs/options.md)\n",
            self.refused("read", cbf, "--stream", "a:dense:1", "--unit", "cost"),
        )

    def test_exact_sizes_are_exact_for_any_number_of_workers_and_in_parts(self) -> None:
        run = (*KEYED, "--sweeps", "2", "--unit", "sequences", "--minibatch-size", "70")
        run = (*run, "--sizes", "exact", "--balance", "count")
        at = str(self.folder / "at.json")
        for batching in ("plain", "bucketed"):
            for drop, sizes in (((), [70] * 8 + [40]), (("--drop-last",), [70] * 8)):
                with self.subTest(batching=batching, drop=drop):
                    options = (*run, *drop, "--batching", batching)
                    one = self.read(*options)
                    self.assertEqual([len(keys) for keys, *_ in one], 2 * sizes)
                    self.assertEqual(
                        [ends for _, ends, _ in one], 2 * ([False] * (len(sizes) - 1) + [True])
                    )
                    for first in (one[: len(sizes)], one[len(sizes) :]):
                        keys = [key for minibatch in first for key in minibatch[0]]
                        self.assertEqual(len(set(keys)), sum(sizes))
                    self.assert_same(self.together(4, *options), one)
                    for worker in range(7):
                        share = self.read(*options, "--worker", f"{worker}/7")
                        self.assertEqual({len(keys) for keys, *_ in share if len(keys) > 6}, {10})
                    for steps in ("1", "8", "9", "11"):
                        limit = ("--max-minibatches", steps)
                        self.read(*options, *limit, "--worker", "2/3", "--save-position", at)
                        rest = self.together(2, *options, "--resume", at)
                        self.assert_same(rest, one[int(steps) :])

    def test_a_position_of_another_sizes_option_is_refused(self) -> None:
        run = (*KEYED, "--unit", "sequences", "--minibatch-size", "70")
        at = str(self.folder / "at.json")
        self.read(*run, "--sizes", "exact", "--max-minibatches", "2", "--save-position", at)
        error = self.refused("read", self.path, *STREAMS, *run, "--resume", at)
        self.assertIn("sizes was exact, is not set", error)

    def test_a_position_of_another_order_is_refused(self) -> None:
        at = str(self.folder / "at.json")
        self.read(*RUN, "--max-minibatches", "4", "--save-position", at)
        other = [{"5": "6"}.get(word, word) for word in RUN]
        error = self.refused("read", self.path, *STREAMS, *other, "--resume", at)
        self.assertIn("seed was 5, is 6", error)


if __name__ == "__main__":
    unittest.main()
