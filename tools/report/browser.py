"""A headless Chromium that is spoken to by the WebDriver protocol; needs chromium and chromedriver, and nothing else."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def missing():
    return [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]


class Browser:
    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            if "successfully on port" in line:
                port = line.split("on port")[1].strip(" .\n")
                self.address = "http://127.0.0.1:" + port
                break
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.profile.name}"]}
        made = self.post("/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + made["sessionId"]
        # axe-core needs more than the usual 30 s for a page of 40 devices where others use the processor too.
        self.post(self.session + "/timeouts", {"script": 280_000, "pageLoad": 280_000})
        return self

    def __exit__(self, *_):
        try:
            urllib.request.urlopen(urllib.request.Request(self.address + self.session, method="DELETE"), timeout=60)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {json.load(error)['value']['message'].splitlines()[0]}") from None

    def command(self, name, **parameters):
        return self.post(self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def show(self, file, width, dark=False, media=""):
        """Opens a page at a width, in light or dark colours, on screen or as `media`."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", media=media,
                     features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.post(self.session + "/url", {"url": file.absolute().as_uri()})
        time.sleep(0.2)

    def run(self, script, *arguments):
        """What the body of a function returns; it may be a promise."""
        return self.post(self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def console(self):
        return [entry["message"] for entry in self.post(self.session + "/se/log", {"type": "browser"})]

    def picture(self, file):
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        taken = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                             clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        file.write_bytes(base64.b64decode(taken["data"]))
