"""Images behind a source: the files that list them, their pixels, and what is done to these."""

from .delivery import ImageMinibatches
from .source import IMAGE_KINDS

__all__ = ["IMAGE_KINDS", "ImageMinibatches"]
