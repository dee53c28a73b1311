"""sheaf loads training data made of sequences: files in, minibatches of NumPy arrays out."""

from collections.abc import Mapping

from ._sheaf import DenseBatch, Minibatch, SparseBatch
from ._sheaf import version as __version__
from .deserializer import Bad, Chunk, Deserializer
from .errors import ConfigError, DataError, Diagnostic, Error, InternalError, IoError
from .reader import Reader
from .streams import Stream

__all__ = [
    "Bad",
    "Chunk",
    "ConfigError",
    "DataError",
    "DenseBatch",
    "Deserializer",
    "Diagnostic",
    "Error",
    "InternalError",
    "IoError",
    "Minibatch",
    "Reader",
    "SparseBatch",
    "Stream",
    "__version__",
]

Mapping.register(Minibatch)
