"""sheaf loads training data made of sequences: files in, minibatches of NumPy arrays out."""

from collections.abc import Mapping

from ._sheaf import DenseBatch, Minibatch, SparseBatch
from ._sheaf import version as __version__
from .arrow import ArrowStream, from_arrow, to_arrow
from .checking import CheckReport, check
from .conversion import Conversion, convert
from .data import ChunkInfo, Data, infer, open
from .deserializer import Bad, Chunk, Deserializer
from .errors import ConfigError, DataError, Diagnostic, Error, InternalError, IoError
from .format_list import Format, FormatOption, formats
from .reader import Reader
from .streams import FoundStreams, Stream
from .writer import Writer

__all__ = [
    "ArrowStream",
    "Bad",
    "CheckReport",
    "Chunk",
    "ChunkInfo",
    "ConfigError",
    "Conversion",
    "Data",
    "DataError",
    "DenseBatch",
    "Deserializer",
    "Diagnostic",
    "Error",
    "Format",
    "FormatOption",
    "FoundStreams",
    "InternalError",
    "IoError",
    "Minibatch",
    "Reader",
    "SparseBatch",
    "Stream",
    "Writer",
    "__version__",
    "check",
    "convert",
    "formats",
    "from_arrow",
    "infer",
    "open",
    "to_arrow",
]

Mapping.register(Minibatch)
