#!/usr/bin/env python3
"""The verbs solve and list from outside: exit codes, JSON, help, bad files. Usage: solve_test.py COMMAND SCENES"""

import csv
import pathlib
import tempfile
import unittest

from command import SCENES, parse, run

EASY = SCENES / "fclib" / "FrictionContact3D_1c.hdf5"
ROVER = SCENES / "fclib" / "Rover4396.hdf5"
KEYS = ["file", "solver", "model", "status", "iterations", "seconds", "eps_abs", "eps_rel", "eps_nat"]


def solvers():
    return [solver["name"] for solver in parse(run("list", "solvers", "--json").stdout)]


class Help(unittest.TestCase):
    def test_every_verb_has_help(self):
        for verb in (
            [],
            ["solve"],
            ["run"],
            ["info"],
            ["convert"],
            ["list"],
            ["list", "solvers"],
            ["list", "options"],
            ["list", "scenes"],
            ["learn"],
            ["learn", "generate"],
            ["learn", "train"],
            ["learn", "evaluate"],
            ["compare"],
            ["view"],
            ["render"],
            ["experiment"],
        ):
            result = run(*verb, "--help")
            self.assertEqual(0, result.returncode, verb)
            self.assertRegex(result.stdout, r"Examples?:\n  stiction ", verb)

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^stiction \d+\.\d+\.\d+")

    def test_bad_usage(self):
        for arguments in (
            [],
            ["frobnicate"],
            ["solve"],
            ["solve", EASY, "--solver", "no-such-solver"],
            ["solve", EASY, "--tolerance", "-1"],
            ["solve", EASY, "--tolerance", "small"],
            ["solve", EASY, "--form", "round"],
            ["solve", EASY, "--set", "nonsense"],
            ["solve", EASY, "--set", "no_such_option=1"],
            ["list", "options", "no-such-solver"],
        ):
            result = run(*arguments)
            self.assertEqual(2, result.returncode, arguments)
            self.assertNotEqual("", result.stderr)
            self.assertEqual("", result.stdout)


class List(unittest.TestCase):
    def test_solvers(self):
        names = solvers()
        self.assertTrue(names)
        table = run("list", "solvers").stdout
        for name in names:
            self.assertIn(name, table)

    def test_options(self):
        for name in solvers():
            result = run("list", "options", name, "--json")
            self.assertEqual(0, result.returncode)
            self.assertIn("tolerance", [option["name"] for option in parse(result.stdout)])
            self.assertIn("tolerance", run("list", "options", name).stdout)

    def test_scenes(self):
        scenes = parse(run("list", "scenes", SCENES, "--json").stdout)
        self.assertEqual(sorted(str(p) for p in SCENES.glob("*.xml")), [scene["file"] for scene in scenes])
        for scene in scenes:
            self.assertGreater(len(scene["header"]), 40, scene["file"])
        self.assertIn("quadruped.xml", run("list", "scenes").stdout)
        for folder in (SCENES / "fclib", SCENES / "no-such-folder"):
            result = run("list", "scenes", folder)
            self.assertEqual(2, result.returncode)
            self.assertIn(str(folder), result.stderr)


class Solve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        known = solvers()
        self.solver = "auto" if "auto" in known else next(name for name in known if name.startswith("ncp"))

    def test_table(self):
        result = run("solve", EASY, "--solver", self.solver)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("converged", result.stdout)
        self.assertNotIn("Summary", result.stdout)

    def test_json(self):
        result = run("solve", EASY, "--solver", self.solver, "--json", "--tolerance", "1e-9")
        records = parse(result.stdout)
        self.assertEqual(1, len(records))
        self.assertEqual(KEYS, list(records[0])[: len(KEYS)])
        self.assertEqual("converged", records[0]["status"])
        self.assertEqual("ncp", records[0]["model"])
        self.assertLessEqual(records[0]["eps_nat"], 2e-9)
        self.assertEqual(str(EASY), records[0]["file"])

    def test_every_solver_and_every_form(self):
        for form in ([], ["--form", "dense"], ["--form", "sparse"]):
            records = parse(run("solve", "--solver", "all", EASY, "--json", *form).stdout)
            self.assertEqual(solvers(), [record["solver"] for record in records])

    def test_failure_is_told(self):
        result = run("solve", SCENES / "fclib" / "RockPile_tob1.hdf5", "--solver", "ncp-admm", "--max-iterations", "1")
        self.assertEqual(1, result.returncode)
        self.assertIn("iteration_limit", result.stdout)

    def test_asymmetry_is_noted(self):
        result = run("solve", ROVER, "--solver", "ncp-admm", "--tolerance", "1e-3")
        self.assertIn("not symmetric", result.stdout)

    def test_summary_of_several_files(self):
        result = run("solve", EASY, ROVER, "--solver", self.solver)
        self.assertIn("Summary", result.stdout)
        self.assertRegex(result.stdout, self.solver + r" +2/2")

    def test_folder(self):
        for source in (EASY, ROVER):
            (self.folder / source.name).write_bytes(source.read_bytes())
        (self.folder / "notes.txt").write_text("no problem")
        records = parse(run("solve", self.folder, "--json", "--solver", self.solver).stdout)
        self.assertEqual([EASY.name, ROVER.name], [pathlib.Path(record["file"]).name for record in records])

    def test_save_and_history(self):
        saved, history = self.folder / "answer.hdf5", self.folder / "history.csv"
        result = run("solve", ROVER, "--solver", self.solver, "--save", saved, "--history", history)
        self.assertEqual(0, result.returncode, result.stderr)
        with history.open(newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            self.assertEqual(self.solver, row["solver"])
            float(row["residual"])
        again = parse(run("solve", saved, "--solver", self.solver, "--json").stdout)
        self.assertEqual("converged", again[0]["status"])
        for arguments in ([EASY, ROVER], [EASY, "--solver", "all"]):
            self.assertEqual(2, run("solve", *arguments, "--save", saved).returncode)
        self.assertEqual(2, run("solve", ROVER, "--solver", self.solver, "--save", "/nowhere/x.hdf5").returncode)

    def test_linear_complementarity(self):
        if "lcp-lemke" not in solvers():
            self.skipTest("lcp-lemke is not there")
        files = sorted((SCENES / "fclib" / "lcp").glob("*.hdf5"))
        result = run("solve", *files, "--solver", "lcp-lemke", "--json")
        for record in parse(result.stdout):
            if record["status"] == "converged":
                self.assertLessEqual(record["eps_rel"], 1e-9)
        definite = SCENES / "fclib" / "lcp" / "lcp_ortiz.hdf5"
        records = parse(run("solve", definite, "--solver", "all", "--json").stdout)
        self.assertIn("lcp-lemke", [record["solver"] for record in records])
        self.assertEqual(0, run("solve", definite, "--solver", "lcp-lemke").returncode)

    def test_sequence(self):
        result = run("solve", SCENES / "robot-problems" / "quadruped-stand.hdf5", "--solver", self.solver, "--json")
        record = parse(result.stdout)[0]
        self.assertEqual(300, record["steps"])
        self.assertEqual(300, record["steps_converged"])

    def test_bad_files(self):
        text = self.folder / "text.hdf5"
        text.write_text("this is not HDF5")
        truncated = self.folder / "truncated.hdf5"
        truncated.write_bytes(ROVER.read_bytes()[:4000])
        empty = self.folder / "empty"
        empty.mkdir()
        for path in (text, truncated, empty, self.folder / "absent.hdf5", SCENES / "fclib" / "README.md"):
            result = run("solve", path, "--solver", self.solver)
            self.assertEqual(2, result.returncode, path)
            self.assertIn(str(path), result.stderr)

    def test_absent_files_have_near_names(self):
        (self.folder / "wheel.hdf5").write_bytes(ROVER.read_bytes())
        for name, near in (
            (self.folder / "whel.hdf5", f'did you mean "{self.folder / "wheel.hdf5"}"?'),
            ("scenes/fclib/Rover4369.hdf5", 'did you mean "scenes/fclib/Rover4396.hdf5"'),
            ("Rover4396", 'did you mean "scenes/fclib/Rover4396.hdf5"'),
        ):
            result = run("solve", name, "--solver", self.solver, cwd=self.folder)
            self.assertEqual(2, result.returncode, name)
            self.assertIn(near, result.stderr, name)

    def test_a_bad_file_does_not_stop_the_others(self):
        text = self.folder / "text.hdf5"
        text.write_text("this is not HDF5")
        result = run("solve", text, EASY, "--solver", self.solver, "--json")
        self.assertEqual(2, result.returncode)
        self.assertEqual(1, len(parse(result.stdout)))


if __name__ == "__main__":
    unittest.main()
