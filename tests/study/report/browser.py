"""Headless Chromium through the pipe of its debugging protocol: nothing to install beside it."""

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import time

SECONDS = 60
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip


def program():
    """The path of Chromium; None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """One page of one Chromium."""

    def __init__(self, folder):
        ours, theirs = [0, 0], [0, 0]
        theirs[0], ours[1] = os.pipe()
        ours[0], theirs[1] = os.pipe()
        self._in, self._out = ours
        # a shell puts the pipes where the protocol wants them: it reads from 3 and writes to 4
        arranged = f'exec "$0" "$@" 3<&{theirs[0]} 4>&{theirs[1]}'
        self._process = subprocess.Popen(
            ["bash", "-c", arranged, program(), *QUIET, f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=theirs,
            start_new_session=True,
        )  # fmt: skip
        for one in theirs:
            os.close(one)
        self._numbers = itertools.count(1)
        self._read = b""
        self.events = []
        self._session = None
        pages = self.ask("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in pages if one["type"] == "page")
        found = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **params):
        """The answer to a command of the protocol."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == number:
                assert "error" not in found, found["error"]
                return found["result"]
            self.events.append(found)

    def _next(self):
        until = time.monotonic() + SECONDS
        while b"\0" not in self._read:
            left = until - time.monotonic()
            ready, _, _ = select.select([self._in], [], [], max(left, 0))
            part = os.read(self._in, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("Chromium does not answer")
            self._read += part
        message, _, self._read = self._read.partition(b"\0")
        return json.loads(message)

    def open(self, address):
        """Load a page, and return what it has complained of."""
        self.events.clear()
        self.ask("Page.navigate", url=address)
        while not any(one.get("method") == "Page.loadEventFired" for one in self.events):
            self.events.append(self._next())
        return [one["params"] for one in self.events if self._bad(one)]

    @staticmethod
    def _bad(event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Log.entryAdded":
            return params["entry"]["level"] in {"warning", "error"}
        if method == "Runtime.consoleAPICalled":
            return params["type"] in {"warning", "error", "assert"}
        return method in {"Runtime.exceptionThrown", "Network.loadingFailed"}

    def run(self, code):
        """The value of a JavaScript expression; that of a promise when it is there."""
        found = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def size(self, width, height=800):
        """Make the window so many pixels wide and high."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def prefer(self, scheme):
        """Let the user prefer "light" or "dark"."""
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def picture(self, path):
        """Write what the window shows as PNG."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def close(self):
        """End the browser and all it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
