#!/usr/bin/env python3
"""./demo after its set-up: ends with the tables and the pages. Usage: demo_test.py COMMAND SCENES

The demo itself is run, in a folder where setting up is done already: tools/setup.sh is a stand-in that does nothing.
"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command import COMMAND, HAS_MJCF, SCENES

ROOT = SCENES.resolve().parent
SETUP = """PACKAGES=()
say() { echo "== $*"; }
setup_packages() { :; }
setup_venv() { :; }
install_python() { :; }
"""
NAMES = ["sliding_box", "stack", "gripper", "quadruped_slope"]


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        shutil.copy(ROOT / "demo", self.folder / "demo")
        (self.folder / "tools").mkdir()
        (self.folder / "tools" / "setup.sh").write_text('set -euo pipefail\ncd "$(dirname "${BASH_SOURCE[0]}")/.."\n' + SETUP)
        (self.folder / ".venv" / "bin").mkdir(parents=True)
        (self.folder / ".venv" / "bin" / "stiction").symlink_to(COMMAND.resolve())
        (self.folder / "scenes").symlink_to(SCENES.resolve())

    def run_demo(self, *arguments):
        return subprocess.run([self.folder / "demo", *arguments], capture_output=True, text=True, timeout=600, check=False)

    @unittest.skipUnless(HAS_MJCF, "built without MuJoCo")
    def test_it_ends_with_the_tables_and_names_the_pages(self):
        done = self.run_demo()
        self.assertEqual(0, done.returncode, done.stderr + done.stdout)
        self.assertEqual("", done.stderr)
        places = [done.stdout.index(f"\n{name}, ") for name in NAMES]
        self.assertEqual(sorted(places), places)
        self.assertEqual(4, done.stdout.count("judged by the exact law; the largest of all steps:"))
        for name in NAMES:
            page = self.folder / "build" / "demo" / f"{name}.html"
            self.assertIn(f"  {page}\n", done.stdout[places[-1]:])
            self.assertIn('id="comparison"', page.read_text())

    def test_bad_usage(self):
        self.assertEqual(0, self.run_demo("--help").returncode)
        wrong = self.run_demo("--fast")
        self.assertEqual(2, wrong.returncode)
        self.assertIn("unknown option --fast", wrong.stderr)
        if HAS_MJCF:
            missing = self.run_demo("nothing.hdf5")
            self.assertEqual(2, missing.returncode)
            self.assertIn("nothing.hdf5", missing.stderr)
            self.assertFalse((self.folder / "build" / "demo").exists())


if __name__ == "__main__":
    unittest.main()
