"""A command built with SHEAF_IMAGES=OFF: everything works except `decode`, which is refused."""

from __future__ import annotations

import io
import tarfile
import unittest

from command import BAD_USAGE, DIGITS, DIGITS_STREAMS, REPOSITORY, CommandTest

IMAGES = REPOSITORY / "tests" / "image" / "data"
NAMES = ("rgba.png", "progressive.jpg", "lossy.webp")


class WithoutImagesTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.shard = str(self.folder / "images.tar")
        with tarfile.open(self.shard, "w") as archive:
            for number, name in enumerate(NAMES):
                for suffix, content in (
                    (name.rpartition(".")[2], (IMAGES / name).read_bytes()),
                    ("cls", str(number).encode()),
                ):
                    entry = tarfile.TarInfo(f"{number}.{suffix}")
                    entry.size = len(content)
                    archive.addfile(entry, io.BytesIO(content))

    def test_decode_is_refused_with_the_option_of_the_build(self) -> None:
        for verb in ("read", "head", "check", "stat"):
            done = self.run_sheaf(verb, self.shard, "--transform", "decode:image")
            self.assertEqual(BAD_USAGE, done.returncode, done.stderr)
            self.assertIn(
                'transform "decode:image": this sheaf was built without decoders of images '
                "(SHEAF_IMAGES=OFF): build it with -D SHEAF_IMAGES=ON",
                done.stderr,
            )

    def test_encoded_images_are_read_checked_and_converted(self) -> None:
        self.assertIn("sequences 3,", self.good("check", self.shard))
        copy = str(self.folder / "copy.tar")
        self.good("convert", self.shard, copy)
        with tarfile.open(copy) as written:
            self.assertEqual(
                ["0.png", "0.cls", "1.jpg", "1.cls", "2.webp", "2.cls"], written.getnames()
            )

    def test_headers_of_images_are_read(self) -> None:
        with_headers = ("--format-option", "webdataset.headers=read")
        cost = self.good_json("stat", self.shard, "--json", *with_headers)["cost"]
        self.assertEqual(("pixels", 3 * 37 * 29), (cost["name"], cost["total"]))

    def test_other_formats_are_read(self) -> None:
        self.assertIn("sequences 1438,", self.good("check", DIGITS, *DIGITS_STREAMS))


if __name__ == "__main__":
    unittest.main()
