"""Where the bytes of listed images are: in files, or in members of zip containers."""

from __future__ import annotations

import os
import zipfile
import zlib

from ..errors import SourceError
from .errors import UndecodableError

_NAMED_MAX = 10  # missing members that an error names


class Containers:
    """Reads images by the paths that a map file has.

    A path that begins with "..." is relative to the folder of the map file; all others are to the
    working directory. "images.zip@/a/b.jpg" is the member "a/b.jpg" of a container.
    """

    def __init__(self, map_path: str) -> None:
        self._folder = os.path.dirname(map_path) or "."
        self._members: dict[str, dict[str, zipfile.ZipInfo]] = {}
        self._files: dict[str, zipfile.ZipFile] = {}

    def open(self, paths: list[str]) -> None:
        """Open the containers of these paths. SourceError where one, or a member, is missing."""
        missing = []
        for path in paths:
            container = self._expanded(path.partition("@")[0])
            if "@" in path and container not in self._files and _is_container(container):
                self._open(container)
            place = self._member_of(path)
            if place is not None and place[1] not in self._members[container]:
                missing.append(f'"{place[1]}" is not in "{container}"')
        if missing:
            more = len(missing) - _NAMED_MAX
            named = "; ".join(missing[:_NAMED_MAX]) + (f"; and {more} more" if more > 0 else "")
            raise SourceError(
                "Cannot retrieve image data for some sequences. For more detail, please see the "
                f"log file. These are missing: {named}"
            )

    def _open(self, container: str) -> None:
        try:
            file = zipfile.ZipFile(container)
        except (OSError, zipfile.BadZipFile) as error:
            raise SourceError(f'cannot open the container "{container}": {error}') from error
        self._files[container] = file
        self._members[container] = {each.filename: each for each in file.infolist()}

    def read(self, path: str) -> bytes:
        """The bytes of an image. SourceError where there are none; threads may share it."""
        place = self._member_of(path)
        try:
            if place is None:
                with open(self._expanded(path), "rb") as file:
                    return file.read()
            container, member = place
            return self._files[container].read(self._members[container][member])
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
            raise UndecodableError(f"the container is damaged: {error}") from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise SourceError(f"Cannot open file '{path}': {reason}") from error

    def _expanded(self, path: str) -> str:
        return self._folder + path[3:] if path.startswith("...") else path

    def _member_of(self, path: str) -> tuple[str, str] | None:
        """Container and member, where the path is of one that is open."""
        before, at, behind = path.partition("@")
        container = self._expanded(before)
        if not at or container not in self._files:
            return None
        return container, behind[1:].replace("\\", "/")


def _is_container(path: str) -> bool:
    return path.lower().endswith(".zip") or os.path.isfile(path)
