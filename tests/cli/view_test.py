#!/usr/bin/env python3
"""The verb `view`: pages of recordings, scenes that are looked at while they run. Usage: view_test.py COMMAND SCENES"""

import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from command import COMMAND, SCENES, parse, run, until_it_works

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
        self.refused(f'did you mean "{self.recording}"?', self.recording.with_name("bal.h5"))
        self.refused('did you mean "scenes/gallery/dominoes.xml"?', "dominos")
        self.refused("is a folder", self.folder)
        (self.folder / "text.h5").write_text("no recording")
        self.refused("stiction run SCENE --record run.h5", self.folder / "text.h5")
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
        self.assertIn("stiction view scenes/boxes.xml", result.stdout)


class ViewScene(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ball = self.folder / "ball.urdf"
        self.ball.write_text(BALL)

    def start(self, *arguments):
        """A simulation that is looked at, and the address that it printed."""
        process = subprocess.Popen(
            [str(COMMAND), "view", str(self.ball), "--base", "floating", "--json", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process, parse(process.stdout.readline())["address"]

    def status(self, address):
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def test_the_page_is_served_to_whoever_has_the_token(self):
        process, address = self.start("--paused")
        self.assertTrue(address.startswith("http://127.0.0.1:"), address)
        code, page = self.status(address)
        self.assertEqual(200, code)
        self.assertTrue(page.startswith("<!doctype html>"))
        for wrong in (address.split("?")[0], address[:-1] + ("0" if address[-1] != "0" else "1")):
            code, text = self.status(wrong)
            self.assertEqual(403, code)
            self.assertIn("token", text)
        self.assertEqual(404, self.status(address.replace("/?", "/etc/passwd?"))[0])
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual((0, ""), (process.returncode, errors))

    def test_what_was_simulated_is_recorded(self):
        recording = self.folder / "live.h5"
        process, _ = self.start("--speed", "max", "--record", recording)
        until_it_works(process, 0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertEqual(0, process.returncode)
        self.assertGreater(parse(run("view", recording, "--json").stdout)["num_steps"], 10)

    def test_a_port_in_use_says_what_to_do(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            result = run("view", self.ball, "--base", "floating", "--port", taken.getsockname()[1], timeout=60)
        self.assertEqual(2, result.returncode)
        self.assertIn("in use", result.stderr)
        self.assertIn("port 0", result.stderr)

    def test_options_of_recordings_are_not_those_of_scenes(self):
        for option in (("-o", "page.html"), ("--every", 2)):
            result = run("view", self.ball, *option, timeout=60)
            self.assertEqual(2, result.returncode)
            self.assertIn("is for recordings", result.stderr)
        for option in (("--speed", "fast"), ("--port", 70000), ("--host", "no host"), ("--solver", "none")):
            result = run("view", self.ball, *option, timeout=60)
            self.assertEqual(2, result.returncode, option)
            self.assertIn(str(option[1]), result.stderr)


if __name__ == "__main__":
    unittest.main()
