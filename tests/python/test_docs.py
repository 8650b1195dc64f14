"""Every Python block of README.md and docs/ runs and does what it says; tests/docs/blocks.py has the rules."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))

import blocks  # noqa: E402

PAGES = {}
for block in blocks.all_blocks("python"):
    PAGES.setdefault(block.page, []).append(block)


def test_pages_are_found():
    assert {"README.md", "docs/python.md", "docs/first-hour.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_blocks(page, tmp_path):
    blocks.run_python(PAGES[page], blocks.scratch(tmp_path))
