"""`sheaf config` of configurations that are made to take long: each ends soon with a reason."""

import resource
import subprocess
import unittest

from command import BAD_DATA, GOOD, SHEAF, CommandTest

SIZE = 50_000  # bytes of each configuration
SECONDS_MAX = 3.0  # processor time; sanitizers are slow, and a release takes 0.1 s


def lines(line: str, size: int = SIZE) -> str:
    """Repeats lines, with their number instead of "#", up to about `size` bytes."""
    text: list[str] = []
    room = size
    while room > 0:
        text.append(line.replace("#", str(len(text))) + "\n")
        room -= len(text[-1])
    return "".join(text)


def doubling(depth: int) -> str:
    """Defines a name d{depth} that stands for 10 * 2^depth bytes."""
    text = "d0=xxxxxxxxxx\n"
    for i in range(1, depth + 1):
        text += f"d{i}=$d{i - 1}$$d{i - 1}$\n"
    return text


def nested(depth: int, key: str, content: str) -> str:
    return f"{key}=[" * depth + content + "]" * depth


CONFIGURATIONS = {
    "a text that is too large, asked for in each line": doubling(20) + lines("u#=$d20$"),
    "a large text that has an unknown name, in each line": "t="
    + "x" * (SIZE // 2)
    + "$none$\n"
    + lines("u#=$t$"),
    "unknown names": lines("u#=$v#$"),
    "unknown names of 90 letters": lines("u#" + "x" * 90 + "=$v#" + "x" * 90 + "$"),
    "names in a ring": lines("u#=$v#$\nv#=$u#$"),
    "names that lead to names": lines("u#=$u{}$").replace("{}", "#")
    + "".join(f"n{i}=$n{i + 1}$\n" for i in range(5000)),
    "sections in each other": nested(199, "s", lines("k#=1")),
    "long keys in each other": nested(199, "s" * 500, lines("k#=1", SIZE // 2)),
    "sections beside each other": lines("s#=[a=[b=[c=1]]]"),
    "sections under a name, in each line": "s=["
    + lines("k#=1", SIZE // 2)
    + "]\n"
    + lines("t#=$s$"),
    "sections that are merged": lines("s=[k#=1]"),
    "sections that are merged deep inside": lines("s=[s=[s=[k#=1]]]"),
    "brackets that are not closed": "a=" + "[" * SIZE,
    "brackets that close nothing": "a=" + "]" * SIZE,
    "quotes": 'a="' * (SIZE // 3),
    "a line": "a=" + "x" * SIZE,
    "blanks": "a=" + " " * SIZE + "1",
    "blanks of Unicode": "a=" + "\u00a0" * (SIZE // 2) + "1",
    "elements": "a=(" + "1:" * (SIZE // 2) + "1)",
    "repeated elements": lines("a#=(1*1000000)"),
    "elements under a name": "a=(" + "1:" * 5000 + "1)\n" + lines("b#=($a$:$a$)"),
    "names in one text": "x=1\na=" + "$x$" * (SIZE // 3),
    "dollars": "a=" + "$" * SIZE,
    "readers": lines("r#=[readerType=CNTKTextFormatReader;file=f#;unknown=1]"),
    "includes of one file": lines("include=none"),
}


class HostileConfigTest(CommandTest):
    def run_for(self, *arguments: str) -> tuple[int, float, int]:
        """Returns the exit code, the processor seconds, and the bytes of messages."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run(
            [SHEAF, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return result.returncode, after.ru_utime - before.ru_utime, len(result.stderr)

    def test_hostile_configurations_are_read_quickly(self) -> None:
        for name, text in CONFIGURATIONS.items():
            path = self.write(text, "hostile.cntk")
            for options in ((), ("--describe",)):
                with self.subTest(name, options=options):
                    code, seconds, size = self.run_for("config", path, *options)
                    self.assertIn(code, (GOOD, BAD_DATA))
                    self.assertLess(seconds, SECONDS_MAX)
                    self.assertLess(size, 4 << 20)


if __name__ == "__main__":
    unittest.main()
