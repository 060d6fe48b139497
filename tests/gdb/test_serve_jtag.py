"""`wavetrap serve --jtag`: the Debug Module behind a TAP, for OpenOCD and whoever speaks its
remote_bitbang protocol."""
import os
import re
import stat
import subprocess

import pytest

from conftest import ROOT, TIMEOUT, WAVETRAP, symbol
from jtag import BUSY, DMI, DTMCS, NOP, OK, READ, WRITE, Cable
from test_serve_dm import memory_of
from wire import DCTRL, DPC, DSELECT, PLATFORM, WACTIVE, WMASK, WSTATUS


def run_openocd(config, tmp_path):
    """What stock OpenOCD 0.12 prints when it has this configuration."""
    file = tmp_path / "openocd.cfg"
    file.write_text(config)
    done = subprocess.run(["openocd", "-f", str(file)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    return done.stderr


def openocd(address, script, tmp_path):
    """What it prints of `script`, in which rd and wr access registers."""
    host, port = address.split(":")[1:]
    return run_openocd(f"""
        adapter driver remote_bitbang
        remote_bitbang host {host}
        remote_bitbang port {port}
        gdb_port disabled
        telnet_port disabled
        tcl_port disabled
        jtag newtap vortex dm -irlen 5 -expected-id 0x15754001
        proc dmi {{op address data}} {{
            irscan vortex.dm 0x11
            drscan vortex.dm 2 $op 32 $data 7 $address
            set got [drscan vortex.dm 2 0 32 0 7 0]
            if {{[lindex $got 0] != 0}} {{ error "dmi.op [lindex $got 0]" }}
            return 0x[lindex $got 1]
        }}
        proc rd {{address}} {{ dmi 1 $address 0 }}
        proc wr {{address data}} {{ dmi 2 $address $data }}
        init
        {script}
        shutdown
    """, tmp_path)


def test_openocd_reads_platform_and_halts_a_warp(serve_jtag, program, tmp_path):
    """Stock OpenOCD: the scan chain as it examines it, registers, a warp that runs and is halted."""
    file = program("endless")
    server = serve_jtag(file, "--gpu", "vortex:warps=4,threads=4")
    said = openocd(server.address, """
        irscan vortex.dm 0x01
        echo "idcode=[drscan vortex.dm 32 0]"
        irscan vortex.dm 0x10
        echo "dtmcs=[drscan vortex.dm 32 0]"
        echo "platform=[rd 0]"
        echo "start=[rd 7]"
        wr 6 0x80000000
        echo "dctrl=[rd 6]"
        wr 3 1
        wr 6 0x80000002
        echo "running=[rd 5]"
        echo "halt=[wr 6 0x80000001]"
        echo "wstatus=[rd 5]"
        echo "wactive=[rd 4]"
        echo "dpc=[rd 7]"
        echo "why=[rd 6]"
        """, tmp_path)
    assert "tap/device found: 0x15754001" in said
    value = {name: int(text, 16) for name, text in re.findall(r"^(\w+)=([0-9a-fx]+)$", said, re.M)}
    assert value["idcode"] == 0x15754001
    assert value["dtmcs"] == 0x71  # version 0.13, 7 address bits, no wait
    assert value["platform"] == 0x10201022
    assert value["start"] == 0x80000000
    assert value["dctrl"] >> 28 == 0xb  # dmactive, allhalted, anyhalted
    assert value["running"] == 0
    assert value["wstatus"] & 1
    assert value["why"] >> 9 & 7 == 2  # hacause: HALTREQ
    loop = int(symbol(file, "loop"), 16)
    assert loop <= value["dpc"] < loop + 12


def test_what_the_documentation_says_to_paste_works(serve_jtag, program, tmp_path):
    server = serve_jtag(program("lanes"), "--gpu", "vortex:warps=4,threads=4")
    text = (ROOT / "docs" / "jtag.md").read_text()
    config = re.search(r"```tcl\n(.*?)```", text, re.S)[1]
    assert "port 9824\n" in config
    config = config.replace("port 9824", "port " + server.address.rsplit(":", 1)[1])
    said = run_openocd("gdb_port disabled\ntelnet_port disabled\ntcl_port disabled\n" + config +
                       "\nshutdown\n", tmp_path)
    assert "PLATFORM 0x10201022\n" in said
    assert "WSTATUS 0x00000001, DPC of warp 0 0x80000000\n" in said
    server.told("the program has ended with status 42")


def test_openocd_lets_a_program_run_to_its_end(serve_jtag, program, tmp_path):
    server = serve_jtag(program("lanes"))
    openocd(server.address, """
        wr 6 0x80000000
        wr 3 0xffffffff
        wr 6 0x80000002
        for {set i 0} {[rd 4] != 0} {incr i} {}
        """, tmp_path)
    server.told("the program has ended with status 42")


def test_openocd_meets_a_busy_module(serve_jtag, program, tmp_path):
    """Accesses that take 12 clocks: enough of them in Run-Test/Idle and it is well; too few and
    dmistat says 3 until dmireset."""
    server = serve_jtag(program("lanes"), "--jtag-cycles", 12)
    said = openocd(server.address, """
        irscan vortex.dm 0x10
        echo "dtmcs=[drscan vortex.dm 32 0]"
        irscan vortex.dm 0x11
        drscan vortex.dm 2 1 32 0 7 0
        runtest 20
        set got [drscan vortex.dm 2 1 32 0 7 0]
        echo "platform=[lindex $got 1]"
        # The way from one scan to the next is about five clocks.
        echo "busy=[lindex [drscan vortex.dm 2 1 32 0 7 6] 0]"
        runtest 20
        echo "sticky=[lindex [drscan vortex.dm 2 0 32 0 7 0] 0]"
        irscan vortex.dm 0x10
        echo "reset=[drscan vortex.dm 32 0x10000]"
        echo "cleared=[drscan vortex.dm 32 0]"
        """, tmp_path)
    value = {name: int(text, 16) for name, text in re.findall(r"^(\w+)=([0-9a-fx]+)$", said, re.M)}
    assert value["dtmcs"] == 0x7071  # idle: 7 is the most it can say
    assert value["platform"] >> 28 == 1
    assert value["busy"] == value["sticky"] == BUSY
    assert value["reset"] >> 10 & 3 == BUSY
    assert value["cleared"] == 0x7071


def test_the_program_waits_halted_until_it_is_resumed(serve_jtag, program):
    server = serve_jtag(program("lanes"), "--gpu", "vortex:cores=2,warps=40")
    cable = server.cable()
    assert cable.read(PLATFORM) >> 28 == 1
    assert cable.read(DCTRL) >> 31 == 0  # the module sleeps, as after power-up
    cable.write(DCTRL, 1 << 31)
    for window in range(3):
        cable.write(DSELECT, window << 22)
        assert cable.read(WSTATUS) == cable.read(WACTIVE) == [1, 1 << 8, 0][window]
        cable.write(WMASK, 0xffffffff)
    assert cable.read(DPC) == 0x80000000
    cable.close(goodbye=True)
    cable = server.cable()
    assert cable.read(DPC) == 0x80000000
    cable.write(DCTRL, 1 << 31 | 2)
    server.told("the program has ended with status 42")
    assert cable.read(WACTIVE) == 0  # it is served on


def test_now_runs_at_once(serve_jtag, program):
    serve_jtag(program("lanes"), "--now").told("the program has ended with status 42")


def test_connections_come_one_after_another(serve_jtag, program):
    """A second one at the same time is closed, which is all that the protocol lets one say; the
    first does not notice. Each new one finds a TAP after power-up, whatever the last one left."""
    server = serve_jtag(program("lanes"), "--jtag-cycles", 50)
    first = server.cable()
    for _ in range(12):
        second = Cable(server.address)
        try:
            second.raw("R")
            assert second.socket.recv(1) == b""
        except ConnectionError:
            pass
        second.close()
    server.told("a second client of .* was refused")
    first.dmi(WRITE, DCTRL, 1 << 31)
    first.idle(60)
    first.dmi(WRITE, WMASK, 5)
    assert first.dmi(NOP)[0] == BUSY
    first.close()  # in the middle of an access: it is done
    cable = Cable(server.address)
    assert cable.dr(0, 32) == 0x15754001
    cable.ir(DTMCS)
    assert cable.dr(0, 32) >> 10 & 3 == OK
    cable.ir(DMI)
    cable.dmi(READ, WMASK)
    cable.idle(60)
    assert cable.dmi(NOP) == (OK, 5)
    cable.close(goodbye=True)
    # One that leaves in the middle of a scan.
    rude = server.cable()
    rude.raw("26040404151515R")
    rude.close()
    assert Cable(server.address).dr(0, 32) == 0x15754001


def test_a_goodbye_ends_the_connection(serve_jtag, program):
    server = serve_jtag(program("lanes"))
    cable = server.cable()
    cable.raw("RRQR")
    cable.bits(2)
    assert cable.socket.recv(1) == b""
    server.told("the client of .* is gone")


def test_what_means_nothing_is_ignored(serve_jtag, program):
    server = serve_jtag(program("lanes"))
    cable = server.cable()
    cable.raw("".join(chr(c) for c in range(256) if chr(c) not in "01234567RrstuQ") * 20)
    cable.raw("BbrzZ\nOocdefg$?HELLO WOLD")  # r releases TRST, which is not asserted
    assert cable.read(PLATFORM) >> 28 == 1
    cable.raw("trs")  # TRST, and SRST, which is not connected
    cable.raw("0040")
    assert cable.dr(0, 32) == 0x15754001


def test_a_lot_of_anything_costs_no_memory(serve_jtag, program):
    server = serve_jtag(program("lanes"))
    cable = server.cable()
    before = memory_of(server.process)
    for much in (b"\n" * (1 << 22), b"04" * (1 << 21), b"x" * (1 << 22)):
        for _ in range(16):
            cable.socket.sendall(much)
    cable.raw("R")
    cable.bits(1)
    assert memory_of(server.process) - before < 8192
    cable.raw("26" * 5 + "04")
    assert cable.dr(0, 32) == 0x15754001


def test_a_client_that_does_not_read_is_not_fed(serve_jtag, program):
    server = serve_jtag(program("lanes"))
    cable = server.cable()
    before = memory_of(server.process)
    cable.socket.setblocking(False)
    sent = 0
    while True:
        try:
            sent += cable.socket.send(b"R" * 65536)
        except BlockingIOError:
            break
    assert sent < 64 << 20
    assert memory_of(server.process) - before < 8192
    cable.socket.settimeout(TIMEOUT)
    cable.bits(sent)
    cable.close()
    assert server.cable().read(PLATFORM) >> 28 == 1


def test_unix_sockets_are_the_owners_only(serve_jtag, program, tmp_path):
    path = tmp_path / "jtag"
    server = serve_jtag(program("lanes"), at=f"unix:{path}")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert server.cable().read(PLATFORM) >> 28 == 1
    assert server.stop() == 128 + 15
    assert not path.exists()


def test_loopback_unless_another_address_is_asked_for(serve_jtag, program):
    server = serve_jtag(program("lanes"))
    assert server.address.startswith("tcp:127.0.0.1:")
    assert server.stop(2) == 0
    assert "warning" not in server.errors
    server = serve_jtag(program("lanes"), "--any-client", at="0.0.0.0:0")
    assert "no authentication" in server.told(r"warning: .*\n")[0]


def test_once_ends_with_the_first_client(serve_jtag, program):
    server = serve_jtag(program("lanes"), "--once")
    server.cable().close(goodbye=True)
    server.process.communicate(timeout=TIMEOUT)
    assert server.process.returncode == 0


@pytest.mark.parametrize("options, text", [
    (["--jtag", "stdio"], "not an address to listen at"),
    (["--jtag", ":0", "--dm", ":0"], "in one way only"),
    (["--jtag", ":0", "--rsp", ":0"], "no debugger here"),
    (["--jtag", ":0", "--jtag-cycles", "x"], "x"),
    (["--jtag", ":0", "--jtag-cycles", "1000001"], "too many"),
])
def test_bad_options_are_explained(program, options, text):
    done = subprocess.run([WAVETRAP, "serve", *options, program("lanes")], capture_output=True,
                          text=True, timeout=TIMEOUT)
    assert done.returncode == 125
    assert text in done.stderr
