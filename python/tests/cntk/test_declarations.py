"""Declarations, dictionaries of deserializers and of sources."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from cntk_data import ctf, stream

from sheaf import cntk
from sheaf.cntk import transforms

ALL = cntk.INFINITELY_REPEAT


def config(*deserializers, **options):
    return cntk.MinibatchSourceConfig(list(deserializers) or [ctf("data.ctf")], **options)


def test_constants_match_cntk():
    assert cntk.INFINITELY_REPEAT == 2**64 - 1
    assert cntk.FULL_DATA_SWEEP == 2**64 - 2
    assert cntk.DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS == 128
    levels = cntk.TraceLevel.Error, cntk.TraceLevel.Warning, cntk.TraceLevel.Info
    assert levels == (0, 1, 2)


def test_stream_defs_are_dictionaries():
    plain = cntk.StreamDef(field="f", shape=3)
    assert dict(plain) == {
        "stream_alias": "f",
        "is_sparse": False,
        "dim": 3,
        "defines_mb_size": False,
        "max_sequence_length": 65535,
    }
    assert cntk.StreamDef(mlf="a.mlf").is_sparse
    with pytest.raises(AttributeError):
        _ = cntk.StreamDef(field="f").dim
    streams = cntk.StreamDefs(values=plain, items=plain)
    assert streams.values is streams["values"] is plain
    for change in (
        lambda: streams.update(a=1),
        lambda: streams.__setitem__("a", 1),
        lambda: setattr(streams, "values", 1),
        lambda: streams.__delitem__("values"),
    ):
        with pytest.raises(TypeError, match="does not change"):
            change()
    assert pickle.loads(pickle.dumps(streams)) == copy.deepcopy(streams) == streams


def test_stream_information_has_the_attributes_of_cntk():
    info = cntk.StreamInformation("x", 2, "dense", np.float32, (3, 4))
    assert (info.name, info.sample_shape, info.storage_format) == ("x", (3, 4), "dense")
    assert (info.m_name, info.m_id, info.m_storage_format) == ("x", 2, "dense")
    assert (info.m_element_type, info.m_sample_layout) == (np.float32, (4, 3))
    assert info == cntk.StreamInformation("x", 2, "dense", "float32", (3, 4))
    assert hash(info) == hash(cntk.StreamInformation("y", 2, "sparse", "float32", (1,)))
    for other in (("y", 2, "dense", "f4", (3, 4)), ("x", 1, "dense", "f4", (3, 4))):
        assert info != cntk.StreamInformation(*other)
    for other in (("x", 2, "sparse", "f4", (3, 4)), ("x", 2, "dense", "f8", (3, 4))):
        assert info != cntk.StreamInformation(*other)
    with pytest.raises(KeyError):
        cntk.StreamInformation("x", 2, "other", np.float32, (3, 4))


def test_text_deserializer_makes_a_dictionary():
    assert ctf("a[b].ctf", {"x": 2}) == {
        "type": "CNTKTextFormatDeserializer",
        "file": "a[b].ctf",
        "input": {"x": {"dim": 2, "format": "dense", "alias": "x", "definesMBSize": False}},
    }
    configured = cntk.StreamConfiguration("x", 2, True, "f", True)
    found = cntk.CTFDeserializer("a.ctf", [configured])
    expected = {"dim": 2, "format": "sparse", "alias": "f", "definesMBSize": True}
    assert found["input"] == {"x": expected}
    with pytest.raises(ValueError, match="needs a field"):
        cntk.CTFDeserializer("a.ctf", cntk.StreamDefs(x=cntk.StreamDef(shape=1)))
    with pytest.raises(ValueError, match="needs a shape"):
        cntk.CTFDeserializer("a.ctf", cntk.StreamDefs(x=cntk.StreamDef(field="x", shape=(1, 2))))


def test_binary_deserializer_makes_a_dictionary():
    assert cntk.CBFDeserializer("a.cbf") == {
        "type": "CNTKBinaryFormatDeserializer",
        "file": "a.cbf",
    }
    found = cntk.CBFDeserializer("a.cbf", cntk.StreamDefs(x=stream("f"), y=stream("y")))
    assert found["input"] == {"x": {"alias": "f"}, "y": {}}
    with pytest.raises(ValueError, match="the file says"):
        cntk.CBFDeserializer("a.cbf", cntk.StreamDefs(x=stream("f", defines_mb_size=True)))


def test_deserializers_of_speech_make_dictionaries():
    scp = cntk.StreamDef(shape=33, context=(2, 3), scp="a.scp")
    found = cntk.HTKFeatureDeserializer(cntk.StreamDefs(a=scp, b=scp))
    assert list(found["input"]) == ["a", "b"]
    assert found["input"]["a"] == {
        "scpFile": "a.scp",
        "dim": 33,
        "contextWindow": [2, 3],
        "expandToUtterance": False,
        "maxSequenceLength": 65535,
        "definesMBSize": False,
    }
    label = cntk.StreamDefs(l=cntk.StreamDef(shape=9, mlf="a.mlf"))
    assert cntk.HTKMLFDeserializer("map", label) == {
        "type": "HTKMLFDeserializer",
        "input": {
            "l": {"labelMappingFile": "map", "dim": 9, "phoneBoundaries": False, "mlfFile": "a.mlf"}
        },
    }
    several = cntk.StreamDefs(l=cntk.StreamDef(shape=9, mlf=["a", "b"]))
    assert cntk.HTKMLFDeserializer("map", several)["input"]["l"]["mlfFileList"] == ["a", "b"]
    lattice = cntk.LatticeDeserializer("index", cntk.StreamDefs(l=cntk.StreamDef()))
    assert lattice["input"] == {"l": {"latticeIndexFile": "index"}}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cntk.HTKFeatureDeserializer({}), "at least one stream"),
        (lambda: cntk.HTKFeatureDeserializer({"a": stream("f")}), "has a field"),
        (lambda: cntk.HTKFeatureDeserializer({"a": cntk.StreamDef(shape=1)}), "needs an scp"),
        (lambda: cntk.HTKMLFDeserializer("m", {}), "exactly one stream: got 0"),
        (lambda: cntk.HTKMLFDeserializer("m", {"a": stream("f")}), "has a field"),
        (lambda: cntk.HTKMLFDeserializer("m", {"a": cntk.StreamDef(shape=1)}), "needs an mlf"),
        (lambda: cntk.LatticeDeserializer("m", {"a": stream("f")}), "has a field"),
        (lambda: cntk.ImageDeserializer("m", {"a": stream("f")}), '"image" or "label": got \'f\''),
        (lambda: cntk.ImageDeserializer("m", {"a": stream("label")}), "needs a stream"),
    ],
)
def test_wrong_deserializers_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_lattice_without_a_path_is_refused():
    with pytest.raises(RuntimeError, match="is empty"):
        cntk.LatticeDeserializer("", {"a": cntk.StreamDef()})


def test_dictionaries_have_the_number_of_keys_of_cntk():
    assert len(config(randomize=False).to_dictionary()) == 5
    found = config().to_dictionary()
    assert len(found) == 8
    assert found["randomize"] is True
    assert (found["randomizationWindow"], found["sampleBasedRandomizationWindow"]) == (128, False)
    truncated = config()
    truncated.truncation_length = 123
    found = cntk.to_dictionary(truncated)
    assert len(found) == 10
    assert (found["truncated"], found["truncationLength"]) == (True, 123)
    assert found["deserializers"][0]["module"] == "CNTKTextFormatReader"


def test_limits_exclude_each_other():
    source = config()
    assert source.max_samples == source.max_sweeps == ALL
    source.max_samples, source.max_sweeps = 100, 3
    with pytest.raises(RuntimeError, match="exclude each other"):
        source.to_dictionary()
    source.max_samples = ALL
    assert source.to_dictionary()


def test_a_window_in_chunks_excludes_one_in_samples():
    source = config()
    source.randomization_window_in_chunks = 0
    assert source.to_dictionary()["randomize"] is False
    source.randomization_window_in_chunks = 10
    found = source.to_dictionary()
    assert (found["randomizationWindow"], found["sampleBasedRandomizationWindow"]) == (10, False)
    source.randomization_window_in_samples = 100
    with pytest.raises(RuntimeError, match="exclude each other"):
        source.to_dictionary()
    source.randomization_window_in_chunks = 0
    found = source.to_dictionary()
    assert (found["randomizationWindow"], found["sampleBasedRandomizationWindow"]) == (100, True)


def test_frames_and_truncation_exclude_each_other():
    source = config()
    source.is_frame_mode_enabled = True
    source.truncation_length = 123
    with pytest.raises(RuntimeError, match="exclude each other"):
        source.to_dictionary()
    source.is_frame_mode_enabled = False
    for is_multithreaded in (True, False):
        source.is_multithreaded.set(is_multithreaded)
        assert source.to_dictionary()["multiThreadedDeserialization"] is is_multithreaded


def images(*steps):
    return cntk.ImageDeserializer(
        "map.txt",
        cntk.StreamDefs(
            images=cntk.StreamDef(field="image", transforms=list(steps)),
            labels=cntk.StreamDef(field="label", shape=10),
        ),
    )


def test_image_deserializer_makes_a_dictionary():
    found = images(
        transforms.crop(crop_type="randomside", side_ratio=0.5, jitter_type="uniratio"),
        transforms.scale(width=224, height=224, channels=3),
        transforms.mean("mean.xml"),
    )
    assert (found["type"], found["file"]) == ("ImageDeserializer", "map.txt")
    assert set(found["input"]) == {"images", "labels"}
    assert found["input"]["labels"] == {"labelDim": 10}
    steps = found["input"]["images"]["transforms"]
    assert [step["type"] for step in steps] == ["Crop", "Scale", "Mean", "Transpose"]
    crop, scale, mean, _ = steps
    ratios = [crop[name] for name in ("cropSize", "sideRatio", "areaRatio", "aspectRatio")]
    assert ratios == ["0:0", "0.5:0.5", "0:0", "1:1"]
    assert (scale["width"], scale["scaleMode"], scale["padValue"]) == (224, "fill", -1)
    assert mean["meanFile"] == "mean.xml"
    color = transforms.color(brightness_radius=0.5)
    assert (color["brightnessRadius"], color["contrastRadius"]) == (0.5, 0.0)

    both = config(found, ctf("data.ctf")).to_dictionary()
    assert len(both["deserializers"]) == 2
    assert both["multiThreadedDeserialization"] is True
    assert config(ctf("data.ctf")).to_dictionary()["multiThreadedDeserialization"] is False


def test_a_crop_takes_pairs():
    crop = transforms.crop(crop_size=(512, 424), side_ratio=(0.2, 0.5))
    assert (crop["cropSize"], crop["sideRatio"]) == ("512:424", "0.2:0.5")
    with pytest.raises(ValueError, match="a pair that rises"):
        transforms.crop(side_ratio=(0.5, 0.2))


def test_images_without_labels_have_a_hidden_stream_of_labels():
    streams = cntk.StreamDefs(images=cntk.StreamDef(field="image"))
    names = [list(cntk.Base64ImageDeserializer("m", streams)["input"]) for _ in range(2)]
    assert all(len(each) == 2 and each[1].startswith("_ignore_labels_") for each in names)
    assert names[0] != names[1]


def test_an_unknown_type_of_deserializer_needs_a_module():
    with pytest.raises(ValueError, match='unknown type, and names no module: "Own"'):
        config({"type": "Own"}).to_dictionary()
    found = config({"type": "Own", "module": "own"}).to_dictionary()
    assert found["deserializers"] == [{"type": "Own", "module": "own"}]
