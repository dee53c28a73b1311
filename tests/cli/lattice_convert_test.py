"""The lattices that the command writes: a table of contents and its archive."""

import struct
import unittest

from command import CommandTest


def lattice_of(times: list[int], token_count: int = 0) -> bytes:
    """Returns a lattice with tokens and nodes at these frames. The last frame is their count."""
    head = struct.pack("<II16xII", len(times), 0, times[-1], 0)
    nodes = struct.pack(f"<i{len(times)}H", len(times), *times)
    tokens = struct.pack(f"<i{token_count}i", token_count, *range(token_count))
    parts = b"NODS" + nodes + b"EDGS\0\0\0\0ALNS" + tokens
    return b"LAT " + struct.pack("<i", 2) + head + parts + b"END "


BLOCKS = [lattice_of(list(range(n + 1)), n) for n in range(1, 6)]
KEYS = ("--keys", "text")
FLOATS = ("--in-option", "lattice.as=f32")


class LatticeConvertTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.table = self.write_table("l", BLOCKS)

    def write_table(self, name: str, blocks: list[bytes], per_archive: int = 99) -> str:
        text, offset = "", 0
        for i, block in enumerate(blocks):
            archive = f"{name}{i // per_archive}.bin"
            offset = 0 if i % per_archive == 0 else offset
            text += f"{name}{i}={archive if offset == 0 else ''}[{offset}]\n"
            path = self.folder / archive
            path.write_bytes((path.read_bytes() if offset else b"") + block)
            offset += len(block)
        return self.write(text, f"{name}.toc")

    def convert(self, out: str, *more: str, table: str | None = None) -> None:
        self.good("convert", table or self.table, str(self.folder / out), *KEYS, *more)

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}

    def bytes_of(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def lattices(self, name: str) -> dict[str, bytes]:
        """Reads a table of one archive, by the rules of the format."""
        lines = self.bytes_of(name).decode().splitlines()
        archive = self.bytes_of(lines[0].split("=")[1].split("[")[0])
        offsets = [(line.split("=")[0], int(line.split("[")[1].rstrip("]"))) for line in lines]
        ends = [offset for _, offset in offsets[1:]] + [len(archive)]
        return {key: archive[at:end] for (key, at), end in zip(offsets, ends, strict=True)}

    def test_every_lattice_is_written_byte_for_byte(self) -> None:
        for more in ((), FLOATS, ("--threads", "3", "--in-chunk-bytes", "200")):
            with self.subTest(more):
                before = self.names() - {"out.toc", "out.lat"}
                self.convert("out.toc", "--overwrite", *more)
                self.assertEqual(before | {"out.toc", "out.lat"}, self.names())
                self.assertEqual(b"".join(BLOCKS), self.bytes_of("out.lat"))
                wanted = self.bytes_of("l.toc").replace(b"l0.bin", b"out.lat")
                self.assertEqual(wanted, self.bytes_of("out.toc"))

    def test_several_archives_and_tables_become_one(self) -> None:
        first = self.write_table("x", BLOCKS, per_archive=2)
        second = self.write_table("y", BLOCKS[::-1], per_archive=1)
        self.good("convert", first, second, str(self.folder / "all.toc"), *KEYS)
        wanted = {f"x{i}": block for i, block in enumerate(BLOCKS)}
        wanted |= {f"y{i}": block for i, block in enumerate(BLOCKS[::-1])}
        self.assertEqual(wanted, self.lattices("all.toc"))

    def test_keys_may_be_numbers(self) -> None:
        table = self.write("7=l0.bin[0]\n", "n.toc")
        self.write(BLOCKS[0], "l0.bin")
        self.good("convert", table, str(self.folder / "out.toc"))
        self.assertEqual({"7": BLOCKS[0]}, self.lattices("out.toc"))

    def test_each_shard_has_its_own_archive(self) -> None:
        self.convert("out.toc", "--shards", "2")
        found = {}
        for i in range(2):
            found |= self.lattices(f"out-0000{i}-of-00002.toc")
        self.assertEqual({f"l{i}": block for i, block in enumerate(BLOCKS)}, found)

    def test_an_order_does_not_change_the_lattices(self) -> None:
        self.convert("out.toc", "--order", "keyed", "--seed", "3")
        found = self.lattices("out.toc")
        self.assertEqual({f"l{i}": block for i, block in enumerate(BLOCKS)}, found)

    def test_a_table_and_its_archive_can_be_moved_together(self) -> None:
        self.convert("out.toc")
        moved = self.folder / "moved"
        moved.mkdir()
        for name in ("out.toc", "out.lat"):
            (self.folder / name).rename(moved / name)
        result = self.run_sheaf("check", "moved/out.toc", *KEYS, folder=self.folder)
        self.assertEqual(0, result.returncode, result.stderr)

    def test_an_archive_of_the_same_name_in_the_working_directory_is_refused(self) -> None:
        (self.folder / "d").mkdir()
        self.write(b"another archive", "out.lat")
        result = self.run_sheaf("convert", "l.toc", "d/out.toc", *KEYS, folder=self.folder)
        self.assertEqual(2, result.returncode, result.stderr)
        self.assertIn("the working directory has another out.lat", result.stderr)
        self.assertEqual([], list((self.folder / "d").iterdir()))

    def test_existing_files_are_replaced_only_by_option(self) -> None:
        for taken in ("out.toc", "out.lat"):
            with self.subTest(taken):
                self.write("kept", taken)
                before = self.names()
                out = str(self.folder / "out.toc")
                result = self.run_sheaf("convert", self.table, out, *KEYS)
                self.assertEqual(2, result.returncode, result.stderr)
                self.assertIn(f"{taken}: exists already", result.stderr)
                self.assertEqual(before, self.names())
                self.assertEqual(b"kept", self.bytes_of(taken))
                self.convert("out.toc", "--overwrite")
                for name in ("out.toc", "out.lat"):
                    (self.folder / name).unlink()

    def test_data_other_than_lattices_leave_no_file(self) -> None:
        ctf = self.write("a |x 1\nb |x 2\n")
        before = self.names()
        result = self.run_sheaf("convert", ctf, str(self.folder / "out.toc"), *KEYS,
                                "--stream", "x:dense:1")  # fmt: skip
        self.assertEqual(1, result.returncode, result.stderr)
        self.assertIn("sequence a", result.stderr)
        self.assertIn("[lattice-tag]", result.stderr)
        self.assertEqual(before, self.names())
        error = self.refused("convert", ctf, str(self.folder / "out.toc"), *KEYS,
                            "--stream", "x:dense:2")  # fmt: skip
        self.assertIn("lattices are opaque bytes", error)
        error = self.refused("convert", self.table, "-", "--to", "lattice", *KEYS)
        self.assertIn("give the list a path", error)
        self.assertEqual(before, self.names())

    def test_wrong_lattices_are_left_out(self) -> None:
        blocks = [BLOCKS[0], b"LAT " + BLOCKS[1][4:40] + b"XXXX" + BLOCKS[1][44:], BLOCKS[2]]
        table = self.write_table("w", blocks)
        result = self.run_sheaf("convert", table, str(self.folder / "out.toc"), *KEYS,
                                "--max-errors", "1")  # fmt: skip
        self.assertIn("lattice-nodes", result.stderr)
        self.assertEqual({"w0": blocks[0], "w2": blocks[2]}, self.lattices("out.toc"))
        before = self.names()
        result = self.run_sheaf("convert", table, str(self.folder / "o2.toc"), *KEYS, "--in-option",
                                "lattice.as=f32", "--compatibility", "cntk")  # fmt: skip
        self.assertIn("sequence w1", result.stderr)
        self.assertIn("lattice-nodes", result.stderr)
        self.assertEqual(before, self.names())


if __name__ == "__main__":
    unittest.main()
