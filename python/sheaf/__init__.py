"""sheaf loads training data made of sequences: files in, minibatches of NumPy arrays out."""

from collections.abc import Mapping

from ._sheaf import DenseBatch, Minibatch, SparseBatch
from ._sheaf import version as __version__
from .checking import CheckReport, check
from .data import Chunk, Data, infer, open
from .errors import ConfigError, DataError, Diagnostic, Error, InternalError, IoError
from .reader import Reader
from .streams import FoundStreams, Stream

__all__ = [
    "CheckReport",
    "Chunk",
    "ConfigError",
    "Data",
    "DataError",
    "DenseBatch",
    "Diagnostic",
    "Error",
    "FoundStreams",
    "InternalError",
    "IoError",
    "Minibatch",
    "Reader",
    "SparseBatch",
    "Stream",
    "__version__",
    "check",
    "infer",
    "open",
]

Mapping.register(Minibatch)
