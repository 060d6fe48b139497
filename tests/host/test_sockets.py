"""Sockets and temporary folders of host programs: who may use them, who removes them, and that they stop nobody."""
import os
import re
import signal
import socket
import struct
import subprocess

import pytest

from conftest import ROOT, WAVETRAP, compiled
from sanitizer import environment
from test_long import LIMIT

pytestmark = pytest.mark.hip


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "s"
    made.mkdir(mode=0o700)
    return made


SIZES = 48, 24  # object/process_wire.h
VERSION = int(re.search(r"#define WT_WIRE_VERSION (\d+)", (ROOT / "src" / "object" / "process_wire.h").read_text())[1])


def greeting(magic=b"WTWP", version=VERSION, sizes=SIZES, token=b""):
    """A debugger's first words to a process with GPUs of AMD."""
    return struct.pack("<4s7I32s", magic, version, *sizes, 0x100, os.getpid(), 0, 0, token)


def environment_of(folder, **more):
    return dict(environment(), WAVETRAP_SOCKETS=str(folder), TMPDIR=str(folder.parent), **more)


class Program:
    """attach.hip, which launches kernels until it is told to end."""

    def __init__(self, folder, **more):
        self.run = subprocess.Popen([WAVETRAP, "exec", compiled("attach.hip")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, env=environment_of(folder, **more))
        assert self.run.stdout.readline().startswith("ready ")
        self.socket = folder / f"{self.run.pid}.gpu"

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.run.kill()
        self.run.communicate()

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(self.socket))
        return client

    def end(self):
        said, told = self.run.communicate("\n", timeout=LIMIT)
        assert self.run.returncode == 0 and said.endswith(" 0 wrong\n"), said + told
        return told


def wavetrap(folder, *words):
    return subprocess.run([WAVETRAP, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT, check=False,
                          env=environment_of(folder))


def debug(folder, pid, *commands):
    return wavetrap(folder, "debug", "--nx", "--batch", *(word for command in commands for word in ("-ex", command)), "--pid", pid)


def test_what_a_killed_program_leaves_is_swept(folder):
    """By `ps`, and by the next program; what programs use that run stays, and so does what is not ours."""
    others = [folder / "1.txt", folder / "gpu", folder.parent / "wavetrap-1"]
    for other in others:
        other.touch()
    with Program(folder) as runs:
        for sweeper in ("ps", "program"):
            with Program(folder) as killed:
                left = folder.parent / f"wavetrap-{killed.run.pid}-{os.stat('/proc/self/ns/pid').st_ino:x}-AbCdEf"
                (left / "sys").mkdir(parents=True)
                (left / "sys" / "file").touch()
                killed.run.send_signal(signal.SIGABRT)
                assert killed.run.wait(LIMIT) == -signal.SIGABRT and killed.socket.exists()
            if sweeper == "ps":
                assert str(runs.run.pid) in wavetrap(folder, "ps").stdout
            else:
                with Program(folder) as next_one:
                    next_one.end()
            assert not killed.socket.exists() and not left.exists() and runs.socket.exists()
        runs.end()
    assert all(other.exists() for other in others) and not list(folder.glob("*.gpu"))


@pytest.mark.parametrize("kind", ["gpu", "gen9", "gem", "sm"])
def test_sockets_of_each_family_are_swept(folder, kind):
    """Of a process that has ended; nobody listens at them."""
    with subprocess.Popen(["true"]) as ended:
        path = folder / f"{ended.pid}.{kind}"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
        left.listen()
    assert path.is_socket() and wavetrap(folder, "ps").returncode == 0
    assert not path.exists()


def test_a_program_has_its_folder_of_sys_files_in_TMPDIR(folder):
    """Where it looks for the driver's files in /sys; the folder is told by its owner's id."""
    code = ("import os; open('/dev/kfd').close(); open('/sys/class/kfd/kfd/topology/system_properties').close(); "
            "print(*(name for name in os.listdir(os.environ['TMPDIR']) if name.startswith('wavetrap-')), os.getpid())")
    done = subprocess.run([WAVETRAP, "exec", "-g", "gfx900", "/usr/bin/python3", "-c", code], capture_output=True, text=True, timeout=LIMIT,
                          env=environment_of(folder), check=True)
    name, pid = done.stdout.split()
    assert name.startswith(f"wavetrap-{pid}-") and os.listdir(folder.parent) == ["s"]


@pytest.mark.parametrize("sent", [b"", b"WT", b"\1\0\0"])
def test_half_a_request_delays_nobody(folder, sent):
    """Neither the next debugger, nor one that is there, nor the program's end."""
    with Program(folder) as program:
        with program.connect() as idle:
            idle.send(sent)
            done = debug(folder, program.run.pid, "tbreak busy", "continue", "detach")
            assert done.returncode == 0 and "Temporary breakpoint 1, busy" in done.stdout, done.stderr
        with program.connect() as idle:
            idle.send(sent)
            assert program.end() == ""


def test_a_debugger_that_takes_no_answers_does_not_stop_the_end(folder):
    with Program(folder) as program, program.connect() as client:
        client.sendall(greeting())
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                client.send(bytes(4096))  # requests whose answers are not read
        assert program.end() == ""


@pytest.mark.parametrize("why", ["it belongs to user 54321", "other users may write to it (mode 0702)", "other users may use it (mode 0704)",
                                 "is not a folder"])
def test_folders_that_are_not_the_user_s_alone_are_not_used(folder, why):
    """The program says why, and runs."""
    if "belongs" in why:
        if os.getuid():
            pytest.skip("root alone gives folders away")
        os.chown(folder, 54321, 54321)
    elif "mode" in why:
        folder.chmod(int(re.search(r"mode (\d+)", why)[1], 8))
    else:
        real = folder.rename(folder.with_name("real"))
        folder.symlink_to(real)
    with Program(folder) as program:
        assert not program.socket.exists()
        told = program.end()
    assert told.startswith("wavetrap: debuggers cannot attach: ") and why in told and told.count("\n") == 1, told
    assert why in wavetrap(folder, "ps").stderr


@pytest.mark.skipif(os.getuid() != 0, reason="root alone gives folders away")
@pytest.mark.parametrize("link", [False, True])
def test_a_folder_on_the_way_that_is_another_user_s_is_not_used(folder, link):
    """Its owner could put another folder in place of the user's; the owner of a link could lead elsewhere."""
    way = folder.parent / "way"
    (folder / "own").mkdir(0o700)
    way.symlink_to(folder) if link else folder.rename(way)
    os.chown(way, 54321, 54321, follow_symlinks=False)
    with Program(way / "own") as program:
        assert not program.socket.exists()
        told = program.end()
    assert told == f"wavetrap: debuggers cannot attach: {way}/own is not used: {'' if link else 'its folder '}{way} belongs to another user (54321)\n", told


@pytest.mark.parametrize("held", ["1:0", "", "x", "1:", "1:2x", ":5", "0", "99999999999", "-1"])
def test_nonsense_that_would_hold_kernels_is_named_once(folder, held):
    with Program(folder, WAVETRAP_HELD=held) as program:
        told = program.end()
    assert told == (f"wavetrap: WAVETRAP_HELD={held} is not PROCESS or PROCESS:DEBUGGER, two process ids (1: any process): "
                    "kernels are not held\n")
