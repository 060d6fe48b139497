"""--report=json:FILE: each line is an object of the schema, and says what the text for people says."""
import json
import signal
import subprocess
import sys

import jsonschema
import pytest

from conftest import ROOT, WAVETRAP, run

sys.path[:0] = [str(ROOT / "tests" / "host")]
from sanitizer import environment  # noqa: E402

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())


def objects(path):
    """The lines of a file, each held against the schema."""
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for one in found:
        jsonschema.validate(one, SCHEMA)
    return found


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_an_end(build, tmp_path):
    """Several files have the same; an old one is not continued."""
    (tmp_path / "a").write_text("old\n")
    done = run("run", f"--report=json:{tmp_path}/a", f"--report=json:{tmp_path}/%p", build.asm("_start: exit 3\n"))
    assert done.returncode == 3 and not done.stderr
    end, = objects(tmp_path / "a")
    assert (end["kind"], end["command"], end["status"]) == ("exit", "run", 3) and end["time"] > 0
    assert objects(tmp_path / str(end["process"])) == [end]


def test_a_fault_says_what_is_printed(build, tmp_path):
    done = run("run", f"--report=json:{tmp_path}/a", build.asm("_start: li t0, 0x30000001\n lw t1, 0(t0)\n exit 0\n"))
    fault, end = objects(tmp_path / "a")
    assert (fault["kind"], fault["fault"], fault["address"], end["status"]) == ("fault", "misaligned", "0x30000001", done.returncode)
    said = done.stderr.splitlines()
    assert said[0] == f"wavetrap: {fault['text']}" and said[1].strip().startswith(fault["wave"]) and f"issue time {fault['time']}" in said[1]
    assert said[2].strip() == f"at {fault['place']}" and fault["lanes"] == "0"


def test_a_deadlock_is_of_all_waves(build, tmp_path):
    done = run("run", f"--report=json:{tmp_path}/a", build.asm("_start: li t0, 0\n li t1, 2\n bar t0, t1\n exit 0\n"))
    fault, end = objects(tmp_path / "a")
    assert done.returncode == end["status"] == 121 and fault["fault"] == "deadlock" and "wave" not in fault


@pytest.mark.parametrize("value, words", [("json:", "it takes the name of a file"), ("xml:a", "takes json:FILE, and with --check=LIST sarif:FILE and junit:FILE, not 'xml:a'"),
                                          ("sarif", "the name of a file is missing: sarif:FILE"),
                                          ("json:/nosuch/a", "/nosuch/a: cannot be written"), ("json:%q", "%")])
def test_a_report_that_cannot_be_is_an_error_before_anything_runs(build, value, words):
    done = run("run", f"--report={value}", build.asm("_start: exit 0\n"))
    assert done.returncode == 125 and "--report" in done.stderr and words in done.stderr, done.stderr


def test_stops_and_values(build, tmp_path):
    """Of a breakpoint, a step, and the end; a value of each lane."""
    program = build.asm("_start: li t0, 15\n tmc t0\nhere: csrr t2, 0xcc0\n addi t2, t2, 7\n exit 0\n", name="stops.S")
    done = run("debug", "--nx", "--batch", f"--report=json:{tmp_path}/a", "-ex", "break here", "-ex", "run", "-ex", "stepi", "-ex", "print $t2@*",
               "-ex", "print/x $t0", "-ex", "continue", program)
    assert done.returncode == 0, done.stderr
    stop, step, *values, end = objects(tmp_path / "a")
    assert (stop["kind"], stop["reason"], stop["point"], stop["line"]) == ("stop", "breakpoint", 1, 3) and stop["file"].endswith("/stops.S")
    assert (step["kind"], step["reason"], step["time"]) == ("stop", "step", stop["time"] + 1) and step["lanes"] == "0-3"
    assert [(v["lane"], v["value"]) for v in values[:-1]] == [(0, "0"), (1, "1"), (2, "2"), (3, "3")]
    assert (values[-1]["expression"], values[-1]["number"], values[-1]["value"]) == ("$t0", 2, "0xf")
    assert (end["kind"], end["command"], end["status"]) == ("exit", "debug", 0)


def test_a_command_that_fails(build, tmp_path):
    done = run("debug", "--nx", "--batch", f"--report=json:{tmp_path}/a", "-ex", "print no\"such\udcff", build.asm("_start: exit 0\n"), errors="replace")
    error, = objects(tmp_path / "a")
    assert done.returncode == 1 and error["kind"] == "error" and error["command"] == "print no\"such\ufffd" and error["text"] in done.stderr


def test_processes_of_a_host_program(tmp_path):
    """The counts and the end are told by exec; a child's end is not the program's."""
    done = subprocess.run([WAVETRAP, "exec", f"--report=json:{tmp_path}/a", "sh", "-c", "(exit 7); kill -TERM $$"], capture_output=True, text=True,
                          env=environment())
    assert done.returncode == -signal.SIGTERM
    *kernels, end = objects(tmp_path / "a")
    assert {k["gpu"] for k in kernels} == {"vortex", "gfx900", "gen9", "sm"} and all(k["kind"] == "kernels" and k["launches"] == 0 for k in kernels)
    assert (end["kind"], end["command"], end["signal"]) == ("exit", "exec", signal.SIGTERM)


def test_gpus_have_the_names_of_their_models(tmp_path):
    """Those that were asked for, where no process has opened one."""
    done = run("exec", "--stats", f"--report=json:{tmp_path}/a", "-g", "gfx90a:cu=3", "-g", "gfx908", "-g", "gfx90a", "true")
    kernels, _ = objects(tmp_path / "a")
    assert kernels["gpu"] == "gfx90a, gfx908" and done.stderr.endswith("wavetrap: no kernel was launched on the emulated gfx90a, gfx908\n")


def test_a_full_disk_is_told_once(build):
    """Each object would have its own message. Such a run has failed."""
    done = run("run", "--report=json:/dev/full", "--profile=json:/dev/full", build.asm("_start: exit 3\n"))
    assert (done.returncode, done.stderr.count("/dev/full: cannot be written: No space left on device")) == (125, 1), done.stderr
