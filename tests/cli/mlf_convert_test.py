"""The master label files that the command writes."""

import unittest

from command import REPOSITORY, CommandTest

CTF = "a |l 0\na |l 0\na |l 3\nb/c |l 1\nd.e |l 7\nd.e |l 3\n"
ONE_HOT = "a |l 0:1\na |l 0:1\na |l 3:1\nb/c |l 1:1\nd.e |l 7:1\nd.e |l 3:1\n"
MLF = """#!MLF!#
"a.lab"
0 200000 0 0
200000 300000 3 3
.
"b/c.lab"
0 100000 1 1
.
"d.e.lab"
0 100000 7 7
100000 200000 3 3
.
"""
IDS = ("--stream", "l:dense:1:dtype=int32", "--keys", "text")
AN4 = REPOSITORY.parent / "shared" / "conformance" / "speech" / "data" / "an4"


class MlfConvertTest(CommandTest):
    def out(self, name: str = "out.mlf") -> str:
        return str(self.folder / name)

    def test_ids_and_one_hot_samples_are_written_as_ranges(self) -> None:
        self.good("convert", self.write(CTF), self.out(), *IDS)
        self.assertEqual(MLF, (self.folder / "out.mlf").read_text())
        one_hot = self.write(ONE_HOT, "one.ctf")
        self.good("convert", one_hot, self.out("one.mlf"), "--stream", "l:sparse:8",
                  "--keys", "text")  # fmt: skip
        self.assertEqual(MLF, (self.folder / "one.mlf").read_text())
        self.good("convert", self.out(), self.out("l.ctf"), "--in-option", "mlf.as=ids")
        self.assertEqual(CTF.replace("|l", "|out"), (self.folder / "l.ctf").read_text())
        self.good("convert", self.out(), self.out("again.mlf"))
        self.assertEqual(MLF, (self.folder / "again.mlf").read_text())

    def test_states_have_names(self) -> None:
        states = self.write("sil[2]\nah\nb\nc\n\nd\ne\nf\ng\n", "states")
        self.good("convert", self.write(CTF), self.out(), *IDS, "--out-option",
                  f"mlf.states={states}")  # fmt: skip
        text = (self.folder / "out.mlf").read_text()
        self.assertIn("0 200000 sil[2]\n200000 300000 c\n", text)
        self.good("convert", self.out(), self.out("l.ctf"), "--in-option", "mlf.as=ids",
                  "--in-option", f"mlf.states={states}")  # fmt: skip
        self.assertEqual(CTF.replace("|l", "|out"), (self.folder / "l.ctf").read_text())

    def test_the_bytes_do_not_depend_on_the_threads(self) -> None:
        rows = [f"u{i} |l {i % 7}\n" * (1 + i % 4) for i in range(3000)]
        data = self.write("".join(rows))
        found = set()
        for threads in ("1", "4"):
            self.good("convert", data, self.out(), *IDS, "--threads", threads, "--overwrite",
                      "--chunk-bytes", "10000")  # fmt: skip
            found.add((self.folder / "out.mlf").read_bytes())
        self.assertEqual(1, len(found))

    def test_data_other_than_labels_leave_no_file(self) -> None:
        for text, code in (
            ("a |l 1\na |l 65536\n", "[mlf-id]"),
            ("a |l 1\na |l -1\n", "[mlf-id]"),
            ("a*b |l 1\n", "[mlf-name]"),
        ):
            data = self.write(text)
            result = self.run_sheaf("convert", data, self.out(), *IDS)
            self.assertEqual(1, result.returncode, result.stderr)
            self.assertIn(code, result.stderr)
            self.assertEqual({"data.ctf"}, {path.name for path in self.folder.iterdir()})
        error = self.refused("convert", self.write("a |l 1 2\n"), self.out(), "--stream",
                            "l:dense:2", "--keys", "text")  # fmt: skip
        self.assertIn("labels are one-hot sparse samples, or dense ids of shape [1]", error)
        error = self.refused("convert", self.write(CTF), self.out(), *IDS, "--out-option",
                            "mlf.frame_period=0")  # fmt: skip
        self.assertIn("mlf.frame_period", error)

    @unittest.skipUnless(AN4.is_dir(), "needs the shared data")
    def test_labels_of_an4_survive_a_conversion(self) -> None:
        (mlf,) = AN4.rglob("glob_0000.mlf")
        (states,) = AN4.rglob("state.list")
        option = f"mlf.states={states}"
        self.good("convert", str(mlf), self.out(), "--in-option", option, "--out-option", option)
        read = []
        for path, stream in ((str(mlf), "glob_0000"), (self.out(), "out")):
            said = ("--in-option", option, "--streams", f"{stream}=l")
            read.append(self.good("convert", path, "-", "--to", "ctf", *said))
        self.assertEqual(*read)
        self.assertGreater(len(read[0]), 1_000_000)


if __name__ == "__main__":
    unittest.main()
