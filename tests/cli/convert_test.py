#!/usr/bin/env python3
"""The verb convert from outside. Usage: convert_test.py COMMAND SCENES"""

import pathlib
import tempfile
import unittest

from command import HAS_MJCF, SCENES, parse, run

QUADRUPED = SCENES / "quadruped.xml"


@unittest.skipUnless(HAS_MJCF, "built without MuJoCo")
class Convert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def info(self, path):
        return parse(run("info", path, "--json").stdout)

    def test_to_mjcf_and_back(self):
        for name in ("quadruped", "terrain", "four_bar", "humanoid_stand"):
            source, out = SCENES / f"{name}.xml", self.folder / f"{name}.xml"
            result = run("convert", source, out)
            self.assertEqual(0, result.returncode, result.stdout + result.stderr)
            self.assertIn(str(out), result.stdout)
            self.assertNotIn("lost", result.stdout)
            before, after = self.info(source), self.info(out)
            for key in ("positions", "velocities", "trees", "joints", "keyframes", "actuators", "suggested_time_step"):
                self.assertEqual(before[key], after[key], (name, key))
            self.assertAlmostEqual(before["mass"], after["mass"], places=9)
            self.assertEqual([b["names"] for b in before["bodies"]], [b["names"] for b in after["bodies"]])

    def test_the_copy_moves_as_the_original(self):
        out = self.folder / "quadruped.xml"
        run("convert", QUADRUPED, out)
        runs = [parse(run("run", path, "-k", "drop", "--time", "0.5", "--json").stdout) for path in (QUADRUPED, out)]
        for a, b in zip(runs[0]["joints"], runs[1]["joints"]):
            self.assertEqual(a["name"], b["name"])
            for x, y in zip(a["q"], b["q"]):
                self.assertAlmostEqual(x, y, places=6)

    def test_meshes_are_written_beside(self):
        out = self.folder / "terrain.xml"
        files = parse(run("convert", SCENES / "terrain.xml", out, "--json").stdout)["files"]
        self.assertEqual(str(out), files[0])
        self.assertEqual(2, len(files))  # the two boulders share a hull
        for file in files:
            self.assertGreater(pathlib.Path(file).stat().st_size, 100)

    def test_loss_is_told(self):
        out = self.folder / "quadruped.urdf"
        result = run("convert", QUADRUPED, out)
        self.assertEqual(1, result.returncode, result.stderr)
        for part in ("lost:", "keyframe 'stand'", "armature", "position servo", "a plane is written as a box"):
            self.assertIn(part, result.stdout)
        self.assertTrue(out.exists())
        self.assertEqual(0, run("convert", QUADRUPED, out, "--allow-loss").returncode)
        self.assertIn("keyframe 'stand'", parse(run("convert", QUADRUPED, out, "--json").stdout)["lost"])

    def test_what_was_not_read_is_lost_too(self):
        source, out = self.folder / "lit.xml", self.folder / "out.xml"
        source.write_text('<mujoco><worldbody><light pos="0 0 1"/><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
        result = run("convert", source, out)
        self.assertEqual(1, result.returncode)
        self.assertIn("light", result.stdout)

    def test_bad_usage(self):
        copy = self.folder / "copy.xml"
        copy.write_text((SCENES / "tower.xml").read_text())
        for arguments, part in (
            ([QUADRUPED], "FILE"),
            ([QUADRUPED, self.folder / "out.png"], "out.png"),
            ([QUADRUPED, "/nowhere/out.xml"], "/nowhere/out.xml"),
            ([self.folder / "absent.xml", self.folder / "out.xml"], "absent.xml"),
            ([copy, copy], "overwrite"),
        ):
            result = run("convert", *arguments)
            self.assertEqual(2, result.returncode, arguments)
            self.assertIn(part, result.stderr)
        self.assertEqual((SCENES / "tower.xml").read_text(), copy.read_text())


if __name__ == "__main__":
    unittest.main()
