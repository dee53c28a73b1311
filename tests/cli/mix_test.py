"""`--mix`: sequences drawn from several files by weight."""

import json
import unittest

from command import CommandTest


def rows(count: int) -> str:
    return "".join(f"{key} |x {key}\n" for key in range(count))


class MixTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.a = self.write(rows(70), "a.ctf")
        self.b = self.write(rows(30), "b=1.ctf")

    def mix(self, *options: str) -> tuple[str, ...]:
        return ("--mix", f"{self.a}=0.7", "--mix", f"{self.b}=0.3", *options)

    def keys(self, *options: str) -> list[list[int]]:
        text = self.good("read", *options, "--format", "json", "--unit", "sequences",
                         "--minibatch-size", "10")  # fmt: skip
        lines = [json.loads(line) for line in text.splitlines()]
        return [line["keys"] for line in lines if "keys" in line]

    def test_every_minibatch_has_the_shares_of_the_weights(self) -> None:
        found = self.keys(*self.mix("--exhausted", "drop"))
        self.assertEqual([10] * 10, [len(each) for each in found])

    def test_a_spec_gives_the_same_mixture(self) -> None:
        spec = self.folder / "mix.json"
        members = [{"files": self.a, "weight": 7}, {"files": self.b, "weight": "3"}]
        schedule = [{"from": 20, "weights": [1, 1]}]
        spec.write_text(json.dumps({"data": {"mix": members, "exhausted": "repeat",
                                             "schedule": schedule}}))  # fmt: skip
        how = ("--order", "keyed", "--seed", "5")
        self.assertEqual(
            self.keys(*self.mix("--exhausted", "repeat", "--mix-schedule", "20=1:1"), *how),
            self.keys("--spec", str(spec), *how),
        )

    def test_order_reports_the_shares(self) -> None:
        text = self.good("order", *self.mix("--exhausted", "repeat"), "--json")
        mixture = json.loads(text)["mixture"]
        self.assertEqual([7, 3], [member["weight"] for member in mixture["members"]])
        self.assertLess(mixture["largest_deviation"], 2)
        table = self.good("order", *self.mix("--exhausted", "repeat"))
        self.assertIn("mixture, exhausted: repeat", table)
        self.assertIn("70 %", table)

    def test_wrong_usage_is_refused(self) -> None:
        for arguments, message in (
            (self.mix(), "--mix: say what happens when a member has no sequences left"),
            (("--mix", self.a, "--exhausted", "stop"), "--mix: expected PATH=WEIGHT, found"),
            (("--mix", "=1", "--exhausted", "stop"), "--mix: expected PATH=WEIGHT, found"),
            (("--mix", f"{self.a}=x", "--exhausted", "stop"), 'the weight "x" is no number'),
            ((self.a, "--exhausted", "stop"), "--exhausted belongs to a mixture"),
            (("--mix-schedule", "1=1"), "--mix-schedule belongs to a mixture"),
            ((self.a, *self.mix("--exhausted", "stop")), "both say what is read"),
            (self.mix("--exhausted", "stop", "--join", self.a), "exclude each other"),
            (self.mix("--exhausted", "stop", "--mix-schedule", "x=1:1"), "expected DRAW="),
            (self.mix("--exhausted", "stop", "--mix-schedule", "5"), "expected DRAW="),
            (self.mix("--exhausted", "stop", "--mix-schedule", "5=1"), "1 weights for 2 members"),
            (self.mix("--exhausted", "stop", "--order", "cntk"), 'a mixture has no order "cntk"'),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.refused("read", "--stream", "x:dense:1", *arguments))

    def test_a_member_that_ends_early_is_an_error_by_option(self) -> None:
        found = self.refused("read", "--stream", "x:dense:1", "--mix", f"{self.a}=1",
                             "--mix", f"{self.b}=1", "--exhausted", "error")  # fmt: skip
        self.assertIn("b=1.ctf has no sequences left after 61 draws", found)


if __name__ == "__main__":
    unittest.main()
