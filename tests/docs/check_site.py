#!/usr/bin/env python3
"""Checks a site that ./docs.sh built: it reads without a network, its links lead somewhere, its formulas are set.

    check_site.py SITE         exit code 1, with a line per fault, where something is wrong
    check_site.py --self-test  plant faults in a small site and see each of them found
"""

import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data")}
NEVER_FETCHED = {"canonical", "next", "prev", "search", "index", "author", "license"}  # relations of <link>
STYLE_FETCH = re.compile(r"(?:url\(|@import)\s*['\"]?\s*((?:https?:)?//[^'\")\s]+)")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.fetched, self.formulas, self.raw = set(), [], [], 0, text
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        self.formulas += "katex" in (values.get("class") or "").split()
        for name in ("src", "href", "data"):
            if (tag, name) in FETCHED and values.get(name):
                if not (tag == "link" and values.get("rel") in NEVER_FETCHED):
                    self.fetched.append(values[name])


def is_remote(address):
    return bool(re.match(r"(https?:)?//", address))


def check(site):
    site = site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [] if pages else ["no page at all"]
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        for address in page.fetched:
            if is_remote(address):
                found.append(f"{name}: fetches {address}")
            elif not address.startswith("data:") and not target(path, address).exists():
                found.append(f"{name}: {address} is not there")
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            to = target(path, link)
            if not to.exists():
                found.append(f"{name}: the link {link} leads nowhere")
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].anchors:
                found.append(f"{name}: the link {link} leads to no anchor")
        found += [f"{name}: fetches {address}" for address in STYLE_FETCH.findall("".join(re.findall(r"<style.*?</style>", page.raw, re.S)))]
        if "katex-error" in page.raw:
            found.append(f"{name}: a formula that KaTeX refused")
    for path in sorted(site.rglob("*.css")):
        found += [f"{path.relative_to(site)}: fetches {a}" for a in STYLE_FETCH.findall(path.read_text(encoding="utf-8"))]
    return found, len(pages), sum(page.formulas for page in pages.values())


def target(path, address):
    file = unquote(urlsplit(address).path)
    return (path.parent / file).resolve() if file else path


GOOD = {
    "index.html": '<link rel="stylesheet" href="a.css"><a id="x"></a><a href="b.html#y">b</a><a href="https://example.org">out</a><span class="katex"></span>',
    "b.html": '<h1 id="y">b</h1><a href="index.html#x">a</a><a href="#y">here</a><img src="a.svg">',
    "a.css": "body { background: url(a.svg); }",
    "a.svg": "<svg/>",
}
PLANTED = [
    ("b.html", '<script src="https://cdn.example.org/a.js"></script>', "b.html: fetches"),
    ("b.html", '<script src="//cdn.example.org/a.js"></script>', "b.html: fetches"),
    ("b.html", '<link rel="stylesheet" href="http://example.org/a.css">', "b.html: fetches"),
    ("b.html", "<style>@import 'https://fonts.example.org';</style>", "b.html: fetches"),
    ("b.html", '<img src="none.png">', "none.png is not there"),
    ("b.html", '<a href="none.html">n</a>', "leads nowhere"),
    ("b.html", '<a href="index.html#z">n</a>', "leads to no anchor"),
    ("b.html", '<span class="katex-error">x</span>', "KaTeX refused"),
    ("a.css", "@font-face { src: url('https://example.org/a.woff2'); }", "a.css: fetches"),
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        for name, text in GOOD.items():
            (site / name).write_text(text, encoding="utf-8")
        assert check(site) == ([], 2, 1), check(site)
        for name, fault, said in PLANTED:
            (site / name).write_text(GOOD[name] + fault, encoding="utf-8")
            found = check(site)[0]
            assert any(said in line for line in found), f"planted {fault}, found {found}"
            (site / name).write_text(GOOD[name], encoding="utf-8")
    print(f"{len(PLANTED)} planted faults found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    found, pages, formulas = check(Path(sys.argv[1]))
    print("\n".join([*found, f"{sys.argv[1]}: {pages} pages, {formulas} formulas, {len(found)} faults"]))
    return 1 if found or not formulas else 0


if __name__ == "__main__":
    sys.exit(main())
