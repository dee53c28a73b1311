"""Generates the pages about the Python package: signatures and docstrings.

Reads the stub and the sources without importing them, so the package need not be built.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Groups the names of sheaf.__all__ by purpose. Names without a group come last.
GROUPS = {
    "Minibatches": ["Reader", "Minibatch", "DenseBatch", "SparseBatch", "Stream"],
    "Look into files": [
        "open",
        "Data",
        "ChunkInfo",
        "infer",
        "FoundStreams",
        "check",
        "CheckReport",
        "stat",
        "order",
        "index",
        "IndexReport",
        "kaldi_dir",
        "KaldiDir",
    ],
    "Convert and write": ["convert", "Conversion", "Writer"],
    "Data frames": ["to_arrow", "ArrowStream", "from_arrow"],
    "Errors": ["Error", "ConfigError", "IoError", "DataError", "InternalError", "Diagnostic"],
    "Data of your own": ["Deserializer", "Chunk", "Bad"],
}
MODULES = {
    "torch": "Tensors for a training loop: `import sheaf.torch`.",
    "ray": "Data read, written, converted and checked by tasks of Ray: `import sheaf.ray`.",
    "cntk": "In place of `cntk.io`: `import sheaf.cntk as C_io`.",
}
WIDTH = 88  # maximum width of a signature on one line


@dataclass
class Definition:
    """A class or a function, and its source lines."""

    node: ast.ClassDef | ast.FunctionDef
    source: list[str]


@dataclass
class Package:
    """The definitions of a package by name, or the definitions of one of its modules."""

    definitions: dict[str, Definition]
    exported: list[str]


def load(folder: Path) -> Package:
    """Read a folder of sources or a single source: its exports and all its definitions."""
    init = folder / "__init__.py"
    main, folder = (init, folder) if init.exists() else (folder.with_suffix(".py"), folder.parent)
    found, exported = _definitions(main), []
    for node in ast.parse(main.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            stub = folder / f"{node.module.replace('.', '/')}.pyi"
            source = stub if stub.exists() else stub.with_suffix(".py")
            every = _definitions(source)
            names = [each.name for each in node.names]
            found.update({name: every[name] for name in names if name in every})
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            exported = ast.literal_eval(node.value)
    return Package(found, exported)


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page for the sources of the package."""
    package = load(folder)
    parts = ["# sheaf", "What `import sheaf` has. Shapes are those of arrays, sizes are in bytes."]
    grouped = {name for names in GROUPS.values() for name in names}
    others = [name for name in package.exported if name not in grouped and name[0] != "_"]
    for title, names in {**GROUPS, "More": others}.items():
        if not names:
            continue
        parts.append(f"## {title}")
        parts += [_described(name, package.definitions[name], "###") for name in names]
    yield "sheaf", "\n\n".join(parts) + "\n"
    for module, text in MODULES.items():
        inner = load(folder / module)
        parts = [f"# sheaf.{module}", text]
        for name in inner.exported:
            if name in inner.definitions:
                parts.append(_described(name, inner.definitions[name], "##"))
        yield f"sheaf.{module}", "\n\n".join(parts) + "\n"


def _definitions(path: Path) -> dict[str, Definition]:
    text = path.read_text("utf-8")
    nodes = [n for n in ast.parse(text).body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    return {node.name: Definition(node, text.splitlines()) for node in nodes}


def _described(name: str, definition: Definition, level: str) -> str:
    node = definition.node
    if isinstance(node, ast.FunctionDef):
        return "\n\n".join(_function(name, node, level))
    members = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    init = members.get("__init__")
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    head = f"class {name}({bases})" if bases else f"class {name}"
    parts = [f"{level} {name}", _code(head if init is None else _signature(name, init))]
    parts += _text(ast.get_docstring(node))
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    if fields:  # include the comments beside the fields
        parts.append(_code("\n".join(definition.source[f.lineno - 1].strip() for f in fields)))
    for member, each in members.items():
        is_shown = not member.startswith("_") or (
            member in ("__iter__", "__len__", "__contains__") and ast.get_docstring(each)
        )
        if is_shown and not _is_setter(each):
            parts += _function(f"{name}.{member}", each, level + "#")
    return "\n\n".join(parts)


def _function(name: str, node: ast.FunctionDef, level: str) -> list[str]:
    if any(ast.unparse(each) == "property" for each in node.decorator_list):
        kind = f": {ast.unparse(node.returns)}" if node.returns else ""
        return [f"{level} {_escaped(name)}", _code(name + kind), *_text(ast.get_docstring(node))]
    signature = _signature(name, node)
    return [f"{level} {_escaped(name)}", _code(signature), *_text(ast.get_docstring(node))]


def _signature(name: str, node: ast.FunctionDef) -> str:
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^self(, |$)", "", re.sub(r"^self, /(, |$)", "", arguments))
    is_init = node.name == "__init__"
    result = "" if is_init or node.returns is None else f" -> {ast.unparse(node.returns)}"
    every = _split(arguments) if arguments else []
    line = f"{name}({', '.join(every)}){result}"
    if len(line) <= WIDTH:
        return line
    lines = "".join(f"    {argument},\n" for argument in every)
    return f"{name}(\n{lines}){result}"


def _split(arguments: str) -> list[str]:
    """Split at commas outside brackets and quotes, and put spaces around ``=`` of defaults."""
    parts, depth, quote = [""], 0, ""
    for char in arguments:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0 and not quote:
            parts.append("")
        elif char == "=" and depth == 0 and not quote and ":" in parts[-1]:
            parts[-1] += " = "
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def _text(docstring: str | None) -> list[str]:
    """Return paragraphs. Paragraphs with columns or indentation keep their layout."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", docstring or ""):
        lines = paragraph.strip("\n").split("\n")
        is_laid_out = any(line.startswith(" ") or re.search(r"\S {2,}\S", line) for line in lines)
        if is_laid_out:
            parts.append(_code(textwrap.dedent("\n".join(lines)).replace("``", ""), "text"))
        else:
            parts.append(_escaped(" ".join(lines)))
    return [part for part in parts if part]


def _escaped(text: str) -> str:
    """Escape a text for Markdown. Only text between double backticks becomes code."""
    parts = re.split(r"``(.+?)``", text)
    plain = [re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", part) for part in parts]
    return "".join(f"`{parts[i]}`" if i % 2 else plain[i] for i in range(len(parts)))


def _code(text: str, language: str = "python") -> str:
    return f"```{language}\n{text}\n```"


def _is_setter(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(each).endswith(".setter") for each in node.decorator_list)
