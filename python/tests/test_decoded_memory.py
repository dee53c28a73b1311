"""The memory of runs whose window holds encoded images, and whose minibatches decoded ones."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

MIB = 1 << 20
BESIDES = 64 * MIB  # the promise: so much beyond the limit

PROGRAM = """
import functools, json, resource, sys, zlib
import numpy as np
import sheaf

packing, order, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
ROWS = {key: 1500 + 37 * key % 350 for key in range(300)}  # images of 9 to 11 MB


def image(key):
    return np.full((ROWS[key], 2000, 3), key % 251, dtype=np.uint8)


@functools.cache
def encoded(key):
    # As large as a photograph: what does not compress comes last.
    noise = np.random.default_rng(key).bytes(50_000)
    return zlib.compress(image(key), 1) + noise


class Images(sheaf.Deserializer):
    streams = {"image": sheaf.Stream(dtype="bytes")}

    def chunks(self):
        for _ in range(60):
            yield sheaf.Chunk(5, size_bytes=5 * 100_000)

    def read(self, chunk):
        # The same few images over and over: making each of 300 takes long.
        return {"image": [encoded((5 * chunk + i) % 3 * 100) for i in range(5)]}


def decode(samples):
    (data,) = samples
    return np.frombuffer(zlib.decompressobj().decompress(data), np.uint8).reshape(-1, 2000, 3)


reader = sheaf.Reader(
    Images(), batch_size=2, packing=packing, order=order, seed=1, window=60,
    num_threads=3, memory_limit=limit,
    transforms=[sheaf.map(
        decode, "image", {"image": sheaf.Stream(shape=(None, 2000, 3), dtype="uint8")},
        shape_max=(1900, 2000, 3),
    )],
)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
seen, right, minibatch = 0, True, None
try:
    for step, minibatch in enumerate(reader):
        for i, key in enumerate(minibatch.sequence_keys.tolist()):
            (found,) = minibatch.image.samples(i)
            own = key % 3 * 100
            right = right and found.shape == (ROWS[own], 2000, 3)
            right = right and found[0, 0, 0] == found[-1, -1, -1] == own % 251
            seen += 1
        if step == 5:
            break
    error = ""
except sheaf.ConfigError as refused:
    error = str(refused)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"seen": seen, "right": bool(right), "peak": peak - before, "error": error}))
"""


def run(packing, order, limit):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), packing, order, str(limit)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="measures resident memory")
def test_images_are_decoded_within_the_limit():
    refused = run("ragged", "keyed", 30 * MIB)
    needed = int(refused["error"].split("it needs ")[1].split()[0])
    assert 48 * MIB < needed < 90 * MIB  # two images, decoded and packed, and the window
    for packing, order in (("ragged", "keyed"), ("padded", "cntk")):
        limit = 96 * MIB
        report = run(packing, order, limit)
        assert (report["error"], report["seen"], report["right"]) == ("", 12, True)
        assert report["peak"] <= limit + BESIDES
