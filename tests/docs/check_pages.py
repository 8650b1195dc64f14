#!/usr/bin/env python3
"""Holds pages of notebook/ and bench/results/ to their form, and the manual to being one.

    check_pages.py [ROOT]       exit code 1, with a line per fault, where something is wrong
    check_pages.py --self-test  plant faults in a small tree and see each of them found

- A page of notebook/ is YYYY-MM-DD-what.md, has a table of date, commit and command, a question, a decision and a result, and
  a line in notebook/README.md.
- A page of bench/results/ has a table of command, commit, CPU, compiler and date, and a line in bench/results/README.md.
- Every page of docs/ is reached from docs/README.md, by a link there or in docs/theory/README.md; no page of the manual tells
  what was tried and not kept: that is the notebook's.
"""

import re
import sys
import tempfile
from pathlib import Path

ROW = re.compile(r"^\| (\w+) \| (\S.*) \|$", re.M)
DATED = re.compile(r"\d{4}-\d{2}-\d{2}-[a-z0-9-]+\.md")
DIARY = re.compile(r"\b(?:tried and not kept|tried without gain|put in for this once)", re.IGNORECASE)


def rows_of(text):
    return {name for name, _ in ROW.findall(text.partition("\n## ")[0])}


def folder_faults(root, folder, wanted, words=()):
    found, index = [], (root / folder / "README.md").read_text(encoding="utf-8")
    for path in sorted((root / folder).glob("*.md")):
        if path.name == "README.md":
            continue
        name, text = f"{folder}/{path.name}", path.read_text(encoding="utf-8")
        found += [f"{name}: its table has no {row}" for row in sorted(wanted - rows_of(text))]
        found += [f"{name}: no '{word}'" for word in words if word not in text]
        if f"({path.name})" not in index:
            found.append(f"{name}: {folder}/README.md does not name it")
        if folder == "notebook" and not DATED.fullmatch(path.name):
            found.append(f"{name}: a page of the notebook is called YYYY-MM-DD-what.md")
    return found


def manual_faults(root):
    found, reached = [], {"docs/README.md"}
    for folder in ("docs", "docs/theory"):
        text = (root / folder / "README.md").read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([\w./-]+\.md)", text):
            reached.add((root / folder / target).resolve().relative_to(root.resolve()).as_posix())
    for path in sorted((root / "docs").rglob("*.md")):
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        if name not in reached:
            found.append(f"{name}: docs/README.md does not lead to it")
        found += [f"{name}: '{word}' belongs into the notebook" for word in DIARY.findall(text)]
    return found


def check(root):
    found = folder_faults(root, "notebook", {"date", "commit", "command"}, ("**Question.**", "**Decision.**", "## Result"))
    found += folder_faults(root, "bench/results", {"date", "commit", "command", "CPU", "compiler"})
    return found + manual_faults(root)


MANUAL = "docs"
TABLE = "| | |\n| --- | --- |\n| date | 2026-01-02 |\n| commit | abc |\n| command | `x` |\n"
GOOD = {
    "notebook/README.md": "[a](2026-01-02-a.md)",
    "notebook/2026-01-02-a.md": f"# A\n\n{TABLE}\n**Question.** Q\n\n**Decision.** D\n\n## Result\n\nR\n",
    "bench/results/README.md": "[b](b.md)",
    "bench/results/b.md": f"# B\n\n{TABLE}| CPU | c |\n| compiler | g |\n",
    "docs/README.md": "[t](theory/README.md) [p](page.md)",
    "docs/theory/README.md": "[l](laws.md)",
    "docs/theory/laws.md": "# L",
    f"{MANUAL}/page.md": "# P",
}
PLANTED = [
    ("notebook/2026-01-02-a.md", "| commit | abc |\n", "", "no commit"),
    ("notebook/2026-01-02-a.md", "**Decision.**", "", "no '**Decision.**'"),
    ("notebook/README.md", "(2026-01-02-a.md)", "", "does not name it"),
    ("notebook/new.md", "", "# New", "is called"),
    ("bench/results/b.md", "| CPU | c |\n", "", "no CPU"),
    ("bench/results/b.md", "| compiler | g |", "| compiler | |", "no compiler"),
    ("bench/results/c.md", "", "# C", "does not name it"),
    (f"{MANUAL}/other.md", "", "# O", "does not lead to it"),
    (f"{MANUAL}/theory/other.md", "", "# O", "does not lead to it"),
    (f"{MANUAL}/page.md", "# P", "# P\n\nTried and not kept: all", "belongs into the notebook"),
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)

        def write(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")

        for name, text in GOOD.items():
            write(name, text)
        assert check(root) == [], check(root)
        for name, old, new, said in PLANTED:
            write(name, GOOD[name].replace(old, new) if name in GOOD else new)
            found = check(root)
            assert any(said in line for line in found), f"planted {new!r} in {name}, found {found}"
            if name in GOOD:
                write(name, GOOD[name])
            else:
                (root / name).unlink()
    print(f"{len(PLANTED)} planted faults found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = check(root)
    print("\n".join(found) or "every page is where it belongs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
