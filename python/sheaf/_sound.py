"""libsndfile, which decodes FLAC, Ogg, MP3 and SPHERE."""

from __future__ import annotations

import os
import sys

from . import _sheaf


def set_sound_library(path: str | os.PathLike[str] | None) -> None:
    """Say which file is libsndfile; None: that of the package ``soundfile``, or else the system's.

    Recordings that are opened later are decoded with this library. sheaf loads the library when
    the first recording needs it, so opening a recording tells that a path is wrong.
    """
    _sheaf.set_sound_library(_packaged() if path is None else os.fspath(path))


def _packaged() -> str:
    """The library inside the wheel of ``soundfile``; empty where there is none."""
    for finder in sys.meta_path:  # importlib.util would take longer to load than sheaf
        spec = finder.find_spec("_soundfile_data", None)
        if spec is None:
            continue
        for folder in spec.submodule_search_locations or ():
            names = [name for name in os.listdir(folder) if name.endswith((".so", ".dylib"))]
            if names:
                return os.path.join(folder, min(names))
    return ""


set_sound_library(None)
