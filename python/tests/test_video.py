"""Videos: numbered frames, and files that a function decodes with PyAV."""

from __future__ import annotations

import concurrent.futures
import io
import struct
import tarfile
import zlib

import numpy as np
import pytest

import sheaf

CLIPS = 9
LENGTH = 8  # frames of a clip that is delivered


def frame_count(key: int) -> int:
    """Return how many frames a video has: one below the clip, as many, one above, and more."""
    return LENGTH - 1 + key


def write_shards(folder, entries_of):
    """Write three shards of three clips each, with labels; return their pattern."""
    for shard in range(3):
        with tarfile.open(folder / f"clips-{shard}.tar", "w") as archive:
            for key in range(3 * shard, 3 * shard + 3):
                for suffix, content in [*entries_of(key), ("cls", str(key).encode())]:
                    entry = tarfile.TarInfo(f"clip{key}.{suffix}")
                    entry.size = len(content)
                    archive.addfile(entry, io.BytesIO(content))
    return str(folder / "clips-*.tar")


def delivered(pattern, streams, transforms, stream, **options):
    """Return the samples of each clip, by the label."""
    options = {"batch_size": 2, "order": "keyed", "seed": 7, "packing": "ragged", **options}
    found = {}
    with sheaf.Reader(pattern, streams, transforms=transforms, **options) as reader:
        for minibatch in reader:
            for i, label in enumerate(minibatch["cls"].values.ravel().tolist()):
                found[label] = [np.array(sample) for sample in minibatch[stream].samples(i)]
    return found


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


def parts_of_two(pattern, streams, transforms, stream, **options):
    """Return the sequences of two workers together."""
    found = {}
    for rank in range(2):
        more = {"rank": rank, "world_size": 2, **options}
        found |= delivered(pattern, streams, transforms, stream, **more)
    return found


def goes_on(pattern, streams, transforms, stream, **options):
    """Return the sequences of a run that stops after its second minibatch and resumes."""
    options = {"batch_size": 2, "order": "keyed", "seed": 7, "packing": "ragged", **options}
    found = {}

    def note(minibatch):
        for i, label in enumerate(minibatch["cls"].values.ravel().tolist()):
            found[label] = [np.array(sample) for sample in minibatch[stream].samples(i)]

    with sheaf.Reader(pattern, streams, transforms=transforms, **options) as reader:
        minibatches = iter(reader)
        for _ in range(2):
            note(next(minibatches))
        state = reader.state_dict()
    with sheaf.Reader(pattern, streams, transforms=transforms, **options) as reader:
        reader.load_state_dict(state)
        for minibatch in reader:
            note(minibatch)
    return found


# Numbered images.


def png(key: int, number: int) -> bytes:
    """Return an image that is 8 wide and 6 high, all of one color."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    rows = zlib.compress((b"\0" + bytes((key, number, 200)) * 8) * 6)
    header = struct.pack(">IIBBBBB", 8, 6, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


def numbered(key):
    return [(f"{number:03d}.png", png(key, number)) for number in range(frame_count(key))]


FRAME_STREAMS = ["image:dense:mb", "cls:dense"]
FRAMES = {"format_options": {"webdataset.frames": "true"}}
CUT = [f"clip:image:samples={LENGTH}", "decode:image", "resize:image:size=4x4"]


def first_of(key):
    """Return where clip cuts a video in the first sweep."""
    starts = frame_count(key) - LENGTH + 1
    if starts <= 1:
        return 0
    bits = sheaf.generator(7, 0, f"clip{key}", "clip").bit_generator.random_raw()
    return (int(bits) * starts) >> 64


def test_clips_of_frames_are_consecutive_and_equal_for_all_workers(tmp_path):
    pattern = write_shards(tmp_path, numbered)
    found = delivered(pattern, FRAME_STREAMS, CUT, "image", **FRAMES)
    assert sorted(found) == list(range(CLIPS))
    for key, frames in found.items():
        first = first_of(key)
        numbers = range(first, first + min(LENGTH, frame_count(key)))
        assert [frame[0, 0].tolist() for frame in frames] == [[key, n, 200] for n in numbers]
        assert all(frame.shape == (4, 4, 3) for frame in frames)
    for threads in (1, 2):
        options = {**FRAMES, "num_threads": threads}
        assert same(delivered(pattern, FRAME_STREAMS, CUT, "image", **options), found)
        assert same(parts_of_two(pattern, FRAME_STREAMS, CUT, "image", **options), found)
    assert same(goes_on(pattern, FRAME_STREAMS, CUT, "image", **FRAMES), found)


def test_clips_of_frames_are_padded_or_ragged(tmp_path):
    pattern = write_shards(tmp_path, numbered)
    options = {"transforms": CUT, "order": "file", "batch_size": CLIPS, **FRAMES}
    (padded,) = sheaf.Reader(pattern, FRAME_STREAMS, **options)
    assert padded.image.values.shape == (CLIPS, LENGTH, 4, 4, 3)
    assert padded.image.values.dtype == np.uint8
    assert padded.image.lengths.tolist() == [LENGTH - 1] + [LENGTH] * (CLIPS - 1)
    assert padded["cls"].values.shape == (CLIPS, 1, 1)
    (ragged,) = sheaf.Reader(pattern, FRAME_STREAMS, packing="ragged", **options)
    assert ragged.image.values.shape == (CLIPS * LENGTH - 1, 4, 4, 3)


def test_a_clip_of_one_stream_requires_a_stream_that_defines_the_size(tmp_path):
    pattern = write_shards(tmp_path, numbered)
    with pytest.raises(sheaf.ConfigError, match='as in "image:dense:mb"'):
        sheaf.Reader(pattern, transforms=CUT, **FRAMES)


# Encoded videos.


def video(key: int, container: str, codec: str) -> bytes:
    """Return a video that is 32 wide and 16 high: a bright line falls by a row a frame."""
    av = pytest.importorskip("av", reason="PyAV writes and decodes the videos: pip install av")
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = output.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = 32, 16, "yuv420p"
        for number in range(frame_count(key)):
            pixels = np.full((16, 32, 3), 20 * key, np.uint8)
            pixels[number % 16] = 255
            output.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        output.mux(stream.encode())
    return file.getvalue()


def decode(content) -> np.ndarray:
    """Return the frames of a video: [frames, height, width, channels]."""
    import av

    with av.open(io.BytesIO(content)) as file:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)])


def whole(videos):
    import av

    try:
        return decode(videos[0])
    except av.error.FFmpegError as error:
        return sheaf.Bad(f"a damaged video: {error}")


def cut(videos, rng):
    """Return a clip that begins anywhere; of a short video, the last frame again and again."""
    frames = whole(videos)
    if isinstance(frames, sheaf.Bad):
        return frames
    first = int(rng.integers(max(len(frames) - LENGTH, 0) + 1))
    return list(frames[np.minimum(np.arange(first, first + LENGTH), len(frames) - 1)])


KINDS = [("mp4", "h264"), ("webm", "vp9")]


@pytest.fixture(params=KINDS, ids=["mp4", "webm"])
def videos(request, tmp_path):
    """Shards of videos, the suffix of their entries, and the videos."""
    suffix, codec = request.param
    contents = [video(key, suffix, codec) for key in range(CLIPS)]
    return write_shards(tmp_path, lambda key: [(suffix, contents[key])]), suffix, contents


def test_whole_videos_match_pyav(videos):
    pattern, suffix, contents = videos
    expected = {key: [decode(contents[key])] for key in range(CLIPS)}
    output = {"video": sheaf.Stream(shape=(None, None, None, 3), dtype="uint8")}
    made = sheaf.map(whole, suffix, output, shape_max=(frame_count(CLIPS), 16, 32, 3))
    chain = [made, "select:video+cls"]
    for threads in (1, 2):
        options = {"num_threads": threads, "memory_limit": "64MiB"}
        assert same(delivered(pattern, None, chain, "video", **options), expected)
    (padded,) = sheaf.Reader(pattern, transforms=chain, order="file", batch_size=CLIPS)
    assert padded.video.values.shape == (CLIPS, 1, frame_count(CLIPS - 1), 16, 32, 3)
    for key in range(CLIPS):
        assert padded.video.extents[key, 0].tolist() == [frame_count(key), 16, 32, 3]


def test_clips_of_videos_match_pyav_for_all_workers(videos):
    pattern, suffix, contents = videos
    streams = [f"{suffix}:dense", "cls:dense:mb"]
    output = {"video": sheaf.Stream(shape=(None, None, 3), dtype="uint8")}
    chain = [sheaf.map(cut, suffix, output, samples=LENGTH), "select:video+cls"]
    expected = {
        key: cut([contents[key]], sheaf.generator(7, 0, f"clip{key}", "cut"))
        for key in range(CLIPS)
    }
    for threads in (1, 2):
        options = {"num_threads": threads}
        assert same(delivered(pattern, streams, chain, "video", **options), expected)
        assert same(parts_of_two(pattern, streams, chain, "video", **options), expected)
    assert same(goes_on(pattern, streams, chain, "video"), expected)

    def cut_many(videos, rng):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return list(pool.map(cut, videos, rng))

    batched = sheaf.map(cut_many, suffix, output, samples=LENGTH, batched=True, name="cut")
    for options in ({}, {"batch_size": CLIPS}):
        found = delivered(pattern, streams, [batched, "select:video+cls"], "video", **options)
        assert same(found, expected)

    cropped = [*chain, "crop:video:size=8", "flip:video:probability=1"]
    found = delivered(pattern, streams, cropped, "video")
    mirrored = {key: [f[4:12, 12:20][:, ::-1] for f in clip] for key, clip in expected.items()}
    assert same(found, mirrored)


def test_damaged_videos_are_left_out(tmp_path):
    contents = [video(key, "mp4", "h264") for key in range(CLIPS)]
    contents[4] = contents[4][: len(contents[4]) // 2]
    contents[6] = b"no video"
    pattern = write_shards(tmp_path, lambda key: [("mp4", contents[key])])
    output = {"video": sheaf.Stream(shape=(None, None, None, 3), dtype="uint8")}
    chain = [sheaf.map(whole, "mp4", output), "select:video+cls"]
    expected = {key: [decode(contents[key])] for key in range(CLIPS) if key not in (4, 6)}
    assert same(delivered(pattern, None, chain, "video", max_errors=2), expected)
    with pytest.raises(sheaf.DataError, match="a damaged video"):
        delivered(pattern, None, chain, "video", max_errors=1)
    with sheaf.Reader(pattern, transforms=chain, order="file", max_errors=2) as reader:
        assert sum(minibatch.hole_count for minibatch in reader) == 2
        keys = [(each.path, each.sequence_key) for each in reader.diagnostics]
    shards = [str(tmp_path / f"clips-{number}.tar") for number in (1, 2)]
    assert keys == list(zip(shards, ["clip4", "clip6"], strict=True))
