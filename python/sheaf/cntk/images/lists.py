"""Files that list images: a map file has their paths, a base64 file has them inside."""

from __future__ import annotations

import abc
import binascii
import hashlib
import os
import re
from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import SourceError
from .containers import Containers
from .errors import UndecodableError

Keys = npt.NDArray[np.uint64] | list[str]

_CHUNK_BYTES = 32 << 20
_UINT64_MAX = 2**64 - 1
_DIGITS_MAX = 40  # of a key, with zeros in front
_LABEL = re.compile(rb"\s*(\d{1,19})\s*\Z")
_TRAILING = re.compile(rb"[^A-Za-z0-9+/=]+\Z")
_NO_LABEL, _NO_DATA = -1, -2  # in place of a label
_ENDS_BYTES = 1 << 16


class ImageList(abc.ABC):
    """Images in the order of a file, each with a label and a key."""

    path: str
    keys: Keys

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def chunk_ends(self, view_count: int) -> Sequence[int]:
        """Where chunks end, which are shuffled whole, in views: of each image there are so many."""

    @abc.abstractmethod
    def label(self, number: int) -> int:
        """The class of an image. SourceError where it has none."""

    @abc.abstractmethod
    def read(self, number: int) -> bytes:
        """An encoded image. SourceError where there is none, UndecodableError where it is bad."""

    @abc.abstractmethod
    def name(self, number: int) -> str:
        """What errors call an image."""

    @abc.abstractmethod
    def fingerprint(self) -> str:
        """What tells the list from others."""


class MapFile(ImageList):
    """Lines of ``path <TAB> label``, or of ``key <TAB> path <TAB> label``.

    All of it is read and checked here; images are opened when they are read. ``classes`` is None
    where labels are ignored.
    """

    def __init__(self, path: str, classes: int | None, has_text_keys: bool) -> None:
        self.path = path
        self._text = _whole(path)
        self._begins = array("q")  # of each image's path in the text
        self._lengths = array("q")
        self._labels = array("q")
        keys = _KeyReader(path, has_text_keys)
        begin = 0
        line_count = 0
        while begin < len(self._text):
            end = self._text.find(b"\n", begin)
            end = len(self._text) if end < 0 else end
            self._add_line(line_count, begin, self._text[begin:end], keys, classes)
            line_count += 1
            begin = end + 1
        self.keys = keys.taken()
        self._containers = Containers(path)
        if b"@" in self._text:
            self._containers.open([self._path(i) for i in range(len(self))])

    def _add_line(
        self, line: int, begin: int, text: bytes, keys: _KeyReader, classes: int | None
    ) -> None:
        columns = text.split(b"\t", 3)[:3]
        where = f"line {line} in file {self.path}."
        if len(columns) < 2 or not all(column.strip() for column in columns):
            raise _map_error(
                self.path,
                line,
                f"Invalid map file format, must contain 2 or 3 tab-delimited columns, {where}",
                text,
            )
        if len(columns) == 3:
            keys.add(line, columns[0])
            begin += len(columns[0]) + 1
        else:
            keys.add_number(line)
        place, label = columns[-2:]
        found = _LABEL.match(label)
        if found is None:
            raise _map_error(
                self.path,
                line,
                f"Cannot parse label value on line {line}, second column, in file {self.path}.",
                text,
            )
        number = int(found[1])
        if classes is not None and number >= classes:
            raise _map_error(
                self.path,
                line,
                f"Image '{os.fsdecode(place)}' has invalid class id '{number}'. It is exceeding "
                f"the label dimension of '{classes}'. Line {line} in file {self.path}.",
                text,
            )
        self._begins.append(begin)
        self._lengths.append(len(place))
        self._labels.append(0 if classes is None else number)

    def __len__(self) -> int:
        return len(self._begins)

    def chunk_ends(self, view_count: int) -> Sequence[int]:
        return range(1, len(self) * view_count + 1)

    def label(self, number: int) -> int:
        return self._labels[number]

    def read(self, number: int) -> bytes:
        return self._containers.read(self._path(number))

    def name(self, number: int) -> str:
        return self._path(number)

    def _path(self, number: int) -> str:
        begin = self._begins[number]
        return os.fsdecode(self._text[begin : begin + self._lengths[number]])

    def fingerprint(self) -> str:
        return hashlib.blake2b(self._text, digest_size=16).hexdigest()


class Base64File(ImageList):
    """Lines of ``[key <TAB>] label <TAB> image``, the image in base64.

    The first line says whether there are keys. One pass finds the lines; images and labels are
    looked at when they are read.
    """

    def __init__(self, path: str, classes: int | None, has_text_keys: bool) -> None:
        self.path = path
        self._classes = classes
        self._begins = array("q")
        self._lengths = array("q")
        self._labels = array("q")
        self._ends: list[int] = []
        try:
            self._file = open(path, "rb", buffering=1 << 20)  # noqa: SIM115 - read by place later
        except OSError as error:
            raise _cannot_open(path, error) from error
        self.keys = self._scan(_KeyReader(path, has_text_keys), has_text_keys)

    def _scan(self, keys: _KeyReader, has_text_keys: bool) -> Keys:
        begin = chunk_begin = 0
        has_keys = False
        for number, line in enumerate(self._file):
            end = begin + len(line)
            if number == 0:
                skipped = len(line) - len(line.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t"))
                line, begin = line[skipped:], skipped
                has_keys = line.count(b"\t") >= 2
                if not has_keys and has_text_keys:
                    raise SourceError(
                        f"{self.path}: its lines have no keys, so they are numbers: "
                        "numeric_keys=True"
                    )
            if end - chunk_begin > _CHUNK_BYTES and begin > chunk_begin:
                self._ends.append(number)
                chunk_begin = begin
            self._add_line(number, begin, line, keys, has_keys)
            begin = end
        if len(self) > 0:
            self._ends.append(len(self))
        self._size = begin
        return keys.taken()

    def _add_line(
        self, number: int, begin: int, line: bytes, keys: _KeyReader, has_keys: bool
    ) -> None:
        place = 0
        if has_keys:
            tab = line.find(b"\t")
            keys.add(number, (line[: max(tab, 0)].split(None, 1) or [b""])[0])
            place = tab + 1
        else:
            keys.add_number(number)
        tab = line.find(b"\t", place)
        label = _LABEL.match(line[place : tab if tab >= 0 else len(line)])
        if tab < 0:
            self._labels.append(_NO_LABEL if label is None else _NO_DATA)
            tab = len(line) - 1
        elif label is None:
            self._labels.append(_NO_LABEL)
        else:
            self._labels.append(min(int(label[1]), 2**62))
        self._begins.append(begin + tab + 1)
        self._lengths.append(len(line) - tab - 1)

    def __len__(self) -> int:
        return len(self._begins)

    def chunk_ends(self, view_count: int) -> Sequence[int]:
        return [end * view_count for end in self._ends]

    def label(self, number: int) -> int:
        label = self._labels[number]
        where = f"{self.path}:{number + 1}: error: the image of {self.name(number)}"
        if label == _NO_DATA:
            raise SourceError(f"{where}: No data found: expected a tab and base64 after the label")
        if label == _NO_LABEL:
            raise SourceError(f"{where}: Cannot parse its label: expected a number")
        if self._classes is None:
            return 0
        if label >= self._classes:
            raise SourceError(
                f"{where} has invalid class id '{label}'. It is exceeding the label dimension of "
                f"'{self._classes}'."
            )
        return label

    def read(self, number: int) -> bytes:
        length = self._lengths[number]
        text = os.pread(self._file.fileno(), length, self._begins[number])
        if len(text) < length:
            raise SourceError(f"{self.path}: the file has become shorter while it was read")
        try:
            image = binascii.a2b_base64(_TRAILING.sub(b"", text), strict_mode=True)
        except binascii.Error as error:
            raise UndecodableError(f"base64: {error}") from error
        if not image:
            raise UndecodableError("there is nothing where base64 is expected")
        return image

    def name(self, number: int) -> str:
        return f"key {self.keys[number]}"

    def fingerprint(self) -> str:
        hashed = hashlib.blake2b(str(self._size).encode(), digest_size=16)
        for begin in (0, max(0, self._size - _ENDS_BYTES)):
            hashed.update(os.pread(self._file.fileno(), _ENDS_BYTES, begin))
        return hashed.hexdigest()


class _KeyReader:
    """Keys as they are met."""

    def __init__(self, path: str, are_texts: bool) -> None:
        self._path = path
        self._texts: list[str] | None = [] if are_texts else None
        self._numbers = array("Q")

    def add(self, line: int, text: bytes) -> None:
        if self._texts is not None:
            self._texts.append(text.decode("utf-8", "surrogateescape"))
            return
        if not text.isdigit() or len(text) > _DIGITS_MAX or int(text) > _UINT64_MAX:
            raise SourceError(
                f"{self._path}:{line + 1}: error: expected a key that is a number from 0 to "
                f'{_UINT64_MAX}, found "{text[:60].decode(errors="replace")}"; of texts: '
                "numeric_keys=False"
            )
        self._numbers.append(int(text))

    def add_number(self, line: int) -> None:
        if self._texts is not None:
            self._texts.append(str(line))
        else:
            self._numbers.append(line)

    def taken(self) -> Keys:
        return np.asarray(self._numbers, np.uint64) if self._texts is None else self._texts


def _map_error(path: str, line: int, message: str, text: bytes) -> SourceError:
    shown = text[:100].decode(errors="replace")
    return SourceError(f"{path}:{line + 1}: error: {message} Found {shown!r}")


def _whole(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise _cannot_open(path, error) from error


def _cannot_open(path: str, error: OSError) -> SourceError:
    return SourceError(f"Could not open {path} for reading. {error.strerror}")
