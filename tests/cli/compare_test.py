#!/usr/bin/env python3
"""The verb `compare`: one scene under several contact models. Usage: compare_test.py COMMAND SCENES"""

import csv
import pathlib
import resource
import signal
import struct
import subprocess
import tempfile
import unittest

from command import COMMAND, HAS_MJCF, SCENES, parse, run, until_it_works

BALL = """<robot name="ball"><link name="ball"><inertial><mass value="1"/>
  <inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ball = self.folder / "ball.urdf"
        self.ball.write_text(BALL)

    def compare_ball(self, *arguments, **how):
        return subprocess.run(
            [COMMAND, "compare", self.ball, "--base", "floating", "--steps", "50", *map(str, arguments)],
            capture_output=True, text=True, timeout=300, check=False, **how,
        )

    def refused(self, part, *arguments):
        result = run("compare", *arguments)
        self.assertEqual(2, result.returncode, result.stdout)
        self.assertIn(part, result.stderr)
        self.assertEqual("", result.stdout)

    def test_one_solver_of_each_model_without_being_told(self):
        result = parse(self.compare_ball("--json").stdout)
        self.assertEqual(["auto", "ccp-admm", "lcp-lemke", "raisim", "lcp-dantzig", "max-dissipation"],
                         [one["solver"] for one in result["runs"]])
        self.assertEqual(["ncp", "ccp", "lcp", "raisim", "frictionless", "max_dissipation"],
                         [one["model"] for one in result["runs"]])
        self.assertEqual("ncp", result["judged_by"])
        for one in result["runs"]:  # nothing touches: they fall alike
            self.assertEqual((50, 50, None, ""), (one["steps"], one["certified_steps"], one["parting_step"], one["failure"]))

    def test_solvers_and_models_together_each_once(self):
        result = parse(self.compare_ball("-s", "ccp-newton,auto", "--models", "lcp,ccp", "--json").stdout)
        self.assertEqual(["auto", "ccp-newton", "lcp-lemke", "ccp-admm"], [one["solver"] for one in result["runs"]])
        every = parse(self.compare_ball("-s", "all", "--json").stdout)
        known = [one["name"] for one in parse(run("list", "solvers", "--json").stdout)]
        self.assertEqual(known, [one["solver"] for one in every["runs"]])
        other = parse(self.compare_ball("--reference", "ncp-gs", "-m", "ncp,ccp", "--json").stdout)
        self.assertEqual(["ncp-gs", "ccp-admm"], [one["solver"] for one in other["runs"]])

    def test_unknown_names_get_near_ones(self):
        self.refused('unknown solver "ccp-amdm"; did you mean "ccp-admm"', self.ball, "-s", "ccp-amdm")
        self.refused('unknown solver "atuo"; did you mean "auto"', self.ball, "--reference", "atuo")
        self.refused('unknown contact model "cpp"; did you mean "ccp"', self.ball, "-m", "cpp")
        self.refused("nothing to compare", self.ball, "-s", "auto")

    def test_bad_scenes_and_numbers(self):
        self.refused("there is no such file", self.folder / "none.urdf")
        self.ball.write_text("this is no robot")
        self.refused("ball.urdf", self.ball)
        self.refused("--time", self.ball, "--time", "-1")
        self.refused("--parting", self.ball, "--parting", "0")
        self.refused("--dt", self.ball, "--dt", "nan")
        self.refused("--set", self.ball, "--set", "nothing")

    def test_the_table_as_csv_and_every_step_as_csv(self):
        table, report = self.folder / "table.csv", self.folder / "steps.csv"
        result = self.compare_ball("-s", "ccp-admm", "--csv", table, "--report", report)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn(str(table), result.stdout)
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(["auto", "ccp-admm"], [row["solver"] for row in rows])
        self.assertEqual(["50", "50"], [row["steps"] for row in rows])
        with report.open() as file:
            steps = list(csv.DictReader(file))
        self.assertEqual(100, len(steps))
        self.assertEqual({"auto", "ccp-admm"}, {row["solver"] for row in steps})
        self.assertAlmostEqual(0.0, float(steps[-1]["distance"]), delta=1e-12)

    def test_pictures_and_pages(self):
        picture, page = self.folder / "plots.png", self.folder / "runs.html"
        result = self.compare_ball("--png", picture, "--html", page, "--title", "a ball", "--every", 5)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn(f"{page}: open it in a browser", result.stdout)
        data = picture.read_bytes()
        self.assertEqual(b"\x89PNG\r\n\x1a\n", data[:8])
        self.assertEqual((1400, 980), struct.unpack(">II", data[16:24]))
        text = page.read_text()
        self.assertIn('"title":"a ball"', text)
        self.assertEqual(6, text.count('"num_frames":10,'))
        self.assertEqual([], [p.name for p in self.folder.iterdir() if p.suffix in (".part", ".lock")])

    def test_places_where_no_file_can_be(self):
        before = self.ball.read_bytes()
        for option in ("--csv", "--png", "--html", "--report"):
            self.refused("cannot be written", self.ball, option, self.folder / "missing" / "file")
            self.refused("is a folder", self.ball, option, self.folder)
            self.refused("would overwrite", self.ball, option, self.ball)
        self.refused("is the file of --csv", self.ball, "--csv", self.folder / "x", "--html", self.folder / "x")
        self.assertEqual(before, self.ball.read_bytes())
        self.assertEqual([self.ball], list(self.folder.iterdir()))

    def test_a_full_disk_is_told(self):
        result = self.compare_ball("--csv", "/dev/full")
        self.assertEqual(2, result.returncode)
        self.assertIn("/dev/full: not everything could be written", result.stderr)
        self.assertIn("ccp-admm", result.stdout)  # what was found is not lost
        started = self.compare_ball("--report", "/dev/full")
        self.assertEqual(2, started.returncode)
        self.assertIn("/dev/full: cannot be written", started.stderr)

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))  # bytes: the page is larger

        page = self.compare_ball("--html", self.folder / "page.html", preexec_fn=small_files)
        self.assertEqual(2, page.returncode)
        self.assertIn("page.html: not everything could be written", page.stderr)
        self.assertEqual([self.ball], list(self.folder.iterdir()))

    def test_ctrl_c_ends_it_with_its_table_and_page(self):
        page = self.folder / "page.html"
        process = subprocess.Popen(
            [COMMAND, "compare", self.ball, "--base", "floating", "--steps", "100000000", "--html", page, "--every", "1000"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until_it_works(process, 1.0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        self.assertEqual(130, process.returncode)
        self.assertRegex(out, r"max-dissipation +max_dissipation +[1-9]\d* of [1-9]")
        text = page.read_text()
        self.assertTrue(text.startswith("<!doctype html>") and text.rstrip().endswith("</html>"))
        self.assertIn('"max-dissipation"', text)

    def test_help_has_examples(self):
        result = run("compare", "--help")
        self.assertEqual(0, result.returncode)
        self.assertIn("stiction compare scenes/compare/stack.xml", result.stdout)


@unittest.skipUnless(HAS_MJCF, "built without MuJoCo")
class Scenes(unittest.TestCase):
    """The scenes of scenes/compare show what their headers say."""

    def runs(self, name, keyframe, seconds, solvers="ccp-newton,ncp-pgs"):
        start = ["-k", keyframe] if keyframe else []
        result = run("compare", SCENES / "compare" / f"{name}.xml", *start, "--time", seconds, "-s", solvers, "-m", "all", "--json")
        self.assertEqual(0, result.returncode, result.stderr)
        found = parse(result.stdout)
        self.assertEqual([], found["ignored"])
        runs = {one["solver"]: one for one in found["runs"]}
        exact = runs["auto"]
        self.assertEqual(exact["steps"], exact["certified_steps"])
        self.assertLess(max(exact["coulomb"], exact["dissipation"], exact["normal_separation"]), 1e-6)
        self.assertLess(exact["energy_gain"], 1e-9)
        return runs

    def test_sliding_boxes_hover_and_bend(self):
        runs = self.runs("sliding_box", "slide", 1.2)
        # Lift-off of the relaxed cone in the first step is x - g dt with x = (mu v + g dt)/(1 + mu²).
        fall = 9.81 * 0.01
        self.assertAlmostEqual((0.4 * 3.0 + fall) / 1.16 - fall, runs["ccp-admm"]["normal_separation"], delta=0.02)
        self.assertLess(runs["ccp-admm"]["coulomb"], 1e-9)
        # The pyramid's way bends by more than a quarter of a metre. While both axes slide, the friction of four corners
        # together is sqrt(2) times that of the cone; the corner that presses most has at least its share.
        self.assertGreater(runs["lcp-lemke"]["largest_distance"], 0.25)
        self.assertGreater(runs["lcp-lemke"]["coulomb"], 0.99 * (2**0.5 - 1) * 0.4 * 2.0 * fall / 4)
        self.assertLess(runs["lcp-lemke"]["normal_separation"], 1e-8)
        # RaiSim's bends a little, and only where normal and tangent couple.
        self.assertGreater(runs["raisim"]["dissipation"], 1e-3)
        self.assertTrue(5e-3 < runs["raisim"]["largest_distance"] < 0.1)
        self.assertLess(runs["max-dissipation"]["largest_distance"], 1e-4)
        self.assertLess(runs["ncp-pgs"]["largest_distance"], 1e-4)  # the same law

    def test_the_stack_stands_where_it_is_solved(self):
        runs = self.runs("stack", "", 3, "ccp-newton,ncp-pgs")
        for stands in ("ccp-admm", "max-dissipation", "lcp-dantzig"):
            self.assertLess(runs[stands]["largest_distance"], 1e-5, stands)
        for falls in ("ccp-newton", "ncp-pgs", "raisim"):
            self.assertGreater(runs[falls]["largest_distance"], 0.5, falls)
            self.assertGreater(runs[falls]["energy_gain"], 10, falls)

    def test_the_gripper_holds_one_cube_and_drops_the_other(self):
        runs = self.runs("gripper", "grip", 2)
        # Held by the pyramid: the right cube stays where the exact law drops it by 17 cm.
        self.assertAlmostEqual(0.17, runs["lcp-lemke"]["largest_distance"], delta=0.005)
        self.assertAlmostEqual(0.17, runs["lcp-dantzig"]["largest_distance"], delta=0.005)  # the left one falls
        self.assertTrue(1e-3 < runs["ccp-newton"]["distance"] < 2e-3)  # creeps by 0.6 mm/s
        self.assertLess(runs["raisim"]["largest_distance"], 1e-6)

    def test_the_quadruped_stands_on_its_slope(self):
        runs = self.runs("quadruped_slope", "stand", 4)
        self.assertTrue(5e-3 < runs["ccp-newton"]["distance"] < 2e-2)  # creeps by 2 mm/s
        for stands in ("ccp-admm", "lcp-lemke", "raisim"):
            self.assertLess(runs[stands]["largest_distance"], 1.5e-3, stands)
        for leaves in ("max-dissipation", "lcp-dantzig"):
            self.assertGreater(runs[leaves]["largest_distance"], 1.0, leaves)


if __name__ == "__main__":
    unittest.main()
