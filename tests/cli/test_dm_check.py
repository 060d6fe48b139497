"""`wavetrap dm check` and `wavetrap dm --connect`: Debug Modules near and far."""
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import ROOT, WAVETRAP, run

LOOP = "_start: addi t0, t0, 1\n j _start\n"


class Served:
    """A program whose Debug Module is offered by `wavetrap serve`."""

    def __init__(self, program, transport, *options):
        self.process = subprocess.Popen([WAVETRAP, "serve", transport, *options, program],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.address = None
        while self.address is None:
            line = self.process.stderr.readline()
            assert line, "serve has ended"
            found = re.search(r"((?:tcp|unix|remote_bitbang):\S+)", line)
            self.address = found and found[1]
        if transport.startswith("--jtag"):
            self.address = re.sub("^tcp:", "remote_bitbang:", self.address)

    def close(self):
        self.process.terminate()
        self.process.communicate(timeout=60)


@pytest.fixture(params=["--dm=:0", "--dm=unix", "--jtag=:0"])
def served(request, build, tmp_path):
    transport = request.param.replace("unix", f"unix:{tmp_path}/socket")
    server = Served(build.asm(LOOP), transport, "--now", "--gpu=vortex:cores=2")
    yield server
    server.close()


def verdicts(text):
    """The report's lines: check to verdict."""
    return {name: verdict for verdict, name in
            re.findall(r"^(pass|FAIL|cannot tell) +([a-z0-9-]+\.[a-z0-9-]+) ", text, re.M)}


def listed():
    return [line.split()[0] for line in run("dm", "check", "--list").stdout.splitlines()]


def test_the_emulator_passes_with_and_without_a_program(build):
    for gpu, operands in (("", []), ("", [build.asm(LOOP)]), ("", [build.asm("_start: exit 3\n")]),
                          (",profile=v3", [build.asm(LOOP)]), (",profile=v3,xlen=64", [])):
        done = run("dm", "check", f"--gpu=vortex:cores=2,dm-clock=1{gpu}", *operands)
        assert done.returncode == 0, done
        found = verdicts(done.stdout)
        assert list(found) == listed() and len(found) > 90
        assert "FAIL" not in found.values()
        last = done.stdout.splitlines()[-1]
        counts = [list(found.values()).count(word) for word in ("pass", "FAIL", "cannot tell")]
        assert last == f"{len(found)} checks: {counts[0]} pass, {counts[1]} fail, {counts[2]} cannot tell"
        assert f"1 cluster of 2 cores, 4 warps of 4 threads, RV{64 if 'xlen=64' in gpu else 32}" in done.stdout


def test_what_cannot_be_told_has_its_reason():
    done = run("dm", "check", "--gpu=vortex:warps=1,threads=1", "--only=injectreq.warp,wmask")
    assert "the device has only one window; -g vortex:warps=64 shows it" in done.stdout
    assert verdicts(done.stdout) == {"injectreq.warp": "cannot tell", "wmask.holds": "pass",
                                     "wmask.windows": "cannot tell", "wmask.inert": "pass"}
    assert "it needs two warps, and the device has one" in done.stdout


def test_json_has_a_line_a_check_and_the_summary():
    done = run("dm", "check", "--json", "--gpu=vortex:xlen=64")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["check"] for line in lines[:-1]] == listed()
    assert all(set(line) == {"check", "section", "register", "rule", "verdict", "text"}
               for line in lines[:-1])
    summary = lines[-1]
    assert summary["fail"] == 0 and summary["pass"] > 90 and summary["complete"]
    assert summary["checks"] == len(lines) - 1
    assert (summary["warps"], summary["threads"], summary["xlen"]) == (4, 4, 64)


def test_the_same_over_every_transport(served):
    here = verdicts(run("dm", "check", "--gpu=vortex:cores=2").stdout)
    done = run("dm", "check", f"--connect={served.address}")
    assert done.returncode == 0, done
    assert verdicts(done.stdout) == here


# A window behind which an emulated device is: a server of its registers.
WINDOW = r"""
#include "window.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static FILE *in, *out;
static char line[300];
bool open_window(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    strcpy(at.sun_path, name);
    in = fdopen(fd, "r"), out = fdopen(dup(fd), "w");
    return !connect(fd, (void *)&at, sizeof at);
}
static const char *ask(void)
{
    fflush(out);
    return fgets(line, sizeof line, in) && *line == '+' ? line + 1 : "0";
}
uint32_t read_register(uint32_t address)
{
    fprintf(out, "r%04x\n", (unsigned)address);
    return (uint32_t)strtoul(ask(), NULL, 16);
}
void write_register(uint32_t address, uint32_t value)
{
    fprintf(out, "w%04x:%08x\n", (unsigned)address, (unsigned)value);
    ask();
}
"""


class Bridge:
    """examples/bridge with a window."""

    def __init__(self, folder, window, name):
        source = ROOT / "examples" / "bridge"
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", f"-I{source}", "-o", folder / "bridge", source / "bridge.c", window], check=True)
        self.process = subprocess.Popen([folder / "bridge", name, "0"], stdout=subprocess.PIPE, text=True)
        self.address = re.search(r"tcp:\S+", self.process.stdout.readline())[0]

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=60)


@pytest.mark.parametrize("profile", ["v2", "v3"])
def test_a_boards_registers_are_served(build, tmp_path, profile):
    """The example for boards on PCIe, on a device that it reaches by two functions, and on a file."""
    source = ROOT / "examples" / "bridge"
    assert sum(len(file.read_text().splitlines()) for file in source.iterdir()) <= 150
    window = tmp_path / "device.c"
    window.write_text(WINDOW)
    server = Served(build.asm(LOOP), f"--dm=unix:{tmp_path}/socket", "--now", f"--gpu=vortex:cores=2,profile={profile}")
    try:
        with Bridge(tmp_path, window, f"{tmp_path}/socket") as address:
            some = ["platform.id", "dselect.warpsel", "dscratch.of-thread", "dpc.holds"]
            done = run("dm", "check", f"--connect={address}", f"--only={','.join(some)}")
            assert done.returncode == 0 and {name: "pass" for name in some} == verdicts(done.stdout), done.stdout
    finally:
        server.close()
    file = tmp_path / "file"
    file.write_bytes(bytes.fromhex("22102010") + bytes(4092))
    with Bridge(tmp_path, source / "window.c", file) as address:
        done = run("dm", f"--connect={address}", "PLATFORM.numwarps", "DSELECT=5", "DSELECT")
    assert done.returncode == 0 and "numwarps=4" in done.stdout.replace(" ", "") and "0x00000005" in done.stdout, done.stdout
    assert file.read_bytes()[:4] == bytes.fromhex("22102010") and b"\5\0\0\0" in file.read_bytes()[4:]


def test_instructions_go_where_they_are_told_to(build):
    done = run("dm", "check", "--at=0x90000000", build.asm(LOOP))
    assert done.returncode == 0 and verdicts(done.stdout)["stepreq.one"] == "pass"
    assert "not a multiple of 4" in run("dm", "check", "--at=0x90000002").stderr


def test_a_signal_ends_a_check_and_the_device_is_left_well(build):
    server = Served(build.asm(LOOP), "--dm=:0")
    try:
        process = subprocess.Popen([WAVETRAP, "dm", "check", f"--connect={server.address}",
                                    "--patience=60000"],
                                   stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0]
        assert process.returncode == 125 and "ended early by a signal" in rest
        done = run("dm", f"--connect={server.address}", "DCTRL.dmactive", "WSTATUS.status", "WMASK.mask")
        assert done.stdout.splitlines() == ["DCTRL.dmactive=0", "WSTATUS.status=0x0", "WMASK.mask=0x0"]
    finally:
        server.close()


def test_registers_of_a_device_elsewhere(served):
    def dm(*commands, **options):
        return run("dm", f"--connect={served.address}", *commands, **options)

    done = dm("DCTRL.dmactive=1", "PLATFORM.numcores", "WMASK=1", "DCTRL.haltreq=1",
              "wait WSTATUS=1", "DCTRL.hacause", "watch WSTATUS.status,DCTRL.anyhalted 20")
    assert done.returncode == 0, done
    out = done.stdout.splitlines()
    assert out[0] == "PLATFORM.numcores=2"
    assert re.fullmatch(r"WSTATUS=1 after \d+ ms", out[1])
    assert out[2] == "DCTRL.hacause=2(HALTREQ)"
    assert re.fullmatch(r"\d+ ms: WSTATUS.status=0x1", out[3])
    assert re.fullmatch(r"\d+ ms: DCTRL.anyhalted=1", out[4])
    assert len(out) == 5  # nothing changed
    # The next client finds the device where this one left it.
    done = dm("WSTATUS", "DCTRL.resumereq=1", input="")
    assert done.stdout == "WSTATUS = 0x00000001 status=0x1\n"
    done = dm("wait WSTATUS=1 20")
    assert done.returncode == 125 and re.search(r"did not happen within \d+ ms", done.stderr)
    done = dm("run 3")
    assert done.returncode == 125 and "runs by itself" in done.stderr


def test_a_change_is_watched(build):
    """On the emulator a watch lasts some issues, and says when each change came."""
    done = run("dm", build.asm("_start: nop\n nop\n exit 0\n"), "DCTRL.dmactive=1", "watch DPC,WACTIVE.astatus 3")
    assert [line for line in done.stdout.splitlines()] == [
        "0 issues: DPC = 0x80000000 pc=0x80000000", "0 issues: WACTIVE.astatus=0x1",
        "1 issues: DPC = 0x80000004 pc=0x80000004", "2 issues: DPC = 0x80000008 pc=0x80000008",
        "3 issues: DPC = 0x8000000c pc=0x8000000c"]
    done = run("dm", build.asm("_start: exit 3\n"), "DCTRL.dmactive=1", "watch WACTIVE.astatus")
    assert done.returncode == 0 and "WACTIVE.astatus=0x0" in done.stdout
    assert done.stdout.endswith("the program has ended, exit word 3\n")


def test_bad_calls_get_a_message(tmp_path):
    for arguments, words in ((["--only=nosuch"], "there is no check 'nosuch'"),
                             (["a", "b"], "one operand too many"),
                             (["--connect=tcp:127.0.0.1:1", "a"], "one operand too many"),
                             (["--connect=tcp:127.0.0.1:1"], "127.0.0.1:1"),
                             (["--connect=remote_bitbang:127.0.0.1:1"], "127.0.0.1:1"),
                             ([f"--connect=unix:{tmp_path}/none"], "none"),
                             (["--patience=0"], "time limit"), (["--timeout=x"], "not a number"),
                             ([tmp_path / "none"], "cannot open")):
        done = run("dm", "check", *arguments)
        assert done.returncode == 125 and words in done.stderr, (arguments, done)
    done = run("dm", "--connect=tcp:127.0.0.1:1", "all")
    assert done.returncode == 125 and "127.0.0.1:1" in done.stderr


def test_a_server_that_says_nothing_is_given_up(tmp_path):
    import socket
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = "tcp:127.0.0.1:%d" % listener.getsockname()[1]
        done = run("dm", "check", f"--connect={address}", "--timeout=50")
        assert done.returncode == 125 and done.stderr.startswith("wavetrap dm check: "), done


def test_a_full_disk_is_told():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([WAVETRAP, "dm", "check"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 125 and "cannot write" in done.stderr
