"""The server of pages: a session in Chromium, and who is refused."""
import contextlib
import http.client
import http.server
import json
import os
import re
import select
import signal
import socket
import subprocess
import threading

import pytest

from conftest import TIMEOUT, WAVETRAP, collatz_words, view


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([WAVETRAP, "view", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.text = ""
        while "http" not in self.text:
            assert select.select([self.process.stderr], [], [], TIMEOUT)[0]
            line = self.process.stderr.readline()
            assert line, self.text
            self.text += line
        self.url = re.search(r"http://\S+", self.text).group(0)
        self.host, self.token = re.match(r"http://([^/]+)/(\w+)/", self.url).groups()
        self.port = int(self.host.split(":")[1])

    def raw(self, data):
        """All that the server answers to bytes."""
        with socket.create_connection(("127.0.0.1", self.port), TIMEOUT) as s:
            s.sendall(data if isinstance(data, bytes) else data.encode())
            answer = b""
            with contextlib.suppress(OSError):  # it may have answered already, and be gone
                s.shutdown(socket.SHUT_WR)
            while part := s.recv(65536):
                answer += part
        return answer.decode()

    def ask(self, method="GET", path="", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request(method, f"/{self.token}/{path}", body, {n.replace("_", "-"): v for n, v in headers.items()})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text

    def close(self, how=signal.SIGINT):
        self.process.send_signal(how)
        return self.process.wait(TIMEOUT)


@pytest.fixture(scope="module")
def start():
    started = []

    def run(*words):
        started.append(Server(*words))
        return started[-1]
    yield run
    for server in started:
        if server.process.poll() is None:
            server.close()


@pytest.fixture(scope="module")
def server(start, kernel):
    return start("--stop-on-entry", *collatz_words("gfx900", 128), kernel("gfx900"))


@pytest.fixture
def page(browser, server):
    browser.open(server.url)
    browser.wait("window.view && view.model && view.model.frames[0].waves.length")
    return browser


def step(page, label):
    """Presses a button that runs the program, and waits for the next stop to be shown."""
    stops = "performance.getEntriesByName('wavetrap stopped')"
    before = page.run(f"{stops}.length")
    page.run(f"document.querySelector('[aria-label=\"{label}\"]').click()")
    page.wait(f"{stops}.length > {before} && !view.fetching && performance.getEntriesByName('wavetrap painted').some((one) => one.startTime >= {stops}.at(-1).startTime)")


def now(page):
    return page.run("view.model.frames[0].time")


# ---- a session ----

def test_the_page_runs_and_steps_the_program(page):
    line = "view.model.places[view.selectedRow().wave.pc].line"
    assert page.run(line) == 6
    for wanted in (7, 8, 9):
        step(page, "Step over")
        assert page.run(line) == wanted and now(page) > 0
    step(page, "Step back")
    assert page.run(line) == 8
    step(page, "Continue")
    assert "present has been reached" in page.run("view.said.textContent")
    step(page, "Continue")
    assert "ends" in page.run("view.said.textContent") and now(page) > 1000
    assert not [p for p in page.problems() if not p.get("canceled")]


def test_the_slider_goes_to_any_time_and_values_follow(page):
    page.run("view.ask.focus()")
    page.type("n")
    page.key("Enter")
    page.wait("view.model.body.expressions.length === 1")
    end = page.run("view.model.body.end")
    checked = 0
    for part in (.4, .6, .5, .3):
        page.run(f"view.seek({int(end * part)})")
        page.wait("!view.going")
        assert now(page) == int(end * part)
        checked += check_loop(page)
    assert checked
    page.run("view.play(-1)")
    page.wait(f"view.model.frames[0].time < {int(end * .3)}")
    page.run("view.stop()")
    page.wait("!view.going")


def check_loop(page):
    """Holds n of a lane in the loop against the sequence of its number; false: no wave is there."""
    wave = page.run("view.model.body.waves.find((wave) => [10, 11, 13, 14].includes(view.model.places[wave.pc].line))")
    if not wave:
        return False
    lane = int(wave["mask"], 16).bit_length() - 1
    n, sequence = wave["group"][0] * 64 + lane + 1, [1]
    while n != 1:
        sequence.append(n)
        n = 3 * n + 1 if n % 2 else n // 2
    value = wave["values"][0]
    assert int(value.get("all") or value["each"][lane]) in sequence
    return True


def test_memory_is_asked_for_as_a_picture(page):
    page.run("view.ask.value = ''; view.ask.focus()")
    page.type("steps:16x8:u32")
    page.key("Enter")
    page.wait("document.querySelector('canvas.image') && document.querySelector('canvas.image').width === 16")
    assert page.run("view.model.body.images[0].address").startswith("0x")


def test_a_lane_that_is_selected_is_so_everywhere(page, server):
    seen, listens = [], threading.Event()
    reader = threading.Thread(target=lambda: seen.append(next(events(server, "wavetrap/selected", listens))))
    reader.start()
    assert listens.wait(TIMEOUT)
    page.run("view.select(view.layout.filter((row) => row.wave)[1], 7); view.refresh()")
    page.wait("view.model.body.selected && view.model.body.selected.lane === 7")
    assert page.run("view.selectedRow().wave.id === view.model.body.selected.wave && view.grid.selected.lane") == 7
    reader.join(TIMEOUT)
    assert seen


def events(server, name, listens):
    """What another page hears."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
    connection.request("GET", f"/{server.token}/events")
    answer = connection.getresponse()
    assert answer.getheader("Content-Type") == "text/event-stream"
    listens.set()
    while line := answer.readline():
        if line.startswith(b"data: ") and json.loads(line[6:]).get("event") == name:
            yield json.loads(line[6:])


# ---- who is refused ----

def test_the_token_is_needed(server):
    for path in ("/", "/events", f"/{server.token[:-1]}{'1' if server.token[-1] == '0' else '0'}/", f"/{server.token}", f"/{server.token}x/events", f"/{'0' * 32}/message"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 403, path
        assert server.token not in answer.read().decode()
    answer, text = server.ask()
    assert answer.status == 200 and text.startswith("<!DOCTYPE html>") and answer.getheader("X-Frame-Options") == "DENY"


@pytest.mark.parametrize("headers", [{"Origin": "http://example.org"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}, {"Host": "example.org"},
                                     {"Host": "127.0.0.1"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}])
def test_other_origins_are_refused_even_with_the_token(server, headers):
    for method, path, body in (("GET", "", None), ("GET", "events", None), ("POST", "message", "{}")):
        answer, _ = server.ask(method, path, body, **headers)
        assert answer.status == 403, (method, path)


def test_its_own_page_is_served_under_both_names(server):
    for host in (server.host, f"localhost:{server.port}"):
        answer, _ = server.ask(Host=host, Origin=f"http://{host}", Sec_Fetch_Site="same-origin")
        assert answer.status == 200


def test_a_page_of_another_origin_cannot_drive_it(page, server, tmp_path):
    """In Chromium: a page that knows even the token sends what a page of the server would."""
    (tmp_path / "index.html").write_text("<title>evil</title>")
    handler = lambda *a: http.server.SimpleHTTPRequestHandler(*a, directory=tmp_path)  # noqa: E731
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    before = now(page)
    page.open(f"http://127.0.0.1:{other.server_port}/")
    message = json.dumps({"seq": 1, "type": "request", "command": "wavetrap/goto", "arguments": {"time": 0 if before else 50}})
    for mode in ("no-cors", "cors"):
        page.run(f"fetch('{server.url}message', {{method: 'POST', mode: '{mode}', body: {json.dumps(message)}}}).catch(() => 0)")
    assert page.run(f"""new Promise((done) => {{ const s = new EventSource('{server.url}events'); s.onopen = () => done('open');
                        s.onerror = () => done('refused'); }})""") == "refused"
    assert page.run(f"""new Promise((done) => {{ const f = document.body.appendChild(document.createElement('iframe')); f.onload = () => done(
                        f.contentDocument === null); f.src = '{server.url}'; }})""")
    page.open(server.url)
    page.wait("window.view && view.model")
    assert now(page) == before
    other.shutdown()


def test_malformed_requests_are_refused(server):
    head = f"Host: {server.host}\r\n"
    for status, data in ((400, "nonsense\r\n\r\n"), (400, f"GET  / HTTP/1.1\r\n{head}\r\n"), (505, f"GET /x HTTP/1.0\r\n{head}\r\n"),
                         (405, f"PUT /x HTTP/1.1\r\n{head}\r\n"), (411, f"POST /x HTTP/1.1\r\n{head}\r\n"), (400, "GET /x HTTP/1.1\r\n\r\n"),
                         (413, f"POST /x HTTP/1.1\r\n{head}Content-Length: 2000000\r\n\r\n"), (400, f"GET /x HTTP/1.1\r\n{head}{head}\r\n"),
                         (400, f"POST /x HTTP/1.1\r\n{head}Content-Length: -1\r\n\r\n"), (400, f"GET /x HTTP/1.1\r\n{head} more\r\n\r\n"),
                         (411, f"POST /x HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n"), (431, f"GET /x HTTP/1.1\r\n{head}X: {'y' * 20000}\r\n\r\n"),
                         (400, f"POST /x HTTP/1.1\r\n{head}Content-Length: 1\r\nContent-Length: 1\r\n\r\n"), (400, "GET /x HTTP/1.1\n\n"),
                         (400, f"GET /\0 HTTP/1.1\r\n{head}\r\n"), (404, f"GET /{server.token}/other HTTP/1.1\r\n{head}\r\n")):
        assert server.raw(data).startswith(f"HTTP/1.1 {status} "), data
    assert server.ask()[0].status == 200


def test_what_is_no_request_of_the_protocol_gets_an_answer(server):
    heard = []
    reader = threading.Thread(target=lambda: heard.append(first_answer(server)))
    reader.start()
    reader.join(.2)
    while reader.is_alive():
        assert server.ask("POST", "message", "no JSON")[0].status == 204
        reader.join(.2)
    assert heard[0]["success"] is False and "not JSON" in heard[0]["message"]


def first_answer(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
    connection.request("GET", f"/{server.token}/events")
    answer = connection.getresponse()
    while line := answer.readline():
        if line.startswith(b"data: ") and json.loads(line[6:])["type"] == "response":
            return json.loads(line[6:])
    return None


# ---- life and end ----

def test_it_listens_on_this_machine_alone(kernel):
    for address in ("0.0.0.0:0", "stdio", "unix:/nowhere"):
        done = view(f"--listen={address}", *collatz_words("gfx900"), kernel("gfx900"))
        assert done.returncode == 125 and "--listen" in done.stderr or "unix" in done.stderr


@pytest.mark.parametrize("how,status", [(signal.SIGINT, 0), (signal.SIGTERM, 0)])
def test_it_ends_with_its_session(start, kernel, how, status):
    server = start("--stop-on-entry", *collatz_words("gfx900", 64), kernel("gfx900"))
    children = [int(pid) for pid in open(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read().split()]
    assert len(children) == 1 and server.close(how) == status
    assert not os.path.exists(f"/proc/{children[0]}")


def test_a_program_that_cannot_begin_is_said(tmp_path):
    done = view(tmp_path / "nothing.co")
    assert done.returncode == 125 and "nothing.co" in done.stderr


def test_a_run_that_has_ended_opens_where_lanes_part(start, browser, kernel):
    server = start(*collatz_words("gfx900", 128), kernel("gfx900"))
    browser.open(server.url)
    browser.wait("window.view && view.model && !view.going && !view.fetching && view.model.body.now < view.model.body.end * .95")
    lanes = browser.run("view.layout.filter((row) => row.wave).flatMap((row) => statesOf(row.wave))")
    assert lanes.count(1) and lanes.count(2) > 32 and browser.run("document.querySelector('.source tr.here') !== null")
    # To the end is to the last time at which something is there: the session lives on.
    for label, low in (("To the end", "> view.model.body.end - 3"), ("To the beginning", "=== view.model.body.start")):
        browser.run(f"document.querySelector('[aria-label=\"{label}\"]').click()")
        browser.wait(f"!view.going && !view.fetching && view.model.body.now {low}")
    # A second page does not move the first one's.
    now = browser.run("view.model.body.now")
    browser.open(server.url)
    browser.wait("window.view && view.model && !view.fetching")
    assert browser.run("view.model.body.now") == now


def test_a_core_file_is_shown(start, browser, kernel, tmp_path):
    core = tmp_path / "core"
    subprocess.run([WAVETRAP, "debug", "--batch", "--nx", *collatz_words("gfx900", 64), "--ex", "break collatz.cl:14", "--ex", "run", "--ex",
                    f"generate-core-file {core}", kernel("gfx900")], check=True, capture_output=True, timeout=TIMEOUT)
    server = start(f"--core={core}")
    browser.open(server.url)
    browser.wait("window.view && view.model && view.model.frames[0].waves.length")
    assert browser.run("view.model.places[view.selectedRow().wave.pc].line") == 14
