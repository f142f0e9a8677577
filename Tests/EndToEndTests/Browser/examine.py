#!/usr/bin/env python3
"""Opens a page in headless Chromium and prints as JSON what it finds there.

usage: examine.py CHROMIUM PAGE [FOLDER]

Speaks the DevTools protocol over pipes, so that nothing listens and nothing but Python is needed. With FOLDER,
screenshots are left there.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Browser:
    def __init__(self, program, profile):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def place():
            # Chromium reads from descriptor 3 and writes to descriptor 4. Both are moved out of the way first.
            inner, outer = os.dup(commands), os.dup(answers)
            os.dup2(inner, 3)
            os.dup2(outer, 4)

        # HTTP requests would go to an address where nobody answers.
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--proxy-server=127.0.0.1:9", "--remote-debugging-pipe",
             "--user-data-dir=" + profile, "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.buffer = b""
        self.number = 0
        self.events = []

    def message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise SystemExit("examine.py: the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"examine.py: {method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())


# The least contrast of text against the ground behind it (WCAG 2.2, 1.4.3), and where.
CONTRAST = r"""(() => {
  const parse = text => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = c => { const f = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  let least = { ratio: 21, where: "" };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(element) || !element.checkVisibility()) continue;
    seen.add(element);
    let ground = null;
    for (let e = element; e && !ground; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color[3] > 0) ground = color;
    }
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground || [255, 255, 255])];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least.ratio) least = { ratio, where: element.tagName + "." + element.className };
  }
  return least;
})()"""

STRUCTURE = r"""(() => {
  const all = selector => Array.from(document.querySelectorAll(selector));
  const ids = all("[id]").map(e => e.id);
  return {
    landmarks: ["header", "nav", "main", "footer"].filter(name => all(name).length !== 1),
    titles: all("h1").length,
    doubleIDs: ids.filter((id, index) => ids.indexOf(id) !== index),
    tablesWithoutHeaders: all("table").filter(t => !t.querySelector("th[scope=col]")).length,
    rowsWithoutHeaders: all("tbody tr").filter(r => !r.querySelector("th[scope=row]") && !r.closest(".list")).length,
    controlsWithoutLabels: all("input, select").filter(c => !c.labels.length).length,
    picturesWithoutLabels: all("svg").filter(s => !s.getAttribute("aria-label")).length,
    unnamedRegions: all("[role=region]").filter(r => !r.getAttribute("aria-label")).length,
    strangeElements: [...new Set(all("*").map(e => e.tagName.toLowerCase()))].filter(name => ![
      "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "h2", "h3", "small", "nav", "ul", "li",
      "main", "section", "article", "strong", "b", "dl", "div", "dt", "dd", "table", "caption", "thead", "tbody", "tr",
      "th", "td", "span", "code", "form", "label", "select", "option", "input", "output", "button", "figure",
      "figcaption", "svg", "rect", "line", "polygon", "details", "summary", "time", "footer", "script"].includes(name)),
    scripts: all("script").length, styles: all("style").length,
    attributes: all("*").filter(e => e.getAttributeNames().some(n => n.startsWith("on") || n === "style" || n === "src"))
      .length,
    links: all("a").map(a => a.getAttribute("href")).filter(link => !link.startsWith("#")),
    text: document.body.innerText.length,
    overflow: document.documentElement.scrollWidth - window.innerWidth,
  };
})()"""


def main(program, page, folder=None):
    address = "file://" + os.path.abspath(page)
    profile = tempfile.mkdtemp(prefix="examine-")
    browser = Browser(program, profile)
    result = {"states": {}}
    try:
        for state, scheme, width, scripts in [
                ("light", "light", 1280, True), ("dark", "dark", 1280, True), ("narrow", "light", 390, True),
                ("noScript", "light", 1280, False)]:
            target = browser.call("Target.createTarget", url="about:blank")["targetId"]
            session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

            def call(method, **parameters):
                return browser.call(method, session, **parameters)

            def value(expression):
                answer = call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
                if "exceptionDetails" in answer:
                    raise SystemExit(f"examine.py: {answer['exceptionDetails']}")
                return answer["result"].get("value")

            for domain in ["Page", "Runtime", "Log", "Network"]:
                call(domain + ".enable")
            call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            call("Emulation.setScriptExecutionDisabled", value=not scripts)
            browser.events.clear()
            begin = time.monotonic()
            call("Page.navigate", url=address)
            browser.wait("Page.loadEventFired")
            found = {}
            if scripts:
                value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 0)")
            else:
                call("Page.captureScreenshot")
            found["milliseconds"] = round((time.monotonic() - begin) * 1000)
            # Asked before anything is changed, so that it shows what a reader without a script has.
            found |= value(STRUCTURE)
            found["contrast"] = value(CONTRAST)
            found["hiddenControls"] = value("document.querySelectorAll('form[hidden]').length")
            if scripts:
                found["controls"] = value("document.querySelectorAll('form:not([hidden])').length")
                found["filtered"] = value("""(() => {
                  const form = document.querySelector("form[data-filter=finding-rows]");
                  if (!form) return null;
                  form.elements.text.value = "no such text";
                  form.elements.text.dispatchEvent(new Event("input", { bubbles: true }));
                  const rows = Array.from(document.getElementById("finding-rows").children);
                  const left = rows.filter(row => row.checkVisibility()).length;
                  form.elements.text.value = "";
                  form.elements.text.dispatchEvent(new Event("input", { bubbles: true }));
                  return [rows.length, left, rows.filter(row => row.checkVisibility()).length];
                })()""")
                found["opened"] = value("""(() => {
                  const button = document.querySelector("button[data-open=tree]");
                  button.click();
                  const open = document.querySelectorAll("#tree details[open]").length;
                  document.querySelector("button[data-close=tree]").click();
                  const closed = document.querySelectorAll("#tree details[open]").length;
                  return [document.querySelectorAll("#tree details").length, open, closed];
                })()""")
                for kind in ["rawKeyDown", "keyUp"]:
                    call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
                found["firstFocus"] = value("document.activeElement.className")
                found["outline"] = value("getComputedStyle(document.activeElement).outlineStyle")
            if folder:
                value("window.scrollTo(0, 0)")
                size = call("Page.getLayoutMetrics")["cssContentSize"]
                picture = call("Page.captureScreenshot", captureBeyondViewport=True, clip={
                    "x": 0, "y": 0, "width": width, "height": min(size["height"], 5000), "scale": 1})["data"]
                with open(os.path.join(folder, state + ".png"), "wb") as file:
                    file.write(base64.b64decode(picture))
            events = [event for event in browser.events if event.get("sessionId") == session]
            found["complaints"] = [
                json.dumps(event["params"])[:400] for event in events
                if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")]
            found["requests"] = [
                event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent" and event["params"]["request"]["url"] != address]
            result["states"][state] = found
            browser.call("Target.closeTarget", targetId=target)
    finally:
        browser.process.kill()
        browser.process.wait()
        shutil.rmtree(profile, ignore_errors=True)
    print(json.dumps(result, indent=2))


if len(sys.argv) not in (3, 4):
    raise SystemExit("usage: examine.py CHROMIUM PAGE [FOLDER]")
main(*sys.argv[1:])
