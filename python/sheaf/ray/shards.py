"""Shards and the list of shards, which ``sheaf.ray.write`` leaves in a folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .._write.conversion import WrittenFile
from ..errors import Diagnostic

MANIFEST = "shards.json"
_SHARD = re.compile(r"shard-\d{5,}-of-\d{5,}\..*")


@dataclass(frozen=True)
class WrittenShard:
    """One file in the hidden folder, as the task that wrote the file describes it."""

    task: int
    name: str  # in the hidden folder
    sequences: int
    samples: int
    bytes: int
    sha256: str
    warnings: list[Diagnostic] = field(default_factory=list)


def is_shard(name: str) -> bool:
    """Tell whether ``sheaf.ray.write`` gives such names to shards."""
    return _SHARD.fullmatch(name) is not None


def sha256_of(path: str) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(
    path: str, format_name: str, files: list[WrittenFile], shards: Iterable[WrittenShard]
) -> None:
    """Write the list of shards, and wait until the disk has the list."""
    listed = {
        "format": format_name,
        "sequences": sum(file.sequences for file in files),
        "samples": sum(file.samples for file in files),
        "bytes": sum(file.bytes for file in files),
        "shards": [
            {
                "name": os.path.basename(file.path),
                "sequences": file.sequences,
                "samples": file.samples,
                "bytes": file.bytes,
                "sha256": shard.sha256,
            }
            for file, shard in zip(files, shards, strict=True)
        ],
    }
    with open(path, "x", encoding="utf-8") as file:
        json.dump(listed, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
