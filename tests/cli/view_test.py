#!/usr/bin/env python3
"""The verb `view`: pages of recordings. Usage: view_test.py COMMAND SCENES"""

import pathlib
import re
import tempfile
import unittest

from command import SCENES, parse, run

BALL = """<robot name="ball"><link name="ball"><inertial><mass value="1"/>
  <inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""


class View(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "ball.urdf").write_text(BALL)
        self.recording = self.folder / "ball.h5"
        result = run("run", self.folder / "ball.urdf", "--base", "floating", "--steps", 100, "--record", self.recording)
        self.assertEqual(0, result.returncode, result.stderr)

    def refused(self, part, *arguments):
        result = run("view", *arguments)
        self.assertEqual(2, result.returncode, result.stdout)
        self.assertIn(part, result.stderr)
        self.assertEqual("", result.stdout)

    def test_the_page_stands_beside_the_recording(self):
        result = run("view", self.recording)
        self.assertEqual(0, result.returncode, result.stderr)
        page = self.folder / "ball.html"
        self.assertIn(f"{page}: 100 of 100 steps", result.stdout)
        text = page.read_text()
        self.assertTrue(text.startswith("<!doctype html>"))
        self.assertIn('"title":"ball.h5"', text)
        self.assertNotIn("{{", re.sub(r"<script.*?</script>", "", text, flags=re.S))

    def test_the_page_goes_where_it_is_told(self):
        page = self.folder / "other.html"
        result = run("view", self.recording, "-o", page, "--every", 10, "--title", "a ball")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("11 of 100 steps", result.stdout)
        self.assertIn('"title":"a ball"', page.read_text())
        self.assertFalse((self.folder / "ball.html").exists())

    def test_json(self):
        result = run("view", self.recording, "--json", "--every", 7)
        page = self.folder / "ball.html"
        self.assertEqual({"page": str(page), "num_steps": 100, "num_frames": 16, "num_uncertified": 0,
                          "num_bytes": page.stat().st_size}, parse(result.stdout))

    def test_what_is_no_recording(self):
        self.refused("there is no such file", self.folder / "none.h5")
        self.refused("is a folder", self.folder)
        self.refused("stiction run SCENE --record run.h5", self.folder / "ball.urdf")
        problem = SCENES / "fclib" / "Rover1039.hdf5"  # HDF5, but no recording
        self.refused("recording", problem, "-o", self.folder / "page.html")
        cut = self.folder / "cut.h5"
        cut.write_bytes(self.recording.read_bytes()[:3000])
        self.refused("cut.h5", cut)
        self.assertEqual([], list(self.folder.glob("*.html*")))

    def test_places_where_no_page_can_be(self):
        self.refused("-o", self.recording, "-o", self.folder / "missing" / "page.html")
        self.refused("is a folder", self.recording, "-o", self.folder)
        before = self.recording.read_bytes()
        self.refused("would overwrite", self.recording, "-o", self.recording)
        self.assertEqual(before, self.recording.read_bytes())

    def test_help_has_examples(self):
        result = run("view", "--help")
        self.assertEqual(0, result.returncode)
        self.assertIn("stiction view boxes.h5", result.stdout)


if __name__ == "__main__":
    unittest.main()
