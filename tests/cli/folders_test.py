"""Folders of images: the names of classes, folders of frames, and the index file of pixels."""

import json
import struct
import unittest
import zlib

from command import BAD_DATA, CommandTest

FRAMES = ("--format-option", "image_folder.frames=true")
HEADERS = ("--format-option", "image_folder.headers=read")


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"abc" * width) * height
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


class FoldersTest(CommandTest):
    def add(self, name: str, content: bytes) -> str:
        path = self.folder / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return str(self.folder / "photos")

    def test_stat_names_the_classes(self):
        self.add("cats/1.png", png(2, 3))
        photos = self.add("dogs/2.png", png(2, 3))
        image, label = self.good_json("stat", photos, "--json")["streams"]
        self.assertNotIn("class_names", image)
        self.assertEqual(["cats", "dogs"], label["class_names"])
        names = self.write("dogs\nfish\ncats\n", "names.txt")
        given = ("--format-option", f"image_folder.class_names={names}")
        label = self.good_json("stat", photos, *given, "--json")["streams"][1]
        self.assertEqual(["dogs", "fish", "cats"], label["class_names"])

    def test_a_folder_of_frames_is_a_sequence(self):
        for number in range(8, 12):
            photos = self.add(f"cats/clip/f{number}.png", png(number, 3))
        self.add("dogs/a/1.png", png(2, 3))
        lines = self.good("head", photos, *FRAMES, "--json", "--transform", "decode:image")
        clip, single = (json.loads(line) for line in lines.splitlines())
        self.assertEqual("cats/clip", clip["key"])
        self.assertEqual([[0]], clip["streams"]["label"])
        widths = [len(frame[0]) for frame in clip["streams"]["image"]]
        self.assertEqual([8, 9, 10, 11], widths)
        self.assertEqual(1, len(single["streams"]["image"]))
        clipped = ("--stream", "image:dense:mb", "--stream", "label:dense")
        clipped += ("--transform", "clip:image:samples=2", "--transform", "decode:image")
        lines = self.good("head", photos, *FRAMES, "--json", *clipped)
        self.assertEqual(2, len(json.loads(lines.splitlines()[0])["streams"]["image"]))
        self.assertEqual(5, self.good_json("stat", photos, *FRAMES, "--json")["samples"])

    def test_wrong_frames_are_listed(self):
        for name in ("cats/clip/1.png", "cats/clip/01.png", "cats/clip/cover.png", "cats/b/1.png"):
            photos = self.add(name, png(2, 3))
        result = self.run_sheaf("check", photos, *FRAMES)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("cats/clip/cover.png: sequence cats/clip: error", result.stderr)
        self.assertIn("[image_folder-frame-number]", result.stderr)
        self.assertIn("cats/clip/1.png: sequence cats/clip: error", result.stderr)
        self.assertIn("[image_folder-repeated-frame]", result.stderr)
        result = self.run_sheaf("read", photos, *FRAMES, "--format", "none")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("stopped at bad data; --max-errors tolerates it", result.stderr)
        self.add("cats/0.png", png(2, 3))
        result = self.run_sheaf("check", photos, *FRAMES)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("[image_folder-no-clip]", result.stderr)

    def test_the_size_of_a_folder_is_that_of_its_files(self):
        photos = self.add("cats/1.png", png(2, 3) + bytes(100_000))
        size = sum(path.stat().st_size for path in self.folder.glob("photos/*/*"))
        read = self.good_json("read", photos, "--format", "none", "--json")
        self.assertEqual(size, read["bytes"])
        for verb in ("check", "stat"):
            _, text = self.on_terminal(verb, photos)
            self.assertIn("  0 %, 0.0 of 0.1 MB", text)

    def test_an_index_file_stores_pixel_counts(self):
        self.add("cats/1.png", png(20, 30))
        photos = self.add("cats/2.png", png(2, 3))
        report = self.good_json("index", photos, *HEADERS, "--json")
        self.assertEqual(photos + ".sheaf-index", report["index_path"])
        required = (*HEADERS, "--index", "require")
        cost = self.good_json("stat", photos, *required, "--json")["cost"]
        self.assertEqual({"pixels", 606}, {cost["name"], cost["total"]})
        self.add("cats/3.png", png(1, 1))
        self.assertIn("index: required", self.run_sheaf("stat", photos, *required).stderr)


if __name__ == "__main__":
    unittest.main()
