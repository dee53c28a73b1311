"""Random numbers that depend on a seed, a sweep and a sequence, and on nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _sheaf
from ._options.texts import encodable
from ._options.values import COUNT_MAX, checked_key, refuse_type, whole
from .errors import ConfigError

if TYPE_CHECKING:
    import numpy as np

_WORD_MAX = 2**64 - 1  # of seeds and of keys that are numbers


def generator(seed: int, sweep: int, key: int | str, transform: str) -> np.random.Generator:
    """Return the random number generator of a transform for a sequence in a sweep.

    seed       seed of the order
    sweep      number of the sweep, from 0
    key        key of the sequence: a number, or a text if keys are texts
    transform  name of the transform within its chain, such as "clip"

    The numbers are those of ``sheaf::KeyedGenerator`` in C++. Threads, workers, and the order of
    arrival do not change the numbers. Each call begins with the first number. Generators of
    different sequences, sweeps, seeds or transforms are independent of each other.

    >>> import sheaf
    >>> first = sheaf.generator(7, 3, 42, "clip").random()
    >>> first == sheaf.generator(7, 3, 42, "clip").random()
    True

    Raises ConfigError for a number out of range, and TypeError for a value of a wrong type.
    """
    import numpy as np  # only here: `import sheaf` stays fast

    seed = _word("seed", seed, _WORD_MAX)
    sweep = _word("sweep", sweep, COUNT_MAX)
    if not isinstance(transform, str):
        refuse_type("transform", "a text", transform)
    transform = encodable("the name of a transform", transform)
    key = checked_key(key)
    if isinstance(key, str):
        words = _sheaf.generator_key_of_text(seed, sweep, encodable("a key", key), transform)
    else:
        words = _sheaf.generator_key(seed, sweep, _word("key", key, _WORD_MAX), transform)
    return np.random.Generator(np.random.Philox(key=np.array(words, dtype=np.uint64)))


def _word(name: str, value: int, most: int) -> int:
    number = whole(name, value)
    if not 0 <= number <= most:
        raise ConfigError(f"{name} is a whole number from 0 to {most}: got {number}")
    return number
