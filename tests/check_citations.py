#!/usr/bin/env python3
"""Refuses citations that lead nowhere: sections and equations of docs/theory, links between pages, files of docs.

    check_citations.py [ROOT]      check the tree at ROOT (default: the repository of this file); exit code 1 if broken
    check_citations.py --self-test plant violations in a small tree and see each of them found

What is held (docs/theory/README.md says how numbers are written):
- a page of docs/theory has a chapter, `# 3 · Title`; a section is an anchor `sec-3-4` and below it a heading `## §3.4`;
  an equation is an anchor `eq-3-4` and below it a block ```math with one \\tag{3-4}. Nothing is displayed without a
  number, and no number is used twice;
- §3.4 and (3-4), anywhere in the tree, are citations of these and must exist; a file that has them says `theory`;
- relative links of Markdown files, and docs/….md#… in code, lead to files and to headings or anchors in them;
- the word "specification" is that of somebody else's format, or it is refused: there is none in this repository.
"""

import re
import sys
import tempfile
from pathlib import Path

THEORY = "docs/theory"
TEXT = {".h", ".hpp", ".cpp", ".cc", ".py", ".pyi", ".md", ".cmake", ".toml", ".in", ".sh"}
TEXT_NAMES = {"CMakeLists.txt", "demo", "test"}
SKIP = {"build", "node_modules", "__pycache__", "data"}  # and whatever begins with a dot
SELF = {"tests/check_citations.py"}  # plants what it refuses

# Specifications that exist elsewhere: the word must follow or precede one of these names.
FOREIGN_FORMATS = ["MJCF", "URDF", "SDF", "SDFormat", "HDF5", "COLLADA", "XML", "OBJ", "STL"]
FOREIGN = re.compile("|".join(rf"{f}(?:'s)? specification|specification of (?:the )?{f}" for f in FOREIGN_FORMATS))

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
NUMBERED_ANCHOR = re.compile(r'^<a id="((sec|eq)-(\d+)-(\d+))"></a>$')
CHAPTER = re.compile(r"^# (\d+) · \S")
SECTION = re.compile(r"^#+ §(\d+)\.(\d+) \S")
TAG = re.compile(r"\\tag\{([^}]*)\}")
SECTION_CITED = re.compile(r"§ ?(\d+)(?:\.(\d+))?")
EQUATION_CITED = re.compile(r"\((\d+)-(\d+)\)")
# A number of the theory in no form of it: "theory 1.7", "theory (1.7)", "equation 2.3", or, in a comment, "(6.1)".
MALFORMED = re.compile(r"\b[Tt]heory(?: page| section| equation| eq\.)? \(?\d+\.\d|\b[Ee]q(?:uation|\.) \(?\d")
OLD_NUMBER = re.compile(r"(?<![\w.])\([1-9]\.\d{1,2}\)")
COMMENT = re.compile(r'(?<!:)//(.*)|(?:^|\s)#(.*)|"""(.*)')
LINK = re.compile(r"(?<!\\)\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
DOCS_FILE = re.compile(r"\b(docs/[\w./-]+\.md)\b(?:#([\w-]+))?")


def text_files(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if any(p.startswith(".") or p in SKIP for p in parts[:-1]) or not path.is_file():
            continue
        if path.suffix in TEXT or path.name in TEXT_NAMES:
            yield path, path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def outside_code(text):
    """Lines with their numbers, fenced blocks left out; `code` spans stay."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def slugs(text):
    """Anchors of a Markdown page: its headings as GitHub and MyST name them, and those written by hand."""
    found = set(ANCHOR.findall(text))
    count = {}
    for _, line in outside_code(text):
        heading = re.match(r"^#+ (.*)", line)
        if not heading:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        number = count.get(slug, 0)
        count[slug] = number + 1
        found.add(slug if number == 0 else f"{slug}-{number}")
    return found


class TheoryPage:
    """Sections and equations of one page, and what is wrong with how they are numbered."""

    def __init__(self, name, text):
        self.name, self.lines = name, text.splitlines()
        self.sections, self.equations, self.wrong = {}, {}, []
        match = CHAPTER.match(self.lines[0]) if self.lines else None
        self.chapter = match[1] if match else None
        if name == f"{THEORY}/README.md":
            return
        if not match:
            self.refuse(1, "a page of the theory begins with '# CHAPTER · Title'")
        self.read()

    def refuse(self, number, what):
        self.wrong.append(f"{self.name}:{number}: {what}")

    def read(self):
        k = 0
        while k < len(self.lines):
            line, number = self.lines[k], k + 1
            anchor = NUMBERED_ANCHOR.match(line)
            if anchor:
                self.take_anchor(anchor, number)
            elif SECTION.match(line) and not self.anchor_above(k, "sec"):
                self.refuse(number, "a section without an anchor on the line above it")
            elif line.startswith("```"):
                k = self.take_block(k)
            elif line.strip().startswith("```"):
                self.refuse(number, "a block that is indented: its end is not found everywhere")
            elif "$$" in line or line.startswith("    "):
                self.refuse(number, "something displayed without a number: write a ```math block")
            k += 1

    def anchor_above(self, k, kind):
        match = NUMBERED_ANCHOR.match(self.lines[k - 1]) if k > 0 else None
        return match if match and match[2] == kind else None

    def take_anchor(self, anchor, number):
        _, kind, chapter, own = anchor.groups()
        below = self.lines[number] if number < len(self.lines) else ""
        if chapter != self.chapter:
            self.refuse(number, f"an anchor of chapter {chapter} in chapter {self.chapter}")
        if f"{chapter}.{own}" in self.sections if kind == "sec" else f"{chapter}-{own}" in self.equations:
            self.refuse(number, f"{anchor[1]} is used twice")
        if kind == "sec":
            section = SECTION.match(below)
            if not section or section.groups() != (chapter, own):
                self.refuse(number, f"below the anchor is no heading '## §{chapter}.{own} …'")
            self.sections[f"{chapter}.{own}"] = number
        else:
            if below != "```math":
                self.refuse(number, "below the anchor of an equation is no ```math block")
            self.equations[f"{chapter}-{own}"] = number

    def take_block(self, k):
        """A fenced block that begins in line k; returns its last line."""
        end = k + 1
        while end < len(self.lines) and self.lines[end] != "```":
            end += 1
        if end == len(self.lines):
            self.refuse(k + 1, "a block without an end")
        if self.lines[k] == "```math":
            self.check_equation(k, "\n".join(self.lines[k + 1 : end]))
        elif self.lines[k] == "```":
            self.refuse(k + 1, "a block without a language: an equation is ```math")
        return end

    def check_equation(self, k, body):
        anchor, tags = self.anchor_above(k, "eq"), TAG.findall(body)
        if not anchor:
            self.refuse(k + 1, "an equation without an anchor on the line above it")
        elif tags != [f"{anchor[3]}-{anchor[4]}"]:
            tag = ", ".join(tags) or "missing"
            self.refuse(k + 1, f"an equation whose \\tag is {tag} below the anchor {anchor[1]}")
        plain = body.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
        if plain.count("{") != plain.count("}") or body.count("\\begin{") != body.count("\\end{"):
            self.refuse(k + 1, "an equation with braces or environments that do not match")


class Checker:
    def __init__(self, root):
        self.root, self.found = root, []
        self.files = list(text_files(root))
        self.anchors = {}  # by path, of Markdown files
        self.sections, self.equations, self.chapters = {}, {}, {}
        for _, name, text in self.files:
            if name.startswith(THEORY + "/") and name.endswith(".md"):
                self.add_page(TheoryPage(name, text))

    def add_page(self, page):
        self.found += page.wrong
        if page.chapter:
            if page.chapter in self.chapters:
                self.found.append(f"{page.name}:1: chapter {page.chapter} is {self.chapters[page.chapter]} already")
            self.chapters[page.chapter] = page.name
        self.sections.update({n: page.name for n in page.sections})
        self.equations.update({n: page.name for n in page.equations})

    def refuse(self, name, number, what):
        self.found.append(f"{name}:{number}: {what}")

    def check(self):
        for path, name, text in self.files:
            if name in SELF:
                continue
            self.check_citations(name, text)
            self.check_words(name, text)
            for number, line in enumerate(text.splitlines(), 1):
                for target, anchor in DOCS_FILE.findall(line):
                    if not (self.root / target).is_file():
                        self.refuse(name, number, f"{target} does not exist")
                    elif anchor and anchor not in self.anchors_of(self.root / target):
                        self.refuse(name, number, f"{target} has no heading or anchor {anchor}")
            if path.suffix == ".md":
                self.check_links(path, name, text)
        return self.found

    def check_citations(self, name, text):
        in_theory = name.startswith(THEORY + "/")
        cited = None  # line of the first citation
        lines = outside_code(text) if in_theory else enumerate(text.splitlines(), 1)
        for number, line in lines:
            for chapter, own in SECTION_CITED.findall(line):
                cited = cited or number
                if not (f"{chapter}.{own}" in self.sections if own else chapter in self.chapters):
                    self.refuse(name, number, f"§{chapter}{'.' + own if own else ''} is no section of {THEORY}")
            for chapter, own in EQUATION_CITED.findall(line):
                cited = cited or number
                if f"{chapter}-{own}" not in self.equations:
                    self.refuse(name, number, f"({chapter}-{own}) is no equation of {THEORY}")
            if not in_theory and MALFORMED.search(line):
                self.refuse(name, number, f"'{MALFORMED.search(line)[0]}…': cite theory §1.4 or theory (1-4)")
            comment = COMMENT.search(line) if not name.endswith(".md") else None
            if comment and OLD_NUMBER.search(next(filter(None, comment.groups()), "")):
                old = OLD_NUMBER.search(line)[0]
                self.refuse(name, number, f"'{old}' is no number of {THEORY}: equations are (1-4)")
        if cited and not in_theory and "theory" not in text.lower():
            self.refuse(name, cited, "cites a number without saying once that it is of the theory")

    def check_words(self, name, text):
        for number, line in enumerate(text.splitlines(), 1):
            if re.search("specification", FOREIGN.sub("", line), re.IGNORECASE):
                self.refuse(name, number, "a specification that is not in this repository: cite docs/theory")

    def anchors_of(self, path):
        if path not in self.anchors:
            self.anchors[path] = slugs(path.read_text(encoding="utf-8"))
        return self.anchors[path]

    def check_links(self, path, name, text):
        for number, line in outside_code(text):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                to = (path.parent / file).resolve() if file else path
                if not to.exists():
                    self.refuse(name, number, f"the link {target} leads to no file")
                elif anchor and to.suffix == ".md" and anchor not in self.anchors_of(to):
                    self.refuse(name, number, f"the link {target} leads to no heading or anchor of {to.name}")


def check(root):
    """All violations below root, as lines `file:line: what is wrong`."""
    return Checker(root).check()


GOOD = {
    "docs/theory/README.md": "# Theory\n\n[one](laws.md#eq-1-2), §1.1, (1-2)\n",
    "docs/theory/laws.md": r"""# 1 · Laws

<a id="sec-1-1"></a>
## §1.1 First

<a id="eq-1-1"></a>
```math
x = 1 \tag{1-1}
```

<a id="eq-1-2"></a>
```math
\begin{aligned} x &= \frac12 \\ y &= 2 \end{aligned} \tag{1-2}
```

<a id="sec-1-4"></a>
## §1.4 Later
""",
    "docs/solvers.md": """# Solvers

## What is *good*, and `auto`

[theory §1.4](theory/laws.md#sec-1-4), [here](#what-is-good-and-auto), [elsewhere](https://example.org/#no)
""",
    "stiction/contact/a.h": "// The law (theory §1.1, (1-2)), docs/solvers.md. Then (1-1), f(1.5), (0.61) of it.\n",
    "stiction/io/a.cpp": "// As the specification of URDF has it; the SDF specification says less.\n",
    "tests/math/a_test.cpp": "int main() { return (4 - 1) + int(f(3.25)); }\n",
}

# (file, what is put in place of what, in GOOD; or what is appended where that is empty; a part of what is said)
PLANTED = [
    ("stiction/contact/a.h", "", "// theory §1.2\n", "§1.2 is no section"),
    ("stiction/contact/a.h", "", "// theory §7\n", "§7 is no section"),
    ("stiction/contact/a.h", "", "// by (1-3)\n", "(1-3) is no equation"),
    ("stiction/contact/a.h", "", "// theory 1.4\n", "cite theory"),
    ("stiction/contact/a.h", "", "// theory (1.4)\n", "cite theory"),
    ("stiction/contact/a.h", "", "// equation 1.4\n", "cite theory"),
    ("stiction/contact/a.h", "", "// δ of (6.1)\n", "'(6.1)' is no number"),
    ("stiction/contact/a.h", "", "// docs/solver.md has it\n", "docs/solver.md does not exist"),
    ("stiction/contact/a.h", "", "// docs/theory/laws.md#eq-1-2, docs/theory/laws.md#eq-1-3\n", "anchor eq-1-3"),
    ("stiction/contact/a.h", "", "// (specification 1.4)\n", "a specification that is not in this repository"),
    ("tests/math/a_test.cpp", "", "// Specification (1-2) of theory\n", "that is not in this repository"),
    ("tests/math/a_test.cpp", "", "// Section §1.4.\n", "without saying once"),
    ("tests/math/a_test.cpp", "", '"""by (1-2)"""\n', "without saying once"),
    ("python/a.py", "", '"""Residuals of specification 1.4."""\n', "a specification that is not in this repository"),
    ("docs/solvers.md", "theory/laws.md#sec-1-4", "theory/laws.md#sec-1-2", "leads to no heading"),
    ("docs/solvers.md", "theory/laws.md#sec-1-4", "theory/law.md", "leads to no file"),
    ("docs/solvers.md", "#what-is-good-and-auto", "#what-is-good", "leads to no heading"),
    ("docs/solvers.md", "", "Differences from the specification\n", "a specification that is not in this repository"),
    ("docs/solvers.md", "", "![image](images/none.png)\n", "leads to no file"),
    ("docs/theory/laws.md", "# 1 · Laws", "# Laws", "begins with"),
    ("docs/theory/laws.md", "\\tag{1-2}", "", "whose \\tag is missing"),
    ("docs/theory/laws.md", "\\tag{1-2}", "\\tag{1-1}", "whose \\tag is 1-1"),
    ("docs/theory/laws.md", '<a id="eq-1-1"></a>\n', "", "without an anchor"),
    ("docs/theory/laws.md", '<a id="sec-1-1"></a>\n', "", "without an anchor"),
    ("docs/theory/laws.md", "## §1.4 Later", "## §1.5 Later", "is no heading"),
    ("docs/theory/laws.md", "1-1", "1-2", "used twice"),
    ("docs/theory/laws.md", "sec-1-4", "sec-2-4", "of chapter 2 in chapter 1"),
    ("docs/theory/laws.md", "\\frac12", "\\frac{1}{2", "do not match"),
    ("docs/theory/laws.md", "", "\n$$ x = 1 $$\n", "without a number"),
    ("docs/theory/laws.md", "", "\n    x = 1\n", "without a number"),
    ("docs/theory/laws.md", "", "\n```\nx = 1\n```\n", "without a language"),
    ("docs/theory/laws.md", "", "\n```math\nx = 1\n```\n", "without an anchor"),
    ("docs/theory/laws.md", "", "\nBy (1-7).\n", "(1-7) is no equation"),
    ("docs/theory/more.md", "", "# 1 · Twice\n", "is docs/theory/laws.md already"),
]


def self_test():
    def write(root, name, text):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in GOOD.items():
            write(root, name, text)
        assert check(root) == [], f"a good tree is refused: {check(root)}"
        for name, old, new, said in PLANTED:
            good = GOOD.get(name, "")
            assert old in good, f"{old} is not in {name}"
            write(root, name, good.replace(old, new) if old else good + new)
            found = check(root)
            seen = any(line.startswith(name + ":") and said in line for line in found)
            assert seen, f"planted {new!r} in {name}, found {found}"
            if name in GOOD:
                write(root, name, good)
            else:
                (root / name).unlink()
            assert check(root) == [], "what was planted is still there"
    print(f"{len(PLANTED)} planted violations found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = check(root)
    print("\n".join(found) if found else "every citation leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
