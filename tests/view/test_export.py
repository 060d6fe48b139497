"""Pages of recorded runs: what is in them beside what must be true of the program, and what Chromium shows of them."""
import array
import base64
import collections
import json
import subprocess

import pytest

from conftest import HERE, ROOT, WAVETRAP, collatz_words, lanes_of, mask_of, view

STRAY = HERE / "programs" / "stray.cl"
RUNNING, MASKED, BARRIER, FAULTED = (0x2f, 0x7d, 0xe1), (0xe6, 0xe9, 0xee), (0xe0, 0xa1, 0x00), (0xd3, 0x30, 0x2f)


def orbit(n):
    """The sequence of n: what the variable n of its lane may be, and how often it was changed before."""
    found = {n: 0}
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        found[n] = len(found)
    return found


def values_of(wave, expression):
    value = wave["values"][expression]
    return [value["all"]] * wave["lanes"] if "all" in value else value["each"]


def inside_loop(recording, pc):
    place = recording["places"][pc]
    return place.get("function") == "collatz" and 10 <= place.get("line", 0) <= 14


@pytest.mark.parametrize("family", ["gfx900", "gen9", "sm"])
def test_each_lane_has_its_own_values_at_each_time(export, kernel, family):
    """In the loop n is a number of the sequence that belongs to the lane's work-item, and count says how far it is."""
    _, recording = export("-e", "n", "-e", "count", "--frames=40", *collatz_words(family), kernel(family))
    checked, times = 0, [frame["time"] for frame in recording["frames"]]
    assert times == sorted(set(times)) and times[0] == recording["start"] and times[-1] == recording["end"] and len(times) == 40
    for frame in recording["frames"]:
        for wave in (recording["waves"][i] for i in frame["waves"]):
            if not inside_loop(recording, wave["pc"]):
                continue
            n, count = values_of(wave, 0), values_of(wave, 1)
            for lane in lanes_of(mask_of(wave["mask"])):
                sequence = orbit(wave["group"][0] * 64 + wave["first"] + lane + 1)
                assert int(n[lane]) in sequence, (wave["group"], lane)
                assert abs(sequence[int(n[lane])] - int(count[lane])) <= 1
                checked += 1
    assert checked > 1000


def test_lanes_that_have_left_the_loop_are_masked_off(export, kernel):
    _, recording = export("-e", "n", "--frames=30", *collatz_words("gfx900"), kernel("gfx900"))
    left = [(wave, lane) for wave in recording["waves"] if inside_loop(recording, wave["pc"])
            for lane in set(range(64)) - set(lanes_of(mask_of(wave["mask"]))) if values_of(wave, 0)[lane] == "1"]
    assert len(left) > 100


def test_waves_wait_at_barriers(export, kernel):
    _, recording = export("--frames=300", *collatz_words("sm"), kernel("sm"))
    waits = [wave for wave in recording["waves"] if wave.get("barrier")]
    assert waits and all("barrier" in wave["wait"] for wave in waits)


def test_vortex_warps_are_waves_of_cores(export, vortex):
    _, recording = export("-g", "vortex:cores=2,warps=4,threads=8", "-e", "i", "--frames=30", vortex("vecadd"))
    assert {(w["core"], w["slot"]) for w in recording["waves"]} == {(c, s) for c in range(2) for s in range(4)}
    assert recording["wave"] == "warp" and recording["lane"] == "thread" and all(w["lanes"] == 8 for w in recording["waves"])


@pytest.fixture
def vortex(tmp_path):
    def find(name):
        file = tmp_path / f"{name}.rv32.elf"
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={tmp_path}", file], check=True)
        return file
    return find


def test_a_host_program_is_shown_to_the_end_of_its_dispatch(export, tmp_path):
    program = tmp_path / "twice"
    subprocess.run(["hipcc", "--offload-arch=gfx900", "-O0", "-g", HERE / "programs" / "twice.hip", "-o", program], check=True, capture_output=True)
    _, recording = export("-e", "value", "-g", "gfx900", "--frames=50", program)
    assert "twice(int*)" in [dispatch["kernel"] for dispatch in recording["dispatches"].values()]
    stored = {(w["group"][0], lane): value for w in recording["waves"] if recording["places"][w["pc"]].get("line") == 9
              for lane, value in enumerate(values_of(w, 0))}
    assert len(stored) >= 64 and all(value == str(2 * (64 * group + lane)) for (group, lane), value in stored.items())


def stray_words(family):
    return [f"--gpu={family}", "--kernel=stray", "--grid=128", "--block=64", "--arg=zeros:512"]


@pytest.mark.parametrize("family", ["gfx900", "sm"])
def test_a_fault_is_in_the_lanes_that_made_it(export, kernel, family):
    _, recording = export("--frames=10", *stray_words(family), kernel(family, STRAY))
    waves = [recording["waves"][i] for i in recording["frames"][-1]["waves"]]
    faulted = {(wave["group"][0] * 64 + wave["first"] + lane): wave for wave in waves if "faulted" in wave for lane in lanes_of(mask_of(wave["faulted"]))}
    assert list(faulted) == [69]
    place = recording["places"][faulted[69]["pc"]]
    assert place["line"] == next(n for n, line in enumerate(STRAY.read_text().splitlines(), 1) if "/* stray */" in line)
    assert "0x7f0000000" in faulted[69]["fault"]


# ---- images ----

def contents(recording, frame, image=0):
    number = recording["frames"][frame]["images"][image]
    return None if number < 0 else array.array("I", base64.b64decode(recording["contents"][number])).tolist()


@pytest.mark.parametrize("family", ["gfx900", "gen9", "sm"])
def test_memory_is_seen_while_it_is_written(export, kernel, family):
    """An element is 0 until its lane stores it, then it is the length of the sequence of its number."""
    _, recording = export("--image=steps:16x16:u32", "--frames=60", *collatz_words(family), kernel(family))
    wanted = [len(orbit(n)) - 1 for n in range(1, 257)]
    written = 1  # the sequence of 1 has no step
    for frame in range(60):
        numbers = contents(recording, frame)
        assert all(number in (0, right) for number, right in zip(numbers, wanted, strict=True))
        count = sum(number == right for number, right in zip(numbers, wanted))
        assert count >= written
        written = count
    assert written == 256 and contents(recording, 0).count(0) == 256 and len(recording["contents"]) < 60


def test_a_picture_is_drawn_as_time_goes_on(export, kernel, browser):
    file, recording = export("--image=steps:16x16:u32", "--image=steps:256:u32", "--frames=60", *collatz_words("sm"), kernel("sm"))
    browser.open(f"{file.as_uri()}#frame=59")
    assert browser.run("Array.from(document.querySelectorAll('canvas.image'), (c) => [c.width, c.height])") == [[16, 16], [256, 96]]
    pixel = "Array.from(document.querySelector('canvas.image').getContext('2d').getImageData(%d, %d, 1, 1).data).slice(0, 3)"
    numbers, colours = contents(recording, 59), {}
    for at in (0, 96, 200, 255):
        colours[at] = browser.run(pixel % (at % 16, at // 16))
        assert "rgb(%d,%d,%d)" % tuple(colours[at]) == browser.run(f"rampColour({numbers[at]} / {max(numbers)})")
    browser.run("view.seek(0)")
    assert browser.run(pixel % (0, 6)) == colours[0] != colours[96]


def test_images_that_cannot_be_shown(kernel, tmp_path):
    for image, why in (("steps:16x16", "EXPRESSION:WIDTHxHEIGHT:TYPE"), ("steps:0x4:u32", "an image has at most"), ("steps:4:u64", "type u8"),
                       ("nothing:4:u8", 'No symbol "nothing"'), ("steps:9999x9999:u32", "at most 1048576 bytes"), ("count = 1:4:u8", "an assignment is not made")):
        done = view(f"--export={tmp_path}/page", f"--image={image}", *collatz_words("gfx900"), kernel("gfx900"))
        assert done.returncode == 125 and why in done.stderr and not (tmp_path / "page").exists(), (image, done.stderr)


# ---- counts ----

@pytest.mark.parametrize("family", ["gfx900", "sm"])
def test_lines_have_the_counts_of_the_time_that_is_shown(export, kernel, family, tmp_path, browser):
    """They never go down, and at the end they are those of `wavetrap run --profile`, but for the instruction that ends the program."""
    file, recording = export("--profile", "--frames=20", *collatz_words(family), kernel(family))
    before = collections.Counter()
    for frame in recording["frames"]:
        now = collections.Counter()
        for count in frame["counts"]:
            now[count["path"], count["line"]] += count["issues"]
            assert 0 < count["enabled"] <= count["lanes"]
        assert all(now[line] >= issues for line, issues in before.items()) and sum(now.values()) <= frame["time"]
        before = now
    subprocess.run([WAVETRAP, "run", f"--profile=json:{tmp_path}/profile", *collatz_words(family), kernel(family)], check=True, capture_output=True)
    whole = collections.Counter()
    for one in map(json.loads, (tmp_path / "profile").read_text().splitlines()):
        if one["kind"] == "profile" and "instruction" not in one and "pc" not in one and "line" in one:
            whole[one["file"], one["line"]] += one["issues"]
    assert len(before) >= 8 and before.keys() <= whole.keys()
    assert 0 <= sum(whole.values()) - sum(before.values()) <= 2
    browser.open(f"{file.as_uri()}#frame=10")
    browser.wait("document.querySelectorAll('td.heat').length")
    cells = browser.run("Array.from(document.querySelectorAll('td.heat'), (cell) => [cell.textContent, cell.title])")
    wanted = collections.Counter()
    for count in recording["frames"][10]["counts"]:
        if count["path"].endswith("collatz.cl"):
            wanted[count["line"]] += count["issues"]
    assert {line: int(text.replace(",", "")) for line, (text, _) in enumerate(cells, 1) if text} == dict(wanted)


# ---- refusals ----

def test_what_cannot_be_exported_is_said(kernel, tmp_path):
    words, page = collatz_words("gfx900"), tmp_path / "page.html"
    program = kernel("gfx900")
    for more, why in ((["--no-history"], "record"), (["--frames=0"], "frames"), (["-e", "n = 3"], "n = 3: an assignment is not made by showing it")):
        done = view(f"--export={page}", *more, *words, program)
        assert done.returncode == 125 and why in done.stderr and not page.exists(), done.stderr
    done = view(f"--export={tmp_path}/no/page.html", *words, program)
    assert done.returncode == 125 and "No such file" in done.stderr
    assert view("--export=x").returncode == 125
    assert "no such" in view(f"--export={page}", tmp_path / "nothing.co").stderr.lower()


def test_an_expression_that_means_nothing_says_why(export, kernel):
    _, recording = export("-e", "nonsense", "--frames=3", *collatz_words("gfx900"), kernel("gfx900"))
    assert all('No symbol "nonsense"' in wave["values"][0]["why"] for wave in recording["waves"])


def test_the_page_can_be_written_to_standard_output(kernel):
    done = view("--export=-", "--frames=2", *collatz_words("gfx900"), kernel("gfx900"))
    assert done.returncode == 0 and done.stdout.startswith("<!DOCTYPE html>") and done.stdout.endswith("</html>\n")


# ---- in a browser ----

@pytest.fixture(scope="module")
def page(tmp_path_factory, kernel):
    out = tmp_path_factory.mktemp("page") / "page.html"
    done = view(f"--export={out}", "-e", "n", "-e", "count", "--frames=60", *collatz_words("gfx900"), kernel("gfx900"))
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def shown(browser, page):
    """shown(fragment): the browser, with the page."""
    def show(fragment=""):
        browser.scheme(prefers_color_scheme="light", prefers_contrast="no-preference")
        browser.open(f"{page.as_uri()}#{fragment}")
        assert not browser.problems()
        return browser
    yield show
    browser.scheme()


def cell(browser, row, lane):
    """The middle of a lane's cell, within the grid: rows are counted without headings."""
    return browser.run(f"""(() => {{ const g = view.grid, i = g.rows.indexOf(g.rows.filter((r) => r.key)[{row}]);
        return [LABEL_WIDTH + Math.floor(({lane} + .5) * g.cell) - 4, g.top[i] + 2]; }})()""")


def colour(browser, row, lane):
    return tuple(browser.pixel(*cell(browser, row, lane))[:3])


def test_cells_have_the_colours_of_their_states(shown):
    browser = shown("frame=30")
    states = browser.run("view.layout.filter((row) => row.wave).map((row) => statesOf(row.wave))")
    assert len(states) == 4 and len(states[0]) == 64
    wanted = {1: RUNNING, 2: MASKED, 3: BARRIER, 4: FAULTED}
    for row in range(4):
        for lane in (0, 7, 31, 62):
            assert colour(browser, row, lane) == wanted[states[row][lane]], (row, lane)


def test_nothing_comes_from_elsewhere(shown, page):
    assert shown().requests() == [page.as_uri()]


def test_the_slider_goes_through_time_and_the_grid_follows(shown):
    browser = shown("frame=30")
    before = browser.run("view.clock.textContent")
    browser.run("document.querySelector('input[type=range]').focus()")
    browser.key("ArrowRight")
    assert browser.run("view.frame") == 31 and browser.run("view.clock.textContent") != before
    frame = browser.run("view.model.body.frames[31]")
    assert browser.run("view.layout.filter((row) => row.wave).map((row) => view.model.body.waves.indexOf(row.wave)).sort((a, b) => a - b)") \
        == sorted(frame["waves"])
    browser.key("Home")
    assert browser.run("view.frame") == 0
    browser.key("End")
    assert browser.run("view.frame") == 59


def test_it_plays_backwards_to_the_beginning(shown):
    browser = shown("frame=4")
    browser.run("document.querySelector('[aria-label=\"Play backwards\"]').click()")
    browser.wait("view.frame === 0 && view.timer === null")
    browser.run("document.querySelector('[aria-label=\"Play\"]').click()")
    browser.wait("view.frame > 1")


def test_a_click_selects_a_lane_and_shows_what_is_known_of_it(shown):
    browser = shown("frame=30")
    box = browser.run("(({x, y}) => [x, y])(document.querySelector('.grid').getBoundingClientRect())")
    x, y = cell(browser, 2, 9)
    browser.click(box[0] + x, box[1] + y)
    assert browser.run("view.grid.selected.lane") == 9
    text = browser.run("document.querySelector('aside').innerText")
    wave = browser.run("view.selectedRow().wave")
    assert wave["group"] == [2, 0, 0] and "lane 9" in text and "group (2,0,0), item (9,0,0)" in text
    assert f"\n{values_of(wave, 0)[9]}\n" in text and "collatz.cl" in text
    assert browser.run("document.querySelector('.source tr.here .number').textContent") == str(browser.run("view.model.places[pcOf(view.selectedRow().wave, 9)].line"))


def test_hovering_shows_value_place_and_coordinates(shown):
    browser = shown("frame=30")
    box = browser.run("(({x, y}) => [x, y])(document.querySelector('.grid').getBoundingClientRect())")
    x, y = cell(browser, 1, 5)
    browser.mouse(box[0] + x, box[1] + y)
    text = browser.run("document.querySelector('.tip').innerText")
    wave = browser.run("view.layout.filter((row) => row.wave)[1].wave")
    assert "group (1,0,0), item (5,0,0)" in text and f"n = {values_of(wave, 0)[5]}" in text and "collatz.cl:" in text
    browser.mouse(5, 5)
    assert browser.run("document.querySelector('.tip').hidden")


def test_the_keyboard_goes_from_lane_to_lane_and_says_it(shown):
    browser = shown("frame=30")
    browser.run("view.grid.selected = null; document.querySelector('.grid').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        browser.key(key)
    assert browser.run("view.grid.selected.lane") == 2 and browser.run("view.selectedRow().wave.group[0]") == 1
    said = browser.run("document.querySelector('[aria-live]').textContent")
    assert "group (1,0,0), item (2,0,0)" in said and "n = " in said
    browser.key("End")
    assert browser.run("view.grid.selected.lane") == 63


def test_values_and_colour_maps(shown):
    browser = shown("frame=30&kind=map")
    wave = browser.run("view.layout.filter((row) => row.wave)[0].wave")
    lane = next(lane for lane in range(64) if int(wave["mask"], 16) >> lane & 1)
    wanted = browser.run(f"rampColour(shareOf(Number(valueOf(view.layout.filter((row) => row.wave)[0].wave, 0, {lane})), view.range))")
    assert wanted == "rgb(%d,%d,%d)" % colour(browser, 0, lane)
    browser.run("view.kind.value = 'text'; view.show()")
    assert browser.run("view.grid.cell") > 20


def test_light_dark_and_high_contrast(shown):
    browser = shown("frame=30")
    paper = "getComputedStyle(document.body).backgroundColor"
    assert browser.run(paper) == "rgb(255, 255, 255)"
    browser.scheme(prefers_color_scheme="dark")
    assert browser.run(paper) == "rgb(22, 25, 29)"
    browser.run("view.theme.value = 'contrast'; view.setTheme()")
    assert browser.run(paper) == "rgb(0, 0, 0)" and colour(browser, 0, next(iter(lanes_of(int(browser.run(
        "view.layout.filter((row) => row.wave)[0].wave.mask"), 16))))) == (0, 0xa2, 255)


def test_paper_is_light_and_a_narrow_window_has_no_room_beside(shown):
    """What is printed in the dark: light, no wider than a sheet, no controls, the grid as high as its rows; then it is as before."""
    browser = shown("frame=30&kind=map&theme=dark")
    shape = "[view.box.clientWidth, view.grid.canvas.height, getComputedStyle(document.body).backgroundColor, document.querySelectorAll('select, .time button').length]"
    before = browser.run(shape)
    width, height, paper, _ = browser.run(f"dispatchEvent(new Event('beforeprint')), {shape}")
    assert width <= 700 and paper == "rgb(255, 255, 255)" and abs(height - browser.run("view.grid.bottom")) <= 10
    assert browser.run("[...document.querySelectorAll('select, .time button, .time input')].every((one) => one.offsetParent === null)")
    assert browser.run(f"dispatchEvent(new Event('afterprint')), {shape}") == before
    browser.size(480, 900)
    try:
        browser.wait("view.box.clientWidth === 480")
        assert browser.run("document.documentElement.scrollWidth") == 480
        # The grid takes the height of its four rows, and the rest is the panel's.
        assert browser.run("view.box.clientHeight < 160 && view.side.clientHeight > 400 && view.legend.getBoundingClientRect().bottom <= innerHeight")
    finally:
        browser.size(1280, 800)


def test_divergence_is_a_tree(shown, export, kernel, browser):
    file, _ = export("--frames=60", *collatz_words("sm"), kernel("sm"))
    browser.open(file.as_uri())
    frame = browser.run("view.model.frames.findIndex((f) => f.waves.some((i) => (view.model.body.waves[i].waiters || []).length > 1))")
    assert frame > 0
    browser.run(f"""view.frame = {frame}; view.show();
        (() => {{ const row = view.layout.find((r) => r.wave && (r.wave.waiters || []).length > 1); view.grid.select(row, 0); }})()""")
    wave = browser.run("view.selectedRow().wave")
    items = browser.run("Array.from(document.querySelectorAll('.tree [role=treeitem]'), (li) => li.innerText)")
    assert len(items) == 1 + 2 * len(wave["waiters"])
    assert any(" run" in item for item in items) and any("continue at" in item or "continues at" in item for item in items)


def test_a_source_cannot_end_the_page(export, kernel, browser):
    file, recording = export("--frames=3", *stray_words("gfx900"), kernel("gfx900", STRAY))
    assert "</script><!--" in recording["sources"][str(STRAY)]
    browser.open(file.as_uri())
    assert not browser.problems() and "</script>" in browser.wait("view.code.innerText")


def test_units_of_the_page():
    done = subprocess.run(["node", HERE / "model_test.js", ROOT / "src/frontend/view/page/model.js"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "14 tests\n", done.stderr


def test_a_page_opens_where_lanes_part_and_explains_itself(export, kernel, browser):
    """Some lanes run and some are masked off, one that runs is selected, and its source is there; the tour has five steps beside what they are about."""
    file, recording = export("-e", "n", "--frames=60", *collatz_words("gfx900"), kernel("gfx900"))
    browser.open(file.as_uri())
    states = browser.run("view.layout.filter((row) => row.wave).flatMap((row) => statesOf(row.wave))")
    off = [sum(bin(mask_of(recording["waves"][i]["mask"])).count("0") - 1 for i in frame["waves"]) for frame in recording["frames"]]
    assert 0 < browser.run("view.frame") < 59 and 1 in states and states.count(2) >= max(off) - 64
    row, lane = browser.run("[view.selectedRow().wave.id, view.grid.selected.lane]")
    wave = next(w for w in recording["waves"] if w["id"] == row)
    assert wave and browser.run(f"statesOf(view.selectedRow().wave)[{lane}]") == 1
    assert browser.run("document.querySelector('.source tr.here') !== null") or browser.run("view.lane.textContent").find("0x") >= 0
    assert browser.run("Array.from(document.querySelectorAll('header select'), (one) => one.parentElement.firstChild.textContent)") == ["Rows", "Cells", "Value", "Theme"]
    browser.run("view.tourButton.click()")
    texts = []
    while browser.run("view.tourBox !== null"):
        texts.append(browser.run("view.tourBox.querySelector('p').textContent"))
        assert browser.run("document.querySelectorAll('.toured').length") == 1
        inside = browser.run("((b) => b.left >= 0 && b.top >= 0 && b.right <= innerWidth && b.bottom <= innerHeight)(view.tourBox.getBoundingClientRect())")
        assert inside and browser.run("document.activeElement.title") == "Next"
        browser.run("document.activeElement.click()")
    assert len(set(texts)) == 5 and browser.run("document.querySelectorAll('.toured').length") == 0 and not browser.problems()
