"""The binary interface of libwavetrap is the committed one, abi.xml, until 0.2.0 is tagged. `python3 tests/api/test_abi.py --write` writes it, when a change
is meant.

The library has no debug information to compare. Its header has all of the interface, and test_library.py holds the library's symbols against the header; so
a library is made of the header's declarations, each with an empty body, and compiled with debug information."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "wavetrap" / "wavetrap.h"
COMMITTED = pathlib.Path(__file__).with_name("abi.xml")
pytestmark = pytest.mark.skipif(not shutil.which("abidw"), reason="abidw and abidiff are not installed: Debian's abigail-tools")


def describe(header, folder):
    """The interface of a header's text, as abidw describes it: a file in the folder."""
    (folder / "wavetrap").mkdir(parents=True)
    (folder / "wavetrap" / "wavetrap.h").write_text(header)
    plain = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    functions = re.findall(r"^(?!typedef)((?:(?:enum |struct )?\w+ )+\**wavetrap_\w+\([^;]*?\));", plain, re.M | re.S)
    assert len(functions) > 30
    (folder / "stub.c").write_text("#include <wavetrap/wavetrap.h>\n" + "".join(f"{function} {{ __builtin_trap(); }}\n" for function in functions))
    subprocess.run(["cc", "-g", "-O0", "-shared", "-fPIC", f"-I{folder}", f"-Wl,--version-script={ROOT}/src/api/libwavetrap.map", "-Wl,-soname=libwavetrap.so.0",
                    "-o", folder / "stub.so", folder / "stub.c"], check=True)
    subprocess.run(["abidw", "--headers-dir", folder / "wavetrap", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--type-id-style", "hash",
                    "--out-file", folder / "abi.xml", folder / "stub.so"], check=True)
    return folder / "abi.xml"


def differences(header, folder):
    done = subprocess.run(["abidiff", "--no-show-locs", COMMITTED, describe(header, folder)], capture_output=True, text=True)
    assert done.returncode & 3 == 0, done.stderr
    return done.stdout if done.returncode else ""


def test_the_interface_is_the_committed_one(tmp_path):
    assert differences(HEADER.read_text(), tmp_path) == ""


@pytest.mark.parametrize("old,new,said", [("unsigned size; /**< bytes that a lane accesses */", "uint64_t size;", "wavetrap_access"),
                                          ("enum wavetrap_status wavetrap_print(struct wavetrap *session, const char *expression,",
                                           "enum wavetrap_status wavetrap_print(struct wavetrap *session, unsigned lane, const char *expression,", "wavetrap_print"),
                                          ("WAVETRAP_READ, WAVETRAP_WRITE", "WAVETRAP_WRITE, WAVETRAP_READ", "wavetrap_access_kind")])
def test_a_change_of_it_is_seen(tmp_path, old, new, said):
    """A member of another size, a parameter more, enumerators in another order."""
    header = HEADER.read_text()
    assert header.count(old) == 1
    assert said in differences(header.replace(old, new), tmp_path)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("test_abi.py --write")
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(describe(HEADER.read_text(), pathlib.Path(name)), COMMITTED)
