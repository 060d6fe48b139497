"""Pages about findings of --check: both accesses of a race as cells, lines and times."""
import re
import signal
import subprocess

import pytest

from conftest import HERE, ROOT, TIMEOUT, WAVETRAP, recording_of, view
from test_server import Server

RACE = ROOT / "examples" / "checks" / "race.cu"
REVERSE = HERE / "programs" / "reverse.cl"
KERNEL = ["--kernel=reverse", "--grid=64", "--block=64", "--arg=zeros:256", "--arg=local:256"]


def line_of(source, text):
    return next(i for i, line in enumerate(source.read_text().splitlines(), 1) if text in line)


def execute(*words):
    return subprocess.run([WAVETRAP, "exec", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT)


@pytest.fixture(scope="module")
def cuda(tmp_path_factory):
    """cuda(source): the program, for an SM."""
    folder = tmp_path_factory.mktemp("cuda")
    path = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()

    def build(source):
        subprocess.run(["clang++-19", "-x", "cuda", "--cuda-gpu-arch=sm_70", "-O1", "-g", "-w", f"--cuda-path={path}", source, "-o", folder / source.stem,
                        f"-L{path}/lib64", "-lcudart"], check=True)
        return folder / source.stem
    return build


@pytest.fixture(scope="module")
def race(cuda, tmp_path_factory):
    """The page about the race of race.cu, by `exec`."""
    page = tmp_path_factory.mktemp("race") / "race.html"
    done = execute("-g", "sm", "--check", "race", f"--export={page}:1", cuda(RACE))
    assert done.returncode == 115 and done.stderr.count("race store") == 1, done.stderr
    return page


def check_race(recording, source):
    """The accesses are those of the report, each lane of them is there at that time, and about to do it."""
    finding, = recording["findings"]
    assert recording["finding"] == finding["number"] == 1
    assert {(place["access"], place["line"]) for place in finding["places"]} \
        == {("store", line_of(source, "] = i;" if source == REVERSE else "s[threadIdx.x] =")), ("load", line_of(source, "out["))}
    for place in finding["places"]:
        frame = next(frame for frame in recording["frames"] if frame["time"] == place["time"])
        wave = next(wave for wave in (recording["waves"][i] for i in frame["waves"]) if wave["id"] == place["wave"])
        assert recording["places"][wave["pc"]]["line"] == place["line"] and int(place["lanes"], 16) & int(wave["mask"], 16) == int(place["lanes"], 16)
        assert f"goto {place['time']}" in finding["text"] and place["path"] in recording["sources"]


def test_exec_writes_a_page_about_a_finding(race):
    check_race(recording_of(race), RACE)


@pytest.mark.parametrize("family", ["gfx900", pytest.param("gen9", marks=pytest.mark.full)])
def test_a_kernel_in_a_file_has_its_page(export, kernel, family):
    _, recording = export("--check=race", "--check-lanes=independent", "--finding=1", "-g", family, *KERNEL, kernel(family, REVERSE))
    check_race(recording, REVERSE)


def test_it_opens_at_the_last_access_and_goes_to_the_first(race, browser):
    browser.open(race.as_uri())
    first, last = sorted(recording_of(race)["findings"][0]["places"], key=lambda place: place["time"])
    now = "view.model.frames[view.frame].time"
    assert browser.run(now) == last["time"] and browser.run("view.selectedRow().wave.id") == last["wave"]
    assert browser.run("[...document.querySelectorAll('.source td.mark')].map((one) => one.textContent)").count("1") == 1
    accessed = "[...document.querySelectorAll('.source tr.accessed .number')].map((one) => Number(one.textContent))"
    assert browser.run(accessed) == sorted({first["line"], last["line"]})
    links = browser.run("view.grid.linked.map((one) => [one.mark, view.layout.some((row) => row.key === one.key)])")
    assert links == [["1", True], ["2", True]]
    listed = browser.run("view.found.innerText")
    assert re.search(r"1\s+load: .*✕ nothing orders them\s+2\s+store: ", listed, re.S), listed
    browser.run("document.querySelector('[aria-label=\"To access 1\"]').click()")
    assert browser.run(now) == first["time"] and browser.run("view.selectedRow().wave.id") == first["wave"]
    browser.run("document.querySelector('[aria-label^=\"Play from the first access\"]').click()")
    browser.wait(f"view.timer === null && {now} === {last['time']}")
    browser.run("document.querySelector('.finding').click()")
    assert browser.run("view.grid.linked.length") == 0 and not browser.problems()


ATOMIC = """#include <cuda_runtime.h>
__global__ void count(int *out) {
    __shared__ int mine[8];
    atomicAdd(&mine[threadIdx.x % 8], 1);
    __syncthreads();
    out[threadIdx.x] = mine[threadIdx.x % 8];
}
int main() {
    int *out;
    cudaMalloc(&out, 256);
    count<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
"""


def test_the_source_is_the_users_where_a_header_of_the_compiler_was_inlined(cuda, browser, tmp_path):
    """The SM's atomicAdd() is a function of clang's header, threadIdx.x another one."""
    source = tmp_path / "atomic.cu"
    source.write_text(ATOMIC)
    done = execute("-g", "sm", "--check=init", f"--export={tmp_path / 'page.html'}:1", cuda(source))
    assert done.returncode == 115, done.stderr
    recording = recording_of(tmp_path / "page.html")
    assert {place["path"] for place in recording["places"].values() if "line" in place} == set(recording["sources"]) == {str(source)}
    assert {place["function"].partition("(")[0] for place in recording["places"].values() if place.get("line") == 4} == {"count"}
    browser.open((tmp_path / "page.html").as_uri())
    browser.wait("document.querySelector('.source .here') !== null")
    assert browser.run("document.querySelector('.source .here').textContent").endswith("    atomicAdd(&mine[threadIdx.x % 8], 1);")


def test_a_race_of_two_launches_shows_both_lines_and_one_time(cuda, browser, tmp_path):
    source, page = HERE / "programs" / "launches.cu", tmp_path / "page.html"
    done = execute("--check=race", f"--export={page}", cuda(source))
    assert done.returncode == 115, done.stderr
    recording = recording_of(page)
    assert {wave["dispatch"] for wave in recording["waves"]} == {3}
    browser.open(page.as_uri())
    text = browser.run("view.found.innerText")
    assert re.search(rf"1\s+store: fill\(int\*, int\) launches.cu:{line_of(source, 'p[threadIdx.x] =')}\s+in another launch", text), text
    assert browser.run("document.querySelectorAll('[aria-label^=\"To access\"]').length") == 1


def test_a_session_lists_findings_and_goes_to_them(browser, kernel):
    server = Server("--check=race", "--check-lanes=independent", "-g", "gfx900", *KERNEL, kernel("gfx900", REVERSE))
    try:
        browser.open(server.url)
        browser.wait("window.view && view.model && (view.model.body.findings || []).length")
        places = browser.run("view.model.body.findings[0].places")
        # It opens at the last access, not at the end of the run.
        browser.wait(f"!view.going && view.model.frames[0].time === {max(place['time'] for place in places)} && view.grid.linked.length === 2")
        for mark, place in zip("12", sorted(places, key=lambda place: place["time"])):
            browser.run(f"document.querySelector('[aria-label=\"To access {mark}\"]').click()")
            browser.wait(f"!view.fetching && view.model.frames[0].time === {place['time']} && view.selectedRow() && view.selectedRow().wave.id === '{place['wave']}'")
    finally:
        browser.open("about:blank")  # the page would look for its server
        server.close()


@pytest.mark.parametrize("words,status,message", [
    (["--check=race", "--export=page.html:2"], 115, "finding 2 is not there at the end of a launch"),
    (["--check=leak", "--export=page.html"], 125, "finding 1 is not there at the end of a launch"),
    (["--export=page.html"], 125, "it needs --check=LIST"),
    (["--check=race", "--export=/nowhere/page.html"], 115, "/nowhere/page.html: No such file")])
def test_what_has_no_page_is_said(cuda, tmp_path, words, status, message):
    done = subprocess.run([WAVETRAP, "exec", *words, cuda(RACE)], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == status and message in done.stderr and not (tmp_path / "page.html").exists(), done.stderr


def test_a_session_of_a_host_program_opens_at_the_finding_too(browser, cuda):
    """It stands at the end of its kernel."""
    server = Server("--check=race", "-g", "sm", cuda(RACE))
    try:
        browser.open(server.url)
        browser.wait("window.view && view.model && (view.model.body.findings || []).length")
        last = max(place["time"] for place in browser.run("view.model.body.findings[0].places"))
        assert last < browser.run("view.model.body.end")
        browser.wait(f"!view.going && view.model.frames[0].time === {last} && view.grid.linked.length === 2")
    finally:
        browser.open("about:blank")  # the page would look for its server
        server.close()


NO_PAGE = "no page is written about a program that does not end by itself"


@pytest.mark.parametrize("script,options,status,said", [
    ("kill -TERM $PPID; sleep 30 >/dev/null 2>&1; touch late", [], -signal.SIGTERM, True),
    ("sleep 30; touch late", ["--timeout=1"], 124, True),
    # In the run for the page: it ends, and the program in it.
    ("if [ -e first ]; then sleep 30; touch late; fi; touch first", ["--timeout=1"], 125, False),
    ("if [ -e first ]; then kill -TERM $(cat first); sleep 30; touch late; fi; echo $PPID >first", [], 125, False)])
def test_who_ends_exec_ends_it_with_its_page(tmp_path, script, options, status, said):
    done = subprocess.run([WAVETRAP, "exec", "--check=memory", "--export=page.html", *options, "sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == status and (NO_PAGE in done.stderr) == said, (done.returncode, done.stderr)
    assert ("needs a longer --timeout" in done.stderr) == (status == 125 and bool(options)), done.stderr
    assert not {"late", "page.html"} & {one.name for one in tmp_path.iterdir()}


def test_a_finding_without_checks_is_refused(kernel, tmp_path):
    done = view(f"--export={tmp_path / 'page.html'}", "--finding=1", "-g", "gfx900", *KERNEL, kernel("gfx900", REVERSE))
    assert done.returncode == 125 and "--check" in done.stderr, done.stderr


# ---- trails ----

BLUR = ROOT / "examples" / "vortex" / "broken" / "blur.c"


@pytest.fixture(scope="module")
def blur(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blur")
    file = folder / "broken" / "blur.rv32.elf"
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={folder}", file], check=True)
    return ["-g", "vortex:warps=4,threads=4", file]


STORES = ["in[i] = 3 * i", "tile[t] = in[i] + 3", "out[i] ="]  # what made out[14], in this order; the second is the bug


def test_a_page_shows_how_a_value_came_to_be(export, blur, browser):
    """Lane 2 of warp 3 has computed out[14] from what lane 3 has stored to the tile; the value is looked at when main has ended."""
    page, recording = export("--where-from=out[14]", "--frames=20", "-e", "out[14]", *blur)
    trail = recording["trail"]
    assert trail["text"] == "where from: out[14] = 43"
    every = [place["time"] for place in trail["places"]]
    places = [place for place in trail["places"] if "fold" not in place]
    lines, times = [place["line"] for place in places], [place["time"] for place in places]
    wanted = [line_of(BLUR, text) for text in STORES]
    assert [line for line in lines if line in wanted] == wanted and every == sorted(every)
    lanes = {place["line"]: (place["lanes"], place["function"]) for place in places}
    assert lanes[wanted[1]] == ("8", "blur") and lanes[wanted[2]] == ("4", "blur")
    assert {frame["time"] for frame in recording["frames"]} >= set(every)
    browser.open(page.as_uri())
    now = "view.model.frames[view.frame].time"
    last = places[-2]
    assert browser.run(now) == last["time"] and last["line"] == wanted[2] and browser.run("view.selectedRow().wave.id") == last["wave"]
    # From line to line of the file: as many arrows as steps to another line; each mark at its line.
    steps = [place["line"] for place in places if place.get("path", "").endswith("blur.c")]
    assert browser.run("document.querySelectorAll('.arrows path').length") == sum(a != b for a, b in zip(steps, steps[1:]))
    assert browser.run("view.grid.isTrail && view.grid.linked.map((one) => one.mark).join('')") == "".join(map(str, range(1, len(lines)))) + "="
    ahead = "view.grid.linked.filter((one) => one.isAhead).length"
    assert browser.run(ahead) == 1
    browser.run("document.querySelector('[aria-label=\"To access 1\"]').click()")
    assert browser.run(now) == times[0] and browser.run(ahead) == len({time for time in times[1:]})
    browser.run("document.querySelector('[aria-label^=\"Play from the first access\"]').click()")
    browser.wait(f"view.timer === null && {now} === {times[-1]}")
    assert browser.run("view.lane.innerText.includes('43')") and not browser.problems()


def test_an_arrow_leads_from_cell_to_cell(export, blur, browser):
    """Between the boxes of two steps, halfway, is the arrow's colour; without the trail it is that of the paper or of a cell."""
    page, _ = export("--who-wrote=out[14]", *blur)
    browser.open(page.as_uri())
    half = """(() => { const g = view.grid, [a, b] = g.linked.slice(-2).map((one) => g.boxOf(one, g.box.scrollLeft, g.box.scrollTop)), top = (q) => q.y + q.h;
        return [Math.round((a.x + a.w / 2 + b.x + b.w / 2) / 2), Math.round((a.y > b.y ? a.y + top(b) : top(a) + b.y) / 2)]; })()"""
    x, y = browser.run(half)
    with_it = browser.pixel(x, y)
    browser.run("document.querySelector('.finding').click()")
    assert browser.run("view.grid.linked.length") == 0 and browser.pixel(x, y) != with_it


@pytest.mark.full
def test_a_session_is_asked_who_wrote_a_value(browser, blur):
    server = Server("-e", "out[14]", *blur)
    try:
        browser.open(server.url)
        browser.wait("window.view && view.model && !view.going && !view.fetching && view.model.body.now < view.model.body.end * .95")
        browser.run("view.seek(view.model.body.end)")
        browser.wait("!view.going && !view.fetching && view.model.body.now > view.model.body.end - 3")
        browser.wait("window.view && view.model && view.model.body.expressions.length || (window.view && view.model && (view.addExpression('out[14]'), false))")
        browser.wait("document.querySelector('[aria-label=\"Who wrote out[14]\"]') !== null")
        browser.run("document.querySelector('[aria-label=\"Who wrote out[14]\"]').click()")
        browser.wait("view.trails.length === 1 && document.querySelectorAll('.access').length > 1")
        store = browser.run("view.trails[0].places.slice(-2)[0]")
        assert store["line"] == line_of(BLUR, STORES[2])
        browser.run("[...document.querySelectorAll('[aria-label^=\"To access\"]')].slice(-2)[0].click()")
        browser.wait(f"!view.fetching && view.model.frames[0].time === {store['time']} && view.selectedRow() && view.selectedRow().wave.id === '{store['wave']}'")
    finally:
        browser.open("about:blank")
        server.close()


@pytest.mark.parametrize("words,message", [(["--where-from=nothing"], "nothing"), (["--who-wrote=out[14]", "--where-from=out[14]"], "a page is about one thing"),
                                           (["--where-from=1 + 1"], "1 + 1")])
def test_a_trail_that_cannot_be_is_said(blur, tmp_path, words, message):
    done = view(f"--export={tmp_path / 'page.html'}", *words, *blur)
    assert done.returncode == 125 and message in done.stderr and not (tmp_path / "page.html").exists(), done.stderr


def test_a_trail_that_is_cut_off_says_so(export, tmp_path):
    """500 stores by one instruction: the page has the last one and says that there are more; a loop of 50 is whole."""
    for count, ends in ((500, " = 500, the latest steps of more"), (50, " = 50")):
        source = tmp_path / "loop.s"
        source.write_text(f"""_start: la t0, word
    li t1, 0
    li t2, {count}
again: addi t1, t1, 1
    sw t1, 0(t0)
    blt t1, t2, again
    .word 0x0000000b # tmc zero
.bss
word: .zero 4
""")
        subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32im_zicsr", "-mabi=ilp32", "-nostdlib", "-static", "-Ttext=0x80000000", source, "-o", tmp_path / "loop"], check=True)
        _, recording = export("--who-wrote=*(int *)&word", "-g", "vortex:warps=1,threads=1", tmp_path / "loop")
        assert recording["trail"]["text"].endswith(ends)


@pytest.mark.full  # console/where_from has the folds
def test_turns_of_loops_are_folded_as_in_the_console(export, browser, tmp_path):
    """Three turns of a loop with four turns of another in it: of both the last turn is shown, the others when they are unfolded."""
    source, program = tmp_path / "loop.s", tmp_path / "loop"
    source.write_text("""_start: la t0, word
    li t3, 3
outer: li t1, 4
inner: add t4, t4, t1
    addi t1, t1, -1
    bnez t1, inner
    sw t4, 0(t0)
    addi t3, t3, -1
    bnez t3, outer
end: .word 0x0000000b # tmc zero
.bss
word: .zero 4
""")
    subprocess.run(["riscv64-unknown-elf-gcc", "-g", "-march=rv32im_zicsr", "-mabi=ilp32", "-nostdlib", "-static", "-Ttext=0x80000000", source, "-o", program], check=True)
    how = ["-g", "vortex:warps=1,threads=1"]
    said = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *how, "-ex", "break end", "-ex", "run", "-ex", "where-from *(int *)&word", program],
                          capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    console = re.findall(r"… (\d+ more turns) of these \d+ steps, (loop.s:[-0-9]+)", said)
    page, recording = export("--where-from=*(int *)&word", *how, program)
    trail = recording["trail"]
    assert console and [text.split(" of ") for text in trail["folds"]] == [list(one) for one in console], (said, trail["folds"])
    assert trail["text"].endswith(" = 30")
    places = [(place["line"], place.get("fold")) for place in trail["places"]]
    before = [(line, 1) for line in 2 * [3, *3 * [4, 5], 4]]
    last = [(3, None), *2 * [(5, 0), (4, 0)], (5, None), (4, None), (7, None)]  # line 4's first addition: its last one has the mark
    assert places[:-1] == before + last, places
    browser.open(page.as_uri())
    marks = "view.grid.linked.map((one) => one.mark).join('')"
    assert browser.run(marks) == "1234="
    assert browser.run("[...document.querySelectorAll('.fold')].map((one) => one.innerText)") == ["▸ 2 more turns of loop.s:3-5", "▸ 2 more turns of loop.s:4-5"]
    browser.run("document.querySelectorAll('.fold')[1].click()")
    assert browser.run(marks) == "12345678=" and browser.run("document.activeElement.innerText") == "▾ 2 more turns of loop.s:4-5"
    browser.run("document.querySelector('[aria-label=\"To access 2\"]').click()")
    assert browser.run("view.model.frames[view.frame].time") == trail["places"][17]["time"]
    browser.run("document.querySelectorAll('.fold')[1].click()")
    assert browser.run(marks) == "1234=" and not browser.problems()
