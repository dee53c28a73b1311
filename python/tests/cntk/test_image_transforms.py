"""Transforms of the pixels of images: each transform alone, and several in a source."""

from __future__ import annotations

import colorsys
import math

import numpy as np
import pytest
from image_data import base64_deserializer, delivered, encoded, in_order, noise, write_base64

from sheaf import Error
from sheaf.cntk import transforms

BLACK, GREY, WHITE = [0, 0, 0], [128, 128, 128], [255, 255, 255]
BLUE, GREEN, RED = [255, 0, 0], [0, 255, 0], [0, 0, 255]
MULTI = np.array(  # CNTK's multi.png
    [
        [WHITE, BLACK, RED, GREEN],
        [BLUE, WHITE, GREY, RED],
        [GREEN, BLUE, WHITE, BLACK],
        [RED, GREEN, BLUE, WHITE],
    ],
    np.uint8,
)


def rows_first(folder, images, *steps):
    """A deserializer of images whose channels stay the last dimension."""
    path = write_base64(folder, [encoded(each) for each in images])
    said = base64_deserializer(path, grayscale=images[0].shape[2] == 1)
    said["input"]["images"]["transforms"] = list(steps)
    return said


def transformed(folder, image, *steps, **options):
    """An image behind a source."""
    return delivered(in_order(rows_first(folder, [image], *steps), **options), 1)[0][0]


def applied(folder, kind, image, dtype="float32", **said):
    """An image behind one transform."""
    return transformed(folder, image, {"type": kind, **said}, dtype=dtype)


# Scale.


def kernel(name, at):
    at = abs(at)
    if name == "linear":
        return max(0.0, 1 - at)
    if name == "lanczos":
        return np.sinc(at) * np.sinc(at / 4) if at < 4 else 0.0
    if at <= 1:
        return 1.25 * at**3 - 2.25 * at**2 + 1
    return -0.75 * (at**3 - 5 * at**2 + 8 * at - 4) if at < 2 else 0.0


def weights(name, before, after):
    """The weight of each of ``before`` pixels in each of ``after`` pixels."""
    found = np.zeros((after, before))
    for i, row in enumerate(found):
        if name == "nearest":
            row[math.floor(i * before / after)] = 1
            continue
        center = (i + 0.5) * before / after - 0.5
        taps = range(math.floor(center) - 3, math.floor(center) + 5)
        for tap in taps:
            row[min(max(tap, 0), before - 1)] += kernel(name, center - tap)
        row /= row.sum()
    return found


def slowly_scaled(image, width, height, name="linear"):
    name = name.lower()
    rows, columns, _ = image.shape
    down, across = weights(name, rows, height), weights(name, columns, width)
    return np.einsum("yr,rcd,xc->yxd", down, image.astype(float), across)


@pytest.mark.parametrize("name", ["nearest", "linear", "cubic", "lanczos", "Lanczos"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(4, 4), (3, 5), (1, 1), (13, 7)])
def test_interpolations_match_a_reference(tmp_path, name, channels, size):
    said = {"width": size[0], "height": size[1], "channels": channels, "interpolations": name}
    ramp = np.array([[[0], [90]], [[120], [255]]], np.uint8).repeat(channels, 2)
    for image in (ramp, noise(1, 7, 6)[:, :, :channels]):
        expected = slowly_scaled(image, *size, name)
        found = applied(tmp_path, "Scale", image, **said)
        assert found == pytest.approx(expected.clip(0, 255), abs=1)
        color = {"type": "Color", "contrastRadius": 0.2}  # makes floats, by 1 + 0.2 * 0.0976
        lit = slowly_scaled((image * (1 + within(0.2, FIRST[0][0]))).clip(0, 255), *size, name)
        for dtype in ("float32", "float64"):
            scale = {"type": "Scale", **said}
            found = transformed(tmp_path, image, color, scale, dtype=dtype)
            assert found == pytest.approx(lit, abs=1e-3)


def test_stretching_interpolates_a_ramp(tmp_path):
    ramp = np.array([[[0], [100]], [[40], [140]]], np.uint8)
    found = applied(tmp_path, "Scale", ramp, width=4, height=2, channels=1)
    assert found[:, :, 0].tolist() == [[0, 25, 75, 100], [40, 65, 115, 140]]
    said = {"width": 5, "height": 2, "channels": 1, "interpolations": "nearest"}
    found = applied(tmp_path, "Scale", ramp, **said)
    assert found[:, :, 0].tolist() == [[0, 0, 0, 100, 100], [40, 40, 40, 140, 140]]


@pytest.mark.parametrize(("name", "expected"), [("nearest", 255), ("linear", 0)])
def test_shrinking_does_not_smooth_the_image(tmp_path, name, expected):
    line = np.array([[255, 0, 0, 255, 255, 0, 0, 255]], np.uint8).reshape(1, 8, 1)
    said = {"width": 2, "height": 1, "channels": 1, "interpolations": name}
    found = applied(tmp_path, "Scale", line, **said)
    assert found.ravel().tolist() == [expected] * 2


@pytest.mark.parametrize("name", ["nearest", "linear", "cubic", "lanczos"])
@pytest.mark.parametrize("mode", ["fill", "crop", "pad"])
def test_scaling_to_an_equal_size_copies(tmp_path, name, mode):
    image = noise(1, 7, 5)
    said = {"width": 7, "height": 5, "channels": 3, "interpolations": name, "scaleMode": mode}
    assert np.array_equal(applied(tmp_path, "Scale", image, **said), image)


@pytest.mark.parametrize(
    ("size", "to", "scaled", "left_top"),  # widths and heights
    [
        ((10, 6), (4, 4), (7, 4), (1, 0)),
        ((6, 10), (4, 4), (4, 7), (0, 1)),
        ((5, 5), (3, 3), (3, 3), (0, 0)),
        ((10, 6), (8, 4), (8, 5), (0, 0)),
        ((10, 6), (4, 8), (13, 8), (4, 0)),
        ((6, 10), (8, 4), (8, 13), (0, 4)),
        ((6, 10), (4, 8), (5, 8), (0, 0)),
        ((5, 5), (4, 2), (4, 4), (0, 1)),
        ((5, 4), (2, 2), (3, 2), (0, 0)),  # 2.5 columns are 3
    ],
)
def test_a_scaled_image_is_cut(tmp_path, size, to, scaled, left_top):
    said = {"width": to[0], "height": to[1], "channels": 3, "scaleMode": "crop"}
    found = applied(tmp_path, "Scale", noise(1, *size), **said)
    left, top = left_top
    expected = slowly_scaled(noise(1, *size), *scaled)[top : top + to[1], left : left + to[0]]
    assert found.astype(float) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("value", [-1, 0, 7])
@pytest.mark.parametrize(
    ("size", "to", "scaled", "margins"),  # margins: left, top, right, bottom
    [
        ((10, 6), (4, 4), (4, 2), (0, 1, 0, 1)),
        ((6, 10), (4, 4), (2, 4), (1, 0, 1, 0)),
        ((10, 4), (5, 5), (5, 2), (0, 1, 0, 2)),
        ((4, 10), (5, 5), (2, 5), (1, 0, 2, 0)),
        ((5, 5), (3, 3), (3, 3), (0, 0, 0, 0)),
        ((10, 6), (8, 4), (7, 4), (0, 0, 1, 0)),
        ((10, 6), (4, 8), (4, 2), (0, 3, 0, 3)),
        ((6, 10), (8, 4), (2, 4), (3, 0, 3, 0)),
        ((5, 5), (2, 5), (2, 2), (0, 1, 0, 2)),
        ((4, 2), (5, 5), (5, 3), (0, 1, 0, 1)),  # 2.5 rows are 3
        ((40, 1), (10, 4), (10, 1), (0, 1, 0, 2)),  # a quarter of a row is one
    ],
)
def test_a_scaled_image_is_padded(tmp_path, size, to, scaled, margins, value):
    said = {"width": to[0], "height": to[1], "channels": 3, "padValue": value}
    found = applied(tmp_path, "Scale", noise(1, *size), scaleMode="pad", **said)
    left, top, right, bottom = margins
    inner = slowly_scaled(noise(1, *size), *scaled)
    expected = np.full((to[1], to[0], 3), float(value))
    for y, x in np.ndindex(to[1], to[0]):
        is_inside = left <= x < to[0] - right and top <= y < to[1] - bottom
        if is_inside or value == -1:
            row, column = min(max(y - top, 0), scaled[1] - 1), min(max(x - left, 0), scaled[0] - 1)
            expected[y, x] = inner[row, column]
    assert found.astype(float) == pytest.approx(expected, abs=1)


def test_scale_refuses_an_image_of_other_channels(tmp_path):
    for channels in (1, 4):
        with pytest.raises(RuntimeError, match=rf"images of {channels} channel"):
            transformed(tmp_path, MULTI, transforms.scale(4, 4, channels))


# Mean.


def mean_xml(values, shape, dt="f", columns=None, name="MeanImg"):
    rows, image_columns, channels = shape
    return (
        f'<?xml version="1.0"?>\n<opencv_storage><Channel>{channels}</Channel><Row>{rows}</Row>'
        f'<Col>{image_columns}</Col><{name} type_id="opencv-matrix"><rows>1</rows>'
        f"<cols>{columns or len(values)}</cols><dt>{dt}</dt>"
        f"<data>{' '.join(map(str, values))}</data></{name}></opencv_storage>\n"
    )


def write_mean(folder, *args):
    path = folder / "mean.xml"
    path.write_text(mean_xml(*args))
    return str(path)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dt", ["f", "d", "u", '"3f"'])
def test_a_mean_is_subtracted_without_clipping(tmp_path, dt, dtype):
    image = noise(1, 3, 2)
    values = [7 * i + (0 if dt == "u" else 0.25) for i in range(18)]
    path = write_mean(tmp_path, values, (2, 3, 3), dt, 6 if dt == '"3f"' else 18)
    found = applied(tmp_path, "Mean", image, dtype=dtype, meanFile=path)
    assert found.dtype == dtype
    order = iter(values)
    for y, x, channel in np.ndindex(2, 3, 3):
        assert found[y, x, channel] == float(image[y, x, channel]) - next(order)
    assert found.min() < 0


def test_a_mean_has_the_precision_of_the_source(tmp_path):
    path = write_mean(tmp_path, [0.1], (1, 1, 1), "d")
    one = np.ones((1, 1, 1), np.uint8)
    assert applied(tmp_path, "Mean", one, dtype="float64", meanFile=path).item() == 1 - 0.1
    expected = np.float32(1) - np.float32(0.1)
    assert applied(tmp_path, "Mean", one, dtype="float32", meanFile=path).item() == expected


def test_a_mean_may_be_stored_as_planes(tmp_path):
    planes = np.arange(24, dtype=np.float32).reshape(3, 2, 4)  # red, green, blue
    path = write_mean(tmp_path, planes.ravel().tolist(), (2, 4, 3))
    zeros = np.zeros((2, 4, 3), np.uint8)
    found = applied(tmp_path, "Mean", zeros, meanFile=path, meanLayout="planes")
    for y, x, channel in np.ndindex(2, 4, 3):
        assert found[y, x, channel] == -planes[2 - channel, y, x]


@pytest.mark.parametrize("said", [{}, {"meanFile": ""}])
def test_without_a_mean_file_nothing_is_subtracted(tmp_path, said):
    assert np.array_equal(applied(tmp_path, "Mean", MULTI, **said), MULTI)


@pytest.mark.parametrize(
    "text",
    [
        mean_xml([1, 2], (1, 1, 3)),
        mean_xml([1, 2, 3, 4], (1, 1, 3)),
        mean_xml([1, 2, 3], (1, 1, 3), columns=2),
        mean_xml([1, 2, 3], (1, 1, 3), name="Mean"),
        mean_xml(list(range(12)), (-2, -2, 3)),
        "red, green, blue",
        "",
    ],
)
def test_wrong_mean_files_are_refused(tmp_path, text):
    path = tmp_path / "mean.xml"
    path.write_text(text)
    with pytest.raises(Error, match=r"mean\.xml"):
        applied(tmp_path, "Mean", MULTI, meanFile=path)


def test_a_missing_mean_file_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match=r"none\.xml"):
        applied(tmp_path, "Mean", MULTI, meanFile=str(tmp_path / "none.xml"))


@pytest.mark.parametrize("shape", [(2, 4, 3), (3, 4, 3), (4, 2, 1)])
def test_a_mean_of_another_size_is_an_error(tmp_path, shape):
    path = write_mean(tmp_path, [0] * math.prod(shape), shape)
    with pytest.raises(RuntimeError, match=r"mean\.xml"):
        transformed(tmp_path, noise(1, 2, 4), transforms.mean(path))


# Color.

# The first numbers of std::mt19937, by seed.
FIRST = {
    0: (2357136044, 2546248239, 3071714933),
    1: (1791095845, 4282876139, 3093770124),
    5489: (3499211612, 581869302, 3890346734),
}


def within(radius, number):
    return -radius + 2 * radius * number / 2**32


def slowly_saturated(image, ratio):
    found = np.zeros(image.shape)
    for y, x in np.ndindex(image.shape[:2]):
        hue, saturation, value = colorsys.rgb_to_hsv(*image[y, x].tolist()[::-1])
        found[y, x] = colorsys.hsv_to_rgb(hue, min(saturation * ratio, 1), value)[::-1]
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_color_draws_the_numbers_of_cntk_in_each_sweep(tmp_path, dtype):
    steps = [transforms.scale(4, 4, 3), transforms.color(0.2, 0.2, 0.2)]
    source = in_order(rows_first(tmp_path, [MULTI], *steps), sweeps=2, dtype=dtype)
    first, second = delivered(source, 1)
    for (image,), black, grey in ((first, 2.33451, 135.088), (second, 16.4645, 149.726)):
        assert image.dtype == dtype
        for row, column in np.argwhere((MULTI == BLACK).all(2)):
            assert image[row, column] == pytest.approx(black, rel=3e-6)
        assert image[1, 2] == pytest.approx(grey, rel=3e-6)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-3), ("float64", 1e-10)])
@pytest.mark.parametrize("seed", FIRST)
@pytest.mark.parametrize(("brightness", "contrast"), [(0.5, 0), (0, 0.75), (1, 0.5)])
def test_brightness_and_contrast_match_numpy(
    tmp_path, brightness, contrast, seed, dtype, tolerance
):
    for image in (MULTI, noise(1, 5, 4), noise(1, 5, 4)[:, :, :1]):
        numbers = iter(FIRST[seed])
        shift = within(brightness, next(numbers)) * image.mean() if brightness else 0
        scale = 1 + within(contrast, next(numbers)) if contrast else 1
        radii = {"brightnessRadius": brightness, "contrastRadius": contrast}
        found = applied(tmp_path, "Color", image, dtype, seed=seed, **radii)
        assert found == pytest.approx((image * scale + shift).clip(0, 255), abs=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", FIRST)
def test_saturation_matches_numpy(tmp_path, seed, dtype):
    for image in (MULTI, noise(1, 6, 5)):
        found = applied(tmp_path, "Color", image, dtype, seed=seed, saturationRadius=0.9)
        expected = slowly_saturated(image, 1 + within(0.9, FIRST[seed][0]))
        assert found == pytest.approx(expected, abs=0.02)


def test_saturation_comes_after_brightness_and_contrast(tmp_path):
    radii = {"brightnessRadius": 0.25, "contrastRadius": 0.5, "saturationRadius": 1}
    shift, scale, ratio = map(within, radii.values(), FIRST[1])
    image = noise(1, 6, 5)
    lit = (image * (1 + scale) + shift * image.mean()).clip(0, 255)
    found = applied(tmp_path, "Color", image, seed=1, **radii)
    assert found == pytest.approx(slowly_saturated(lit, 1 + ratio), abs=0.02)


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (MULTI, {}),
        (MULTI, {"brightnessRadius": 0, "contrastRadius": 0.0, "saturationRadius": "0"}),
        (noise(1, 4, 4)[:, :, :1], {"saturationRadius": 1}),  # has no color
    ],
)
def test_color_without_effect_copies_the_image(tmp_path, image, said):
    assert np.array_equal(applied(tmp_path, "Color", image, **said), image)


def test_each_slot_of_a_minibatch_draws_its_own_numbers(tmp_path):
    images = [np.full((2, 2, 3), value, np.uint8) for value in (40, 80)]
    said = rows_first(tmp_path, images, transforms.color(brightness_radius=0.5))
    for number, found in enumerate(delivered(in_order(said, sweeps=3, num_threads=3), 2)):
        for slot, value in enumerate((40, 80)):
            expected = value + within(0.5, FIRST[slot][number]) * value
            assert found[slot] == pytest.approx(np.full((2, 2, 3), expected), abs=1e-3)


@pytest.mark.parametrize(
    ("transform", "stream", "whole", "seed"),
    [
        ({}, {}, {}, 0),
        ({}, {}, {"seed": 1}, 1),
        ({}, {"seed": 5489}, {"seed": 1}, 5489),
        ({"seed": 1}, {"seed": 5489}, {"seed": 5489}, 1),
    ],
)
def test_a_seed_may_be_set_at_the_transform_or_above(tmp_path, transform, stream, whole, seed):
    image = np.full((1, 1, 3), 100, np.uint8)
    said = rows_first(tmp_path, [image], transforms.color(brightness_radius=0.5) | transform)
    said["input"]["images"] |= stream
    (found,) = delivered(in_order(said | whole), 1)
    assert found.ravel() == pytest.approx([100 + within(50, FIRST[seed][0])] * 3)


# Transpose, Cast, and several in a source.


def test_transpose_puts_planes_of_blue_green_and_red_first(tmp_path):
    image = np.array([[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], np.uint8)
    planes = [[[1, 4, 7]], [[2, 5, 8]], [[3, 6, 9]]]
    assert applied(tmp_path, "Transpose", image[:, :, :1]).tolist() == planes[:1]
    for after in ([], [{"type": "Cast"}]):
        found = transformed(tmp_path, image, {"type": "Transpose"}, *after)
        assert found.tolist() == planes


@pytest.mark.parametrize("kind", ["Transpose", "Crop", "Scale", "Mean", "Color"])
def test_a_transform_after_transpose_is_refused(tmp_path, kind):
    said = rows_first(tmp_path, [MULTI], {"type": "Transpose"})
    after = {"type": kind}
    if kind == "Scale":
        after = transforms.scale(4, 4, 3)
    said["input"]["images"]["transforms"].append(after)
    with pytest.raises(ValueError, match=f'behind Transpose.* found "{kind}"'):
        in_order(said)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_of_the_type_of_the_source(tmp_path, dtype):
    for steps in ([], [{"type": "Cast", "precision": "float"}], [transforms.color(0, 0, 1)]):
        source = in_order(rows_first(tmp_path, [MULTI], *steps), dtype=dtype)
        assert source["images"].dtype == dtype
        (found,) = delivered(source, 1)
        assert found.dtype == dtype
        assert found[0, 1, 2] == pytest.approx(GREY, abs=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_transforms_apply_in_order(tmp_path, dtype):
    image = noise(1, 4, 4)
    larger = transforms.scale(4, 4, 3, interpolations="nearest")
    part = transforms.crop(crop_size=2)
    middle = image[1:3, 1:3]
    found = transformed(tmp_path, image, larger, part, dtype=dtype)
    assert np.array_equal(found, middle)
    found = transformed(tmp_path, image, part, larger, dtype=dtype)
    assert np.array_equal(found, middle.repeat(2, 0).repeat(2, 1))

    mean = transforms.mean(write_mean(tmp_path, [200] * 48, (4, 4, 3)))
    color = transforms.color(contrast_radius=1)
    ratio = 1 + within(1, FIRST[0][0])
    found = transformed(tmp_path, image, mean, color, dtype=dtype)
    assert found == pytest.approx(((image - 200.0) * ratio).clip(0, 255), abs=1e-4)
    found = transformed(tmp_path, image, color, mean, dtype=dtype)
    assert found == pytest.approx((image * ratio).clip(0, 255) - 200, abs=1e-4)


# Refused settings.

SIZES = ("width", "height", "channels")
RADII = ("brightnessRadius", "contrastRadius", "saturationRadius")
REFUSED = [
    *(("Scale", name, wrong) for name in SIZES for wrong in (None, 0, -1, 1.5, "wide", math.inf)),
    *(("Color", name, wrong) for name in RADII for wrong in (-0.1, 1.1, "some", math.nan)),
    ("Scale", "interpolations", "area"),
    ("Scale", "scaleMode", "stretch"),
    ("Scale", "padValue", -2),
    ("Scale", "padValue", "border"),
    ("Scale", "interpolation", "cubic"),
    ("Mean", "mean", "mean.xml"),
    ("Mean", "meanLayout", "rows"),
    ("Color", "brightness", 0.5),
    ("Transpose", "order", "chw"),
    ("Cast", "dtype", "float32"),
    ("Cast", "precision", "half"),
]


@pytest.mark.parametrize(("kind", "name", "wrong"), REFUSED)
def test_wrong_parameters_are_refused(tmp_path, kind, name, wrong):
    said = dict.fromkeys(SIZES, 4) if kind == "Scale" else {}
    with pytest.raises(Error, match=rf"\b{name}\b"):
        transformed(tmp_path, MULTI, {"type": kind, **said, name: wrong})


@pytest.mark.parametrize("said", [{"type": "Blur"}, {"type": "scale"}, {}])
def test_an_unknown_type_of_transform_is_refused(tmp_path, said):
    with pytest.raises(Error, match=r"\btype\b"):
        transformed(tmp_path, MULTI, said)
