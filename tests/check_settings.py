#!/usr/bin/env python3
"""Every struct of settings checks itself, and every number in it is tried by a test.

    check_settings.py              finds structs without validate(), numbers that no test sets out of their range, and
                                   tests of numbers that there are not
    check_settings.py --self-test  plants one of each and expects to find it

The tests are lines EXPECT_RANGE(Settings, number, …) and ANY_VALUE(Settings, number) of tests/*/*settings_test.cpp
(tests/support/settings_ranges.h).
"""

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"(?:double|float|int|long|std::u?int\d+_t)"
STRUCT = re.compile(r"^struct (\w*Settings|\w+Tuning)\b[^;{]*\{(.*?)^\};", re.DOTALL | re.MULTILINE)
TRIED = re.compile(r"\b(?:EXPECT_RANGE(?:_WITH\([^,]+,|_OR_INFINITE\(|\()|ANY_VALUE\()\s*(\w+),\s*(\w+)")


def settings_of(root):
    """Name: (file, whether it validates, its numbers)."""
    found = {}
    for header in sorted((root / "stiction").rglob("*.h")):
        for name, body in STRUCT.findall(header.read_text()):
            body = re.sub(r"//.*", "", body)
            numbers = []
            for line in re.findall(rf"^  {NUMBER}\s+([a-z][^;()]*);", body, flags=re.MULTILINE):
                without_values = re.sub(r"=\s*(\{[^}]*\}|[^,]+)|\{[^}]*\}|\[\d+\]", "", line)
                numbers += [number.strip() for number in without_values.split(",")]
            found[name] = (header.relative_to(root), "void validate(" in body, numbers)
    return found


def check(root):
    findings, settings = [], settings_of(root)
    tests = sorted((root / "tests").glob("*/*settings_test.cpp"))
    tried = {pair for test in tests for pair in TRIED.findall(test.read_text())}
    for name, (header, validates, numbers) in settings.items():
        if not validates:
            findings.append(f"{header}: {name} has no validate()")
        for number in numbers:
            if (name, number) not in tried:
                findings.append(f"{header}: no test sets {name}::{number} out of its range")
    for name, number in sorted(tried):
        if name in settings and number not in settings[name][2]:
            findings.append(f"tests: {name} has no number {number}")
    return findings


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "stiction/room").mkdir(parents=True)
        (root / "tests/room").mkdir(parents=True)
        header, test = root / "stiction/room/thing.h", root / "tests/room/settings_test.cpp"
        good = ("struct ThingSettings {\n  double first = 1e-2, last = 2.0;  // m\n  int steps[2] = {1, 2};\n"
                "  bool on = true;\n  void validate() const;\n  static constexpr int most = 3;\n};\n")
        tests = ["EXPECT_RANGE(ThingSettings, first, 0.0);", "EXPECT_RANGE_OR_INFINITE(ThingSettings, last, 0.0);",
                 "EXPECT_RANGE_WITH(*model, ThingSettings, steps, 0);"]
        header.write_text(good)
        test.write_text("\n".join(tests))
        assert check(root) == [], check(root)
        header.write_text(good.replace("  void validate() const;\n", ""))
        assert check(root) == ["stiction/room/thing.h: ThingSettings has no validate()"], check(root)
        header.write_text(good)
        for k, number in enumerate(("first", "last", "steps")):
            test.write_text("\n".join(tests[:k] + tests[k + 1:]))
            expected = [f"stiction/room/thing.h: no test sets ThingSettings::{number} out of its range"]
            assert check(root) == expected, check(root)
        test.write_text("\n".join(tests + ["ANY_VALUE(ThingSettings, seed);"]))
        assert check(root) == ["tests: ThingSettings has no number seed"], check(root)
    print("every planted fault was found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    findings = check(ROOT)
    for finding in findings:
        print(finding)
    count = settings_of(ROOT)
    print(f"{len(count)} structs of settings, {sum(len(numbers) for _, _, numbers in count.values())} numbers")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
