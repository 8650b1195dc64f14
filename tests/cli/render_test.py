#!/usr/bin/env python3
"""The verb `render`, and `run --video`. Usage: render_test.py COMMAND SCENES"""

import os
import pathlib
import stat
import struct
import subprocess
import tempfile
import unittest

from command import COMMAND, run

BALL = """<robot name="ball"><link name="ball"><inertial><mass value="1"/>
  <inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""

# Reads all pictures and writes what it was told and how much it got, as ffmpeg would write a film.
FAKE_FFMPEG = """#!/usr/bin/env python3
import sys
count = len(sys.stdin.buffer.read())
open(sys.argv[-1].removeprefix("file:"), "w").write(" ".join(sys.argv[1:]) + f" bytes={count}")
"""
FAILING_FFMPEG = "#!/bin/sh\necho 'no such codec' >&2\nexit 3\n"


def size_of(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


class Render(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scene = self.folder / "ball.urdf"
        self.scene.write_text(BALL)

    def good(self, *arguments):
        result = run(*arguments)
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def refused(self, part, *arguments):
        result = run(*arguments)
        self.assertEqual(2, result.returncode, result.stdout)
        self.assertIn(part, result.stderr)

    def with_ffmpeg(self, script, *arguments):
        program = self.folder / "bin" / "ffmpeg"
        program.parent.mkdir(exist_ok=True)
        program.write_text(script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
        return subprocess.run([str(COMMAND), *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              check=False, env=environment)

    def test_a_picture_of_a_scene(self):
        picture = self.folder / "ball.png"
        self.good("render", self.scene, "--base", "floating", "-o", picture, "--size", "123x45", "--time", "0.1")
        self.assertEqual((123, 45), size_of(picture))

    def test_pictures_and_films_of_a_recording(self):
        recording = self.folder / "ball.h5"
        self.good("run", self.scene, "--base", "floating", "--steps", 100, "--record", recording)
        first, last, default = (self.folder / name for name in ("first.png", "last.png", "default.png"))
        self.good("render", recording, "--step", 0, "-o", first, "--size", "80x60", "--camera", "3,0,0,0,0,0")
        self.good("render", recording, "--step", 99, "-o", last, "--size", "80x60", "--camera", "3,0,0,0,0,0")
        self.good("render", recording, "--time", 5, "-o", default, "--size", "80x60", "--camera", "3,0,0,0,0,0")
        self.assertNotEqual(first.read_bytes(), last.read_bytes())
        self.assertEqual(last.read_bytes(), default.read_bytes())
        self.refused("the recording has steps 0 ... 99", "render", recording, "--step", 100, "-o", first)
        film = self.folder / "film"
        self.good("render", recording, "--film", "--fps", 50, "-o", film, "--size", "40x30")
        self.assertEqual(5, len(list(film.glob("frame_*.png"))))  # a tenth of a second

    def test_films_of_a_run(self):
        arguments = ("run", self.scene, "--base", "floating", "--time", "0.2", "--video-size", "40x30", "--fps", 20)
        self.good(*arguments, "--video", self.folder / "frames")
        self.assertEqual([f"frame_{k:05d}.png" for k in range(5)], sorted(os.listdir(self.folder / "frames")))
        self.good(*arguments, "--video", self.folder / "film.gif")
        self.assertTrue((self.folder / "film.gif").read_bytes().startswith(b"GIF89a"))
        self.good(*arguments, "--video", self.folder / "film.png")
        self.assertIn(b"acTL\x00\x00\x00\x05", (self.folder / "film.png").read_bytes())
        self.assertEqual([], list(self.folder.glob("*.part*")) + list(self.folder.glob("*.lock")))

    def test_films_by_ffmpeg(self):
        film = self.folder / "film.mp4"
        arguments = ("run", self.scene, "--base", "floating", "--time", "0.2", "--video-size", "40x30", "--fps", 20,
                     "--video", film)
        result = self.with_ffmpeg(FAKE_FFMPEG, *arguments)
        self.assertEqual(0, result.returncode, result.stderr)
        said = film.read_text()
        self.assertIn("-video_size 40x30 -framerate 20", said)
        self.assertIn(f"bytes={5 * 40 * 30 * 3}", said)
        result = self.with_ffmpeg(FAILING_FFMPEG, *arguments)
        self.assertEqual(2, result.returncode)
        self.assertIn("no such codec", result.stderr)

    def test_what_is_refused(self):
        picture = self.folder / "a.png"
        scene = ("render", self.scene, "-o", picture)
        for size in ("0x10", "10x-1", "10", "axb", "10x10x10", "99999x10", "10x"):
            self.refused("--size", *scene, "--size", size)
        self.refused("a camera is", *scene, "--camera", "1,2,3")
        self.refused("looks nowhere", *scene, "--camera", "1,1,1,1,1,1")
        self.refused("unknown camera", *scene, "--camera", "side")
        self.refused("no frame", *scene, "--follow", "nobody")
        self.refused("is for recordings", *scene, "--step", 3)
        self.refused("is for recordings", *scene, "--film")
        self.refused("--record", *scene, "--record", self.folder / "run.h5")
        self.refused("would overwrite", "render", self.scene, "-o", self.scene)
        self.refused("cannot be written", "render", self.scene, "-o", self.folder / "none" / "a.png")
        self.refused("films are", "run", self.scene, "--video", self.folder / "a.avi")
        self.refused("is a file", "run", self.scene, "--video", self.scene)
        self.assertFalse(picture.exists())

    def test_help_has_examples(self):
        self.assertIn("stiction render run.h5 --film", self.good("render", "--help").stdout)
        self.assertIn("--video drop.gif", self.good("run", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
