"""Makes the source tree of the site: pages with the layout of the repository, and the reference of C++ and Python.

usage: prepare.py OUT PACKAGE     PACKAGE is the folder of the installed Python package
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from headers import public_headers
from python_reference import reference

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md", "scenes/README.md"]
FOLDERS = ["docs", "notebook", "bench/results", "stiction"]
SKIPPED = "docs/site"

LINK = re.compile(r"(?<!\\)(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
ANCHOR = re.compile(r'^<a id="([\w-]+)"></a>$', re.M)
FENCE = re.compile(r"^(```.*?^```)", re.M | re.S)

DOXYGEN = """
INPUT = {input}
OUTPUT_DIRECTORY = {out}
INPUT_FILTER = "{python} {filter}"
FULL_PATH_NAMES = YES
STRIP_FROM_PATH = {root}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
JAVADOC_AUTOBRIEF = NO
QT_AUTOBRIEF = NO
EXTRACT_ALL = YES
EXTRACT_LOCAL_CLASSES = NO
HIDE_FRIEND_COMPOUNDS = YES
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
PREDEFINED = "__attribute__(x):=" STICTION_INLINE:= STICTION_PACK_INLINE:= STICTION_UNROLL:= STICTION_VECTORISE:=
SORT_MEMBER_DOCS = NO
QUIET = YES
WARNINGS = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
"""


def pages():
    found = [ROOT / name for name in PAGES]
    for folder in FOLDERS:
        found += sorted((ROOT / folder).rglob("*.md"))
    return [path for path in found if path.is_file() and not path.is_relative_to(ROOT / SKIPPED)]


def outside_fences(text, change):
    return "".join(part if k % 2 else change(part) for k, part in enumerate(FENCE.split(text)))


def page_text(path, known):
    """A page as the site takes it: anchors as targets of MyST, links to files that are no pages as their text."""

    def link(match):
        image, text, target = match.groups()
        file = target.partition("#")[0]
        if re.match(r"[a-z]+:", target) or not file or image:
            return match[0]
        to = (path.parent / file).resolve()
        if to == ROOT / "README.md":
            return f"[{text}]({target.replace('README.md', 'index.md')})"
        if to.is_dir() and to / "README.md" in known:
            return f"[{text}]({file.rstrip('/')}/README.md)"
        return match[0] if to in known else text

    def change(part):
        return LINK.sub(link, ANCHOR.sub(r"(\1)=", part))

    return outside_fences(path.read_text(encoding="utf-8"), change)


def contents(readme):
    """Hidden lists of pages for the side bar: the headings of docs/README.md and the links below them."""
    out, seen = ["```{toctree}\n:hidden:\n\ndocs/README.md\n```\n"], {"docs/README.md"}
    for section in re.split(r"^## ", readme, flags=re.M)[1:]:
        caption, _, body = section.partition("\n")
        targets = [t.partition("#")[0] for _, _, t in LINK.findall(body) if not re.match(r"[a-z]+:", t)]
        names = []
        for target in targets:
            path = (ROOT / "docs" / target).resolve()
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and path.suffix == ".md" and name not in seen and name != "README.md":
                seen.add(name)
                names.append(name)
        if "C++" in body and "reference" in caption.lower():
            names += ["reference/cpp", "reference/python"]
        out.append("```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(names) + "\n```\n")
    return "\n".join(out), seen


def siblings(readme, listed):
    """Pages beside a README.md that stands in the side bar and that no list has: they are shown below it."""
    if readme.relative_to(ROOT).as_posix() not in listed:
        return []
    pages_beside = sorted(readme.parent.glob("*.md"), reverse=readme.parent.name == "notebook")
    return [p.name for p in pages_beside if p != readme and p.relative_to(ROOT).as_posix() not in listed]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_pages(out):
    known = set(pages())
    toctree, listed = contents((ROOT / "docs/README.md").read_text(encoding="utf-8"))
    inside = set()
    for path in sorted(known, key=lambda path: (path.name != "README.md", path)):  # lists before what they list
        name, text = path.relative_to(ROOT), page_text(path, known)
        if name.as_posix() == "README.md":
            name, text = Path("index.md"), text + "\n" + toctree
        elif name.name == "README.md" and (below := siblings(path, listed)):
            text += "\n```{toctree}\n:hidden:\n\n" + "\n".join(below) + "\n```\n"
            inside |= {(path.parent / b).relative_to(ROOT).as_posix() for b in below}
        elif name.as_posix() not in listed | inside:
            text = "---\norphan: true\n---\n\n" + text
        write(out / name, text)
    shutil.copytree(ROOT / "docs/images", out / "docs/images", dirs_exist_ok=True)


def run_doxygen(out, headers):
    folder = out / "doxygen"
    folder.mkdir(parents=True, exist_ok=True)
    files = " \\\n  ".join(str(ROOT / "stiction" / name) for names in headers.values() for name in names)
    filter_path = Path(__file__).with_name("doxygen_filter.py")
    text = DOXYGEN.format(input=files, out=folder, python=sys.executable, filter=filter_path, root=ROOT)
    write(folder / "Doxyfile", text)
    subprocess.run(["doxygen", str(folder / "Doxyfile")], check=True)
    name_by_path(folder / "xml")


def name_by_path(xml):
    """Doxygen's index names files by their last part, of which there are two called model.h: whole paths instead."""

    def path(match):
        text = (xml / f"{match[1]}.xml").read_text(encoding="utf-8")
        return match[0].replace(match[2], re.findall(r'<location file="([^"]+)"/>', text)[-1])

    index = xml / "index.xml"
    text = index.read_text(encoding="utf-8")
    write(index, re.sub(r'refid="(\w+)" kind="file"><name>([^<]+)', path, text))


def write_cpp_reference(out, headers):
    index = "C++ reference\n=============\n\nThe public headers, room by room in the order of the data. All names are in the namespace ``stiction``.\n\n.. toctree::\n\n"
    for room, names in headers.items():
        index += f"   cpp/{room}\n"
        title = room.replace("_", " ")
        page = f"{title}\n{'=' * len(title)}\n\n.. cpp:namespace:: stiction\n\n"
        for name in names:
            include = f"stiction/{name}"
            page += f"``{include}``\n{'-' * (len(include) + 4)}\n\n.. doxygenfile:: {include}\n\n"
        write(out / "reference/cpp" / f"{room}.rst", page)
    write(out / "reference/cpp.rst", index)


def main():
    out, package = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    headers = public_headers(ROOT)
    write_pages(out)
    run_doxygen(out, headers)
    write_cpp_reference(out, headers)
    write(out / "reference/python.rst", reference(package))


if __name__ == "__main__":
    main()
