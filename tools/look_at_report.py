#!/usr/bin/env python3
"""Opens pages of `sheaf report` in Chromium and takes pictures of them.

    tools/look_at_report.py report.html... -o FOLDER

Shows each page light, dark, on a phone, with all tables open, and in print. Fails if the browser
reports an error, or if a page requests anything but itself, opens a dialog, or scrolls sideways.
Chromium comes from the Debian package `chromium`. `pdftoppm` (package poppler-utils) makes the
pictures of the print.
"""

import argparse
import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Message = dict[str, Any]

PHONE_WIDTH = 390
OPEN_TABLES = "document.querySelectorAll('details').forEach(each => { each.open = true })"
HEIGHT_MAX = 16000  # the maximum height of a picture in Chromium


@dataclass(frozen=True)
class View:
    """How to show a page."""

    name: str
    width: int
    scheme: str
    is_phone: bool = False
    is_open: bool = False  # opens all tables behind charts


VIEWS = (
    View("light", 1280, "light"),
    View("dark", 1280, "dark"),
    View("phone", PHONE_WIDTH, "light", is_phone=True),
    View("phone-dark", PHONE_WIDTH, "dark", is_phone=True),
    View("phone-open", PHONE_WIDTH, "light", is_phone=True, is_open=True),
)


@dataclass
class Browser:
    """Chromium, controlled through two pipes. Messages are JSON; a zero byte ends each one."""

    to: int
    back: int
    events: list[Message] = field(default_factory=list)
    session: str | None = None
    last: int = 0
    rest: bytes = b""

    def call(self, method: str, timeout: float = 60, **params: Any) -> Message:
        """Sends a request to the browser and waits for the answer."""
        self.last += 1
        message: Message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            answer = self.read(end)
            if answer is None:
                raise TimeoutError(f"{method}: no answer within {timeout} s")
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                result: Message = answer["result"]
                return result
            self.events.append(answer)

    def listen(self, seconds: float) -> None:
        """Collects events for some time."""
        end = time.monotonic() + seconds
        while (event := self.read(end)) is not None:
            self.events.append(event)

    def read(self, end: float) -> Message | None:
        """Returns the next message, or None if none arrives before time `end`."""
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                return None
            part = os.read(self.back, 1 << 16)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        message: Message = json.loads(text)
        return message


@contextlib.contextmanager
def started(program: str) -> Iterator[Browser]:
    """Starts a separate browser with an empty profile, and ends the browser."""
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()

    def connect() -> None:
        # The browser reads file 3 and writes file 4. Duplicate both first, since either may have
        # the number of the other.
        reader, writer = os.dup(to_read), os.dup(back_write)
        os.dup2(reader, 3)
        os.dup2(writer, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [program, "--headless=new", "--remote-debugging-pipe", "--no-first-run"]
        command += [f"--user-data-dir={profile}", "--hide-scrollbars", "--disable-gpu"]
        command += ["--disable-background-networking", "--disable-component-update"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        process = subprocess.Popen(
            command,
            preexec_fn=connect,
            pass_fds=(3, 4, to_read, back_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(back_write)
        try:
            yield Browser(to_write, back_read)
        finally:
            process.terminate()
            process.wait(20)
            os.close(to_write)
            os.close(back_read)


def complaints(events: list[Message], url: str) -> list[str]:
    """Returns what a page did wrong: errors, dialogs, and requests for anything but itself."""
    found = []
    for event in events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Log.entryAdded":
            found.append(f"the browser says: {params['entry']['text']}")
        elif method == "Runtime.consoleAPICalled":
            found.append(f"the console has a message of type {params['type']}")
        elif method == "Runtime.exceptionThrown":
            found.append(f"a script failed: {params['exceptionDetails']['text']}")
        elif method == "Page.javascriptDialogOpening":
            found.append(f"a dialog opened: {params['message']}")
        elif method == "Network.requestWillBeSent":
            asked = params["request"]["url"]
            if asked != url and not asked.startswith("data:"):
                found.append(f"the page asks for {asked}")
        elif method == "Page.frameRequestedNavigation":
            found.append(f"the page leads to {params['url']}")
    return found


def show(browser: Browser, url: str, view: View, picture: Path) -> list[str]:
    """Opens a page in one view and writes a picture of the whole page."""
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=view.width,
        height=844 if view.is_phone else 900,
        deviceScaleFactor=1,
        mobile=view.is_phone,
    )
    scheme = {"name": "prefers-color-scheme", "value": view.scheme}
    browser.call("Emulation.setEmulatedMedia", media="screen", features=[scheme])
    browser.events.clear()
    browser.call("Page.navigate", url=url)
    browser.listen(0.7)
    found = complaints(browser.events, url)
    if view.is_open:
        browser.call("Runtime.evaluate", expression=OPEN_TABLES)
    size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
    if size["width"] > view.width:
        found.append(f"the page is {size['width']} pixels wide and scrolls sideways")
    height = min(size["height"], HEIGHT_MAX)
    clip = {"x": 0, "y": 0, "width": view.width, "height": height, "scale": 1}
    shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    picture.write_bytes(base64.b64decode(shot["data"]))
    return found


def print_page(browser: Browser, url: str, file: Path) -> None:
    """Writes the page as a PDF, and a picture of each sheet."""
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    browser.call("Page.navigate", url=url)
    browser.listen(0.5)
    pdf = browser.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)
    file.write_bytes(base64.b64decode(pdf["data"]))
    if program := shutil.which("pdftoppm"):
        command = [program, "-r", "60", "-png", str(file), str(file.with_suffix(""))]
        subprocess.run(command, check=True, timeout=60)


def look_at(browser: Browser, page: Path, folder: Path) -> list[str]:
    """Shows all views of a page. Returns the complaints."""
    url = page.resolve().as_uri()
    found = []
    for view in VIEWS:
        picture = folder / f"{page.stem}-{view.name}.png"
        found += [f"{page.name}, {view.name}: {each}" for each in show(browser, url, view, picture)]
    print_page(browser, url, folder / f"{page.stem}-print.pdf")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE", help="page to look at")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for pictures")
    parser.add_argument("--browser", default="chromium", help="program (default: chromium)")
    options = parser.parse_args()
    program = shutil.which(options.browser)
    if program is None:
        parser.error(f"there is no program {options.browser}: apt-get install chromium")
    options.output.mkdir(parents=True, exist_ok=True)
    found = []
    with started(program) as browser:
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        browser.session = attached["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            browser.call(f"{domain}.enable")
        for page in options.pages:
            found += look_at(browser, page, options.output)
    for each in found:
        print(each)
    print(f"{len(options.pages)} pages, {len(found)} complaints; pictures in {options.output}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
