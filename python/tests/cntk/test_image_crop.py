"""Windows that are cut out of images, beside the specification's own words."""

from __future__ import annotations

import decimal
import functools
import itertools
import math
import random

import numpy as np
import pytest
from image_data import base64_deserializer, encoded, in_order, write_base64

import sheaf
from sheaf import Error


def numbers(seed):
    """The numbers of std::mt19937."""
    state = [seed]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + i) % 2**32)
    twister = random.Random()
    twister.setstate((3, (*state, 624), None))
    while True:
        yield twister.getrandbits(32)


class SlowDraws:
    """Draws as the specification has them, word by word."""

    def __init__(self, seed):
        self._numbers = numbers(seed)

    def _next(self):
        return next(self._numbers)

    def real(self, low, high):
        value = high
        while value >= high:
            value = low + (high - low) * self._next() / 2**32
        return value

    def whole(self, last):
        value = last + 1 if last else 0
        while value > last:
            value = self._next() // math.floor(2**32 / (last + 1))
        return value

    def coin(self):
        return self._next() <= 2**31 - 1


def numbered(width, height):
    """An image in which each pixel holds its own number."""
    numbers = np.arange(width * height).reshape(height, width)
    return np.stack([numbers % 256, numbers // 256, numbers * 0], 2).astype(np.uint8)


@pytest.fixture(name="write", scope="module")
def fixture_write(tmp_path_factory):
    """Writes numbered images of these sizes, and gives the path of the file."""
    folder = tmp_path_factory.mktemp("images")

    @functools.cache
    def write(*sizes):
        name = "-".join(map(str, itertools.chain(*sizes))) + ".txt"
        return write_base64(folder, [encoded(numbered(*size)) for size in sizes], name=name)

    return write


def source_of(path, sweeps=1, **said):
    found = base64_deserializer(path)
    found["input"]["images"]["transforms"] = [{"type": "Crop", **said}]
    return in_order(found, sweeps=sweeps)


def cropped(path, sweeps=1, **said):
    """The cropped images. Each minibatch has one image, so all images draw from one generator.

    A source takes parts of one size only, so the engine reads its spec without this check.
    """
    spec = source_of(path, sweeps, **said).spec
    steps = spec["data"]["transforms"]
    spec["data"]["transforms"] = [step for step in steps if step["type"] != "same_size"]
    reader = sheaf.Reader(spec=spec, minibatch_samples=1)
    return [np.array(minibatch["images"].values[0, 0]) for minibatch in reader]


def window(path, width, height, **said):
    """Left, top, width and height of the region cut out of an image of the given size."""
    (found,) = cropped(path, **said)
    top, left = divmod(int(found[0, 0, 0] + 256 * found[0, 0, 1]), width)
    assert (found == numbered(width, height)[top:, left:][: len(found), : len(found[0])]).all()
    return left, top, found.shape[1], found.shape[0]


def slow_crop(image, draws, kind, size, side, area, aspect, jitters, flips):
    """Crop, as the specification has it, word by word."""

    def jittered(pair):
        low, high = (float(np.float32(each)) for each in pair)
        return draws.real(low, high) if jitters and low != high else low

    def rounded(value):
        return int(decimal.Decimal(value).to_integral_value(decimal.ROUND_HALF_UP))

    image_height, image_width, _ = image.shape
    if size:
        width, height = min(image_width, size[0]), min(image_height, size[1])
    else:
        width, height = image_width, image_height
        for attempt in range(11):
            if attempt == 10:
                width, height = image_width, image_height
                break
            if side:
                width = height = rounded(min(image_width, image_height) * jittered(side))
            elif area:
                width = height = rounded(math.sqrt(image_width * image_height * jittered(area)))
            ratio = jittered(aspect)
            if ratio != 1:
                p = math.trunc(math.sqrt(width * height * ratio))
                q = math.trunc(math.sqrt(width * height / ratio))
                width, height = (p, q) if draws.coin() else (q, p)
            if width <= image_width and height <= image_height:
                break
    x, y = (image_width - width) // 2, (image_height - height) // 2
    if kind != "center":
        x, y = draws.whole(image_width - width), draws.whole(image_height - height)
    found = image[y : y + height, x : x + width]
    return found[:, ::-1] if flips and draws.coin() else found


WINDOWS = [
    {"size": (8, 5)},
    {"size": (30, 4), "side": (0.5, 0.5)},
    {"side": (0.7, 0.7)},
    {"side": (0.3, 0.9)},
    {"area": (0.5, 0.5)},
    {"area": (0.08, 1)},
    {"side": (0.6, 1), "aspect": (2, 2)},
    {"area": (0.4, 1), "aspect": (0.5, 3)},
]
ALONE = [{}, {"aspect": (1.3, 1.3)}, {"aspect": (0.5, 2.5)}]


@pytest.mark.parametrize("jitters", [False, True])
@pytest.mark.parametrize("flips", [False, True, None])
@pytest.mark.parametrize(
    ("kind", "window"),
    [
        *itertools.product(("randomside", "randomarea"), WINDOWS),
        *itertools.product(["center"], WINDOWS + ALONE),
    ],
)
def test_crops_match_the_specification(write, kind, window, flips, jitters):
    parts = {"size": None, "side": None, "area": None, "aspect": (1, 1)} | window
    names = {"size": "cropSize", "side": "sideRatio", "area": "areaRatio", "aspect": "aspectRatio"}
    said = {names[part]: f"{low}:{high}" for part, (low, high) in window.items()}
    said |= {"cropType": kind, "jitterType": "uniratio" if jitters else "none"}
    if flips is None:
        flips = kind != "center"
    else:
        said["hflip"] = flips
    sizes = ((20, 10), (9, 16), (7, 7))
    for seed in (0, 3):
        found = cropped(write(*sizes), sweeps=3, seed=seed, **said)
        slow = SlowDraws(seed)
        expected = [
            slow_crop(numbered(*size), slow, kind, **parts, jitters=jitters, flips=flips)
            for size in sizes * 3
        ]
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]


@pytest.mark.parametrize(
    ("size", "said", "expected"),
    [
        ((10, 8), {"cropSize": 4}, (3, 2, 4, 4)),
        ((10, 7), {"cropSize": "3:4"}, (3, 1, 3, 4)),
        ((10, 8), {"cropSize": (20, 4), "sideRatio": 0.5}, (0, 2, 10, 4)),
        ((10, 8), {"cropSize": "4:0", "sideRatio": 0.5}, (3, 2, 4, 4)),
        ((10, 8), {"cropType": "Center", "sideRatio": "0.25:0.75"}, (4, 3, 2, 2)),
        ((5, 9), {"sideRatio": 0.5}, (1, 3, 3, 3)),  # 2.5 is rounded away from zero
        ((5, 9), {"sideRatio": 0.7}, (1, 3, 3, 3)),  # 0.7 in 32 bits is below 0.7
        ((10, 8), {"areaRatio": 0.5}, (2, 1, 6, 6)),
        ((20, 10), {"areaRatio": 1}, (0, 0, 20, 10)),  # a square of 14 fits at no attempt
        ((10, 8), {}, (0, 0, 10, 8)),
        ((9, 9), {"sideRatio": 0.01}, (4, 4, 1, 1)),  # a window has at least one pixel
    ],
)
def test_center_crops_lie_in_the_centre(write, size, said, expected):
    assert window(write(size), *size, **said) == expected


def test_multiview10_crops_corners_and_centre_with_mirrors(write):
    image = numbered(5, 4)
    parts = [image[:2, :3], image[:2, 2:], image[2:, :3], image[2:, 2:], image[1:3, 1:4]]
    expected = parts + [part[:, ::-1] for part in parts]
    for hflip in (False, True):
        said = {"cropType": "MultiView10", "cropSize": "3:2", "hflip": hflip}
        found = cropped(write((5, 4)), sweeps=2, **said)
        assert [part.tolist() for part in found] == [part.tolist() for part in expected * 2]


def test_ten_views_take_a_ratio(write):
    found = cropped(write((6, 4)), cropType="multiview10", sideRatio=0.5)
    assert found[3].tolist() == numbered(6, 4)[2:, 4:].tolist()


@pytest.mark.parametrize("hflip", [True, "true"])
def test_a_window_in_the_centre_is_mirrored_only_by_option(write, hflip):
    image = numbered(3, 3)
    coins = SlowDraws(0)
    found = cropped(write((3, 3)), sweeps=30, hflip=hflip)
    flips = [coins.coin() for _ in found]
    assert set(flips) == {False, True}
    for part, flip in zip(found, flips, strict=True):
        assert part.tolist() == (image[:, ::-1] if flip else image).tolist()
    for part in cropped(write((3, 3)), sweeps=8):
        assert part.tolist() == image.tolist()


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"cropType": "corner"}, "cropType"),
        ({"cropType": "randomside"}, "cropType"),
        ({"cropType": "randomarea", "cropSize": "4:0"}, "cropType"),
        ({"cropSize": -1}, "cropSize"),
        ({"cropSize": "4:-1"}, "cropSize"),
        ({"cropSize": "4x4"}, "cropSize"),
        ({"cropSize": "4:4:4"}, "cropSize"),
        ({"cropSize": "inf"}, "cropSize"),
        ({"cropSize": 3.7}, "cropSize"),
        ({"sideRatio": 1.5}, "side_ratio"),
        ({"sideRatio": -0.5}, "side_ratio"),
        ({"sideRatio": "0:0.5"}, "side_ratio"),
        ({"sideRatio": "0.5:0.25"}, "side_ratio"),
        ({"sideRatio": "nan"}, "side_ratio"),
        ({"sideRatio": "x"}, "sideRatio"),
        ({"areaRatio": "0.5:1.5"}, "area_ratio"),
        ({"areaRatio": (0.5, 0.25)}, "area_ratio"),
        ({"sideRatio": 0.5, "areaRatio": 0.5}, "areaRatio"),
        ({"aspectRatio": 0}, "aspect_ratio"),
        ({"aspectRatio": -1}, "aspect_ratio"),
        ({"aspectRatio": "2:1"}, "aspect_ratio"),
        ({"aspectRatio": "1:inf"}, "aspect_ratio"),
        ({"jitterType": "gauss"}, "jitterType"),
        ({"hflip": "maybe"}, "hflip"),
        ({"crop_size": 4}, "crop_size"),
    ],
)
def test_wrong_parameters_are_refused(write, said, name):
    with pytest.raises(Error, match=rf"\b{name}\b"):
        source_of(write((4, 4)), **said)
