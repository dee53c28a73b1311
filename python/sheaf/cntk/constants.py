"""Numbers with a special meaning."""

from __future__ import annotations

from enum import IntEnum

INFINITELY_REPEAT = 2**64 - 1
"""No limit."""

FULL_DATA_SWEEP = 2**64 - 2
"""As ``max_samples``: one sweep. As the size of a minibatch: all that is left of the sweep."""

DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS = 128
"""4 GiB of chunks of 32 MiB."""


class TraceLevel(IntEnum):
    """The amount of CNTK's log output. It has no effect in sheaf."""

    Error = 0
    Warning = 1
    Info = 2
