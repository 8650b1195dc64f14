#!/usr/bin/env python3
"""Code blocks of README.md and docs/: found here, compiled and run by the tests.

    blocks.py list-cpp            pages with C++ blocks, one per line
    blocks.py cpp PAGE OUT.cpp    one program with all C++ blocks of a page; it exits with 0 if they do what they say
    blocks.py shell STICTION      runs the lines of ```sh blocks that call `stiction` with the program STICTION
    blocks.py check               refuses code that stands in no fence, hints that nobody reads, too many skipped blocks
    blocks.py --self-test

A block is ```cpp, ```python or ```sh. Those of one page run in their order: Python in one name space, each C++ block in a
scope of its own, shell in one scratch folder with scenes/ in it. What a reader need not see stands in comments before a block:

    <!-- test: before
    code that runs before the block; lines with #include go to the top
    -->
    <!-- test: after  code that runs after it; C++ has CHECK(condition), Python assert, shell any command -->
    <!-- test: continues -->       C++: goes on in the scope of the block before
    <!-- test: exit 1 -->          shell: the exit code that its lines have, or one for each line: exit 0, 1
    <!-- test: skip: reason -->    not run

tests/python/test_docs.py runs the Python blocks.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"cpp", "python", "sh"}
WORDS = {"before", "after", "continues", "exit", "skip"}
MOST_SKIPPED = 4  # of all pages together
HINT = re.compile(r"<!--\s*test:\s*(\w+):?(.*?)-->[ \t]*\n+", re.S)
FENCE = re.compile(r"^```(\w+)[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)
COMMAND = re.compile(r"^(?:\.venv/bin/)?stiction\b")
LOOKS_LIKE_CODE = re.compile(r"(?:\.venv/bin/)?stiction [a-z]|import |#include|.*;\s*(?://.*)?$|.*\bstiction(?:\.|::)\w")


@dataclass
class Block:
    page: str
    line: int  # of its first line of code
    language: str
    code: str
    hints: dict = field(default_factory=dict)

    @property
    def where(self):
        return f"{self.page}:{self.line}"


def page_paths(root=ROOT):
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def blocks_of(path, root=ROOT):
    """Blocks of one page with their hints; SystemExit names a hint that is not known or belongs to no block."""
    text = path.read_text(encoding="utf-8")
    page, found, read = path.relative_to(root).as_posix(), [], set()
    for fence in FENCE.finditer(text):
        hints, start = {}, fence.start()
        while True:
            last = None
            for hint in HINT.finditer(text, 0, start):
                last = hint
            if not last or last.end() != start:
                break
            hints[last[1]] = last[2].strip("\n") if "\n" in last[2].strip(" ") else last[2].strip()
            read.add(last.start())
            start = last.start()
        if set(hints) - WORDS:
            raise SystemExit(f"{page}: no such hint: {', '.join(sorted(set(hints) - WORDS))}")
        if fence[1] in LANGUAGES:
            line = text.count("\n", 0, fence.start(2)) + 1
            found.append(Block(page, line, fence[1], fence[2], hints))
        elif hints:
            raise SystemExit(f"{page}: a hint before a block of {fence[1]}, which is not tested")
    for hint in HINT.finditer(text):
        if hint.start() not in read:
            line = text.count("\n", 0, hint.start()) + 1
            raise SystemExit(f"{page}:{line}: a hint that stands before no block")
    return found


def all_blocks(language, root=ROOT):
    return [b for path in page_paths(root) for b in blocks_of(path, root) if b.language == language]


# ---------------------------------------------------------------------------------------------------------------- C++

PROLOGUE = """#include <cstdio>
#include <cstdlib>
#define CHECK(condition) \\
  if (!(condition)) std::fprintf(stderr, "%s:%d: %s does not hold\\n", __FILE__, __LINE__, #condition), std::exit(1)
"""


def cpp_program(blocks):
    """Every block in a function of its own, in one program; line numbers are those of the page."""
    includes, bodies = [], []
    for block in blocks:
        if "skip" in block.hints:
            continue
        pieces = [(block.hints.get("before", ""), None), (block.code, block.line), (block.hints.get("after", ""), None)]
        lines = []
        for code, first in pieces:
            if first:
                lines.append(f'#line {first} "{block.page}"')
            for line in code.splitlines():
                is_include = line.startswith("#include")
                includes += [line] if is_include else []
                lines.append("" if is_include else line)
        if "continues" in block.hints and bodies:
            bodies[-1] += lines
        else:
            bodies.append(lines)
    calls = "".join(f"  block_{k}();\n" for k in range(len(bodies)))
    functions = "".join(f"static void block_{k}() {{\n" + "\n".join(body) + "\n}\n" for k, body in enumerate(bodies))
    return "\n".join(dict.fromkeys(includes)) + "\n" + PROLOGUE + functions + f"int main() {{\n{calls}  return 0;\n}}\n"


# ------------------------------------------------------------------------------------------------------------- Python


def run_python(blocks, folder):
    """Runs the Python blocks of one page, in one name space, with `folder` as the current one."""
    names, before = {"__name__": "__docs__"}, Path.cwd()
    os.chdir(folder)
    try:
        for block in blocks:
            if "skip" in block.hints:
                continue
            for word, code in (("before", block.hints.get("before", "")), ("", block.code), ("after", block.hints.get("after", ""))):
                place = f"{block.where}, hidden {word}" if word else str(ROOT / block.page)
                exec(compile(code if word else "\n" * (block.line - 1) + code, place, "exec"), names)
    finally:
        os.chdir(before)


# -------------------------------------------------------------------------------------------------------------- shell


def scratch(folder, program=None):
    """A folder that looks like the repository after ./demo to whoever reads scenes and writes files."""
    folder = Path(folder)
    for name in ("scenes", "examples"):
        (folder / name).symlink_to(ROOT / name)
    if program:
        (folder / ".venv/bin").mkdir(parents=True)
        (folder / ".venv/bin/stiction").symlink_to(Path(program).resolve())
    return folder


def run_shell(blocks, program, limit=120):
    """Runs the `stiction` lines of blocks; returns what went wrong and the number of lines run."""
    wrong, count, folders = [], 0, {}
    with tempfile.TemporaryDirectory() as top:
        for block in blocks:
            if "skip" in block.hints:
                continue
            if block.page not in folders:
                folders[block.page] = Path(top) / str(len(folders))
                folders[block.page].mkdir()
                scratch(folders[block.page], program)
            commands = [line for line in block.code.splitlines() if COMMAND.match(line)]
            wanted = [int(code) for code in block.hints.get("exit", "0").split(",")]
            lines = list(zip(commands, wanted * len(commands) if len(wanted) == 1 else wanted, strict=True))
            hidden = [[(block.hints[word], 0)] if word in block.hints else [] for word in ("before", "after")]
            for line, code in [*hidden[0], *lines, *hidden[1]]:
                wrong += run_line(line, code, block, folders[block.page], limit)
            count += len(lines)
    return wrong, count


def run_line(line, wanted, block, folder, limit):
    environment = dict(os.environ, PATH=f"{folder}/.venv/bin:{os.environ['PATH']}")
    try:
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return [f"{block.where}: {line}: takes more than {limit} s"]
    if done.returncode == wanted:
        return []
    return [f"{block.where}: {line}: exit code {done.returncode} instead of {wanted}\n{done.stdout[-500:]}{done.stderr[-1500:]}"]


# -------------------------------------------------------------------------------------------------------------- check


def code_without_fence(path, root=ROOT):
    """Indented blocks that look like code of one of the tested languages: nothing would run them."""
    found, fenced, before = [], False, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("    ") and not before.strip() and LOOKS_LIKE_CODE.match(line.strip()):
            found.append(f"{path.relative_to(root)}:{number}: code that is not in a fence: nothing runs it")
        before = line
    return found


def check(root=ROOT):
    found = [fault for path in page_paths(root) for fault in code_without_fence(path, root)]
    skipped = [b for language in sorted(LANGUAGES) for b in all_blocks(language, root) if "skip" in b.hints]
    found += [f"{b.where}: skipped without a reason" for b in skipped if not b.hints["skip"]]
    if len(skipped) > MOST_SKIPPED:
        found.append(f"{len(skipped)} blocks are skipped, {MOST_SKIPPED} at most: {', '.join(b.where for b in skipped)}")
    return found


# ---------------------------------------------------------------------------------------------------------- self-test

PAGE = """# Page

<!-- test: before
#include <vector>
int x = 1;
-->
<!-- test: after CHECK(y == 2) -->
```cpp
#include <string>
int y = x + 1;
```

<!-- test: continues -->
```cpp
int z = y;
```

```python
a = 1
```
text
<!-- test: after assert a == 2 -->
```python
a += 1
```

<!-- test: exit 3 -->
```sh
stiction run scenes
ls is not run
```
"""


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text("# Empty\n")
        page = root / "docs" / "page.md"

        def with_page(text):
            page.write_text(text, encoding="utf-8")
            return blocks_of(page, root)

        blocks = with_page(PAGE)
        assert [b.language for b in blocks] == ["cpp", "cpp", "python", "python", "sh"], blocks
        program = cpp_program([b for b in blocks if b.language == "cpp"])
        assert program.count("static void") == 1 and program.startswith("#include <vector>\n#include <string>\n")
        assert f'#line 9 "{blocks[0].page}"' in program, program
        assert program.index("int x = 1") < program.index("int y = x") < program.index("CHECK(y == 2)") < program.index("int z = y")
        run_python(blocks[2:4], root)
        for k in (2, 3):  # each block counts, and so does what stands after the second
            broken = with_page(PAGE.replace("a = 1" if k == 2 else "a += 1", "a = 5"))
            try:
                run_python(broken[2:4], root)
            except AssertionError:
                continue
            raise SystemExit("a Python block that does not do what it says went through")
        fake = root / "stiction"
        for code, faults in ((3, 0), (0, 1)):
            fake.write_text(f"#!/bin/sh\nexit {code}\n")
            fake.chmod(0o755)
            wrong, count = run_shell(blocks[4:], fake)
            assert count == 1 and len(wrong) == faults, (wrong, count)
        assert check(root) == [], check(root)
        for text, said in (
            (PAGE + "\n    stiction run scenes\n", "not in a fence"),
            (PAGE + "\n    import stiction\n", "not in a fence"),
            (PAGE + "\n    load(x);\n", "not in a fence"),
            (PAGE.replace("continues", "skip:"), "without a reason"),
            (PAGE + "\n<!-- test: skip: slow -->\n```sh\nls\n```\n" * 9, "are skipped"),
        ):
            with_page(text)
            assert any(said in fault for fault in check(root)), (said, check(root))
        for text in (PAGE.replace("continues", "continuous"), PAGE + "\n<!-- test: continues -->\n"):
            try:
                with_page(text)
            except SystemExit:
                continue
            raise AssertionError(f"a hint that means nothing went through: {text[-60:]}")
    print("blocks: self-test passed")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
    elif arguments == ["list-cpp"]:
        print("\n".join(dict.fromkeys(b.page for b in all_blocks("cpp") if "skip" not in b.hints)))
    elif arguments == ["check"]:
        found = check()
        print("\n".join(found) or "every block is tested")
        return 1 if found else 0
    elif len(arguments) == 3 and arguments[0] == "cpp":
        blocks = [b for b in blocks_of(ROOT / arguments[1]) if b.language == "cpp"]
        Path(arguments[2]).write_text(cpp_program(blocks), encoding="utf-8")
    elif len(arguments) == 2 and arguments[0] == "shell":
        wrong, count = run_shell(all_blocks("sh"), arguments[1])
        print("\n".join([*wrong, f"{count - len(wrong)} passed, {len(wrong)} failed"]))
        return 1 if wrong or not count else 0
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
