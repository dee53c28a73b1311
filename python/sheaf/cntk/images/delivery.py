"""Delivers minibatches with images; while one is used, the images of the next are read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ..config import MinibatchSourceConfig
from ..engine import EngineSource, Share
from ..errors import ConfigError, SourceError
from ..records import StreamInformation
from ..specs import tolerated_errors
from ..values import MinibatchData
from .source import IMAGE_KINDS, ImageSource
from .streams import ImageStreams, Pending


@dataclass(frozen=True)
class _Ahead:
    """The next minibatch, or the error in its place."""

    share: Share
    pending: Pending | SourceError
    position: dict[str, int]  # of the engine, behind it


class ImageMinibatches:
    """An EngineSource that delivers images.

    The engine orders and joins their numbers. One minibatch is read ahead; where size or partition
    change, it is given up, with the random numbers that were drawn for it.
    """

    def __init__(
        self, config: MinibatchSourceConfig, dtype: str, keys: str, threads: int, memory: int
    ) -> None:
        if dtype not in ("float32", "float64"):
            raise ConfigError(f'the dtype of images is "float32" or "float64": got "{dtype}"')
        said = config.to_dictionary()
        deserializers = [
            ImageSource(each, dtype, keys, len(config.deserializers) > 1)
            if each.get("type") in IMAGE_KINDS
            else each
            for each in config.deserializers
        ]
        sources = [each for each in deserializers if isinstance(each, ImageSource)]
        images = [each for each in config.deserializers if each.get("type") in IMAGE_KINDS]
        is_parallel = said["multiThreadedDeserialization"]
        self._images = ImageStreams(
            sources,
            dtype,
            (threads or os.cpu_count() or 1) if is_parallel else 1,
            sum(map(tolerated_errors, images)),
        )
        self._engine = EngineSource(config, deserializers, dtype, keys, threads, memory)
        self.streams = [self._images.information(stream) for stream in self._engine.streams]
        self._can_leave_out = not config.truncation_length
        self._ahead: _Ahead | None = None
        self._position = self._engine.state()
        self._draws = self._images.state()

    def next(self, share: Share) -> dict[StreamInformation, MinibatchData]:
        """The next minibatch; empty at the end."""
        self._engine.check_process()
        if self._ahead is not None and self._ahead.share != share:
            self.restore(self.state())
        if self._ahead is None:
            self._ahead = self._begin(share)
        ahead = self._ahead
        before = self.state()
        try:
            if isinstance(ahead.pending, SourceError):
                raise ahead.pending
            found = self._images.finish(ahead.pending, self._can_leave_out)
            self._position, self._draws = ahead.position, self._images.state()
            self._ahead = self._begin(share) if found else None
        except BaseException:
            self.restore(before)  # this minibatch is not delivered yet
            raise
        return {self.streams[stream.m_id]: data for stream, data in found.items()}

    def _begin(self, share: Share) -> _Ahead:
        try:
            pending: Pending | SourceError = self._images.begin(self._engine.next(share))
        except SourceError as error:
            pending = error
        return _Ahead(share, pending, self._engine.state())

    def state(self) -> dict[str, int]:
        return self._position | self._draws

    def restore(self, state: Mapping[str, int]) -> None:
        if self._ahead is not None and isinstance(self._ahead.pending, Pending):
            self._images.cancel(self._ahead.pending)
        self._ahead = None
        self._engine.restore(self._images.restore(state))
        self._position = self._engine.state()
        self._draws = self._images.state()
