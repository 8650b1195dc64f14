"""Writes the C++ block of README.md as a program that exits with 0 if the block does what it says.

usage: readme_block.py README.md OUT.cpp
"""

import re
import sys


def program(readme):
    blocks = re.findall(r"```cpp\n(.*?)```", readme, re.S)
    if len(blocks) != 1:
        raise SystemExit(f"README.md has {len(blocks)} C++ blocks; this script knows what to check of one")
    lines = blocks[0].splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join(
        [
            *includes,
            "int main() {",
            *body,
            "  const bool solved = report.status == stiction::SolveStatus::converged && residuals.eps_nat <= 1e-8;",
            "  return solved && solution.impulse.size() == file.problem.num_rows() ? 0 : 1;",
            "}",
            "",
        ]
    )


if __name__ == "__main__":
    readme_path, out_path = sys.argv[1:]
    with open(readme_path, encoding="utf-8") as file:
        text = program(file.read())
    with open(out_path, "w", encoding="utf-8") as file:
        file.write(text)
