"""What builds all of wavetrap, or its documents, anew. The packages of debian/: built from the tree's files, looked at by lintian, installed into a bare Debian,
tried there by debian/tests. contrib/ci: the script's own build, the image."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import urllib.parse

import pytest

from conftest import ROOT

VERSION = "0.1.0"
RUN = ROOT / "contrib" / "ci" / "run.sh"
pytestmark = [pytest.mark.full, pytest.mark.limit(3400)]  # of builds of all, on a busy machine


def needs(*tools):
    return pytest.mark.skipif(os.geteuid() != 0 or not all(map(shutil.which, tools)), reason=f"needs root and {', '.join(tools)}")


def copy_tree(target):
    """The files of the tree, without what is built or not added."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=True).stdout
    for file in filter(None, listed.decode().split("\0")):
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, target / file)


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The folder with all packages and their .changes files."""
    folder = tmp_path_factory.mktemp("packages")
    tree = folder / f"wavetrap-{VERSION}"
    copy_tree(tree)
    subprocess.run(["tar", "czf", f"wavetrap_{VERSION}.orig.tar.gz", "--exclude=debian", tree.name], cwd=folder, check=True)
    with open(folder / "log", "w") as log:
        for kind in ("-S", "-b"):
            built = subprocess.run(["dpkg-buildpackage", "-us", "-uc", "-d", kind], cwd=tree, stdout=log, stderr=subprocess.STDOUT, check=False)
            assert built.returncode == 0, (folder / "log").read_text()[-3000:]
    return folder


@needs("dpkg-buildpackage", "dh", "lintian")
def test_lintian_has_no_error_and_no_warning(packages, tmp_path):
    changes = sorted(packages.glob("*.changes"))
    assert len(changes) == 2
    said = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", *changes], capture_output=True, text=True, check=False,
                          env={**os.environ, "TMPDIR": str(tmp_path)})  # it leaves files there
    assert said.returncode == 0, said.stdout


@needs("dpkg-buildpackage", "dh", "mmdebstrap")
def test_a_bare_debian_with_the_packages_runs_a_kernel(packages):
    """The programs of debian/tests, as autopkgtest starts them, with what they ask for."""
    tests = pathlib.Path(ROOT / "debian" / "tests")
    needed = {word.strip() for line in (tests / "control").read_text().splitlines() if line.startswith("Depends:")
              for word in line.split(":", 1)[1].split(",")}
    outside = sorted(name for name in needed if "wavetrap" not in name)
    hooks = ["copy-in " + " ".join(str(deb) for deb in packages.glob("*.deb") if "-dbgsym" not in deb.name) + " /root", 'chroot "$1" sh -c "apt-get install -y -q --no-install-recommends /root/*.deb"']
    for name in ("kernel", "library"):
        hooks += [f"copy-in {tests}/{name} /root", f'chroot "$1" sh -c "cd /root && ./{name}"']
    done = subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", f"--include={','.join(outside)}",
                           *(f"--customize-hook={hook}" for hook in hooks), "bookworm", "/dev/null"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_it_is_built_into_the_cache_once(tmp_path):
    words = {"cwd": tmp_path, "capture_output": True, "text": True, "check": False,
             "env": {**{k: v for k, v in os.environ.items() if k != "WAVETRAP"}, "WAVETRAP_CACHE": str(tmp_path / "cache")}}
    first = subprocess.run([RUN, "-g", "sm", "-n", "0", "true"], **words)
    second = subprocess.run([RUN, "-g", "sm", "-n", "0", "true"], **words)
    assert first.returncode == 0 and "builds wavetrap" in first.stderr, first.stderr
    assert second.returncode == 0 and "builds wavetrap" not in second.stderr


@needs("buildah", "mmdebstrap")
def test_the_image(tmp_path):
    """From a bare Debian: it has the command, and a kernel runs in it."""
    base = tmp_path / "base.tar"
    subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", "bookworm", base], check=True, capture_output=True)
    image, name = f"wavetrap-test-{os.getpid()}", f"wavetrap-base-{os.getpid()}"
    made = subprocess.run(["buildah", "from", "scratch"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["buildah", "add", made, base, "/"], check=True, capture_output=True)
    subprocess.run(["buildah", "commit", made, name], check=True, capture_output=True)
    source = tmp_path / "source"
    copy_tree(source)
    try:
        done = subprocess.run(["buildah", "bud", "--isolation=chroot", "--build-arg", f"BASE=localhost/{name}", "--build-arg", "FAMILIES=kernels",
                               "-t", image, "-f", source / "contrib" / "ci" / "Containerfile", source], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        box = subprocess.run(["buildah", "from", f"localhost/{image}"], capture_output=True, text=True, check=True).stdout.strip()
        said = subprocess.run(["buildah", "run", "--isolation=chroot", box, "--", "wavetrap-ci", "-g", "sm", "-n", "0", "wavetrap", "--version"],
                              capture_output=True, text=True, check=False)
        assert said.returncode == 0 and "wavetrap" in said.stdout, said.stderr
    finally:
        subprocess.run(["buildah", "rm", "--all"], check=False, capture_output=True)
        subprocess.run(["buildah", "rmi", "-f", f"localhost/{image}", f"localhost/{name}"], check=False, capture_output=True)


@pytest.mark.skipif(not shutil.which("mkdocs"), reason="needs mkdocs")
def test_the_site_asks_nobody_else_and_its_links_lead_somewhere(tmp_path):
    """`make site`. What a browser loads by itself (styles, scripts, pictures, fonts) is the site's own; links within it have a page and a place there."""
    site = tmp_path / "site"
    subprocess.run([ROOT / "scripts" / "site.py", site], check=True)
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
