"""Transforms of images, as dictionaries; parameters and defaults are those of CNTK."""

from __future__ import annotations

from typing import Any

from .errors import ConfigError

Transform = dict[str, Any]


def _pair(name: str, value: Any) -> str:
    first, second = value if isinstance(value, (tuple, list)) else (value, value)
    if first > second and name != "crop_size":
        raise ConfigError(f"{name} is a pair that rises, or one number: got {value!r}")
    return f"{first:.9g}:{second:.9g}"


def crop(
    crop_type: str = "center",
    crop_size: int | tuple[int, int] = 0,
    side_ratio: float | tuple[float, float] = 0.0,
    area_ratio: float | tuple[float, float] = 0.0,
    aspect_ratio: float | tuple[float, float] = 1.0,
    jitter_type: str = "none",
) -> Transform:
    """Cut a part out of an image; a number means a pair of equal numbers."""
    return {
        "type": "Crop",
        "cropType": crop_type,
        "cropSize": _pair("crop_size", crop_size),
        "sideRatio": _pair("side_ratio", side_ratio),
        "areaRatio": _pair("area_ratio", area_ratio),
        "aspectRatio": _pair("aspect_ratio", aspect_ratio),
        "jitterType": jitter_type,
    }


def scale(
    width: int,
    height: int,
    channels: int,
    interpolations: str = "linear",
    scale_mode: str = "fill",
    pad_value: int = -1,
) -> Transform:
    """Give images one size."""
    return {
        "type": "Scale",
        "width": width,
        "height": height,
        "channels": channels,
        "interpolations": interpolations,
        "scaleMode": scale_mode,
        "padValue": pad_value,
    }


def mean(filename: str) -> Transform:
    """Subtract the mean image of a file."""
    return {"type": "Mean", "meanFile": filename}


def color(
    brightness_radius: float = 0.0, contrast_radius: float = 0.0, saturation_radius: float = 0.0
) -> Transform:
    """Change colors at random."""
    return {
        "type": "Color",
        "brightnessRadius": brightness_radius,
        "contrastRadius": contrast_radius,
        "saturationRadius": saturation_radius,
    }
