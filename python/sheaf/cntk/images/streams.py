"""From the numbers of images to their pixels, on several threads."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConfigError, SourceError
from ..records import StreamInformation
from ..values import MinibatchData, Value
from .errors import UndecodableError
from .randomness import Draws, Slots
from .source import ImageSource
from .steps import opencv, shape_after

_DRAWS = "draws."  # begins what a state says of random numbers
_LOG = logging.getLogger("sheaf.cntk")


@dataclass(frozen=True)
class Job:
    """An image that a minibatch has."""

    slot: int  # its place among the sequences
    row: int
    step: int
    number: int


class ImageStream:
    """The pixels of one source: reads, decodes, and runs the transforms."""

    def __init__(self, source: ImageSource, dtype: str) -> None:
        self.name = source.feature
        self.dtype = np.dtype(dtype)
        self._source = source
        self._steps = source.steps
        self.shape = shape_after(self._steps)
        self.slots = [Slots(seed) for seed in source.seeds]
        cv2 = opencv()
        self._flags = cv2.IMREAD_GRAYSCALE if source.is_gray else cv2.IMREAD_COLOR

    def draws_for(self, slot: int) -> list[Draws]:
        """The random numbers of each step in a slot."""
        return [slots[slot] for slots in self.slots]

    def pixels_for(self, value: Value) -> Any:
        """Where the pixels of a value of numbers go, if their shape is known before they are."""
        return np.zeros((*value.shape[:2], *self.shape), self.dtype) if self.shape else None

    def image(self, job: Job, draws: Sequence[Draws], pixels: Any) -> Any:
        """The pixels of an image; or, as a value, the error that is in their place."""
        try:
            image = self._image(job, draws)
            if pixels is None:
                return np.ascontiguousarray(image, self.dtype)
            self._check_shape(image, pixels.shape[2:])
        except Exception as error:  # whatever it is: raised where the minibatch is delivered
            return error
        pixels[job.row, job.step] = image
        return pixels[job.row, job.step]

    def _image(self, job: Job, draws: Sequence[Draws]) -> Any:
        number, view = divmod(job.number, self._source.view_count)
        name = self._source.images.name(number)
        try:
            pixels = self._decoded(self._source.images.read(number))
        except UndecodableError as error:
            raise UndecodableError(f"Cannot open file '{name}': it is no image: {error}") from error
        try:
            for step, its_draws in zip(self._steps, draws, strict=True):
                pixels = step(pixels, its_draws, view)
        except (SourceError, opencv().error) as error:
            raise SourceError(f"the image '{name}': {error}") from error
        return pixels

    def _decoded(self, encoded: bytes) -> Any:
        if not encoded:
            raise UndecodableError("it is empty")
        cv2 = opencv()
        try:
            pixels = cv2.imdecode(np.frombuffer(encoded, np.uint8), self._flags)
        except cv2.error as error:
            raise UndecodableError(str(error)) from error
        if pixels is None:
            raise UndecodableError("it cannot be decoded")
        return pixels.reshape(*pixels.shape[:2], -1)

    def filled(self, value: Value, images: Sequence[Any]) -> Value:
        """The value that has images where this one has numbers."""
        pixels = np.zeros((*value.shape[:2], *images[0].shape), self.dtype)
        for job, image in zip(jobs_of(value), images, strict=True):
            self._check_shape(image, images[0].shape)
            pixels[job.row, job.step] = image
        return value.with_values(pixels)

    def _check_shape(self, image: Any, shape: tuple[int, ...]) -> None:
        if image.shape != shape:
            raise SourceError(
                "Packer currently does not support samples with varying shapes.Please make sure "
                "there is a transform that unifies the shape of samples for input stream "
                f"'{self.name}' or the deserializer provides samples with the same shape. "
                f"Found {image.shape} after {shape}"
            )


@dataclass(frozen=True)
class Reading:
    """The images of one stream of a minibatch, which are being read."""

    jobs: list[Job]
    pixels: Any  # all of them, where their shape was known; or None
    images: list[Future[Any]]


@dataclass(frozen=True)
class Pending:
    """A minibatch whose images are being read."""

    minibatch: Mapping[StreamInformation, MinibatchData]
    readings: dict[StreamInformation, Reading]


class ImageStreams:
    """All streams of images that a source has."""

    def __init__(
        self, sources: Sequence[ImageSource], dtype: str, thread_count: int, errors_max: int
    ) -> None:
        self._streams = {each.feature: ImageStream(each, dtype) for each in sources}
        self._errors_max = errors_max
        self._bad: set[tuple[str, int]] = set()  # images, which count once for all sweeps
        self._pool = ThreadPoolExecutor(thread_count, "sheaf images")

    def information(self, stream: StreamInformation) -> StreamInformation:
        """What there is to know of a stream; the shape of images is () where they may differ."""
        found = self._streams.get(stream.name)
        if found is None:
            return stream
        return StreamInformation(stream.name, stream.m_id, "dense", found.dtype, found.shape)

    def begin(self, minibatch: Mapping[StreamInformation, MinibatchData]) -> Pending:
        """Let threads read the images of a minibatch; the one before is through."""
        readings = {}
        for stream, data in minibatch.items():
            reader = self._streams.get(stream.name)
            if reader is None or data.data is None:
                continue
            jobs = list(jobs_of(data.data))
            pixels = reader.pixels_for(data.data)
            images = [
                self._pool.submit(reader.image, job, reader.draws_for(job.slot), pixels)
                for job in jobs
            ]
            readings[stream] = Reading(jobs, pixels, images)
        return Pending(minibatch, readings)

    def finish(
        self, pending: Pending, can_leave_out: bool
    ) -> dict[StreamInformation, MinibatchData]:
        """The minibatch with pixels. A sequence whose image cannot be decoded is left out."""
        images = {
            stream: [image.result() for image in reading.images]
            for stream, reading in pending.readings.items()
        }
        for found in images.values():
            for image in found:
                if isinstance(image, Exception) and not isinstance(image, UndecodableError):
                    raise image
        bad = self._bad_slots(pending, images, can_leave_out)
        filled = dict(pending.minibatch)
        if bad:
            filled = {stream: data.without(bad) for stream, data in filled.items()}
        for stream, reading in pending.readings.items():
            left = filled[stream].data
            if left is None:
                continue
            if reading.pixels is not None and not bad:
                value = left.with_values(reading.pixels)
            else:
                places = zip(reading.jobs, images[stream], strict=True)
                good = [image for job, image in places if job.slot not in bad]
                value = self._streams[stream.name].filled(left, good)
            filled[stream] = MinibatchData.of(value, filled[stream].end_of_sweep)
        return filled

    def cancel(self, pending: Pending) -> None:
        """Read nothing more of a minibatch that nobody wants."""
        for reading in pending.readings.values():
            for image in reading.images:
                image.cancel()

    def _bad_slots(
        self,
        pending: Pending,
        images: Mapping[StreamInformation, list[Any]],
        can_leave_out: bool,
    ) -> set[int]:
        bad = set()
        for stream, reading in pending.readings.items():
            for job, image in zip(reading.jobs, images[stream], strict=True):
                if not isinstance(image, UndecodableError):
                    continue
                bad.add(job.slot)
                is_new = (stream.name, job.number) not in self._bad
                if (is_new and len(self._bad) >= self._errors_max) or not can_leave_out:
                    raise SourceError(str(image)) from image
                if is_new:
                    self._bad.add((stream.name, job.number))
                    _LOG.warning("a sequence is left out: %s", image)
        return bad

    # State: how many numbers each slot of each random transform has drawn.

    def state(self) -> dict[str, int]:
        return {
            f"{_DRAWS}{step}.{slot}.{name}": count
            for name, stream in self._streams.items()
            for step, slots in enumerate(stream.slots)
            for slot, count in slots.counts().items()
        }

    def restore(self, state: Mapping[str, int]) -> dict[str, int]:
        """Go on where a state was, and give the rest of it; what is not in it has drawn nothing."""
        counts: dict[tuple[str, int], dict[int, int]] = {}
        for key in state:
            if key.startswith(_DRAWS):
                step, slot, name = _draws_of(key, state[key])
                counts.setdefault((name, step), {})[slot] = state[key]
        for name, stream in self._streams.items():
            for step, slots in enumerate(stream.slots):
                slots.go_to(counts.get((name, step), {}))
        return {key: state[key] for key in state if not key.startswith(_DRAWS)}


def _draws_of(key: str, count: int) -> tuple[int, int, str]:
    found = re.fullmatch(r"(\d{1,7})\.(\d{1,7})\.(.*)", key.removeprefix(_DRAWS), re.DOTALL)
    if found is None or count < 0:
        raise ConfigError(f"the state is wrong: {key!r} is {count!r}")
    return int(found[1]), int(found[2]), found[3]


def jobs_of(value: Value) -> Iterator[Job]:
    numbers = value.asarray()
    for slot, (row, begin, count, _) in enumerate(value.pieces()):
        for step in range(begin, begin + count):
            yield Job(slot, row, step, int(numbers[row, step, 0]))
