"""Two GDBs on two sockets of one server: they see each other's runs and stops."""
import re
import time

import pytest


@pytest.fixture
def two(serve, gdb, program):
    """Two GDBs at the same program, and its server."""
    def start(name):
        file = program(name)
        server = serve(file, "--rsp", ":0")
        while not (beside := re.search(r"beside it can connect to (\S+)\n", server.errors)):
            line = server.process.stderr.readline()
            assert line, server.errors
            server.errors += line
        a, b = gdb(server, file), gdb(program=file)
        assert "_start" in b(f"target remote {beside[1]}")
        return a, b, server
    return start


def go(one):
    """Continues; comes back when the server has been told."""
    one("set debug remote 1")
    one.later("continue")
    one.child.expect(r"Sending packet: \$vCont;c")
    time.sleep(0.3)


def test_while_one_runs_the_other_sees_it_running(two):
    a, b, _ = two("endless")
    go(a)
    # It waits for the end of the run, and both are told of it.
    go(b)
    a.interrupt()
    assert "SIGINT" in a.answer()
    assert "SIGINT" in b.answer()
    a("set debug remote 0")
    b("set debug remote 0")
    assert a.value("$pc", "/x") == b.value("$pc", "/x")
    # Any of them may end the run.
    go(a)
    go(b)
    b.interrupt()
    assert "SIGINT" in b.answer()
    assert "SIGINT" in a.answer()


def test_what_needs_a_stopped_program_is_busy(two):
    a, b, _ = two("endless")
    go(a)
    said = b("stepi")  # GDB has the registers still
    assert "busy: another client has set the program going" in said, said
    b("maintenance flush register-cache")
    said = b("info registers pc")
    assert "busy: " in said, said
    a.interrupt()
    assert "SIGINT" in a.answer()
    b("maintenance flush register-cache")
    assert a.value("$pc", "/x") == b.value("$pc", "/x")


def test_a_stop_of_one_is_told_to_the_other(two):
    a, b, _ = two("lanes")
    a("break count")
    a.later("continue")
    assert "hit Breakpoint 1" in a.answer()
    said = b("continue")
    # Past A's breakpoint, which is not B's: it stops there again for the next warp, or at the end.
    assert "SIGTRAP" in said or "exited" in said, said


def test_a_breakpoint_belongs_to_the_client_that_set_it(two):
    a, b, _ = two("lanes")
    a("set breakpoint always-inserted on")
    b("set breakpoint always-inserted on")
    a("break count")
    b("break store")
    own = a.value("*(unsigned *)count", "/x")
    # What another client has planted does not show.
    assert b.value("*(unsigned *)count", "/x") == own
    b("break count if $s5 == 12345")
    # B leaves: its breakpoints go with it, and A's at the same place stays.
    b("detach")
    assert "hit Breakpoint 1" in a("continue")
    a("delete")
    assert "exited with code 052" in a("continue")


def test_a_client_that_leaves_ends_its_own_run_only(two):
    a, b, _ = two("endless")
    go(a)
    b("kill")
    b.close()
    # A's run goes on.
    with pytest.raises(Exception):
        a.child.expect("SIGINT", timeout=0.5)
    a.interrupt()
    assert "SIGINT" in a.answer()
