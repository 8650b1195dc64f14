#!/usr/bin/env python3
"""The files of scenes/gallery are what generate.py writes, and each has its picture, its section and its lines in the lists."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "scenes" / "gallery"


def generate(*arguments):
    command = [sys.executable, "-B", GALLERY / "generate.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Gallery(unittest.TestCase):
    def test_files_are_what_the_generator_writes(self):
        self.assertEqual("", generate("--check").stderr)

    def test_the_check_finds_what_is_another_or_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(0, generate(folder).returncode)
            self.assertEqual(0, generate("--check", folder).returncode)
            kapla = Path(folder, "kapla.xml")
            kapla.write_text(kapla.read_text(encoding="utf-8").replace("0.0117", "0.0118"), encoding="utf-8")
            Path(folder, "hand.xml").unlink()
            refused = generate("--check", folder)
            self.assertEqual((1, "not what generate.py writes: kapla.xml, hand.xml\n"), (refused.returncode, refused.stderr))

    def test_every_scene_has_its_place_everywhere(self):
        names = sorted(path.stem for path in GALLERY.glob("*.xml"))
        self.assertGreaterEqual(len(names), 10)
        page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
        listed = (ROOT / "scenes/README.md").read_text(encoding="utf-8")
        bench = (ROOT / "bench/gallery.py").read_text(encoding="utf-8")
        tests = (ROOT / "tests/io/gallery_test.cpp").read_text(encoding="utf-8")
        for name in names:
            self.assertIn(f"scenes/gallery/{name}.xml", page)
            self.assertIn(f"(images/gallery-{name}.png)", page)
            self.assertIn(f"`gallery/{name}.xml`", listed)
            self.assertIn(f'Scene("{name}"', bench)
            self.assertIn(f'"{name}"', tests)
            picture = (ROOT / f"docs/images/gallery-{name}.png").read_bytes()
            self.assertTrue(picture.startswith(b"\x89PNG") and len(picture) <= 150_000, name)
        self.assertEqual(names, sorted(set(re.findall(r"images/gallery-(\w+)\.png", page))))


if __name__ == "__main__":
    unittest.main()
