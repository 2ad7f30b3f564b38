#!/usr/bin/env python3
"""Fails on a link in a page below a folder that leads to no file or to no place in it, and on what would be fetched from another host.

usage: check_site.py FOLDER
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.places, self.fetched = [], {"", "top"}, []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.update(value for key, value in attributes if key in ("id", "name") and value)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("link", "script", "img", "iframe"):
            self.fetched += [given[key] for key in ("href", "src") if given.get(key)]


def problems(root):
    pages = {file.resolve(): Page(file) for file in sorted(root.rglob("*.html"))}
    if not pages:
        yield f"{root}: no pages"
    for file, page in pages.items():
        yield from (f"{file}: fetches {url}" for url in page.fetched if urllib.parse.urlsplit(url).netloc)
        for url in page.links + page.fetched:
            parts = urllib.parse.urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            if target.is_dir() and (target / "index.html").exists():
                target /= "index.html"
            if not target.exists():
                yield f"{file}: {url} leads nowhere"
            elif target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].places:
                yield f"{file}: {url}: there is no such place"


def main(argv):
    found = list(problems(pathlib.Path(argv[1])))
    print(*found, f"{len(found)} broken links", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
