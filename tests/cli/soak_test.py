"""A soak: two workers share many sweeps, and both are killed again and again. Cut at their saved
positions, their outputs together have each sequence once in each sweep, value by value.

SHEAF_SOAK_SWEEPS is the number of sweeps, SHEAF_SOAK_KILLS the least number of kills of each
worker, and SHEAF_SEED chooses the moments.
"""

import json
import os
import random
import subprocess
import time
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from command import SHEAF, TIMEOUT_SECONDS, CommandTest
from killed_run import KilledRun

SWEEPS = int(os.environ.get("SHEAF_SOAK_SWEEPS", "3"))
KILLS = int(os.environ.get("SHEAF_SOAK_KILLS", "4"))
SEED = int(os.environ.get("SHEAF_SEED", "1"))

WORKERS = 2
SEQUENCES = 2000
LENGTHS = [1 + i * 5 % 7 for i in range(SEQUENCES)]
DATA = "".join(f"{i} |a {i}.{t}\n" for i, length in enumerate(LENGTHS) for t in range(length))
ORDERS = {
    "cntk": ("--order", "cntk", "--seed", "9", "--window-chunks", "4"),
    "keyed": ("--order", "keyed", "--seed", "9", "--window-chunks", "4"),
    "bucketed": ("--order", "keyed", "--seed", "9", "--batching", "bucketed"),
}
RUN = (
    *("--stream", "a:dense:1", "--chunk-bytes", "4000", "--minibatch-size", "30"),
    *("--format", "json", "--packing", "ragged", "--sweeps", str(SWEEPS)),
)


def killed(run: KilledRun, seconds: float, seed: str) -> None:
    """Runs for about `seconds` seconds, with kills all along."""
    choice = random.Random(seed)
    is_over = False
    while not is_over or run.kills < KILLS:
        if is_over:  # finished before it was killed often enough
            run.begin()
        # A run does less between two kills than their distance, because of its start-up time.
        is_over = run.go_on(choice.uniform(0, max(0.06, 4 * seconds / KILLS)))


def consumed(output: bytes) -> Counter[tuple[int, tuple[float, ...]]]:
    """Counts how often each sequence occurs, by key and values."""
    sequences: Counter[tuple[int, tuple[float, ...]]] = Counter()
    for line in output.splitlines():
        minibatch = json.loads(line)
        values = iter(minibatch["streams"]["a"]["values"])
        for key, length in zip(
            minibatch["keys"], minibatch["streams"]["a"]["lengths"], strict=True
        ):
            sequences[int(key), tuple(next(values) for _ in range(length))] += 1
    return sequences


class SoakTest(CommandTest):
    def test_killed_workers_consume_each_sequence_once_a_sweep(self) -> None:
        path = self.write(DATA)
        expected = consumed(self.good("read", path, *RUN, "--order", "file").encode())
        self.assertEqual([SWEEPS] * SEQUENCES, [*expected.values()])
        for name, order in ORDERS.items():
            with self.subTest(name, seed=SEED):
                commands = [
                    [SHEAF, "read", path, *RUN, *order, "--worker", f"{worker}/{WORKERS}"]
                    for worker in range(WORKERS)
                ]
                start = time.monotonic()
                plain = [
                    subprocess.run(c, capture_output=True, check=True, timeout=TIMEOUT_SECONDS)
                    for c in commands
                ]
                seconds = (time.monotonic() - start) / WORKERS
                runs = [
                    KilledRun(self.folder, f"{name} {worker}", command)
                    for worker, command in enumerate(commands)
                ]
                with ThreadPoolExecutor(WORKERS) as threads:
                    seeds = [f"{SEED} {name} {worker}" for worker in range(WORKERS)]
                    list(threads.map(killed, runs, [seconds] * WORKERS, seeds))
                together: Counter[tuple[int, tuple[float, ...]]] = Counter()
                for run, undisturbed in zip(runs, plain, strict=True):
                    self.assertGreaterEqual(run.kills, KILLS)
                    output = run.output.read_bytes()
                    self.assertEqual(undisturbed.stdout, output)
                    together += consumed(output)
                self.assertEqual(expected, together)
                print(
                    f"{name}: {sum(together.values())} sequences of {SWEEPS} sweeps,",
                    f"{sum(run.kills for run in runs)} kills,",
                    f"{sum(run.resumptions for run in runs)} resumptions",
                )


if __name__ == "__main__":
    unittest.main()
