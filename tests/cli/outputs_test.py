#!/usr/bin/env python3
"""What the command writes: files of every kind, full disks, standard output. Usage: outputs_test.py COMMAND SCENES"""

import contextlib
import csv
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

from command import COMMAND, SCENES, parse, run

try:
    import h5py
except ImportError:
    h5py = None

BALL = """<robot name="ball"><link name="ball"><inertial><mass value="1"/>
  <inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""
PROBLEM = SCENES / "fclib" / "Capsules-i101-404.hdf5"


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ball = self.folder / "ball.urdf"
        self.ball.write_text(BALL)

    @property
    def by_events(self):
        return [self.ball, "--base", "floating", "--event-driven", "--time", "0.01"]

    def run_ball(self, *arguments, steps=250, **how):
        return subprocess.run(
            [COMMAND, "run", self.ball, "--base", "floating", "--steps", str(steps), *map(str, arguments)],
            capture_output=True, text=True, timeout=300, check=False, **how,
        )

    def check_recording(self, path, steps):
        self.assertEqual(b"\x89HDF", path.read_bytes()[:4])
        if h5py is None:
            return
        with h5py.File(path) as file:
            n = int(file["num_steps"][0])
            self.assertIn(n, steps)
            times = file["time"][:n]
            self.assertTrue((times[1:] > times[:-1]).all())
            self.assertEqual(n, int(file["saved_states/after"][:].max()))


class Places(Scratch):
    def test_what_is_no_regular_file_is_refused_before_anything_is_read(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "circle").symlink_to("circle")
        self.ball.write_text("this is no robot")  # a message about it would come from reading
        for path, part in (
            ("/dev/null", "device"),
            ("/dev/full", "device"),
            (self.folder / "pipe", "pipe"),
            (self.folder, "folder"),
            (self.folder / "circle", "circle"),
            ("/nowhere/run.h5", "No such file"),
            (self.ball, "would overwrite"),
        ):
            result = self.run_ball("--record", path)
            self.assertEqual(2, result.returncode, path)
            self.assertIn(part, result.stderr)
            self.assertIn(str(path), result.stderr)
            self.assertEqual("", result.stdout)
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.assertEqual({"ball.urdf", "pipe", "circle"}, set(os.listdir(self.folder)))

    def test_options_are_refused_before_a_file_is_touched(self):
        record, report = self.folder / "run.h5", self.folder / "steps.csv"
        record.write_text("precious"), report.write_text("precious")
        for arguments in (
            ["--solver", "no-such-solver"],
            ["--solver-option", "no_such_option=1"],
            ["--solver-option", "max_iterations=many"],
            ["--tolerance", "-1"],
            ["--acceptable", "inf"],
            ["--set", "no equals sign"],
            ["--keyframe", "none"],
            ["--control", "nobody=1"],
            ["--threads", "1000000"],
            ["--record", report],
        ):
            result = self.run_ball("--record", record, "--report", report, *arguments)
            self.assertEqual(2, result.returncode, arguments)
            self.assertEqual("precious", record.read_text(), arguments)
            self.assertEqual("precious", report.read_text(), arguments)

    def test_outputs_are_files_of_their_own(self):
        both = self.folder / "both"
        result = self.run_ball("--record", both, "--report", both)
        self.assertEqual(2, result.returncode)
        self.assertIn("is the file of --record", result.stderr)
        result = run("solve", PROBLEM, "--save", both, "--history", self.folder / "." / "both")
        self.assertEqual(2, result.returncode)
        self.assertFalse(both.exists())

    def test_links_are_written_through(self):
        (self.folder / "deep").mkdir()
        for name, option in (("run.h5", "--record"), ("steps.csv", "--report")):
            link, target = self.folder / name, self.folder / "deep" / name
            link.symlink_to(f"deep/{name}")
            for _ in range(2):  # where nothing is yet, and over the file
                result = self.run_ball(option, link, steps=5)
                self.assertEqual(0, result.returncode, result.stderr)
                self.assertTrue(link.is_symlink())
                self.assertTrue(target.is_file() and not target.is_symlink())
        self.check_recording(self.folder / "deep" / "run.h5", [5])

    def test_text_may_go_to_a_device(self):
        result = self.run_ball("--report", "/dev/stdout", "--json", steps=3)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("time,contacts", result.stdout)
        result = run("run", *self.by_events, "--report", "/dev/stdout")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("time,kind", result.stdout)

    def test_what_other_verbs_write_is_refused_before_anything_is_read(self):
        os.mkfifo(self.folder / "pipe.xml")
        (self.folder / "circle.xml").symlink_to("circle.xml")
        self.ball.write_text("this is no robot")
        (self.folder / "data").write_text("these are no samples")
        for path, part in (
            ("/dev/full", "device"),
            (self.folder / "pipe.xml", "pipe"),
            (self.folder / "circle.xml", "circle"),
            ("/nowhere/out.xml", "No such file"),
        ):
            for verb in (
                ["learn", "generate", path, "--count", "10"],
                ["learn", "train", self.folder / "data", "-o", path],
                *([["convert", self.ball, path]] if str(path).endswith(".xml") else []),
            ):
                result = run(*verb)
                self.assertEqual(2, result.returncode, verb)
                self.assertIn(part, result.stderr, verb)
                self.assertIn(str(path), result.stderr, verb)
        result = run("learn", "train", self.folder / "data", "-o", self.folder / "data")
        self.assertIn("would overwrite", result.stderr)
        result = run("learn", "train", self.folder / "data", "-o", self.folder / "n", "--curves", self.folder / "n")
        self.assertIn("is the file of --output", result.stderr)
        self.assertTrue((self.folder / "pipe.xml").is_fifo())
        self.assertEqual({"ball.urdf", "pipe.xml", "circle.xml", "data"}, set(os.listdir(self.folder)))

    def test_other_verbs_write_through_links(self):
        (self.folder / "deep").mkdir()
        for name, verb in (
            ("out.sdf", lambda path: ["convert", self.ball, path, "--allow-loss"]),
            ("events.csv", lambda path: ["run", *self.by_events, "--report", path]),
            ("samples", lambda path: ["learn", "generate", path, "--count", "20"]),
        ):
            link, target = self.folder / name, self.folder / "deep" / name
            link.symlink_to(f"deep/{name}")
            for _ in range(2):  # where nothing is yet, and over the file
                result = run(*verb(link))
                self.assertEqual(0, result.returncode, result.stderr)
                self.assertTrue(link.is_symlink(), name)
                self.assertTrue(target.is_file() and not target.is_symlink(), name)
        self.assertEqual({"out.sdf", "events.csv", "samples"}, set(os.listdir(self.folder / "deep")))

    def test_the_second_writer_is_refused(self):
        record = self.folder / "run.h5"
        first = subprocess.Popen(
            [COMMAND, "run", self.ball, "--base", "floating", "--steps", "1000000000", "--record", record],
            stdout=subprocess.DEVNULL,
        )
        try:
            while not record.exists():
                self.assertIsNone(first.poll())
            second = self.run_ball("--record", record)
            self.assertEqual(2, second.returncode)
            self.assertIn(f"{record}: is being written by another process", second.stderr)
        finally:
            first.kill()
            first.wait()
        self.assertEqual(0, self.run_ball("--record", record).returncode)  # the lock died with its holder
        self.check_recording(record, [250])


# A file system of its own that is full at `kilobytes`; skips where that cannot be mounted.
@contextlib.contextmanager
def small_disk(test, kilobytes):
    place = test.folder / "disk"
    place.mkdir(exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", place], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        test.skipTest("file systems cannot be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


class FullDisks(Scratch):
    def test_full_at_the_start(self):
        with small_disk(self, 64) as disk:
            with contextlib.suppress(OSError), (disk / "fill").open("wb", buffering=0) as fill:
                while True:
                    fill.write(bytes(4096))
            for option, name in (("--record", "run.h5"), ("--report", "steps.csv")):
                result = self.run_ball(option, disk / name)
                self.assertEqual(2, result.returncode, result.stderr)
                self.assertIn(f"{disk / name}: cannot be written", result.stderr)
                self.assertEqual("", result.stdout)
            self.assertLessEqual(set(os.listdir(disk)), {"fill", "steps.csv"})

    def test_full_later(self):
        sizes = set()
        for kilobytes in (128, 160, 256, 320, 512):  # in a block, when growing, when closing
            with small_disk(self, kilobytes) as disk:
                record = disk / "run.h5"
                result = self.run_ball("--record", record, "--json", steps=4000)
                self.assertEqual(2, result.returncode, result.stderr)
                self.assertIn(f"{record}: cannot be written: No space left on device", result.stderr)
                summary = parse(result.stdout)
                self.assertIn(str(record), summary["failure"])
                self.check_recording(record, range(100, summary["steps"] + 1))
                self.assertEqual(["run.h5"], os.listdir(disk))
                sizes.add(summary["steps"])
        self.assertGreater(len(sizes), 1)

    def test_text_full_later(self):
        with small_disk(self, 128) as disk:
            report = disk / "steps.csv"
            result = self.run_ball("--report", report, "--json", steps=4000)
            self.assertEqual(2, result.returncode)
            self.assertIn(f"{report}: not everything could be written", result.stderr)
            with report.open(newline="") as file:
                self.assertGreater(len(list(csv.DictReader(file))), 50)

    def test_limit_of_file_size(self):
        for kilobytes, complete in ((8, False), (4096, True)):
            record = self.folder / f"run{kilobytes}.h5"
            result = self.run_ball(
                "--record", record, "--json", steps=6000,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10)),
            )
            self.assertEqual(2, result.returncode, result.stderr)
            self.assertIn(f"{record}: cannot be written: File too large", result.stderr)
            if complete:
                self.check_recording(record, range(100, 6000))
            else:
                self.assertFalse(record.exists())
        self.assertLessEqual(set(os.listdir(self.folder)), {"ball.urdf", "run4096.h5"})

    def test_solve_on_a_full_disk(self):
        with small_disk(self, 4) as disk:
            for option, name in (("--save", "answer.hdf5"), ("--history", "history.csv")):
                result = run("solve", PROBLEM, "--solver", "ncp-pgs" if option == "--history" else "auto", option, disk / name)
                self.assertNotEqual(0, result.returncode)
                self.assertIn(f"{disk / name}", result.stderr)
            self.assertFalse((disk / "answer.hdf5").exists())
        result = run("solve", PROBLEM, "--history", "/dev/full")
        self.assertEqual(2, result.returncode)
        self.assertIn("/dev/full", result.stderr)

    def test_convert_on_a_full_disk(self):
        with small_disk(self, 8) as disk:
            (disk / "fill").write_bytes(bytes(4096))
            for name in ("out.sdf", "out.urdf", "out.xml"):
                (disk / name).write_text("precious")
                result = run("convert", self.ball, disk / name, "--allow-loss")
                self.assertEqual(2, result.returncode, result.stderr)
                self.assertIn(str(disk / name), result.stderr)
                self.assertEqual("precious", (disk / name).read_text())
                (disk / name).unlink()
            self.assertEqual(["fill"], os.listdir(disk))

    def test_limit_of_file_size_of_other_verbs(self):
        for name, verb, summary in (
            ("out.sdf", lambda path: ["convert", self.ball, path, "--allow-loss"], ""),
            ("samples", lambda path: ["learn", "generate", path, "--count", "200"], ""),
            ("events.csv", lambda path: ["run", *self.by_events, "--report", path], "certified"),
        ):
            path = self.folder / name
            path.write_text("precious")
            result = subprocess.run(
                [COMMAND, *map(str, verb(path))], capture_output=True, text=True, timeout=300, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
            )
            self.assertEqual(2, result.returncode, name + result.stderr)
            self.assertIn(str(path), result.stderr)
            self.assertEqual("precious", path.read_text())
            self.assertIn(summary, result.stdout)  # what was computed is told all the same
        self.assertEqual({"ball.urdf", "out.sdf", "samples", "events.csv"}, set(os.listdir(self.folder)))


class StandardOutput(Scratch):
    def verbs(self):
        out = self.folder / "out.sdf"
        yield ["--help"]
        yield ["--version"]
        yield ["run", "--help"]
        for json in ([], ["--json"]):
            yield ["list", "solvers", *json]
            yield ["list", "options", "auto", *json]
            yield ["list", "scenes", SCENES, *json]
            yield ["info", self.ball, *json]
            yield ["convert", self.ball, out, "--allow-loss", *json]
            yield ["run", self.ball, "--steps", "3", *json]
            yield ["run", *self.by_events, *json]
            yield ["solve", PROBLEM, *json]
            yield ["compare", self.ball, "--steps", "3", *json]
        yield ["render", self.ball, "-o", self.folder / "ball.png", "--size", "64x64"]
        yield ["learn", "generate", self.folder / "samples", "--count", "20"]

    def test_failed_writes_are_told(self):
        for arguments in self.verbs():
            self.assertEqual(0, run(*arguments).returncode, arguments)
            with open("/dev/full", "w") as full:
                result = subprocess.run(
                    [COMMAND, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
                )
            self.assertEqual(2, result.returncode, arguments)
            self.assertIn("standard output", result.stderr, arguments)

    def test_closed_streams(self):
        record = self.folder / "run.h5"
        command = f"exec {COMMAND} run {self.ball} --base floating --steps 200 --record {record}"
        for closed, code in (("<&-", 0), (">&-", 2), ("<&- >&- 2>&-", 2)):
            result = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True, check=False)
            self.assertEqual(code, result.returncode, closed)
            self.check_recording(record, [200])  # nothing of the summary went into it

    def test_a_failed_run_keeps_its_code(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run(
                [COMMAND, "solve", PROBLEM, "--max-iterations", "1", "--solver", "ncp-pgs"], stdout=full,
                stderr=subprocess.PIPE, text=True, check=False,
            )
        self.assertEqual(1, result.returncode)
        self.assertIn("standard output", result.stderr)


if __name__ == "__main__":
    unittest.main()
