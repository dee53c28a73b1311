"""`sheaf formats`: the formats that the library reads and writes."""

import unittest
from pathlib import Path

from command import CommandTest

PAGES = Path(__file__).parents[2] / "docs" / "formats"


class FormatsTest(CommandTest):
    def test_each_format_and_option_is_documented(self) -> None:
        formats = self.good_json("formats", "--json")
        self.assertGreaterEqual(len(formats), 3)
        for row in formats:
            page = (PAGES / f"{row['name']}.md").read_text(encoding="utf-8")
            for option in row["read_options"] + row["write_options"]:
                self.assertIn(option["name"], page)
                for value in option["values"]:
                    self.assertIn(value, page, option["name"])

    def test_the_text_lists_every_format_and_option_of_the_json(self) -> None:
        text = self.good("formats")
        for row in self.good_json("formats", "--json"):
            known_by = "FOLDER" if row["opens_folders"] else f".{row['extensions'][0]}"
            self.assertIn(f"{row['name']} {known_by}", text)
            self.assertIn(row["description"], text)
            for option in row["read_options"] + row["write_options"]:
                self.assertIn(f"  {option['name']}={'|'.join(option['values'])}  ", text)

    def test_each_extension_opens_its_format(self) -> None:
        for row in self.good_json("formats", "--json"):
            for extension in row["extensions"]:
                path = self.write("", f"empty.{extension}")
                done = self.run_sheaf("head", path)
                self.assertNotIn("does not tell the format", done.stderr)


if __name__ == "__main__":
    unittest.main()
