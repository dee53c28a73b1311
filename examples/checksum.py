"""Print the checksum of the data that a spec delivers.

Any order, packing and minibatch size gives the same number, and so do checksum.cc and checksum.sh.

    checksum.py SPEC [MEMORY_LIMIT_BYTES]
"""

import ctypes
import sys

import numpy as np

import sheaf

STEP = 0x9E3779B97F4A7C15
XXH3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
XXH3.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)
XXH3.restype = ctypes.c_uint64


def hash_of(data, seed=0):
    return XXH3(data, len(data), seed)


def checksum_of(name, batch, keys):
    """Add up a hash of each sample of a stream, in a ragged minibatch whose keys are numbers."""
    total = 0
    stream = hash_of(name.encode())
    for key, begin, length in zip(keys, batch.sequence_offsets, batch.lengths, strict=False):
        sequence = hash_of(np.array([stream, key, 0], np.uint64).tobytes())
        for t in range(length):
            row = begin + t
            seed = (sequence + t * STEP) % 2**64
            if isinstance(batch, sheaf.SparseBatch):
                pairs = slice(batch.indptr[row], batch.indptr[row + 1])
                values = hash_of(batch.data[pairs].tobytes(), seed)
                total += hash_of(batch.indices[pairs].tobytes(), values)
            else:
                total += hash_of(batch.values[row].tobytes(), seed)
    return total


def main(path="train.json", memory_limit="0"):
    reader = sheaf.Reader(spec=path, memory_limit=int(memory_limit), packing="ragged")
    total = 0
    for minibatch in reader:
        for name, batch in minibatch.items():
            total += checksum_of(name, batch, minibatch.sequence_keys)
    print(f"sequences {reader.stats['sequences']}, checksum {total % 2**64:016x}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except sheaf.Error as error:
        sys.exit(f"checksum: error: {error}")
