"""No web page can drive a server. A page can have a browser connect to a port of this machine and send a request whose body
is what the server's protocol wants; a connection that begins with something else than the protocol is closed, and nothing
of it is done."""
import http.server
import os
import re
import socket
import subprocess
import tempfile
import threading

import pytest

from conftest import TIMEOUT
from jtag import DMI, Cable
from rsp import checksum
from wire import DCTRL

NOTHING = "(the data|the input) is not .*; nothing was done"


def packet(text):
    body = text.encode()
    return b"$" + body + b"#%02x" % checksum(body)


class Recorded(Cable):
    """What a cable would send."""

    def __init__(self):
        self.sent, self.abits, self.wait = b"", 7, 0
        self.raw("0" + "26" * 5 + "04" + "0")

    def raw(self, text):
        self.sent += text.encode()

    def bits(self, count):
        return b"0" * count


class Rsp:
    """A server for GDB, what would change its program and its user's files, and whether that has happened."""

    def __init__(self, serve, program, tmp_path):
        self.file = program("lanes")
        self.core = tmp_path / "core"
        self.server = serve(self.file, "--allow-files")
        self.where = self.server.address

    def body(self):
        return packet("qRcmd," + f"generate-core {self.core}".encode().hex()) + packet("M80008000,4:78563412") + packet("c")

    def is_untouched(self):
        with self.server.client() as client:
            assert client.ask("m80008000,4") == b"00000000"
            assert client.ask("p20") == b"00000080"  # the program is at its beginning
        assert not self.core.exists()

    def log(self):
        return self.server.process.stderr


class Dm:
    def __init__(self, serve_dm, program, _):
        self.server = serve_dm(program("lanes"))
        self.where = self.server.address.removeprefix("tcp:")

    def body(self):
        return b"p\nw0006:80000000\ns\n"

    def is_untouched(self):
        assert self.server.client().hello().read(DCTRL) >> 31 == 0
        assert "started" not in self.server.errors

    def log(self):
        return self.server.process.stderr


class Jtag(Dm):
    def __init__(self, serve_jtag, program, _):
        self.server = serve_jtag(program("lanes"))
        self.where = self.server.address.removeprefix("tcp:")

    def body(self):
        cable = Recorded()
        cable.ir(DMI)
        cable.dmi(2, DCTRL, 1 << 31)
        cable.dmi(2, DCTRL, 1 << 31)
        return cable.sent

    def is_untouched(self):
        assert self.server.cable().read(DCTRL) >> 31 == 0


@pytest.fixture(params=[Rsp, Dm, Jtag], ids=["rsp", "dm", "jtag"])
def target(request, program, tmp_path):
    kind = request.param
    start = {Rsp: "serve", Dm: "serve_dm", Jtag: "serve_jtag"}[kind]
    return kind(request.getfixturevalue(start), program, tmp_path)


def refused(target):
    """Waits until the server has closed a connection that is not of its protocol."""
    seen = ""
    too_long = threading.Timer(TIMEOUT, target.server.process.kill)
    too_long.start()
    while not re.search(NOTHING, seen):
        line = target.log().readline()
        assert line, seen
        seen += line
    too_long.cancel()


def connect(target):
    host, port = target.where.rsplit(":", 1)
    return socket.create_connection((host, int(port)), TIMEOUT)


def test_what_it_would_do_is_real(target):
    """The same bytes without a browser's lines before them are obeyed: the tests below would see it."""
    with connect(target) as client:
        client.sendall(target.body())
        client.settimeout(TIMEOUT)
        assert client.recv(1)
        if not isinstance(target, Rsp):  # the connection is closed when all is done
            client.shutdown(1)
            while client.recv(4096):
                pass
    with pytest.raises(AssertionError):
        target.is_untouched()


@pytest.mark.parametrize("begin", [
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n", b"GET /$qC#b4 HTTP/1.1\r\n\r\n",
    b"OPTIONS / HTTP/1.1\r\nOrigin: null\r\n\r\n", b"\x16\x03\x01\x02\x00", b"\x00\x03\x00\x08\x21\x12\xa4\x42",
    b"\x00", b"hello\n", b"\xff\xfe\n", b"x" * 300 + b"\n",
    # A page chooses the method of its requests, as long as its characters are letters, digits and some others, `$` and `#` among them.
    b"$ / HTTP/1.1\r\nHost: e\r\n\r\n", b"$x / HTTP/1.1\r\n\r\n#00", b"$k#6b / HTTP/1.1\r\n\r\n", b"$qC#b4 / HTTP/1.1\r\n\r\n",
    b"$G00#97 / HTTP/1.1\r\n\r\n", b"0R26R / HTTP/1.1\r\n\r\n", Recorded().sent + b" / HTTP/1.1\r\n\r\n"],
    ids=["post", "get", "options", "tls", "stun", "zero", "line", "bytes", "long", "dollar", "damaged", "kill", "thread", "registers", "pins",
         "reset"])
def test_a_connection_that_begins_otherwise_is_closed(target, begin):
    is_closed(target, begin + b"\n" + target.body())


def test_a_long_method_is_not_done_piece_by_piece(serve_jtag, program):
    """One of some hundred KB comes in many pieces. Each consists of commands, which are all characters of a method."""
    target = Jtag(serve_jtag, program, None)
    is_closed(target, target.body() * (300000 // len(target.body())) + b" / HTTP/1.1\r\nHost: e\r\n\r\n")


def is_closed(target, sent):
    with connect(target) as client:
        try:
            client.sendall(sent)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            while client.recv(4096):
                pass
        except ConnectionResetError:
            pass
    refused(target)
    target.is_untouched()


@pytest.fixture
def chromium_files():
    """A folder whose name is short: Chromium makes a socket in a folder of its own there, and a socket's name has 107 bytes."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield folder


def test_headless_chromium_cannot_drive_it(target, tmp_path, chromium_files):
    """Chromium's fetch() with such a body, as a page of this machine, which it lets connect anywhere."""
    body = target.body().hex()
    page = f"""<script>
        const body = new Uint8Array("{body}".match(/../g).map(x => parseInt(x, 16)));
        for (const mode of ["no-cors", "cors"])
            fetch("http://{target.where}/", {{method: "POST", mode: mode, body: body}}).catch(() => 0);
        </script>""".encode()

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}",
             "--remote-debugging-port=0", f"http://127.0.0.1:{web.server_address[1]}/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": chromium_files})  # it leaves files there
        try:
            refused(target)
        finally:
            browser.terminate()
            browser.wait(TIMEOUT)
            web.shutdown()
    target.is_untouched()
