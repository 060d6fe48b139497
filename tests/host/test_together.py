"""Kernels of several streams run side by side on one emulated GPU."""
import re
import signal

import pytest

import amd
from conftest import MODEL, WAVES, compiled, environment, hip, wavetrap
from test_console import ask

pytestmark = pytest.mark.hip


def together(*args, **options):
    done = hip(compiled("together.hip"), *args, **options)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def test_a_kernel_waits_for_one_that_another_stream_launches_later():
    assert together("flag") == "768 waited\n"


def test_each_queue_has_the_dispatches_of_its_stream():
    """A kernel waits; the one that ends this, of another stream, is stopped."""
    said = ask(["break set", "run", "info dispatches", "info queues", "kill"], compiled("together.hip"), "flag")
    lines = [re.fullmatch(r"queue \d+: dispatch (\d+(?:, \d+)*)", line)[1] for line in said[3].splitlines() if not line.startswith("  ")]  # below them: what waits
    dispatches = re.findall(r"^[* ] dispatch (\d+) ", said[2], re.M)
    assert sorted(", ".join(lines).split(", ")) == sorted(dispatches) and len(lines) == 2, said


def test_twelve_kernels_wait_for_one():
    """The runtime gives streams four queues, if it is not told to give more."""
    done = wavetrap("exec", "-g", f"{MODEL}:cu={6 * 64 // amd.LANES}", compiled("together.hip"), "flag", 12, env={**environment(), "GPU_MAX_HW_QUEUES": "16"})
    assert (done.stdout, done.stderr, done.returncode) == ("9216 waited\n", "", 0)


@pytest.mark.parametrize("cu", [1, 4])
def test_two_kernels_take_turns(cu):
    assert together("partners", gpus=[f"gfx900:cu={cu}"]) == "200 turns\n"


def test_addresses_are_explained_as_each_of_two_kernels_sees_them():
    """Their queues have scratch memory of their own, whose offsets are those of the waves' slots."""
    done = wavetrap("explain-address", "--at=_Z4keepILi100EEvPiiS0_+64", "--wave=each", compiled("together.hip"),
                    "0x2000000000004", "private", "two")
    assert done.stdout == "48 arrived, 0 wrong\n"
    found = re.findall(r"core (\d+), wave (\d+), .* at 0x[0-9a-f]+ <void keep<100>.*\n.*\n.*\n"
                       r" *0x([0-9a-f]+)  private segment buffer\n *(?:0x)?([0-9a-f]+)  wave offset", done.stderr)
    places = [(int(buffer, 16), int(core) * WAVES + int(wave), int(offset, 16)) for core, wave, buffer, offset in found]
    assert len({buffer for buffer, _, _ in places}) == 2
    size = {offset // slot for _, slot, offset in places if slot}
    assert len(size) == 1 and all(offset == slot * min(size) for _, slot, offset in places)


def test_kernels_of_one_stream_that_may_run_in_any_order():
    """Their packets have no barrier bit: the second one begins beside the first one."""
    assert together("any-order") == "192 waited\n"


@pytest.mark.parametrize("queues", ["same", "two"])
def test_each_kernel_has_its_private_memory(queues):
    """48 waves of two kernels, which need more and less of it, keep what is theirs."""
    assert together("private", queues) == "48 arrived, 0 wrong\n"


def test_events_keep_streams_in_order():
    """60 kernels of 3 streams, none of which begins before the one that it waits for has ended."""
    assert together("events") == "0 before\n60 after\n"


@pytest.mark.parametrize("streams, cu", [(3, 4), (16, 1), (16, 64), (40, 4)])
def test_many_streams_at_once(streams, cu):
    assert together("many", streams, gpus=[f"gfx900:cu={cu}"]) == "0 wrong\n"


@pytest.mark.parametrize("word, what, kernel, runtime", [
    ("illegal", "illegal instruction 0xbeff7fff: there is no such instruction", "illegal(int*)",
     "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION"),
    ("store", "global_store_dword: store of 4 bytes at 0x123456000: no memory is mapped there for writing",
     "store_nowhere(int*)", "Memory access fault by GPU node-1 .* on address 0x123456000"),
])
def test_a_mistake_beside_a_kernel_of_another_stream(word, what, kernel, runtime):
    """The report is of the kernel that made it; the other one would wait for ever."""
    done = hip(compiled("together.hip"), word)
    assert (done.stdout, done.returncode) == ("", -signal.SIGABRT)
    reports = re.findall(rf"wavetrap: {MODEL} \(node 1\): (.*)\n  device 0, dispatch \d+, group \(0,0,0\), core \d+, wave \d+, lanes 0-63,.*\n  at .*\n"
                         r"(?:  .*\n)*?  of the kernel at 0x[0-9a-f]+ <([^>]*)>.*\n", done.stderr)
    assert reports == [(what, kernel)]
    assert re.search(runtime, done.stderr)
