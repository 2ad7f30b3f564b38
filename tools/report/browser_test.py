#!/usr/bin/env python3
"""Opens pages of the report in Chromium: no error, no request, no label over another one, no serious fault that axe-core
finds, at 1280 and 390 pixels, light and dark.

usage: browser_test.py AXE PICTURES PAGE...     AXE: axe.min.js of npm's axe-core; PICTURES: a folder, for a person to look at
"""

import pathlib
import sys

from browser import Browser, missing

# Texts that a reader sees: of drawings and charts, where nothing lays them out.
OVERLAPS = """
const seen = [...document.querySelectorAll("svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() && getComputedStyle(text).opacity !== "0");
  const boxes = texts.map((text) => [text, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0 && box.height > 0);
  const found = [];
  boxes.forEach(([text, a], n) => boxes.slice(0, n).forEach(([other, b]) => {
    // Boxes of lines are higher than their letters by some 2 px at each side.
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 4) found.push(`"${text.textContent}" over "${other.textContent}"`);
  }));
  return found;
});
return seen.slice(0, 20);
"""
# Labels that their own drawing cuts off.
CUT = """
return [...document.querySelectorAll("svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim()).filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width > 0 && (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2);
  }).map((text) => text.textContent);
}).slice(0, 20);
"""
WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;"
# What scrolls sideways has a shade at its sides, and no text of a drawing is too small to read.
UNMARKED = """
return [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1)
  .filter((box) => !getComputedStyle(box).backgroundAttachment.includes("local")).map((box) => box.textContent.slice(0, 60));
"""
SMALL = """
return [...document.querySelectorAll("svg.waterfall text")].filter((text) => text.getBoundingClientRect().height > 0)
  .filter((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a < 9).map((text) => text.textContent).slice(0, 5);
"""
REQUESTS = "return performance.getEntriesByType('resource').map((entry) => entry.name);"
AXE = """
return axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations
  .filter((rule) => rule.impact === "serious" || rule.impact === "critical")
  .map((rule) => `${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`));
"""


def check(browser, page, axe, pictures):
    problems = []
    for width in (1280, 390):
        for dark in (False, True):
            name = f"{page.stem} {width} {'dark' if dark else 'light'}"
            browser.show(page, width, dark)
            found = {"overlaps": browser.run(OVERLAPS), "cut off": browser.run(CUT), "requests": browser.run(REQUESTS),
                     "scrolls without a mark": browser.run(UNMARKED), "too small": browser.run(SMALL),
                     "console": browser.console()}
            if browser.run(WIDE) > 0:
                found["wider than the window by"] = [browser.run(WIDE)]
            browser.run(axe)
            found["axe"] = browser.run(AXE)
            browser.picture(pictures / (name.replace(" ", "-") + ".png"))
            problems += [f"{name}: {what}: {item}" for what, items in found.items() for item in items]
    browser.show(page, 1000, media="print")
    problems += [f"{page.stem} in print: overlaps: {item}" for item in browser.run(OVERLAPS)]
    return problems


def main():
    if missing():
        print("waived: no " + ", no ".join(missing()))
        return 77
    axe, pictures = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    pictures.mkdir(parents=True, exist_ok=True)
    pages = [pathlib.Path(page) for page in sys.argv[3:]]
    with Browser() as browser:
        problems = [problem for page in pages for problem in check(browser, page, axe, pictures)]
    print("\n".join(problems) or f"{len(pages)} pages: nothing wrong; pictures in {pictures}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
