"""`sheaf head` and `sheaf index`."""

import json
import os
import unittest

from command import BAD_DATA, DIGITS, DIGITS_STREAMS, GOOD, CommandTest

STREAMS = ("--stream", "x:dense:2", "--stream", "y:sparse:9")
TEXT = "5 |x 1 2 |y 3:4 8:0.5\n5 |x 3 4 |y\n6 |x 5 6 |y 0:1\n7 |x 7 8 |y 1:1\n"


class HeadTest(CommandTest):
    def test_text_output(self) -> None:
        expected = (
            "5\n  x  1 2\n     3 4\n  y  3:4 8:0.5\n     (no values)\n6\n  x  5 6\n  y  0:1\n"
        )
        self.assertEqual(expected, self.good("head", self.write(TEXT), *STREAMS, "-n", "2"))

    def test_json_has_one_line_a_sequence(self) -> None:
        lines = self.good("head", self.write(TEXT), *STREAMS, "--json", "-n", "1").splitlines()
        expected = {
            "key": "5",
            "streams": {"x": [[1, 2], [3, 4]], "y": [[[3, 4], [8, 0.5]], []]},
        }
        self.assertEqual([expected], [json.loads(line) for line in lines])

    def test_sequences_limits_the_number_of_sequences(self) -> None:
        self.assertEqual(10, len(self.good("head", DIGITS, *DIGITS_STREAMS, "--json").splitlines()))
        self.assertEqual("", self.good("head", DIGITS, *DIGITS_STREAMS, "--sequences", "0"))
        whole = self.good("head", DIGITS, *DIGITS_STREAMS, "--json", "--sequences", "5000")
        self.assertEqual(1438, len(whole.splitlines()))

    def test_bad_sequences_end_the_output_or_are_left_out(self) -> None:
        path = self.write("0 |x 1 2\n1 |x z\n2 |x 3 4\n")
        strict = self.run_sheaf("head", path, *STREAMS[:2])
        self.assertEqual((BAD_DATA, "0\n  x  1 2\n"), (strict.returncode, strict.stdout))
        self.assertIn(f"{path}:2:6: error: ", strict.stderr)
        tolerant = self.run_sheaf("head", path, *STREAMS[:2], "--max-errors", "2")
        self.assertEqual(
            (GOOD, "0\n  x  1 2\n2\n  x  3 4\n"), (tolerant.returncode, tolerant.stdout)
        )
        self.assertIn("left out 1 sequence", tolerant.stderr)

    def test_names_with_colons_are_escaped(self) -> None:
        path = self.write("0 |a:b 1 |c\\d 2\n")
        lines = self.good(
            "head", path, "--stream", r"a\:b:dense:1", "--stream", r"z:dense:1:alias=c\\d", "--json"
        )
        self.assertEqual({"a:b": [[1]], "z": [[2]]}, json.loads(lines)["streams"])


class KeysTest(CommandTest):
    def test_sequences_come_in_the_order_of_the_keys_given(self) -> None:
        path = self.write(TEXT)
        found = self.good("head", path, *STREAMS, "--key", "7", "--key", "5", "--key", "007")
        seventh = "7\n  x  7 8\n  y  1:1\n"
        fifth = "5\n  x  1 2\n     3 4\n  y  3:4 8:0.5\n     (no values)\n"
        self.assertEqual(seventh + fifth + seventh, found)

    def test_each_key_gives_the_delivered_sequence(self) -> None:
        path = self.write(TEXT)
        lines = self.good("head", path, *STREAMS, "--json").splitlines()
        for line in lines:
            key = json.loads(line)["key"]
            again = self.good("head", path, *STREAMS, "--json", "--key", key)
            self.assertEqual([line], again.splitlines())

    def test_unknown_keys_are_errors(self) -> None:
        path = self.write(TEXT)
        result = self.run_sheaf("head", path, *STREAMS, "--json", "--key", "8", "--key", "6")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertEqual(["6"], [json.loads(line)["key"] for line in result.stdout.splitlines()])
        self.assertEqual(f'sheaf: error: {path}: no sequence has the key "8"\n', result.stderr)

    def test_keys_may_be_texts(self) -> None:
        path = self.write("utt/1 |x 1 2\nutt/2 |x 3 4\n")
        options = (path, "--stream", "x:dense:2", "--keys", "text")
        self.assertEqual("utt/2\n  x  3 4\n", self.good("head", *options, "--key", "utt/2"))
        result = self.run_sheaf("head", *options, "--key", "utt/3")
        self.assertEqual((BAD_DATA, ""), (result.returncode, result.stdout))
        self.assertIn('no sequence has the key "utt/3"', result.stderr)

    def test_text_keys_of_other_formats(self) -> None:
        archive = self.write("utt1 [ 1 2 ]\nutt2 [ 3 4 ]\n", "x.ark")
        self.assertEqual("utt2\n  x  3 4\n", self.good("head", archive, "--key", "utt2"))

    def test_keys_of_rows_without_ids(self) -> None:
        path = self.write("|x 1 2\n|x 3 4\n")
        self.assertEqual(
            "1\n  x  3 4\n", self.good("head", path, "--stream", "x:dense:2", "--key", "1")
        )

    def test_the_first_of_equal_keys_is_shown(self) -> None:
        path = self.write("1 |x 1 2\n2 |x 3 4\n1 |x 5 6\n")
        self.assertEqual("1\n  x  1 2\n", self.good("head", path, *STREAMS[:2], "--key", "1"))

    def test_a_bad_sequence_is_left_out_with_an_error(self) -> None:
        path = self.write("0 |x 1 2\n1 |x z\n2 |x 3 4\n")
        result = self.run_sheaf(
            "head", path, *STREAMS[:2], "--key", "1", "--key", "2", "--max-errors", "9"
        )
        self.assertEqual((BAD_DATA, "2\n  x  3 4\n"), (result.returncode, result.stdout))
        self.assertIn(f"{path}:2:6: error: ", result.stderr)
        self.assertIn('the sequence with the key "1" has wrong data and is left out', result.stderr)

    def test_wrong_keys_are_refused(self) -> None:
        for arguments, message in (
            (["--key", "x"], "--key takes a whole number from 0 to 18446744073709551615, or"),
            (["--key", "-1"], 'with --keys text any text: got "-1"'),
            (["--key", "1.5"], 'got "1.5"'),
            (["--key", "18446744073709551616"], 'got "18446744073709551616"'),
            (["--key", ""], 'got ""'),
            (["--key"], "--key needs a value: KEY"),
            (["--key", "1", "-n", "2"], "--key and --sequences both say which sequences"),
            (["--key", "1", "2"], "2: the name does not tell the format"),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.refused("head", DIGITS, *DIGITS_STREAMS, *arguments))

    def test_head_uses_the_index_file_of_index(self) -> None:
        text = "".join(f"{i} |x {i} 0 |y {i % 9}:1\n" for i in range(5000))
        path = self.write(text)
        self.good("index", path)
        key = ("--key", "4321", "--index", "require")
        self.assertEqual("4321\n  x  4321 0\n  y  1:1\n", self.good("head", path, *key))
        self.refused("head", path, *key, "--chunk-bytes", "1000")  # belongs to other chunks

    def test_the_first_sequences_come_through_the_same_index_file(self) -> None:
        # The text is longer than the chunks of head, so an index file for them would differ.
        text = "".join(f"{i} |x {i} {'0.5' + '0' * 200}\n" for i in range(6000))
        path = self.write(text)
        self.good("index", path)
        first = "0\n  x  0 0.5\n"
        for mode in ("require", "auto", "rebuild"):
            with self.subTest(mode):
                self.assertEqual(first, self.good("head", path, "-n", "1", "--index", mode))
        os.remove(f"{path}.sheaf-index")
        self.refused("head", path, "--index", "require")
        self.good("head", path, "-n", "1", "--index", "rebuild")
        self.good("read", path, "--format", "none", "--index", "require")
        self.good("head", path, "--index", "off", "-n", "1")


class IndexTest(CommandTest):
    def test_index_counts_chunks_sequences_and_samples(self) -> None:
        path = self.write(TEXT)
        report = self.good_json("index", path, *STREAMS, "--json")
        self.assertEqual(
            (3, 4, len(TEXT)), tuple(report[k] for k in ("sequences", "samples", "data_bytes"))
        )
        self.assertEqual(path, report["path"])
        many = self.good_json("index", path, *STREAMS, "--json", "--chunk-bytes", "1")
        self.assertEqual((3, 3), (many["chunks"], many["sequences"]))
        line = self.good("index", path, *STREAMS)
        self.assertIn(f"{path}: chunks 1, sequences 3, samples 4, {len(TEXT)} bytes; ", line)

    def test_bad_values_are_indexed(self) -> None:
        report = self.good_json("index", self.write("0 |x z\n1 |x 1 2\n"), *STREAMS, "--json")
        self.assertEqual(2, report["sequences"])

    def test_text_that_cannot_be_indexed_is_an_error(self) -> None:
        result = self.run_sheaf("index", self.write("nonsense\n"), *STREAMS)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("[ctf-no-id]", result.stderr)


if __name__ == "__main__":
    unittest.main()
