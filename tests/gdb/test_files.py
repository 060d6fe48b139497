"""Which files a client of a server may have it write, and what is written over."""
import os
import stat
import subprocess

import pytest

from conftest import TIMEOUT, WAVETRAP


def save(client, path):
    """What `monitor generate-core PATH` answers."""
    client.send("qRcmd," + f"generate-core {path}".encode().hex())
    said = b""
    while (packet := client.receive()) != b"OK":
        assert packet[:1] == b"O", packet
        said += bytes.fromhex(packet[1:].decode())
    return said.decode()


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def is_core(path):
    return path.read_bytes()[:8] == b"\x89WTCORE\n"


def test_a_new_file_in_the_working_folder_is_written(serve, program, work):
    client = serve(program("lanes"), cwd=work).quiet_client()
    assert save(client, "new") == "Saved corefile new\n"
    assert is_core(work / "new") and stat.S_IMODE((work / "new").stat().st_mode) == 0o600
    # GDB's own command gives the whole path.
    assert save(client, f"{work}/whole") == f"Saved corefile {work}/whole\n"
    assert sorted(os.listdir(work)) == ["new", "whole"]


@pytest.mark.parametrize("where", ["there", "link", "dangling", "folder/new", "../new", "{}/new", "/dev/null", "folder"])
def test_nothing_else_is_written(serve, program, work, tmp_path, where):
    other = tmp_path / "other"
    other.write_text("mine")
    (work / "there").write_text("mine")
    (work / "link").symlink_to(other)
    (work / "dangling").symlink_to(tmp_path / "new")
    (work / "folder").mkdir()
    client = serve(program("lanes"), cwd=work).quiet_client()
    said = save(client, where.format(tmp_path))
    assert "clients of this server write new files" in said, said
    assert (work / "there").read_text() == other.read_text() == "mine"
    assert not (tmp_path / "new").exists() and sorted(os.listdir(work)) == ["dangling", "folder", "link", "there"]
    assert os.listdir(work / "folder") == [] and stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_server_may_allow_it(serve, program, work, tmp_path):
    (tmp_path / "there").write_text("mine")
    client = serve(program("lanes"), "--allow-files", cwd=work).quiet_client()
    assert save(client, f"{tmp_path}/there").startswith("Saved") and is_core(tmp_path / "there")


def test_a_client_at_standard_input_may(program, work, tmp_path):
    """It is not a socket: who started the server has connected it."""
    with subprocess.Popen([WAVETRAP, "serve", "--rsp=stdio", program("lanes")], cwd=work, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        body = b"qRcmd," + f"generate-core {tmp_path}/core".encode().hex().encode()
        server.stdin.write(b"$" + body + b"#%02x" % (sum(body) & 255))
        server.stdin.close()
        server.stdout.read()
        server.wait(TIMEOUT)
    assert is_core(tmp_path / "core")


def run_to_fault(program, path):
    return subprocess.run([WAVETRAP, "run", f"--core-on-fault={path}", program("mistake")], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT)


def test_a_device_is_written_to_not_replaced(program, tmp_path):
    """Nodes like those of /dev/null and /dev/full, so that a mistake costs nothing."""
    node = tmp_path / "null"
    try:
        os.mknod(node, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("needs to make a device")
    run_to_fault(program, node)
    assert stat.S_ISCHR(node.stat().st_mode) and os.listdir(tmp_path) == ["null"]
    full = tmp_path / "full"
    os.mknod(full, 0o600 | stat.S_IFCHR, os.makedev(1, 7))
    assert "cannot write: No space left on device" in run_to_fault(program, full).stderr
    assert stat.S_ISCHR(full.stat().st_mode) and sorted(os.listdir(tmp_path)) == ["full", "null"]


def test_a_link_is_written_through(program, tmp_path):
    (tmp_path / "core").write_text("old")
    (tmp_path / "link").symlink_to("core")
    run_to_fault(program, tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and is_core(tmp_path / "core")
    assert sorted(os.listdir(tmp_path)) == ["core", "link"]


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to nothing"])
def test_what_is_neither_is_refused(program, tmp_path, kind):
    path = tmp_path / "there"
    {"pipe": lambda: os.mkfifo(path), "folder": path.mkdir, "link to nothing": lambda: path.symlink_to("nothing")}[kind]()
    before = path.lstat().st_mode
    done = run_to_fault(program, path)
    assert f"{path}: cannot create: " in done.stderr and kind in done.stderr, done.stderr
    assert path.lstat().st_mode == before and os.listdir(tmp_path) == ["there"]
