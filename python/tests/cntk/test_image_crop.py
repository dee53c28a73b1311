"""Windows that are cut out of images, and the random numbers of transforms."""

from __future__ import annotations

import decimal
import itertools
import math
import random

import numpy as np
import pytest

from sheaf import ConfigError
from sheaf.cntk.images.crop import Crop
from sheaf.cntk.images.randomness import Draws, Slots

RAW = 2**32 - 1  # whole() up to this gives a number as it is


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
        self.count = 0

    def _next(self):
        self.count += 1
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


class Told:
    """Draws that say what they are told to, and note what they are asked."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.asked = []

    def _answer(self, *question):
        self.asked.append(question)
        return self._answers.pop(0)

    def real(self, low, high):
        return self._answer("real", round(low, 6), round(high, 6))

    def whole(self, last):
        return self._answer("whole", last)

    def coin(self):
        return self._answer("coin")


def numbered(width, height):
    """An image whose every pixel says where it is."""
    return np.arange(width * height).reshape(height, width, 1)


def cropped(image, draws=None, view=0, **said):
    return Crop({"type": "Crop", **said}, "float32")(image, draws or Told(), view)


def window(width, height, **said):
    """Left, top, width and height of what is cut out of an image of a size."""
    found = cropped(numbered(width, height), **said)
    top, left = divmod(int(found[0, 0, 0]), width)
    assert (found == numbered(width, height)[top:, left:][: len(found), : len(found[0])]).all()
    return left, top, found.shape[1], found.shape[0]


def test_numbers_are_those_of_mt19937():
    draws = Draws(5489)
    assert [draws.whole(RAW) for _ in range(3)] == [3499211612, 581869302, 3890346734]
    for seed in (0, 1, 2**32 - 1):
        draws = Draws(seed)
        expected = list(itertools.islice(numbers(seed), 1500))
        assert [draws.whole(RAW) for _ in range(1500)] == expected


def test_reals_are_of_one_number_each():
    draws = Draws(0)
    found = [draws.real(-0.2, 0.2) for _ in range(2)]
    assert found == pytest.approx([0.0195254, 0.0371378], abs=5e-8)
    assert draws.count == 2
    assert draws.real(0.3, 0.3) == 0.3
    assert draws.count == 2


def test_a_real_that_is_rounded_up_to_the_end_is_drawn_again():
    draws = Draws(5489)  # 0.81 and 0.14 of the range
    assert draws.real(1, math.nextafter(1, 2)) == 1
    assert draws.count == 2


def test_whole_numbers_and_coins():
    draws = Draws(5489)
    assert [draws.whole(9) for _ in range(3)] == [8, 1, 9]
    draws = Draws(5489)
    assert [draws.coin() for _ in range(3)] == [False, True, False]
    assert draws.whole(0) == 0
    assert draws.count == 3
    draws = Draws(5489)
    assert draws.whole(2**31) == 581869302  # the number before it is beyond
    assert draws.count == 2


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 700, 70000])
def test_draws_go_on_from_a_count(count):
    draws = Draws(7)
    for _ in range(count):
        draws.coin()
    later = Draws(7, count)
    assert [later.whole(RAW) for _ in range(100)] == [draws.whole(RAW) for _ in range(100)]
    assert later.count == draws.count == count + 100


def test_each_slot_has_a_seed_of_its_own():
    slots = Slots(5)
    first = slots[0].whole(RAW)
    found = [slots[i].whole(RAW) for i in (0, 1, 3)]
    zero, one, three = (list(itertools.islice(numbers(seed), 3)) for seed in (5, 6, 8))
    assert [first, *found] == [zero[0], zero[1], one[0], three[0]]
    assert slots.counts() == {0: 2, 1: 1, 3: 1}

    slots.go_to({0: 1, 3: 2})
    assert [slots[i].whole(RAW) for i in (0, 1, 3)] == [zero[1], one[0], three[2]]
    slots.go_to({})
    assert slots[0].whole(RAW) == zero[0]


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
def test_crops_are_those_of_the_specification(kind, window, flips, jitters):
    parts = {"size": None, "side": None, "area": None, "aspect": (1, 1)} | window
    names = {"size": "cropSize", "side": "sideRatio", "area": "areaRatio", "aspect": "aspectRatio"}
    said = {names[part]: f"{low}:{high}" for part, (low, high) in window.items()}
    said |= {"cropType": kind, "jitterType": "uniratio" if jitters else "none"}
    if flips is None:
        flips = kind != "center"
    else:
        said["hflip"] = flips
    crop = Crop({"type": "Crop", **said}, "float32")
    for size, seed in itertools.product(((20, 10), (9, 16), (7, 7)), range(4)):
        draws, slow = Draws(seed), SlowDraws(seed)
        for _ in range(3):
            expected = slow_crop(numbered(*size), slow, kind, **parts, jitters=jitters, flips=flips)
            assert crop(numbered(*size), draws, 0).tolist() == expected.tolist()
            assert draws.count == slow.count


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
    ],
)
def test_windows_in_the_centre(size, said, expected):
    assert window(*size, **said) == expected


def test_what_is_drawn_and_in_which_order():
    said = {"cropType": "randomarea", "areaRatio": "0.1:0.9", "aspectRatio": "0.5:2"}
    draws = Told(0.25, 4.0, True, 0.25, 4.0, False, 2, 1, True)
    found = cropped(numbered(8, 12), draws, jitterType="uniratio", **said)
    # Of 8 x 12 a quarter is a square of 5: 10 x 2, which does not fit, and then 2 x 10.
    attempt = [("real", 0.1, 0.9), ("real", 0.5, 2), ("coin",)]
    assert draws.asked == [*attempt, *attempt, ("whole", 6), ("whole", 2), ("coin",)]
    assert found.tolist() == numbered(8, 12)[1:11, 3:1:-1].tolist()


def test_a_size_needs_no_ratio_to_be_drawn():
    draws = Told(1, 0, False)
    said = {"cropSize": 4, "areaRatio": "0.1:0.9", "aspectRatio": 2, "jitterType": "uniratio"}
    found = cropped(numbered(6, 5), draws, cropType="randomside", **said)
    assert draws.asked == [("whole", 2), ("whole", 1), ("coin",)]
    assert found.tolist() == numbered(6, 5)[0:4, 1:5].tolist()


def test_an_aspect_that_fails_ten_times_gives_the_whole_image():
    draws = Draws(0)
    found = cropped(numbered(6, 6), draws, sideRatio=1, aspectRatio=2)
    assert found.tolist() == numbered(6, 6).tolist()
    assert draws.count == 10


def test_without_a_ratio_attempts_go_on_from_the_window_before():
    draws = Told(True, True, True)
    found = cropped(numbered(32, 10), draws, aspectRatio=4)  # 35 x 8, 33 x 8, 32 x 8
    assert found.tolist() == numbered(32, 10)[1:9].tolist()


def test_a_window_has_at_least_one_pixel():
    assert window(9, 9, sideRatio=0.01) == (4, 4, 1, 1)
    found = cropped(numbered(9, 9), Told(True), sideRatio=0.2, aspectRatio=9)
    assert found.shape == (1, 6, 1)


@pytest.mark.parametrize("hflip", [False, True])
def test_ten_views(hflip):
    image = numbered(5, 4)
    parts = [image[:2, :3], image[:2, 2:], image[2:, :3], image[2:, 2:], image[1:3, 1:4]]
    expected = parts + [part[:, ::-1] for part in parts]
    said = {"cropType": "MultiView10", "cropSize": "3:2", "hflip": hflip}
    for view in range(20):
        found = cropped(image, Told(), view, **said)
        assert found.tolist() == expected[view % 10].tolist()


def test_views_of_a_ratio():
    image = numbered(6, 4)
    found = cropped(image, Told(), 3, cropType="multiview10", sideRatio=0.5)
    assert found.tolist() == image[2:, 4:].tolist()


@pytest.mark.parametrize("hflip", [True, "true"])
def test_a_window_in_the_centre_is_mirrored_only_if_asked_for(hflip):
    image = numbered(3, 3)
    assert cropped(image, Told(True), hflip=hflip).tolist() == image[:, ::-1].tolist()
    assert cropped(image, Told(False), hflip=hflip).tolist() == image.tolist()
    assert cropped(image, Told()).tolist() == image.tolist()


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
        ({"sideRatio": 1.5}, "sideRatio"),
        ({"sideRatio": -0.5}, "sideRatio"),
        ({"sideRatio": "0:0.5"}, "sideRatio"),
        ({"sideRatio": "0.5:0.25"}, "sideRatio"),
        ({"sideRatio": "nan"}, "sideRatio"),
        ({"areaRatio": "0.5:1.5"}, "areaRatio"),
        ({"areaRatio": (0.5, 0.25)}, "areaRatio"),
        ({"sideRatio": 0.5, "areaRatio": 0.5}, "areaRatio"),
        ({"aspectRatio": 0}, "aspectRatio"),
        ({"aspectRatio": -1}, "aspectRatio"),
        ({"aspectRatio": "2:1"}, "aspectRatio"),
        ({"aspectRatio": "1:inf"}, "aspectRatio"),
        ({"jitterType": "gauss"}, "jitterType"),
        ({"hflip": "maybe"}, "hflip"),
        ({"crop_size": 4}, "crop_size"),
    ],
)
def test_parameters_that_are_refused(said, name):
    with pytest.raises(ConfigError, match=rf"^Crop(:| has no) {name}\b"):
        cropped(numbered(4, 4), **said)
