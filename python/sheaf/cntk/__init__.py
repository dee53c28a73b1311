"""Replaces ``cntk.io``: the same names, the same minibatches in the same order."""

from . import transforms
from .config import MinibatchSourceConfig, to_dictionary
from .constants import (
    DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
    FULL_DATA_SWEEP,
    INFINITELY_REPEAT,
    TraceLevel,
)
from .deserializers import (
    Base64ImageDeserializer,
    CBFDeserializer,
    CTFDeserializer,
    HTKFeatureDeserializer,
    HTKMLFDeserializer,
    ImageDeserializer,
    LatticeDeserializer,
)
from .errors import SourceError
from .from_data import MinibatchSourceFromData
from .records import Record, StreamConfiguration, StreamDef, StreamDefs, StreamInformation
from .source import MinibatchSource, UserMinibatchSource
from .text import sequence_to_cntk_text_format
from .user_deserializer import UserDeserializer
from .values import MinibatchData, Value

__all__ = [
    "DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS",
    "FULL_DATA_SWEEP",
    "INFINITELY_REPEAT",
    "Base64ImageDeserializer",
    "CBFDeserializer",
    "CTFDeserializer",
    "HTKFeatureDeserializer",
    "HTKMLFDeserializer",
    "ImageDeserializer",
    "LatticeDeserializer",
    "MinibatchData",
    "MinibatchSource",
    "MinibatchSourceConfig",
    "MinibatchSourceFromData",
    "Record",
    "SourceError",
    "StreamConfiguration",
    "StreamDef",
    "StreamDefs",
    "StreamInformation",
    "TraceLevel",
    "UserDeserializer",
    "UserMinibatchSource",
    "Value",
    "sequence_to_cntk_text_format",
    "to_dictionary",
    "transforms",
]
