"""A dispatch's number is that of its launch in the process, on all devices, whenever the debugger came and whatever it has seen: the
programs launch their kernels one after the other, so that the number of each is known. ROCm's runtime copies code to a GPU by kernels
of its own, which are launches, too: as many as there are for a program that launches one kernel."""
import json
import re
import signal
import subprocess

import pytest

from conftest import ROOT, WAVETRAP, compiled, environment
from test_console import ask
from test_cuda_cpp import compiled as compiled_cpp
from test_opencl_long import build

HERE = ROOT / "tests" / "host"
FAMILIES = ("gfx900", "sm", "gen9")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """program(gpu): the program with launches for it."""
    made = {}

    def make(gpu):
        if gpu not in made:
            folder = tmp_path_factory.mktemp("launches")
            made[gpu] = {"gfx900": lambda: compiled("launches.hip"), "gen9": lambda: build(HERE / "launches.c", folder),
                         "sm": lambda: compiled_cpp(folder, HERE / "launches.cu", "-O2", "-g", "--cuda-gpu-arch=sm_50")}[gpu]()
        return made[gpu]
    return make


def number_of(said):
    """Device and dispatch of the only stop."""
    found, = re.findall(r"^\[device (\d+), dispatch (\d+), ", said, re.M)
    return int(found[0]), int(found[1])


def own_launches(program, gpu, devices):
    """What the runtime itself launches before the first kernel of each device."""
    said = ask(["break last", "run"], program(gpu), devices, devices, options=["-g", gpu] * devices)
    return number_of(said[1])[1] - devices


@pytest.mark.parametrize("gpu", FAMILIES)
@pytest.mark.parametrize("devices", [1, 2])
def test_launches_that_no_stop_saw_are_counted(program, gpu, devices):
    """The only breakpoint is in the last launch; its number goes with the count of launches, on the device whose turn it is;
    the past has the same number."""
    own = own_launches(program, gpu, devices)
    assert own == 0 or gpu == "gfx900"
    past = ["delete", "stepi", "reverse-stepi", "info dispatches"] if devices == 1 else []
    for count in (devices + 1, 6):
        said = ask(["break last", "run", "info dispatches", "info waves", "info queues", *past], program(gpu), devices, count, options=["-g", gpu] * devices)
        assert number_of(said[1]) == ((count - 1) % devices, count + own), said
        queue = (rf"(device {(count - 1) % devices} )?queue \d+: dispatch {count + own}\n(  queue \d+: \d+ packets? ha(s|ve) not begun.*\n)*" if gpu == "gfx900"
                 else r"No queue has a dispatch now\.\n|(  thread \d+ waits in cl\w+ .*\n)+")
        assert re.fullmatch(queue, said[4]), said
        assert set(re.findall(r"\bdispatch (\d+)", "".join(said))) == {str(count + own)}, said


@pytest.mark.parametrize("gpu", FAMILIES)
@pytest.mark.parametrize("words", [[], ["child"]], ids=["itself", "child"])
def test_a_debugger_that_comes_late_counts_as_one_from_the_beginning(program, gpu, words, tmp_path):
    """It attaches when five launches are over; a child's are its own."""
    folder = tmp_path / "s"
    folder.mkdir(mode=0o700)
    own = own_launches(program, gpu, 1)
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(environment(), WAVETRAP_SOCKETS=str(folder)))
    with subprocess.Popen([WAVETRAP, "exec", "-g", gpu, program(gpu), "1", "6", "late", *words], **pipes) as run:
        pid = re.fullmatch(r"ready (\d+)\n", run.stdout.readline())[1]
        with subprocess.Popen([WAVETRAP, "debug", "--nx", f"--pid={pid}"], **pipes) as debugger:
            debugger.stdin.write("break last\n")
            debugger.stdin.flush()
            assert any("Breakpoint 1 " in line for line in iter(debugger.stdout.readline, ""))
            run.stdin.write("\n")
            run.stdin.flush()
            said = debugger.communicate("continue\ndelete\ndetach\n", timeout=60)[0]
        run.stdin.close()
        assert number_of(said) == (0, 6 + own), said
        assert run.stdout.read() == "6 launches\n" and run.wait(60) == 0


@pytest.mark.parametrize("gpu", FAMILIES)
def test_the_wave_of_an_access_is_the_one_that_made_it(program, gpu):
    """Backwards, to the store of a group whose slots other groups have taken since: not one of these made it."""
    late = next(i for i, line in enumerate((HERE / "launches.hip").read_text().splitlines(), 1) if "the group is late" in line)
    place = f"launches.hip:{late}" if gpu != "gen9" else "5"
    where = "_Z4markPii_param_0" if gpu == "sm" else "out"  # clang removes the parameter's location
    said = ask([f"break {place}", "run", "delete", f"watch ((int *){where})[5 * 64 + 3]", "reverse-continue", "print $_group_x"],
               program(gpu), 1, 2, "many", options=["-g", gpu])
    assert re.search(r"^\[device 0, dispatch \d+, group \(5,0,0\), core \d+, \w+ \d+, (?:lane|channel) 3;", said[4], re.M), said
    assert "\nOld value = 1\nNew value = " in said[4] and said[5] == "$1 = 5\n", said


def fault_sentences(text):
    """What they say the access was: word, bytes, address, and what is wrong there."""
    return set(re.findall(r"\b((?:load|store|atomic) of \d+ bytes at .*)", text))


def fault_names(text):
    """What the reports of faults call the wave."""
    return set(re.findall(r"^  (device .*?), (?:lanes?|channels?) [-\d,]+, issue time ", text, re.M))


@pytest.mark.parametrize("gpu", FAMILIES)
@pytest.mark.parametrize("devices", [1, 2])
def test_a_fault_has_one_name_everywhere(program, gpu, devices, tmp_path, may_crash):
    """The last launch stores nowhere, on the last device: reports of exec, of the console, of the past, of the core files of both, and
    names of threads. The
    code of Gen9 and of the SM is another one under a debugger, and another wave of the group may be the first to fail."""
    options, core, again = ["-g", gpu] * devices, tmp_path / "core", tmp_path / "again"
    words = [program(gpu), devices, 4, "stray"]
    exec = subprocess.Popen([WAVETRAP, "exec", *options, f"--core-on-fault={core}", f"--report=json:{tmp_path}/report", *map(str, words)],
                            stderr=subprocess.PIPE, text=True, env=environment())
    stderr = exec.communicate(timeout=60)[1]
    assert exec.returncode == (-signal.SIGABRT if gpu == "gfx900" else 2), stderr
    may_crash(exec)     # `exec` ends as its program does
    told, = fault_names(stderr)
    sentence, = fault_sentences(stderr)
    fault, kernels, end = [json.loads(line) for line in (tmp_path / "report").read_text().splitlines()]
    assert (fault["fault"], fault["wave"]) == ("access", told) and sentence in fault["text"] and fault["place"] in stderr, fault
    assert (kernels["gpu"], kernels["launches"], kernels["faults"]) == (gpu, 4, 1), kernels
    assert end["signal"] == signal.SIGABRT if gpu == "gfx900" else end["status"] == 2, end
    assert re.match(rf"store of 4 bytes at (offset )?0x[0-9a-f]+(: no memory is mapped there| is outside )", sentence), sentence
    assert re.match(rf"device {devices - 1}, dispatch {4 + own_launches(program, gpu, devices)}, group \(2,0,0\), core \d+, \w+ \d+$", told), told
    past = ["reverse-stepi", "stepi"] if devices == 1 else []
    live = ask(["run", "info fault", "thread", *past, f"generate-core {again}"], *words, options=options)
    name, = fault_names("".join(live))
    lived, = fault_sentences("".join(live))
    assert lived == sentence or gpu == "gen9", (lived, sentence)  # the other code is stateful
    assert set(re.findall(r"^\[(device .*), (?:lane|channel) \d+;", "".join(live), re.M)) == {name}, live
    assert re.fullmatch(rf"\[Current thread is \d+ \({re.escape(name)}, (lane|channel) \d+\)\]\n", live[2]), live
    assert name == told if gpu == "gfx900" else name.split(", core")[0] == told.split(", core")[0], (name, told)
    for file, wave, what in ((core, told, sentence), (again, name, lived)):
        session = ask(["info fault", "frame", "info dispatches", "thread"], options=["--core", file])
        assert fault_names(session[0]) == {wave} and fault_sentences(session[0]) == {what}, session
        assert set(re.findall(r"\bdispatch (\d+)", session[2])) == {re.search(r"dispatch (\d+)", wave)[1]}, session
        assert f"({wave}, " in session[3], session
