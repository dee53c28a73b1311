"""The HTK parameter files that the command writes: a list and the files named in the list."""

import unittest

from command import CommandTest

CTF = "a |x 1 2\na |x 3 4\nb/c |x 5 6\nd.e |x 7.5 -8\n"
READ = ("--stream", "x:dense:2", "--keys", "text")
FILES = ("--out-option", "htk.layout=files")


class HtkConvertTest(CommandTest):
    def convert(self, out: str, *more: str) -> None:
        self.good("convert", self.write(CTF), str(self.folder / out), *READ, *more)

    def refused_to(self, out: str, *more: str, text: str = CTF) -> str:
        """Returns the error of a refused conversion without the folder. No file is left behind."""
        data = self.write(text)
        before = self.names()
        error = self.refused("convert", data, str(self.folder / out), *READ, *more)
        self.assertEqual(before, self.names())
        return error.replace(f"{self.folder}/", "").removeprefix("sheaf: error: ")

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}

    def test_output_is_read_and_written_again(self) -> None:
        for name, more, files in (
            ("feats.scp", (), {"feats.htk"}),
            ("files.scp", FILES, {"a.htk", "b%2Fc.htk", "d.e.htk"}),
        ):
            with self.subTest(name):
                before = self.names() | {"data.ctf", name}
                self.convert(name, *more)
                self.assertEqual(before | files, self.names())
                stem = name.removesuffix(".scp")
                back = self.folder / f"{stem}.ctf"
                self.good("convert", str(self.folder / name), str(back))
                self.assertEqual(CTF.replace("|x", f"|{stem}"), back.read_text())
                other = self.folder / f"of-{stem}"
                other.mkdir()
                self.good("convert", str(self.folder / name), str(other / name), *more)
                self.assertEqual({name, *files}, {path.name for path in other.iterdir()})
                for each in (name, *files):
                    self.assertEqual((self.folder / each).read_bytes(), (other / each).read_bytes())

    def test_a_list_and_its_files_can_be_moved_together(self) -> None:
        self.convert("feats.scp")
        moved = self.folder / "moved"
        moved.mkdir()
        for name in ("feats.scp", "feats.htk"):
            (self.folder / name).rename(moved / name)
        (self.folder / "feats.htk").write_bytes(b"another file of this name")
        result = self.run_sheaf("check", "moved/feats.scp", folder=self.folder)
        self.assertEqual(0, result.returncode, result.stderr)

    def test_the_bytes_do_not_depend_on_the_threads(self) -> None:
        text = "".join(f"u{i} |x {i} {j}\n" for i in range(3000) for j in range(1 + i % 4))
        data = self.write(text)
        wanted = None
        for threads in ("1", "4"):
            out = self.folder / "feats.scp"
            self.good("convert", data, str(out), *READ, "--threads", threads, "--overwrite",
                      "--chunk-bytes", "10000")  # fmt: skip
            got = out.read_bytes(), (self.folder / "feats.htk").read_bytes()
            wanted = wanted or got
            self.assertEqual(wanted, got)

    def test_more_files_than_a_process_may_open_are_written(self) -> None:
        data = self.write("".join(f"u{i} |x {i} 1\n" for i in range(1500)))
        out = self.folder / "files.scp"
        self.good("convert", data, str(out), *READ, *FILES)
        self.assertEqual(1500, len(list(self.folder.glob("u*.htk"))))
        self.assertIn("sequences 1500,", self.good("check", str(out)))

    def test_existing_files_are_replaced_only_by_option(self) -> None:
        for out, other, more in (("feats.scp", "feats.htk", ()), ("files.scp", "a.htk", FILES)):
            for taken in (out, other):
                with self.subTest(out=out, taken=taken):
                    path = self.write("kept", taken)
                    error = self.refused_to(out, *more)
                    self.assertIn(f"{taken}: exists already", error)
                    self.assertEqual("kept", (self.folder / taken).read_text())
                    self.convert(out, *more, "--overwrite")
                    self.assertNotEqual(b"kept", (self.folder / taken).read_bytes())
                    for name in self.names():
                        (self.folder / name).unlink()
                    self.assertFalse((self.folder / path).exists())

    def test_input_files_are_never_overwritten(self) -> None:
        self.convert("feats.scp")
        (self.folder / "link.htk").symlink_to("feats.htk")
        folder = self.folder / "other"
        folder.mkdir()
        for named, more in (
            (".../feats.htk", ()),
            (".../link.htk", ()),
            (f"{folder}/../feats.htk", ()),
            (".../feats.htk", ("--shards", "1")),
        ):
            with self.subTest(named):
                lines = f"x.htk=.../data.htk[0,0]\nb.htk={named}[1,1]\na.htk=.../data.htk[1,2]\n"
                subset = self.write(lines, "subset.scp")
                self.write((self.folder / "feats.htk").read_bytes(), "data.htk")
                shard = "feats-00000-of-00001.htk"
                if more:
                    (self.folder / "feats.htk").replace(self.folder / shard)
                    (self.folder / "feats.htk").symlink_to(shard)
                before = {path: path.read_bytes() for path in self.folder.glob("*.*")}
                out = str(self.folder / "feats.scp")
                error = self.refused("convert", subset, out, *READ, "--overwrite", *more)
                replaced = shard if more else "feats.htk"
                expected = f"{replaced}: is a file that is read; write another one\n"
                self.assertTrue(error.endswith(expected), error)
                after = {path: path.read_bytes() for path in self.folder.glob("*.*")}
                self.assertEqual(before, after)

    def test_files_of_utterances_of_the_input_are_never_overwritten(self) -> None:
        self.convert("files.scp", *FILES)
        before = {path: path.read_bytes() for path in self.folder.glob("*.*")}
        out = str(self.folder / "out.scp")
        error = self.refused(
            "convert", str(self.folder / "files.scp"), out, *READ, *FILES, "--overwrite"
        )
        self.assertTrue(error.endswith("a.htk: is a file that is read; write another one\n"), error)
        self.assertEqual(before, {path: path.read_bytes() for path in self.folder.glob("*.*")})

    def test_wrong_options_are_refused_before_any_file_is_written(self) -> None:
        self.assertIn("htk holds one stream, not 2; choose one",
                      self.refused_to("o.scp", "--stream", "y:dense:1",
                                      text="a |x 1 2 |y 1\n"))  # fmt: skip
        self.assertEqual("o.htk: two files of the output have this name\n",
                         self.refused_to("o.htk", "--to", "htk"))  # fmt: skip
        (self.folder / "d[1").mkdir()
        for out in ("o[1.scp", "d[1/o.scp"):
            self.assertIn("leave out [", self.refused_to(out))
        self.assertIn("htk.period: 0 cannot be written",
                      self.refused_to("o.scp", "--out-option", "htk.period=0"))  # fmt: skip
        self.assertIn("htk.kind: expected a kind",
                      self.refused_to("o.scp", "--out-option", "htk.kind=MFCC_C"))  # fmt: skip
        data = self.write(CTF)
        for more in ((), ("--overwrite",)):
            self.assertEqual(
                "sheaf: error: OUT is standard output, and htk is a list and the files that it "
                "names: give the list a path\n",
                self.refused("convert", data, "-", "--to", "htk", *READ, *more),
            )

    def test_unwritable_data_leave_no_file(self) -> None:
        for layout in ((), FILES):
            data = self.write(CTF + "e=f |x 1 2\n")
            result = self.run_sheaf("convert", data, str(self.folder / "o.scp"), *READ, *layout)
            self.assertEqual(1, result.returncode, result.stderr)
            self.assertIn("htk-key", result.stderr)
            self.assertEqual({"data.ctf"}, self.names())

    def test_each_shard_and_part_has_its_own_files(self) -> None:
        self.convert("feats.scp", "--shards", "2")
        self.assertEqual(
            {"data.ctf"}
            | {f"feats-0000{i}-of-00002.{end}" for i in range(2) for end in ("scp", "htk")},
            self.names(),
        )


if __name__ == "__main__":
    unittest.main()
