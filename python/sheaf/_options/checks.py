"""Refuses keywords about the order and the minibatches of a run that contradict each other."""

from __future__ import annotations

from ..errors import ConfigError
from .keywords import Keywords

_SEED_MAX = 2**64 - 1


def check_run(said: Keywords) -> None:
    """Refuse keywords that contradict each other, by the names that the caller used."""
    check_sizes(said)
    _check_order(said)
    _check_keyed(said)
    _check_truncation(said)
    _check_long(said)
    _check_cache(said)


def check_sizes(said: Keywords) -> None:
    """Refuse two lengths of an epoch, and impossible numbers of workers and threads."""
    if "sweeps" in said and "epoch_size" in said:
        raise ConfigError("sweeps and epoch_size both say how long an epoch is: leave one out")
    rank, world_size = said.get("rank", 0), said.get("world_size", 1)
    if rank >= world_size:
        raise ConfigError(f"rank must be below world_size: got {rank} of {world_size}")
    if said.get("num_threads", 0) > 1024:
        raise ConfigError(f"num_threads is at most 1024: got {said['num_threads']}")


def _check_order(said: Keywords) -> None:
    if not 0 <= said.get("seed", 0) <= _SEED_MAX:
        raise ConfigError(f"seed is a whole number from 0 to {_SEED_MAX}: got {said['seed']}")
    if "window_chunks" in said and "window_samples" in said:
        raise ConfigError(
            f"{said.called('window_chunks')} and window_samples both say how large it is: leave "
            "one out"
        )
    if said.get("order", "file") != "file":
        return
    for name in ("seed", "window_chunks", "window_samples"):
        if name == "seed" and said.get("transforms"):
            continue  # their random numbers come from the seed, in any order
        if name in said:
            raise ConfigError(
                f'{said.called(name)}: the order "file" shuffles nothing; "keyed" does'
            )


def _check_keyed(said: Keywords) -> None:
    order = said.get("order", "file")
    if order != "keyed":
        for name in ("balance", "batching", "sizes", "drop_last"):
            if said.get(name):  # drop_last=False asks for nothing
                raise ConfigError(f'{name}: needs the order "keyed", and the order is "{order}"')
        return
    if said.get("sizes") == "exact" and said.get("unit", "samples") != "sequences":
        raise ConfigError(
            'sizes: "exact" is a number of sequences: give batch_size, or leave sizes out'
        )
    if said.get("drop_last") and said.get("sizes", "even") == "even":
        raise ConfigError(
            'drop_last: the sizes "even" leave no short last minibatch: give sizes="exact", too, '
            "or leave drop_last out"
        )
    if "timeline" in said:
        raise ConfigError(
            'timeline: all workers of the order "keyed" look at the same minibatches: leave it out'
        )
    if said.get("sweep_ends") == "cross":
        raise ConfigError(
            'sweep_ends: the order "keyed" divides each sweep evenly, so no minibatch has '
            "sequences of two: leave it out"
        )


def _check_truncation(said: Keywords) -> None:
    if "truncation_length" not in said:
        return
    if said.get("unit") == "sequences":
        raise ConfigError(
            "truncation_length: samples are counted where sequences are cut: give "
            "minibatch_samples in place of batch_size"
        )
    if said.get("unit") == "cost":
        raise ConfigError(
            'truncation_length: samples are counted where sequences are cut: leave unit="cost" out'
        )
    if said.get("timeline") == "global":
        raise ConfigError(
            'truncation_length: each worker has slots of its own, which is the timeline "local"'
        )


def _check_long(said: Keywords) -> None:
    word = said.get("long", "error")
    if word not in ("split", "truncate", "drop"):
        return
    if "row_samples" not in said and "pad_length" not in said:
        raise ConfigError(
            f'long: "{word}" needs the length of a row: give row_samples or pad_length, too'
        )
    if said.get("split_frames"):
        raise ConfigError("long: no frame is longer than a row: leave split_frames out")
    if "truncation_length" in said:
        raise ConfigError(
            "long: truncation_length says, too, where sequences are cut: leave one of them out"
        )
    if said.get("unit") == "cost" and word != "drop":
        raise ConfigError(
            'long: a cost belongs to a whole sequence: leave unit="cost" out, or give long="drop"'
        )


def check_cached(untold: str) -> None:
    """Raise ConfigError if data of the type ``untold`` cannot tell that their values changed."""
    if untold:
        raise ConfigError(
            f"cache: nothing tells when the values of the {untold} change: let its fingerprint() "
            "return a text that changes with them, or leave the cache out"
        )


def _check_cache(said: Keywords) -> None:
    if said.get("cache_limit") and not said.get("cache"):
        raise ConfigError("cache_limit: there is no cache: give cache, too, or leave the limit out")
