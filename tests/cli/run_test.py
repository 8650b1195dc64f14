#!/usr/bin/env python3
"""The verbs run and info from outside. Usage: run_test.py COMMAND SCENES"""

import csv
import os
import pathlib
import pty
import signal
import subprocess
import tempfile
import time
import unittest

from command import COMMAND, HAS_MJCF, SCENES, parse, run, until_it_works

QUADRUPED = SCENES / "quadruped.xml"
TOWER = SCENES / "tower.xml"
SLOPE = SCENES / "slope.xml"
FOUR_BAR = SCENES / "four_bar.xml"


def joint(result, name):
    return next(j for j in result["joints"] if j["name"] == name)


@unittest.skipUnless(HAS_MJCF, "built without MuJoCo")
class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Run(Scratch):
    def test_summary(self):
        result = run("run", QUADRUPED, "--time", "0.2")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual("", result.stderr)  # no progress where nobody watches
        for part in ("13 bodies", "certified    200 of 200", "worst        eps_nat", "penetration", "energy", "steps/s"):
            self.assertIn(part, result.stdout)

    def test_what_is_struck_through_a_wall_is_seen_and_with_recheck_stopped(self):
        path = self.folder / "struck.xml"
        path.write_text(
            """<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>
            <geom name="wall" type="box" size=".001 1 1" pos=".001 0 0"/>
            <body name="light" pos="-.025 0 0"><freejoint/><geom name="light" size=".02" mass=".01"/></body>
            <body name="heavy" pos="-.1455 0 0"><freejoint/><geom name="heavy" size=".1" mass="10"/></body>
            </worldbody><keyframe><key name="shot" qvel="0 0 0 0 0 0 10 0 0 0 0 0"/></keyframe></mujoco>"""
        )
        command = ("run", path, "--keyframe", "shot", "--steps", "3", "--json")
        passed = parse(run(*command, "--no-recheck").stdout)
        self.assertLess(passed["steps_geometry_certified"], 3)
        self.assertGreater(passed["unforeseen_penetration"], 1e-3)
        stopped = parse(run(*command).stdout)
        self.assertEqual(3, stopped["steps_geometry_certified"])
        self.assertGreater(stopped["steps_rechecked"], 0)
        self.assertLess(stopped["unforeseen_penetration"], 1e-5)

    def test_json(self):
        result = run("run", TOWER, "--steps", "100", "--json")
        self.assertEqual(0, result.returncode, result.stderr)
        summary = parse(result.stdout)
        self.assertEqual([str(TOWER)], summary["files"])
        self.assertEqual(100, summary["steps"])
        self.assertEqual(100, summary["steps_certified"])
        self.assertAlmostEqual(0.2, summary["end_time"])
        self.assertLessEqual(summary["worst_eps_nat"], 1e-9)
        self.assertIn(" on ", summary["worst_where"])
        self.assertEqual(40, summary["contacts"])
        self.assertEqual(40, summary["sticking"])
        self.assertAlmostEqual(0.95, joint(summary, "top")["q"][2], places=9)
        self.assertGreater(summary["steps_per_second"], 0)
        self.assertEqual([], summary["ignored"])
        self.assertAlmostEqual(summary["energy_begin"]["potential"], summary["energy_end"]["potential"], places=6)

    def test_settings(self):
        summary = parse(run("run", SLOPE, "--time", "0.1", "--dt", "0.01", "--json").stdout)
        self.assertEqual(10, summary["steps"])
        self.assertEqual(0.01, summary["time_step"])
        other = parse(run("run", SLOPE, "--steps", "5", "--solver", "ncp-admm", "--tolerance", "1e-6", "--json").stdout)
        self.assertEqual("ncp-admm", other["solver"])
        self.assertLessEqual(other["worst_eps_nat"], 1e-6)
        self.assertGreater(other["worst_eps_nat"], 1e-9)  # the tolerance reached the solver

    def test_a_step_that_is_not_certified_is_told(self):
        result = run("run", QUADRUPED, "--keyframe", "drop", "--solver", "ncp-pgs", "--max-iterations", "1")
        self.assertEqual(1, result.returncode, result.stderr)
        self.assertNotIn("certified    1000 of 1000", result.stdout)

    # Static depth of a sphere: ρ w Δt² m g with w = 8/3m, but for a lever that is shorter by half of it.
    def test_contacts_that_give_are_told(self):
        path = self.folder / "ball.xml"
        ball = '<body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="2" friction="0.5 0 0"/></body>'
        path.write_text(f'<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="9 9 1"/>{ball}</worldbody></mujoco>')
        command = ("run", path, "--time", "2", "--json")
        rigid = parse(run(*command).stdout)
        self.assertEqual(0.0, rigid["largest_compliance"])
        self.assertEqual(0, rigid["softened_steps"])
        soft = parse(run(*command, "--relative-compliance", "0.01").stdout)
        self.assertGreater(soft["softened_steps"], 390)
        self.assertAlmostEqual(0.01 * 8 / 3 * 9.81 * 0.005**2, soft["largest_static_depth"], delta=2e-7)
        self.assertEqual(0.0, soft["largest_relaxed_slip"])
        tilted = ("run", SLOPE, "--steps", "3", "--json", "--relative-tangent-compliance", "0.01")
        self.assertGreater(parse(run(*tilted).stdout)["largest_relaxed_slip"], 0.0)
        self.assertIn("NOT the rigid law", run(*command[:-1], "--relative-compliance", "0.01").stdout)
        for option in ("--relative-compliance", "--relative-tangent-compliance"):
            for bad in ("-0.1", "2", "much"):
                self.assertEqual(2, run(*command, option, bad).returncode)
            self.assertEqual(2, run("run", SLOPE, "--event-driven", option, "0.01").returncode)

    # A solve that is cut short leaves errors that a whole one does not, in units that somebody can weigh.
    def test_what_is_left_of_the_law_is_told_in_units(self):
        command = ("run", QUADRUPED, "--keyframe", "drop", "--time", "0.3", "--json")
        solved = parse(run(*command).stdout)
        self.assertLess(solved["signorini_penetration"], 1e-7)
        self.assertLess(solved["friction_error"], 1e-4)
        left = parse(run(*command, "--solver", "ncp-pgs", "--max-iterations", "1").stdout)
        self.assertGreater(left["signorini_penetration"], 1e-4)
        self.assertGreater(left["friction_error"], 1e-2)
        self.assertRegex(run(*command[:-1]).stdout, r"penetrates at up to \S+ m/s .* friction is off by up to \S+ N")

    def test_a_jam_is_told(self):
        walls = "".join(f'<geom type="plane" size="9 9 1" pos="{x} 0 0" zaxis="{-x} 0 0"/>' for x in (-0.095, 0.095))
        box = '<body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>'
        path = self.folder / "wedged.xml"
        path.write_text(f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{walls}{box}</worldbody></mujoco>')
        result = run("run", path, "--steps", "10")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("what is jammed", result.stdout)
        self.assertGreater(parse(run("run", path, "--steps", "10", "--json").stdout)["steps_jammed"], 0)
        self.assertNotIn("jammed", run("run", SLOPE, "--steps", "10").stdout)

    def test_rows_of_loops_that_are_left_out_are_told(self):
        gripper = SLOPE.parent / "gripper.xml"
        self.assertIn("what others say already left out", run("run", gripper, "--steps", "10").stdout)
        summary = parse(run("run", gripper, "--steps", "10", "--json").stdout)
        self.assertGreater(summary["most_redundant_rows"], 0)
        self.assertLess(summary["largest_loop_mismatch"], 1e-5)
        self.assertNotIn("loops ", run("run", SLOPE, "--steps", "10").stdout)

    def test_same_bits_for_any_number_of_threads(self):
        one, two = (parse(run("run", SCENES / "boxes.xml", "--time", "0.5", "--json", "--threads", n).stdout) for n in "12")
        self.assertEqual(one["joints"], two["joints"])
        self.assertEqual(2, two["threads"])

    def test_keyframe(self):
        by_name = parse(run("run", QUADRUPED, "--keyframe", "drop", "--steps", "1", "--json").stdout)
        by_number = parse(run("run", QUADRUPED, "-k", "2", "--steps", "1", "--json").stdout)
        self.assertEqual(by_name["joints"], by_number["joints"])
        self.assertGreater(joint(by_name, "base")["q"][2], 0.5)

    def test_set_and_control(self):
        summary = parse(
            run("run", QUADRUPED, "--steps", "1", "--json", "--set", "front_left_knee=0.3", "--set", "base=1,2,3,0,0,0,1").stdout
        )
        self.assertAlmostEqual(0.3, joint(summary, "front_left_knee")["q"][0], delta=0.01)
        self.assertAlmostEqual(2.0, joint(summary, "base")["q"][1], delta=1e-3)
        driven = parse(run("run", FOUR_BAR, "--time", "1", "--control", "crank=6.2831853", "--json").stdout)
        self.assertAlmostEqual(6.28, joint(driven, "crank")["q"][0], delta=0.3)

    def test_report(self):
        path = self.folder / "steps.csv"
        result = run("run", QUADRUPED, "--steps", "50", "--report", path)
        self.assertEqual(0, result.returncode, result.stderr)
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(50, len(rows))
        self.assertAlmostEqual(0.05, float(rows[-1]["time"]))
        for row in rows:
            self.assertEqual("converged", row["status"])
            self.assertEqual("1", row["certified"])
            self.assertLessEqual(float(row["eps_nat"]), 1e-9)
            self.assertEqual(4, int(row["contacts"]))
        self.assertGreater(float(rows[0]["seconds_solve"]), 0.0)

    def test_record(self):
        path = self.folder / "run.h5"
        result = run("run", QUADRUPED, "--steps", "150", "--record", path)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(b"\x89HDF", path.read_bytes()[:4])
        self.assertGreater(path.stat().st_size, 10000)
        process = subprocess.Popen([COMMAND, "run", QUADRUPED, "--time", "1e6", "--record", path], stdout=subprocess.PIPE)
        until_it_works(process, 0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertEqual(130, process.returncode)
        self.assertEqual(b"\x89HDF", path.read_bytes()[:4])

    def test_bad_usage(self):
        absent, text = self.folder / "absent.xml", self.folder / "text.xml"
        text.write_text("this is not XML")
        for arguments, part in (
            ([absent], str(absent)),
            ([text], str(text)),
            ([QUADRUPED, "--keyframe", "dance"], "dance"),
            ([QUADRUPED, "--keyframe", "7"], "7"),
            ([TOWER, "--keyframe", "0"], "no keyframes"),
            ([QUADRUPED, "--set", "no_such_joint=1"], "no_such_joint"),
            ([QUADRUPED, "--set", "base=1"], "base=1"),
            ([QUADRUPED, "--set", "front_left_knee=bent"], "bent"),
            ([QUADRUPED, "--set", "front_left_knee"], "front_left_knee"),
            ([QUADRUPED, "--set", "base=0,0,1,0,0,0,5"], "quaternion"),
            ([QUADRUPED, "--control", "nobody=1"], "nobody"),
            ([QUADRUPED, "--solver", "no-such-solver"], "no-such-solver"),
            ([QUADRUPED, "--solver-option", "no_such_option=1"], "no_such_option"),
            ([QUADRUPED, "--dt", "-1"], "-1"),
            ([QUADRUPED, "--time", "soon"], "soon"),
            ([QUADRUPED, "--time", "1", "--steps", "3"], "--steps"),
            ([QUADRUPED, "--report", "/nowhere/steps.csv"], "/nowhere/steps.csv"),
            ([QUADRUPED, "--record", "/nowhere/run.h5"], "/nowhere/run.h5"),
            ([QUADRUPED, "--threads", "0"], "0"),
            ([f"{QUADRUPED}@1,2"], "1,2"),
            ([f"{QUADRUPED}@here"], "here"),
        ):
            result = run("run", *arguments)
            self.assertEqual(2, result.returncode, arguments)
            self.assertIn(part, result.stderr, arguments)
            self.assertEqual("", result.stdout)

    # Near names of an absent file: those of its folder first, then those of the scenes that come with the command.
    def test_absent_files_have_near_names(self):
        (self.folder / "robot.xml").write_text("<mujoco/>")
        for name, near in (
            (self.folder / "robt.xml", f'did you mean "{self.folder / "robot.xml"}"?'),
            ("scenes/gallery/house_of_card.xml", 'did you mean "scenes/gallery/house_of_cards.xml"?'),
            ("scenes/kapla.xml", 'did you mean "scenes/gallery/kapla.xml"?'),
            ("quadrupd", 'did you mean "scenes/quadruped.xml" or'),
            ("a=kapla@0,0,1", 'kapla: there is no such file; did you mean "scenes/gallery/kapla.xml"?'),
        ):
            result = run("run", name, cwd=self.folder)
            self.assertEqual(2, result.returncode, name)
            self.assertIn(near, result.stderr, name)
        self.assertNotIn("did you mean", run("run", "elephant.xml", cwd=self.folder).stderr)

    def test_interrupt_ends_the_run_with_its_summary(self):
        path = self.folder / "steps.csv"
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [COMMAND, "run", QUADRUPED, "--time", "1e6", "--report", path, "--json"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            deadline = time.time() + 60
            while (not path.exists() or path.stat().st_size < 20000) and time.time() < deadline:
                time.sleep(0.02)
            process.send_signal(number)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(128 + number, process.returncode)
            summary = parse(out)
            self.assertEqual(number, summary["signal"])
            with path.open(newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(summary["steps"], len(rows))  # the file is complete
            self.assertIsNotNone(rows[-1]["seconds_integrate"])
            path.unlink()

    def test_interrupt_acts_inside_of_a_step(self):
        boxes = "".join(
            f'<body pos="{0.15 * (k % 5)} {0.15 * (k // 5 % 5)} {0.1 + 0.12 * (k // 25)}" axisangle="1 {0.1 * (k % 7)} 0.5 {0.3 * k}">'
            f'<freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>'
            for k in range(150)
        )
        scene, path, record = self.folder / "boxes.xml", self.folder / "steps.csv", self.folder / "boxes.h5"
        scene.write_text(f'<mujoco><worldbody><geom type="plane" size="5 5 1"/>{boxes}</worldbody></mujoco>')
        # Without a limit a step takes seconds to hours; the first is hardly over when the signal comes.
        process = subprocess.Popen(
            [COMMAND, "run", scene, "--dt", "0.01", "--steps", "100", "--tolerance", "1e-15", "--acceptable", "0"]
            + ["--max-iterations", "1000000", "--report", path, "--record", record, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until_it_works(process, 1.0)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=120)
        self.assertEqual(130, process.returncode, error)
        summary = parse(out)
        self.assertEqual(signal.SIGINT, summary["signal"])
        with path.open(newline="") as file:
            self.assertEqual(summary["steps"], len(list(csv.DictReader(file))))
        self.assertEqual(b"\x89HDF", record.read_bytes()[:4])

    def test_interrupt_acts_inside_of_an_event(self):
        # A heap that lands at once: its impacts and what rests of it are solved without limit, which takes hours.
        balls = "".join(
            f'<body pos="{0.2 * (k % 6)} {0.2 * (k // 6 % 6)} {0.1 + 0.2 * (k // 36)}"><freejoint/>'
            f'<geom type="sphere" size="0.1"/></body>'
            for k in range(180)
        )
        scene = self.folder / "balls.xml"
        scene.write_text(
            '<mujoco><worldbody><geom type="plane" size="5 5 1"/>' + balls + "</worldbody><keyframe>"
            '<key name="fall" qvel="' + " ".join(["0.1 0 -1 0 0 0"] * 180) + '"/></keyframe></mujoco>'
        )
        report = self.folder / "events.csv"
        process = subprocess.Popen(
            [COMMAND, "run", scene, "--keyframe", "fall", "--event-driven", "--time", "10", "--report", report, "--json"]
            + ["--solver", "ncp-pgs", "--tolerance", "1e-15", "--max-iterations", "1000000000"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until_it_works(process, 1.0)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, error)
        self.assertLess(parse(out)["time"], 10)
        with report.open(newline="") as file:
            self.assertEqual(parse(out)["events"], len(list(csv.DictReader(file))))

    def test_numbers_that_grow_too_large_end_the_run_with_its_summary(self):
        path, record = self.folder / "whirl.xml", self.folder / "whirl.h5"
        path.write_text(
            '<mujoco><worldbody><body><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body></worldbody>'
            '<keyframe><key name="whirl" qvel="0 0 0 1e200 2e200 3e200"/></keyframe></mujoco>'
        )
        result = run("run", path, "--keyframe", "whirl", "--steps", "100", "--record", record, "--json")
        self.assertEqual(1, result.returncode, result.stderr)
        summary = parse(result.stdout)
        self.assertIn("not finite", summary["failure"])
        self.assertLess(summary["steps"], 100)
        self.assertTrue(record.exists())
        self.assertIn("stopped: step at time", run("run", path, "--keyframe", "whirl", "--steps", "100").stdout)

    def test_progress_on_a_terminal(self):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [COMMAND, "run", QUADRUPED, "--time", "1e6"], stdout=subprocess.PIPE, stderr=slave, text=True
        )
        os.close(slave)
        seen = b""
        while b"certified" not in seen:
            seen += os.read(master, 1000)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        os.close(master)
        self.assertIn(b"times real time", seen)
        self.assertIn("stopped by signal 2", out)


class Info(Scratch):
    def test_text(self):
        result = run("info", FOUR_BAR)
        self.assertEqual(0, result.returncode, result.stderr)
        for part in ("3 bodies in 2 trees", "revolute 'elbow'", "loop 'closure': point of coupler and rocker", "keyframe 'turn'"):
            self.assertIn(part, result.stdout)
        self.assertIn("ignored: nothing", result.stdout)

    def test_ignored_is_told(self):
        path = self.folder / "seen.xml"
        path.write_text('<mujoco><worldbody><light pos="0 0 1"/><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
        result = run("info", path)
        self.assertIn("light", result.stdout)
        self.assertIn("only to see with", result.stdout)
        ignored = parse(run("info", path, "--json").stdout)["ignored"]
        self.assertEqual(1, len(ignored))
        self.assertIn("light", ignored[0]["element"])

    def test_json(self):
        info = parse(run("info", QUADRUPED, "--json").stdout)
        self.assertEqual(18, info["velocities"])
        self.assertEqual(12, len(info["actuators"]))
        self.assertEqual(["stand", "crouch", "drop"], [key["name"] for key in info["keyframes"]])
        self.assertEqual(["base"], info["bodies"][0]["names"])
        knee = next(j for j in info["joints"] if j["name"] == "front_left_knee")
        self.assertAlmostEqual(-1.0472, knee["lower"], places=3)
        self.assertAlmostEqual(14.7, info["mass"])
        trunk = next(shape for shape in info["shapes"] if shape["name"] == "trunk")
        self.assertEqual([0.24, 0.09, 0.05], trunk["half_size"])

    def test_bad_files(self):
        result = run("info", self.folder / "absent.urdf")
        self.assertEqual(2, result.returncode)
        self.assertIn("absent.urdf", result.stderr)


def ball_over_ground(height, extra=""):
    return f"""<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1" friction=".5 0 0"/>
        <body name="ball" pos="0 0 {0.1 + height}"><freejoint/><geom name="ball" size=".1" mass="1" friction=".5 0 0"/></body>
        {extra}</worldbody></mujoco>"""


PENDULUM = """<mujoco><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/><geom size=".002" pos=".01 0 0" mass="1"/></body>
    </worldbody></mujoco>"""


class EventDriven(Scratch):
    def scene(self, text):
        path = self.folder / "scene.xml"
        path.write_text(text)
        return path

    def test_summary_json_and_events(self):
        report = self.folder / "events.csv"
        command = ("run", self.scene(ball_over_ground(1.0)), "--event-driven", "--time", "0.6")
        result = run(*command, "--report", report)
        self.assertEqual(0, result.returncode, result.stderr)
        for part in ("events       1 to 0.6 s: 1 impacts", "certified    yes", "penetration", "contacts     at the end 1 at rest", "events/s"):
            self.assertIn(part, result.stdout)
        with open(report, newline="") as file:
            (event,) = csv.DictReader(file)
        self.assertEqual(("impact", "floor", "ball", "converged"), tuple(event[k] for k in ("kind", "shape_a", "shape_b", "status")))
        self.assertAlmostEqual((2 / 9.81) ** 0.5, float(event["time"]), delta=1e-9)
        result = parse(run(*command, "--json", "--integrator", "rk45", "--impact-law", "poisson", "--event-tolerance", "1e-8").stdout)
        self.assertTrue(result["certified"])
        self.assertEqual(1, result["impacts"])
        self.assertLessEqual(result["largest_penetration"], 1e-8)
        self.assertEqual((0, 0), (result["largest_impact_gain"], result["time_step_gain"]))

    def test_energy_that_is_not_certified_is_no_success(self):
        pendulum = self.scene(PENDULUM)
        self.assertEqual(0, run("run", pendulum, "--event-driven", "--dt", "1e-4").returncode)
        coarse = run("run", pendulum, "--event-driven", "--dt", "0.01", "--json")
        self.assertEqual((True, True, False), tuple(parse(coarse.stdout)[f"{k}_certified"] for k in ("law", "geometry", "energy")))
        self.assertEqual(1, coarse.returncode)

    def test_what_is_refused(self):
        ball = self.scene(ball_over_ground(1.0))
        for tolerance in ("0", "-1e-9", "nan", "inf"):
            result = run("run", ball, "--event-driven", f"--event-tolerance={tolerance}")
            self.assertEqual(2, result.returncode)
            self.assertIn("--event-tolerance", result.stderr)
            self.assertIn(f"{tolerance} is not a positive number", result.stderr)
        for option in (("--event-tolerance", "1e-9"), ("--integrator", "rk45"), ("--impact-law", "poisson")):
            result = run("run", ball, *option)
            self.assertEqual(2, result.returncode)
            self.assertIn("--event-driven", result.stderr)
        for option in (("--record", self.folder / "a.h5"), ("--video", self.folder / "a.gif"), ("--steps", "3"), ("--threads", "2")):
            result = run("run", ball, "--event-driven", *option)
            self.assertEqual(2, result.returncode, option)
            self.assertIn(f"--event-driven with {option[0]}", result.stderr)
        self.assertEqual(2, run("run", ball, "--event-driven", "--integrator", "euler").returncode)
        self.assertEqual(2, run("run", ball, "--event-driven", "--solver", "newton-raphson").returncode)

    def test_a_start_that_overlaps_is_refused_with_shapes_and_depth(self):
        result = run("run", self.scene(ball_over_ground(-0.01)), "--event-driven")
        self.assertEqual(2, result.returncode)
        self.assertRegex(result.stderr, "shapes 'floor' and 'ball' overlap by 0.0(1|09999)")
        loop = run("run", FOUR_BAR, "--event-driven")
        self.assertEqual(2, loop.returncode)
        self.assertIn("loop", loop.stderr)


if __name__ == "__main__":
    unittest.main()
