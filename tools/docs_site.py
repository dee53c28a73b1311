"""Adds pages to the documentation site: the Python reference and the changelog.

mkdocs.yml names this hook of mkdocs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import api_reference  # noqa: E402


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    made = dict(api_reference.pages(ROOT / "python" / "sheaf"))
    for name, text in made.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=changes))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace links into the sources by plain text, since the site does not contain the sources."""
    folder = Path(page.file.src_uri).parent

    def resolved(match: re.Match[str]) -> str:
        label, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        inside = (ROOT / "docs" / folder / path).resolve()
        if inside.is_relative_to(ROOT / "docs"):
            return match[0]
        if inside == ROOT / "CHANGELOG.md":
            up = "../" * len(folder.parts)
            return f"[{label}]({up}changelog.md{'#' + anchor if anchor else ''})"
        return f"`{label}`" if "/" in label and "`" not in label else label

    # A label may go on in the next line, but not in the next paragraph.
    return re.sub(r"\[((?:[^\[\]\n]|\n(?!\s*\n))+)\]\(([^)\s]+)\)", resolved, markdown)
