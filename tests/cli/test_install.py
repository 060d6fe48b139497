"""`meson install` puts the command, its manual pages and its completion where they are looked for."""
import os
import subprocess

import pytest

from conftest import ROOT, WAVETRAP

BUILD = os.path.dirname(WAVETRAP)


@pytest.mark.skipif(not os.path.exists(f"{BUILD}/build.ninja"), reason="WAVETRAP is not in a build folder")
def test_what_is_installed_works(build):
    target = build.folder / "target"
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", target],
                   check=True, capture_output=True)
    files = {str(path.relative_to(target)): path for path in target.rglob("*") if path.is_file()}
    command = next(path for name, path in files.items() if name.endswith("/bin/wavetrap"))
    elf = build.asm("_start: exit 42\n")
    assert subprocess.run([command, "run", elf], timeout=60).returncode == 42
    pages = {os.path.basename(name) for name in files if "/man/man1/" in name}
    assert pages == {page.name for page in (ROOT / "docs" / "man").glob("*.1")}
    for place in ("bash-completion/completions/wavetrap", "zsh/site-functions/_wavetrap",
                  "fish/vendor_completions.d/wavetrap.fish"):
        assert any(name.endswith(place) for name in files), place
