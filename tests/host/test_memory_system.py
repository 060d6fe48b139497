"""
The memory system as the examples show it: apertures, the swizzle of private memory, and how far apart
the private memory of waves lies.
"""
import re
import subprocess

import pytest

from conftest import ROCM_6, code_object, compiled, example, hip, instructions, wavetrap

pytestmark = pytest.mark.hip

PRIVATE = 0x2000000000000
MUCH = "_Z12much_privatePii"  # a kernel of work.hip


def parse(text):
    """{address: (terms by name, the summands, place, word)} from lines of explanations."""
    of = {}
    for part in re.split(r"^(?=0x)", text, flags=re.M)[1:]:
        lines = re.findall(r"^  ([ +]) +(0x[0-9a-f]+|0)  (.*)$", part, re.M)
        end = re.search(r"^  = +(0x[0-9a-f]+|0)  in .*?, which holds (0x[0-9a-f]{8})$", part, re.M)
        of[int(part.split(":")[0], 16)] = ({name: int(value, 16) for _, value, name in lines},
                                           [int(value, 16) for plus, value, _ in lines if plus == "+"],
                                           end and int(end[1], 16), end and int(end[2], 16))
    return of


def explanations(program, *options):
    """[(wave, lane, what parse says)] from explain-address; the last option is the address."""
    *options, addresses = options
    done = wavetrap("explain-address", *options, program, addresses)
    assert done.returncode == 0, done.stderr
    found = []
    for part in done.stderr.split("wavetrap: ")[1:]:
        head = re.match(r"device 0, dispatch \d+, group .*, core 0, wave (\d+), lane (\d+), at ", part)
        found.append((int(head[1]), int(head[2]), parse(part)))
    return found, done.stdout


def printed(stdout):
    numbers = re.search(r"private base (\w+) limit (\w+) flat scratch (\w+)\n&A is (\w+)\n", stdout).groups()
    return [int(n, 16) for n in numbers]


def stored_offset(path, value):
    """The offset in private memory to which the kernel's code stores a constant."""
    code = [text for _, text in instructions(path, "_Z4testPiS_")]
    at = next(i for i, text in enumerate(code) if text.startswith("v_mov_b32") and f"0x{value:x}" in text)
    register = code[at].split()[1].rstrip(",")
    store = next(text for text in code[at:] if re.match(rf"(buffer_store_dword|scratch_store_dword(x2)? off,) (v|v\[){register[1:]}[,:]", text))
    return int((re.search(r"offset:(\d+)", store) or [0, "0"])[1])


def test_apertures_and_the_address_of_a_private_variable():
    program = example("private_address")
    base, limit, _, address = printed(hip(program).stdout)
    assert (base, limit) == (PRIVATE, 0x20000ffffffff)
    assert address == PRIVATE + stored_offset(code_object(program), 0xdeadbeaf) == 0x2000000000008


def test_the_words_of_all_lanes_lie_where_flat_scratch_says():
    program = example("private_address")
    end = next(at for at, text in instructions(code_object(program), "_Z4testPiS_") if text == "s_endpgm")
    found, stdout = explanations(program, "--at", f"test+{end}", "--lane=0-63",
                                 "0x2000000000008,0x200000000000c")
    _, _, flat_scratch, address = printed(stdout)
    assert address == 0x2000000000008
    assert [(wave, lane) for wave, lane, _ in found] == [(0, lane) for lane in range(64)]
    for _, lane, of in found:
        *_, place, word = of[0x2000000000008]
        assert (place, word) == (flat_scratch + 8 * 64 + 4 * lane, 0xdeadbeaf)
        *_, place, word = of[0x200000000000c]
        assert (place, word) == (flat_scratch + 12 * 64 + 4 * lane, 0x12345678)


def test_every_term_of_an_unaligned_address():
    program = example("private_address")
    end = next(at for at, text in instructions(code_object(program), "_Z4testPiS_") if text == "s_endpgm")
    found, stdout = explanations(program, "--at", f"test+{end}", "--lane=37", "0x200000000000b")
    flat_scratch = printed(stdout)[2]
    (_, lane, of), = found
    terms, summands, place, _ = of[0x200000000000b]
    assert lane == 37
    assert terms["private segment buffer"] + terms["wave offset: slot * bytes of a wave"] == flat_scratch
    assert summands == [flat_scratch, 8 // 4 * 4 * 64, 37 * 4, 3]
    assert place == sum(summands)


def test_waves_of_plain_hipcc_are_as_far_apart_as_the_code_object_says():
    """scratch_size x 64 lanes. Debian 12's hipcc puts the callee's frame on top of the kernel's own 4016 bytes."""
    program = example("flat_scratch")
    notes = subprocess.run(["llvm-readelf-19", "--notes", code_object(program)], capture_output=True, text=True, check=True).stdout
    size, = map(int, re.findall(r"\.private_segment_fixed_size: (\d+)\n", notes))
    assert size == (4016 if ROCM_6 else 4176)
    done = hip(program)
    at = {int(w): int(a, 16) for w, a in re.findall(r"wave (\d) flat_scratch is (0x\w+)\n", done.stdout)}
    assert sorted(at) == list(range(10))
    assert {at[i + 1] - at[i] for i in range(9)} == {64 * size}


def test_waves_of_the_recipe_with_a_buffered_printf_are_0x3ec00_apart():
    """scratch_size 4016 x 64 lanes. The text of this printf is lost on Debian's runtime, which is older
    than the compiler; so the terms tell."""
    program = example("flat_scratch.buffered")
    code = program.with_name(program.name + ".co")
    ends = [at for at, text in instructions(code, "_Z4testPiS_") if text == "s_endpgm"]
    found, _ = explanations(program, "--at", f"test+{ends[-1]}", "--wave=each", f"0x{PRIVATE:x}")
    terms = {wave: of[PRIVATE][0] for wave, _, of in found}
    assert sorted(terms) == list(range(10))
    assert len({t["private segment buffer"] for t in terms.values()}) == 1
    assert [terms[wave]["wave offset: slot * bytes of a wave"] for wave in range(10)] == [
        0x3ec00 * wave for wave in range(10)]
    assert 0x3ec00 == 4016 * 64


def test_spaces_without_swizzle():
    done = wavetrap("explain-address", "--at=test", example("private_address"), "0x1000000000010,0x12345")
    assert "0x1000000000010: local, aperture 0x1000000000000 .. 0x10000ffffffff\n" in done.stderr
    assert "in LDS of the work-group, where there is nothing\n" in done.stderr
    assert "0x12345: global\n" in done.stderr


def test_a_place_in_a_code_object():
    """The last element that a kernel keeps in private memory, as its last lane sees it."""
    code = code_object(compiled("work.hip"))
    end = [at for at, text in instructions(code, MUCH) if text == "s_endpgm"][-1]
    done = wavetrap("explain-address", *KERNEL, "--at", f"much_private+{end}", "--lane=62-63", code,
                    hex(PRIVATE + 4 * 1999))
    assert done.returncode == 0, done.stderr
    heads = re.findall(r"^wave 0 \(device 0, dispatch 1, group .*, core 0, wave 0\), lane (\d+), issue time \d+$", done.stdout, re.M)
    assert heads == ["62", "63"]
    terms = parse(done.stdout)[PRIVATE + 4 * 1999][0]
    assert (terms["X / 4 * 4 * 64: its dword, of all lanes"], terms["lane * 4"]) == (1999 * 4 * 64, 63 * 4)


def test_each_wave_of_a_code_object():
    code = code_object(compiled("work.hip"))
    options = [o.replace("--grid=64", "--grid=192").replace("zeros:256", "zeros:768") for o in KERNEL]
    done = wavetrap("explain-address", *options, "--at=much_private", "--wave=each", code, hex(PRIVATE))
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^wave \d+ ", done.stdout, re.M)) == 3


KERNEL = [f"--kernel={MUCH}", "--grid=64", "--arg=zeros:256", "--arg=i32:3"]


@pytest.mark.parametrize("options, said", [
    (["PROGRAM", "1"], "--at is a function"),
    (["--at=test", "PROGRAM", "x"], "not a number"),
    (["--at=test", "--lane=64", "PROGRAM", "1"], "lanes 0 to 63"),
    (["--at=test", "--lane=5-4", "PROGRAM", "1"], "lanes 0 to 63"),
    (["--at=test", "--wave=x", "PROGRAM", "1"], "not a number"),
    (["--at=test", "PROGRAM"], "an operand is missing"),
    (["--at=much_private", *KERNEL, "CODE", "1", "more"], "'more' is one operand too many"),
    (["--at=no_such", *KERNEL, "CODE", "1"], "there is no function 'no_such'"),
    (["--at=much_private+0x100000", *KERNEL, "CODE", "1"], "no wave reached 'much_private+0x100000'"),
])
def test_mistakes_on_the_command_line(options, said):
    names = {"PROGRAM": example("private_address"), "CODE": code_object(compiled("work.hip"))}
    done = wavetrap("explain-address", *(names.get(o, o) for o in options))
    assert done.returncode == 125 and said in done.stderr, done.stderr


def test_a_place_to_which_no_wave_comes_is_told():
    done = wavetrap("explain-address", "--at", "nowhere", example("private_address"), f"0x{PRIVATE:x}")
    assert "nothing is explained: no wave reached the place" in done.stderr and done.stdout.endswith("v is 1\n")
    done = wavetrap("explain-address", "--at", "test", example("private_address"), f"0x{PRIVATE:x}")
    assert "private, aperture" in done.stderr and "nothing is explained" not in done.stderr
