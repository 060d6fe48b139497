"""What AMD's compiler makes in a HIP program's process is kept, and only what depends on nothing else. test_cuda.py has parsed PTX."""
import os
import subprocess

import pytest

from conftest import environment, wavetrap

PROGRAM = r"""
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <vector>
/* With arguments, a program of hipRTC whose text is the first and whose options are the others: what its kernel writes. */
int main(int argc, char **argv)
{
    int *out, value = 0;
    if (hipMalloc(&out, 4) || hipMemset(out, 1, 4) || hipMemcpy(&value, out, 4, hipMemcpyDeviceToHost))
        return 1;
    printf("%x", value);
    if (argc > 1) {
        hiprtcProgram program;
        std::vector<const char *> options(argv + 2, argv + argc);
        hiprtcCreateProgram(&program, argv[1], "k", 0, nullptr, nullptr);
        if (hiprtcCompileProgram(program, options.size(), options.data()))
            return 2;
        size_t size;
        hiprtcGetCodeSize(program, &size);
        std::string code(size, 0);
        hiprtcGetCode(program, &code[0]);
        hipModule_t module;
        hipFunction_t k;
        void *arguments[] = {&out};
        if (hipModuleLoadData(&module, code.data()) || hipModuleGetFunction(&k, module, "k") ||
            hipModuleLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, 0, arguments, nullptr) || hipMemcpy(&value, out, 4, hipMemcpyDeviceToHost))
            return 3;
        printf(" %d", value);
    }
    /* the next puts() after this program's own */
    printf(" %s\n", dlsym(RTLD_NEXT, "puts") == dlsym(RTLD_DEFAULT, "puts") ? "same" : "next");
}
extern "C" int puts(const char *text) { return fputs(text, stdout); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("code_cache")
    (folder / "cache.hip").write_text(PROGRAM)
    subprocess.run(["hipcc", "-w", "-O1", "-rdynamic", "--offload-arch=gfx900", "--offload-arch=gfx90a", folder / "cache.hip", "-o", folder / "cache"], check=True)
    return folder / "cache"


@pytest.fixture
def run(program, tmp_path):
    def done(*words, options=(), gpu="gfx900", where="on"):
        result = wavetrap("exec", "-g", gpu, *options, program, *words, env={**environment(), "XDG_CACHE_HOME": str(tmp_path / "cache"), "WAVETRAP_CODE_CACHE": where})
        assert (result.returncode, result.stderr) == (0, ""), (result.returncode, result.stderr)
        return result.stdout
    done.folder = tmp_path / "cache" / "wavetrap" / "code"
    return done


def entries(folder):
    return {file.name: file.read_bytes() for file in folder.glob("*")}


def test_a_program_starts_with_what_an_earlier_one_made(run):
    """Nothing is made anew where all is there: the entries stay, and are used. What is damaged is made anew, equal."""
    assert run(options=["--code-cache=off"]) == "1010101 next\n" and not run.folder.exists()
    assert run() == "1010101 next\n"
    first = entries(run.folder)
    assert len(first) >= 3     # compiled, linked, made machine code of
    for name in first:
        os.utime(run.folder / name, (1000, 1000))
    assert run() == "1010101 next\n" and entries(run.folder) == first
    assert all((run.folder / name).stat().st_mtime > 1000 for name in first)
    for damage in (lambda whole: b"", lambda whole: whole[:100], lambda whole: whole[:-1], lambda whole: whole[:50] + b"\1\2\3" + whole[53:]):
        for name, whole in first.items():
            (run.folder / name).write_bytes(damage(whole))
        assert run() == "1010101 next\n"
        assert set(entries(run.folder)) >= set(first)
    made = set(entries(run.folder))
    assert run(gpu="gfx90a") == "1010101 next\n" and set(entries(run.folder)) > made     # another GPU's


def test_a_folder_is_named(run, tmp_path):
    assert run(where=str(tmp_path / "named")) == "1010101 next\n" and entries(tmp_path / "named") and not run.folder.exists()
    (tmp_path / "named").chmod(0o777)
    shared = wavetrap("exec", "-g", "gfx900", "/bin/true", env={**environment(), "WAVETRAP_CODE_CACHE": "nonsense"})
    assert "WAVETRAP_CODE_CACHE=nonsense is neither 'on' nor 'off' nor a folder's absolute path" in shared.stderr


def test_a_program_with_a_sanitizer_starts(tmp_path):
    """AddressSanitizer asks for libc's functions before it can be called itself, strcmp() among them: dlsym() calls none."""
    (tmp_path / "plain.c").write_text('#include <stdio.h>\nint main(void) { puts("it ran"); }\n')
    subprocess.run(["gcc", "-fsanitize=address", tmp_path / "plain.c", "-o", tmp_path / "plain"], check=True)
    done = wavetrap("exec", "-g", "gfx900", tmp_path / "plain", env={**environment(), "ASAN_OPTIONS": "verify_asan_link_order=0"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "it ran\n", "")


def test_a_text_that_includes_a_file_is_compiled_each_time(run, tmp_path):
    """The header has changed between two runs; its folder is named by an option, or by the text. Nothing that depends on it is kept."""
    header = tmp_path / "number.h"
    assert run() == "1010101 next\n"
    kept = set(entries(run.folder))
    kernel = 'extern "C" __global__ void k(int *out) { *out = NUMBER; }\n'
    for number in (7, 8):
        header.write_text(f"#define NUMBER {number}\n")
        assert run(f'#include "number.h"\n{kernel}', f"-I{tmp_path}") == f"1010101 {number} next\n"
        assert run(f'#inc\\\nlude "{header}"\n{kernel}') == f"1010101 {number} next\n"
        assert run(kernel, "-include", str(header)) == f"1010101 {number} next\n"
    assert run(kernel, "-DNUMBER=9") == "1010101 9 next\n"     # hipRTC includes a header of its own
    assert set(entries(run.folder)) == kept
