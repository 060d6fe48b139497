"""What builds all of wavetrap, or its documents, anew. The README's commands and the pages' first blocks in bare Debian roots. A release as
scripts/release.sh makes it: archive, packages, extension, image, site; the packages are installed into a bare Debian and tried there by debian/tests. contrib/ci:
the script's own build."""
import contextlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import pytest

import bare
from conftest import ROOT

VERSION = re.search(r"^  version: '(.*)'", (ROOT / "meson.build").read_text(), re.M).group(1)
RUN = ROOT / "contrib" / "ci" / "run.sh"
pytestmark = pytest.mark.limit(3400)  # of builds of all, on a busy machine
full = pytest.mark.full


def copy_tree(target):
    """The files of the tree, without what is built or not added."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=True).stdout
    for file in filter(None, listed.decode().split("\0")):
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, target / file)


# ---- the README's commands on a bare machine ----

@contextlib.contextmanager
def bare_root(steps, release=bare.RELEASE, keep=False):
    """A root with the packages of these steps of need.sh; the test is left out, by name, where none can be made."""
    reason, folder = bare.why_not(), None
    try:
        folder = None if reason else bare.root(steps, release, keep)
    except bare.NoRoot as error:
        # Without a network the lists of packages do not come; anything else is a mistake.
        assert "Failed to fetch" in str(error) or "Could not resolve" in str(error) or "Temporary failure" in str(error), error
        reason = "no network for mmdebstrap"
    if reason:
        pytest.skip(f"left out: a bare root of {release} ({reason})")   # scripts/test.py names it at the end
    try:
        yield folder
    finally:
        if not keep:
            bare.remove(folder)


# The command has its lines edited, which the demonstration does not need.
DEMO = "make demo && ldd build/wavetrap | grep -q libedit"


def test_make_demo_on_a_bare_machine(capsys):
    """The README's first command, with the packages that it installs and no others."""
    with bare_root(["build", "demo"], keep=True) as folder:
        done = bare.try_in(folder, DEMO)
        assert done.returncode == 0 and "out[14] is 43, not 42" in done.stdout and "0x2d -> 0x30" in done.stdout, done.stdout[-5000:]
        with capsys.disabled():
            print(f"\n{re.findall('^compiler cache: .*', done.stdout, re.M)}")


@pytest.mark.parametrize("package", [pytest.param(name, marks=[] if name == "libmsgpack-dev" else full) for name in bare.listed(bare.RELEASE, ["build", "demo"])])
def test_it_fails_where_a_package_of_the_list_is_missing(package):
    """So each name in the list is needed, and the test above would see that one is not there."""
    with bare_root(["build", "demo"], keep=True) as folder:
        done = bare.try_in(folder, DEMO, hidden=[package])
        assert done.returncode != 0, done.stdout[-3000:]


def test_no_compile_command_changes_when_packages_come(tmp_path):
    """A folder that `make demo` has configured where there are the packages of `build` alone compiles the same files in the same way when those of the
    tests, of HIP and of OpenCL have come: `make check` compiles nothing of the product again."""
    optional = ("cmocka", "libdrm", "libhsakmt", "ompi-c")
    known = subprocess.run(["pkg-config", "--variable", "pc_path", "pkg-config"], capture_output=True, text=True, check=True).stdout.strip().split(":")
    few = tmp_path / "few"
    few.mkdir()
    for file in (f for folder in reversed(known) for f in pathlib.Path(folder).glob("*.pc") if f.stem not in optional):
        shutil.copy(file, few / file.name)

    # It configures, and builds nothing.
    ninja = tmp_path / "bin" / "ninja"
    ninja.parent.mkdir()
    ninja.write_text(f'#!/bin/sh\ncase " $* " in *" -t "* | *" --version "*) exec {shutil.which("ninja")} "$@" ;; esac\n')    # Meson asks for the commands
    ninja.chmod(0o755)

    def commands(**environment):
        done = subprocess.run([ROOT / "scripts" / "build.sh", tmp_path / "build"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{ninja.parent}:{os.environ['PATH']}", **environment})
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr
        return {one["output"]: one["command"] for one in json.loads((tmp_path / "build" / "compile_commands.json").read_text())}

    before = commands(PKG_CONFIG_LIBDIR=str(few))
    after = commands()
    assert not [name for name in before if name.startswith("tests/")] and [name for name in after if name.startswith("tests/")]
    assert {name: after.get(name) for name in before} == before


@full
def test_the_commands_of_a_plain_user():
    """`make`, and `make install` into folders of one's own, by a user who is not root and has the packages of `build`."""
    with bare_root(["build"]) as folder:
        done = bare.try_in(folder, "make && make install SETUP=--prefix=$HOME/.local && $HOME/.local/bin/wavetrap --version && build/wavetrap --version", user="plain")
        assert done.returncode == 0 and done.stdout.count("wavetrap 0.") == 2, done.stdout[-5000:]


@full
def test_make_quick_on_a_bare_machine():
    with bare_root(["build", "kernels", "check-tools"]) as folder:
        done = bare.try_in(folder, "make quick")
        assert done.returncode == 0 and re.search(r"^[1-9]\d+ passed, 0 failed", done.stdout, re.M), done.stdout[-5000:]


@full
def test_the_list_of_make_check():
    """With the packages of `make check` everything is configured and compiled, and the unit tests pass."""
    with bare_root(["build", "check"]) as folder:
        done = bare.try_in(folder, "scripts/build.sh build && scripts/test.py build --suite unit")
        assert done.returncode == 0 and re.search(r"^[1-9]\d+ passed, 0 failed", done.stdout, re.M), done.stdout[-5000:]


PAGES = {"hip": "hip", "cuda-cpp": "ptx", "opencl": "gen", "offload": "offload", "tutorial": "kernels"}


def first_block(page):
    """The commands of a page's first block of a console, without those that install packages."""
    block = re.search(r"^```console\n(.*?)^```", (ROOT / "docs" / f"{page}.md").read_text(), re.M | re.S).group(1)
    return " && ".join(line[2:].partition("    # ")[0] for line in block.replace("\\\n", " ").splitlines() if line.startswith("$ "))


@full
@pytest.mark.parametrize("page", PAGES)
def test_a_page_begins_with_what_works(page):
    """Each family's first page, as typed: the packages of its step, `make`, and the commands of its first block."""
    with bare_root(["build", PAGES[page]]) as folder:
        done = bare.try_in(folder, f"make && export PATH=$PWD/build:$PATH && {first_block(page)}")
        assert done.returncode == 0, done.stdout[-5000:]


@full
@pytest.mark.parametrize("commands", ["demo", "quick", "check", "hip", "offload", "cuda-cpp", "tutorial"])
def test_debian_13(commands):
    """`make demo`, `quick` and `check`, which runs a part there, and the families' first pages with the compilers of Debian 13. The root stays, as that of `make demo`."""
    tried = f"make {commands}" if commands not in PAGES else f"make && export PATH=$PWD/build:$PATH && {first_block(commands).replace('gcc-12', 'gcc-14')}"
    with bare_root(["build", "demo", "check"], "trixie", keep=True) as folder:
        done = bare.try_in(folder, tried)
        assert done.returncode == 0, done.stdout[-5000:]
        assert {"demo": "0x2d -> 0x30", "check": "the part of the tests that is for Debian 13 passed", "hip": "0 of 100000 sums are wrong"}.get(commands, "") in done.stdout


# ---- a release ----

@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """The folder with what scripts/release.sh makes, in a dry run, of a repository with the tree's files."""
    tree = tmp_path_factory.mktemp("release") / "tree"
    copy_tree(tree)
    for words in (["init", "-q"], ["add", "-A", "-f"], ["-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "The tree"]):
        subprocess.run(["git", "-C", tree, *words], check=True)
    done = subprocess.run([tree / "scripts" / "release.sh", VERSION], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return tree / "build" / "release"


TOOLS = ("dpkg-buildpackage", "dh", "lintian", "buildah", "mmdebstrap", "mkdocs", "node", "npm")
tools_of_a_release = pytest.mark.skipif(os.geteuid() != 0 or not all(map(shutil.which, TOOLS)),
                                        reason=f"left out: a release (it needs root's rights and {', '.join(TOOLS)})")   # scripts/test.py names it at the end


@full
@tools_of_a_release
def test_a_release_has_all_its_parts(release):
    """Each is tried as it is made: docs/release.md says how."""
    sums = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=release, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(sums) == len(list(release.iterdir())) - 1
    for name in ("wavetrap-{}.tar.xz", "wavetrap_{}-*.deb", "libwavetrap0_{}-*.deb", "wavetrap_{}-*.dsc", "wavetrap-{}.vsix", "Containerfile", "wavetrap-{}-site.tar.gz", "libwavetrap-{}.abi.xml"):
        assert len(list(release.glob(name.format(VERSION)))) == 1, name


@full
@tools_of_a_release
def test_a_bare_debian_with_the_packages_runs_a_kernel(release):
    """The programs of debian/tests, as autopkgtest starts them, with what they ask for."""
    tests = pathlib.Path(ROOT / "debian" / "tests")
    needed = {word.strip() for line in (tests / "control").read_text().splitlines() if line.startswith("Depends:")
              for word in line.split(":", 1)[1].split(",")}
    outside = sorted(name for name in needed if "wavetrap" not in name)
    hooks = ["copy-in " + " ".join(str(deb) for deb in release.glob("*.deb") if "-dbgsym" not in deb.name) + " /root", 'chroot "$1" sh -c "apt-get install -y -q --no-install-recommends /root/*.deb"']
    for name in ("kernel", "library"):
        hooks += [f"copy-in {tests}/{name} /root", f'chroot "$1" sh -c "cd /root && ./{name}"']
    done = subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", f"--include={','.join(outside)}",
                           *(f"--customize-hook={hook}" for hook in hooks), "bookworm", "/dev/null"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@full
def test_it_is_built_into_the_cache_once(tmp_path):
    words = {"cwd": tmp_path, "capture_output": True, "text": True, "check": False,
             "env": {**{k: v for k, v in os.environ.items() if k != "WAVETRAP"}, "WAVETRAP_CACHE": str(tmp_path / "cache")}}
    first = subprocess.run([RUN, "-g", "sm", "-n", "0", "true"], **words)
    second = subprocess.run([RUN, "-g", "sm", "-n", "0", "true"], **words)
    assert first.returncode == 0 and "builds wavetrap" in first.stderr, first.stderr
    assert second.returncode == 0 and "builds wavetrap" not in second.stderr


@full
@tools_of_a_release
def test_the_site_asks_nobody_else_and_its_links_lead_somewhere(release, tmp_path):
    """What a browser loads by itself (styles, scripts, pictures, fonts) is the site's own; links within it have a page and a place there."""
    subprocess.run(["tar", "-xf", release / f"wavetrap-{VERSION}-site.tar.gz", "-C", tmp_path], check=True)
    site = tmp_path / "site"
    pages = {page: page.read_text() for page in site.rglob("*.html")}
    assert len(pages) > 60
    places = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    for page, text in pages.items():
        assert not re.findall(r'<(?:script|img|iframe|source)[^>]*\bsrc="?(?:https?:)?//|<link[^>]*href="?(?:https?:)?//', text), page
        for link in map(html.unescape, re.findall(r'<a [^>]*href="([^"]+)"', text)):
            file, _, place = link.partition("#")
            to = (page.parent / urllib.parse.unquote(file)).resolve() if file else page
            if not re.match("[a-z]+:", link):
                assert to.exists() and (not place or to not in places or urllib.parse.unquote(place) in places[to]), (page, link)
    assert not [style for style in site.rglob("*.css") if re.search(r"(@import|url\()[^;)]*https?://", style.read_text())]


def filtered(browser, text):
    """What the box of the page of what works leaves: its sentence, and the names of each row."""
    return browser.run(f"""(() => {{ const box = document.querySelector('.filter'); box.value = '{text}'; box.dispatchEvent(new Event('input'));
        const shown = (one) => one.offsetParent !== null;
        return [box.nextSibling.textContent, [...document.querySelectorAll('tbody tr')].filter((row) => shown(row) && row.cells.length === 3)
            .map((row) => [row.cells[0].textContent, [...row.querySelectorAll('code')].filter(shown).map((one) => one.textContent)])]; }})()""")


@full
@tools_of_a_release
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_the_page_of_what_works_is_filtered(release, tmp_path):
    """Names by a part of them, and rows by their state; the rest is away."""
    sys.path.append(str(ROOT / "tests" / "view"))
    from browser import Browser
    subprocess.run(["tar", "-xf", release / f"wavetrap-{VERSION}-site.tar.gz", "-C", tmp_path], check=True)
    browser = Browser()
    try:
        browser.open((tmp_path / "site" / "docs" / "support.html").as_uri())
        said, rows = filtered(browser, "V_MFMA")
        names = [name for _, row in rows for name in row]
        assert said == f"{len(names)} names" and len(names) > 40 and all("v_mfma" in name for name in names)
        said, rows = filtered(browser, "refused")
        assert {state for state, _ in rows} == {"refused"} and said == f"{sum(len(row) for _, row in rows)} names"
        assert filtered(browser, "")[0] == "" and len(filtered(browser, "")[1]) > len(rows)
    finally:
        browser.close()
