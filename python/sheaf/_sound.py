"""libsndfile, which decodes FLAC, Ogg, MP3 and SPHERE."""

from __future__ import annotations

import os
import sys

from . import _sheaf


def set_sound_library(path: str | os.PathLike[str] | None) -> None:
    """Set the path of libsndfile.

    None means the library of the package ``soundfile``, or else that of the system. The setting
    affects recordings that are opened later. sheaf loads the library when the first recording needs
    it, so a wrong path is an error when a recording is opened.
    """
    _sheaf.set_sound_library(_packaged() if path is None else os.fspath(path))


def _packaged() -> str:
    """Return the path of the library in the wheel of ``soundfile``; empty without the wheel."""
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
