"""PTX on the command line: run, info, trace, reports, mistakes. The texts are written here, so that no compiler is needed."""
import re
import struct

import pytest

from conftest import run

HEAD = ".version 8.0\n.target sm_50\n.address_size 64\n"
ADD = HEAD + """.visible .entry add(.param .u64 out, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2;
    setp.ge.u32 %p, %r2, %r1;
    @%p bra DONE;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    add.u32 %r3, %r2, 7;
    st.global.u32 [%rd3], %r3;
DONE:
    ret;
}
"""


def write(folder, text, name="k.ptx"):
    (folder / name).write_text(text)
    return folder / name


def body(lines, registers=".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>;", parameters=".param .u64 out"):
    return f"{HEAD}.visible .entry k({parameters})\n{{\n{registers}\n{lines}\nret;\n}}\n"


def test_run_in_every_schedule(tmp_path):
    path, hashes = write(tmp_path, ADD), set()
    for schedule in ("rr:64", "rr:1", "lockstep", "random:3"):
        for gpu in ("sm", "sm:sms=2"):
            done = run("run", f"--gpu={gpu}", "--grid=256", "--block=64", "--arg=zeros:1024", "--arg=200", f"--schedule={schedule}",
                       f"--dump-arg=0:{tmp_path}/out", "--hash", path)
            assert done.returncode == 0, done.stderr
            assert list(struct.unpack("<256I", (tmp_path / "out").read_bytes())) == [i + 7 if i < 200 else 0 for i in range(256)]
            hashes.add(re.search(r"state hash (\w+)", done.stderr)[1])
    assert len(hashes) == 8


def test_a_variable_that_no_module_defines_is_a_mistake_where_it_is_used(tmp_path):
    """A declaration alone is none; info shows such a text, an object that is to be linked."""
    declared = ".extern .global .u32 nowhere;\n"
    used = body("ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [nowhere];\nst.global.u32 [%rd1], %r1;").replace(HEAD, HEAD + declared)
    arguments = "run", "--grid=1", "--arg=zeros:4"
    assert run(*arguments, write(tmp_path, used.replace("[nowhere]", "[%rd1]"))).returncode == 0
    done = run(*arguments, write(tmp_path, used))
    assert done.returncode == 125 and "k.ptx:9:21: the variable 'nowhere' is declared .extern, and no module defines it\n  ld.global" in done.stderr, done.stderr
    assert "kernel k" in run("info", tmp_path / "k.ptx").stdout
    initial = used.replace(declared, declared + ".global .u64 p[1] = {nowhere};\n").replace("[nowhere]", "[%rd1]")
    assert "k.ptx:5:" in run(*arguments, write(tmp_path, initial)).stderr


DYNAMIC = HEAD + """.extern .shared .align 16 .b8 room[];
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .shared .align 4 .b8 own[20];
    .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, room; add.u32 %r2, %r2, %r1; st.shared.u8 [%r2], 7; st.shared.u32 [own], 5;
    ld.shared.u8 %r3, [%r2]; st.global.u32 [%rd1], %r3;
    mov.u32 %r3, %dynamic_smem_size; st.global.u32 [%rd1+4], %r3;
    ret;
}
"""


def test_shared_memory_that_the_launch_adds(tmp_path):
    """--shared=BYTES: exactly so many, behind the kernel's own; %dynamic_smem_size says how many."""
    path = write(tmp_path, DYNAMIC)
    arguments = ["run", "--grid=1", "--arg=zeros:8", f"--dump-arg=0:{tmp_path}/out"]
    assert run(*arguments, "--shared=1000", "--arg=999", path).returncode == 0
    assert struct.unpack("<2I", (tmp_path / "out").read_bytes()) == (7, 1000)
    # `room` begins behind the kernel's own 20 bytes, at a multiple of 16.
    for more, at, has in ((["--shared=1000", "--arg=1000"], 32 + 1000, 32 + 1000), (["--arg=12"], 32 + 12, 20)):
        done = run(*arguments, *more, path)
        told = f"OOR_ADDR: store of 1 bytes at {at:#x} of shared memory; the CTA has {has:#x} bytes\n"
        assert done.returncode == 120 and told in done.stderr and "null pointer" not in done.stderr, (told, done.stderr)
    done = run(*arguments, "--shared=1G", "--arg=0", path)
    assert done.returncode == 125 and "shared memory" in done.stderr, done.stderr
    done = run(*arguments, "--shared=many", "--arg=0", path)
    assert done.returncode == 125 and "many" in done.stderr, done.stderr


def test_bounds_of_hardware(tmp_path):
    """Within a block of 2 MiB that has a buffer."""
    path = write(tmp_path, body("ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [n]; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 7;",
                                parameters=".param .u64 out, .param .u64 n"))
    for gpu, at, status in (("sm", 20000, 120), ("sm:bounds=hardware", 20000, 0), ("sm:bounds=hardware", (2 << 20) - 4, 0),
                            ("sm:bounds=hardware", 2 << 20, 120)):
        assert run("run", f"--gpu={gpu}", "--grid=1", "--arg=zeros:4", f"--arg={at}", path).returncode == status, (gpu, at)


def test_attributes_of_variables(tmp_path):
    """.managed and .unified say where memory may be, which makes no difference here; .wavetrap_at is for host programs."""
    text = body("ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [b];\nst.global.u32 [%rd1], %r1;").replace(
        HEAD, HEAD + ".global .attribute(.managed) .u32 a = 1;\n.global .attribute(.unified(19, 95), .managed) .align 4 .u32 b = 2;\n")
    done = run("run", "--grid=1", "--arg=zeros:4", f"--dump-arg=0:{tmp_path}/out", write(tmp_path, text))
    assert done.returncode == 0 and (tmp_path / "out").read_bytes() == b"\2\0\0\0", done.stderr
    done = run("run", "--grid=1", "--arg=zeros:4", write(tmp_path, text.replace(".unified(19, 95)", ".wavetrap_at(4096)")))
    assert done.returncode == 125 and "k.ptx:5: .wavetrap_at is for modules of host programs" in done.stderr, done.stderr
    for wrong in ("managed", ".unified(", ".unified(a)", ".managed,"):
        done = run("run", "--grid=1", "--arg=zeros:4", write(tmp_path, text.replace(".managed", wrong, 1)))
        assert done.returncode == 125 and "k.ptx:4:" in done.stderr, done.stderr


def test_info(tmp_path):
    text = run("info", write(tmp_path, HEAD + ".const .u32 c = 3;\n.shared .b8 s[64];\n" + ADD[len(HEAD):].replace(
        "ret;", "st.shared.u32 [s], %r1; ret;"))).stdout
    assert "PTX 8.0 for sm_50" in text and "kernel add" in text and "shared memory: 64 bytes a block" in text
    assert "0: out: 8 bytes at 0" in text and "1: n: 4 bytes at 8" in text and "variable c: 4 bytes, constant" in text
    listed = run("info", "--isa", "--gpu=sm").stdout
    assert "ptx shfl" in listed and "BPT.TRAP" in listed


def test_trace_and_who_wrote(tmp_path):
    path = write(tmp_path, ADD)
    text = run("trace", "--grid=32", "--arg=zeros:128", "--arg=32", path).stdout
    assert re.search(r"mov\.u32 %r2, %tid\.x +# %r2\[1\]=0x1,\[2\]=0x2", text)
    assert "add.u32 %r3, %r2, 7  # %r3[0]=0x7,[1]=0x8" in text and "st.global.u32 [%rd3], %r3" in text
    done = run("run", "--grid=32", "--arg=zeros:128", "--arg=32", "--who-wrote=0:40", path)
    assert "written last by work-item (10,0,0)" in done.stderr and "st.global.u32 [%rd3], %r3" in done.stderr
    assert re.search(r"<add\+\d+> at k\.ptx:20$", done.stderr, re.M), done.stderr


def test_lines_of_the_source(tmp_path):
    """What .loc says is told; code of line 0 belongs to the line before."""
    text = ADD.replace("    add.u32 %r3, %r2, 7;", "    .loc 1 12 5\n    add.u32 %r3, %r2, 7;\n    .loc 1 0 0")
    path = write(tmp_path, text + '.file 1 "/some/where" "kernel.cu"\n')
    done = run("run", "--grid=32", "--arg=zeros:128", "--arg=32", "--who-wrote=0:40", path)
    assert re.search(r"<add\+\d+> at kernel\.cu:12$", done.stderr, re.M), done.stderr


def test_a_stray_store_is_reported(tmp_path):
    done = run("run", "--grid=32", "--arg=zeros:64", "--arg=32", write(tmp_path, ADD.replace("%rd2, %r2, 4", "%rd2, %r2, 65536")))
    assert done.returncode == 120, (done.returncode, done.stderr)
    assert "no memory is mapped there" in done.stderr and "group (0,0,0), core 0, warp 0, lanes 1-31, issue time " in done.stderr
    assert "at k.ptx:20" in done.stderr and "st.global.u32 [%rd3], %r3" in done.stderr


def test_trap_and_brkpt(tmp_path):
    """Without a handler they end the run."""
    for name in ("trap", "brkpt"):
        done = run("run", "--grid=32", "--arg=1", write(tmp_path, body(f"{name};")))
        assert done.returncode and f"{name} (BPT.TRAP 0x1), and there is no trap handler" in done.stderr, done


def test_every_thread_of_a_block_is_counted(tmp_path):
    """A barrier that one path never reaches waits for the others alone when it has ended; a missing warp is a deadlock."""
    text = body("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra WAIT; WRONG: bra WRONG; WAIT: bar.sync 0;")
    done = run("run", "--grid=64", "--block=64", "--arg=1", "--max-issues=2000", write(tmp_path, text))
    assert "bar.sync 0" in done.stderr or "limit" in done.stderr, done.stderr
    text = body("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra WAIT; bar.sync 1; WAIT: bar.sync 0;")
    done = run("run", "--grid=64", "--block=64", "--arg=1", write(tmp_path, text))
    assert "deadlock" in done.stderr and done.returncode, done.stderr


MISTAKES = [
    (".version 9\n", "1:10: '9' is not a version of PTX"),
    (".target sm_50\n", "1:1: '.target' where .version"),
    (".version 8.0\n.target sm_50\n.address_size 32\n", "3:15: addresses of 32 bits; compile for 64"),
    (HEAD + ".visible .entry k()\n{\n  ret;\n", "5:1: the body that begins here does not end"),
    (HEAD + "/* never\nended", "4:1: a comment does not end"),
    (HEAD + ".global .u32 x = 0f123;\n", "4:18: a float of bits has 8"),
    (body("add.u32 %r1, %r2, %r3"), "8:1: 'ret' where ',' belongs"),
    (body("foo.u32 %r1, %r2;"), "7:1: there is no instruction 'foo.u32'"),
    (body("wgmma.fence.sync.aligned;"), "7:1: 'wgmma.fence.sync.aligned' is not executed: matrix"),
    (body("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%rd1,%rd2}, {%rd1}, {%rd1};"), "7:1: 4 operands are wanted"),
    (body("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1,%r2}, [%rd1];"), "7:44: 8 registers are wanted"),
    (body("griddepcontrol.launch;"), "7:1: there is no instruction 'griddepcontrol.launch'"),
    (body("fence.proxied;"), "7:1: there is no instruction 'fence.proxied'"),
    (body("mbarrier.init.shared.b32 [%rd1], %r1;"), "7:1: there is no instruction 'mbarrier.init.shared.b32'"),
    (body("cp.async.ca.shared.global [%rd1], [%rd2], 12;"), "7:43: 4, 8 or 16 bytes are copied"),
    (body("fma.rn.wrap.f32 %f1, %f2, %f3, %f4;"), "7:1: there is no instruction 'fma.rn.wrap.f32'"),
    (body("setp.lt.f16x2 %p1, %r1, %r2;"), "7:1: there is no instruction 'setp.lt.f16x2'"),
    (body("add.sat.wide.u32 %r1, %r2, %r3;"), "7:1: there is no instruction 'add.sat.wide.u32': 'wide' of add"),
    (body("tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}];"), "7:1: there is no instruction 'tex.cube"),
    (body("add.u32 %r1, %rd2, %r3;"), "7:14: '%rd2' has 64 bits, and the instruction wants 32"),
    (body("add.u32 %r1, %r2, %r77;"), "7:19: there is no register '%r77'"),
    (body("add.u32 %r1, %r2, nothing;"), "7:19: 'nothing' is not declared"),
    (body("add.u32 %r1, %r2;"), "7:1: add has more operands"),
    (body("add.u32 %r1, %r2, %r3, %r4;"), "7:1: an operand too many: there are 3"),
    (body("@%r1 add.u32 %r1, %r2, %r3;"), "7:6: '%r1' is not a predicate"),
    (body("bra NOWHERE;"), "7:1: there is no label 'NOWHERE'"),
    (body("L: L: bra L;"), "7:4: the label 'L' is defined twice"),
    (body("lop3.b32 %r1, %r2, %r3, %r4, 256;"), "7:30: the truth table of lop3"),
    (body("call nothing, (%r1);"), "7:1: 'nothing' is not a function"),
    (HEAD + ".global .u32 a;\n.global .u32 a;\n.entry k() { ret; }", "5:14: 'a' is defined twice"),
]


@pytest.mark.parametrize("text, words", MISTAKES)
def test_mistakes_have_line_and_column(tmp_path, text, words):
    done = run("run", "--grid=32", "--arg=1", write(tmp_path, text))
    assert done.returncode == 125 and f"k.ptx:{words}" in done.stderr, done.stderr
    assert run("info", tmp_path / "k.ptx").returncode == 125


@pytest.mark.parametrize("options, words", [
    ([], "takes 2 arguments; 0 --arg are given"),
    (["--arg=zeros:4", "--arg=zeros:4"], "argument 1 has 4 bytes; a pointer to a buffer has 8"),
    (["--kernel=other"], "there is no kernel 'other'; there are: add"),
    (["--gpu=vortex"], "--gpu=vortex runs programs for RISC-V, and"),
])
def test_bad_calls(tmp_path, options, words):
    done = run("run", "--grid=32", *options, write(tmp_path, ADD))
    assert done.returncode == 125 and words in done.stderr, done.stderr


def test_a_function_that_is_nowhere(tmp_path):
    """It is a mistake when it is called, not before."""
    text = HEAD + ".extern .func missing;\n" + body("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 99; @%p1 call missing;")[len(HEAD):]
    assert run("run", "--grid=32", "--arg=1", write(tmp_path, text)).returncode == 0
    done = run("run", "--grid=128", "--block=128", "--arg=1", tmp_path / "k.ptx")
    assert done.returncode and "a call of missing, which is defined nowhere" in done.stderr and "lane 3" in done.stderr


@pytest.mark.parametrize("which, words", [(0, None), (1, "a call of nowhere, which is defined nowhere"), (2, "a call of a virtual function that its class")])
def test_functions_of_the_driver_by_their_address(tmp_path, which, words):
    text = HEAD + """.extern .func (.param .b64 result) malloc(.param .b64 size);
.extern .func nowhere(.param .b64 size);
.extern .func __cxa_pure_virtual(.param .b64 size);
.global .u64 table[3] = {malloc, nowhere, __cxa_pure_virtual};
.visible .entry k(.param .u64 to, .param .u32 which)
{
    .reg .b64 %f, %t, %x; .reg .b32 %w; .reg .pred %p;
    ld.param.u32 %w, [which]; ld.param.u64 %t, [to];
    mul.wide.u32 %x, %w, 8; mov.u64 %f, table; add.u64 %f, %f, %x; ld.global.u64 %f, [%f];
    { .param .b64 a; .param .b64 r;
    st.param.b64 [a], 24;
    setp.ne.u32 %p, %w, 0; @%p bra others;
    call (r), %f, (a), one; one: .callprototype (.param .b64 _) _ (.param .b64 _);
    ld.param.b64 %x, [r]; st.u64 [%x+16], %f; ld.u64 %f, [%x+16]; st.global.u64 [%t], %f; ret;
others:
    call %f, (a), two; two: .callprototype _ (.param .b64 _); }
    ret;
}
"""
    done = run("run", "--grid=1", "--block=1", "--arg=zeros:8", f"--arg={which}", f"--dump-arg=0:{tmp_path}/out", write(tmp_path, text))
    if words:
        assert done.returncode == 116 and words in done.stderr, done.stderr
    else:
        assert done.returncode == 0 and struct.unpack("<Q", (tmp_path / "out").read_bytes())[0] >> 32 == 1, done.stderr


PRINTF = HEAD + """.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 list);
.extern .func (.param .b64 result) malloc(.param .b64 size);
.extern .func free(.param .b64 address);
.extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 format[64] = {TEXT};
.global .align 1 .b8 word[8] = {119, 111, 114, 100, 0};
.visible .entry k()
{
    .local .align 8 .b8 list[48];
    .reg .b64 %f, %l, %w, %a, %b, %c; .reg .b32 %i, %r; .reg .f64 %d; .reg .pred %p;
    mov.u64 %f, format; cvta.global.u64 %f, %f;
    mov.u64 %w, word; cvta.global.u64 %w, %w;
    mov.u64 %l, list; cvta.local.u64 %l, %l;
    mov.u32 %i, %tid.x;
    st.local.u32 [list], %i; st.local.u32 [list+4], -5; st.local.u64 [list+8], 0x123456789a; st.local.f64 [list+16], 0d3FF8000000000000;
    st.local.u64 [list+24], %w; st.local.u32 [list+32], 65; st.local.u32 [list+36], 6; st.local.u32 [list+40], 42;
    BODY
    ret;
}
"""


def printf(text, lines):
    return PRINTF.replace("TEXT", ", ".join(str(ord(c)) for c in text) + ", 0").replace("BODY", lines)


def test_the_address_of_a_parameter_is_that_of_a_copy_in_local_memory(tmp_path):
    """As clang -O0 passes structures. Parameters behind it stay where they are; ld.param reads what was stored by the address."""
    text = HEAD + """.func (.param .b32 result) pick(.param .b32 first, .param .align 8 .b8 whole[12], .param .b64 last)
{
    .reg .b32 %r<5>; .reg .b64 %a<3>;
    mov.b64 %a1, whole;
    ld.param.u32 %r1, [first];
    ld.local.u32 %r2, [%a1+8];
    ld.param.u64 %a2, [last];
    cvt.u32.u64 %r3, %a2;
    st.local.u32 [%a1+4], %r1;
    ld.param.u32 %r4, [whole+4];
    add.u32 %r1, %r4, %r2;
    add.u32 %r1, %r1, %r3;
    st.param.b32 [result], %r1;
    ret;
}
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<5>; .reg .b64 %a<3>;
    ld.param.u64 %a1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %a2, %r1, 4;
    add.u64 %a1, %a1, %a2;
    {
    .param .b32 p0; .param .align 8 .b8 p1[12]; .param .b64 p2; .param .b32 q;
    st.param.b32 [p0], %r1;
    st.param.b32 [p1], 7; st.param.b32 [p1+4], 9; st.param.b32 [p1+8], 1000;
    st.param.b64 [p2], 50000;
    call.uni (q), pick, (p0, p1, p2);
    ld.param.b32 %r2, [q];
    }
    st.global.u32 [%a1], %r2;
    ret;
}
"""
    done = run("run", "--gpu=sm", "--grid=40", "--block=40", "--arg=zeros:160", f"--dump-arg=0:{tmp_path}/out", write(tmp_path, text))
    assert done.returncode == 0, done.stderr
    assert struct.unpack("<40I", (tmp_path / "out").read_bytes()) == tuple(i + 51000 for i in range(40))


def test_printf_of_kernels(tmp_path):
    """Lanes print one after the other; a line that does not end is printed at the end of the run."""
    call = "call (%r), vprintf, (%f, %l);"
    path = write(tmp_path, printf("%u %d %lx %.2f%% %s %c|%*d\n", call))
    done = run("run", "--grid=2", "--block=2", path)
    assert done.returncode == 0 and done.stdout == "".join(f"{i} -5 123456789a 1.50% word A|    42\n" for i in range(2)), done
    # The call's result is the number of conversions; guarded, only one lane prints.
    path = write(tmp_path, printf("%u,", "setp.eq.u32 %p, %i, 1; @%p " + call + " @%p st.local.u32 [list], %r; @%p " + call))
    assert run("run", "--grid=32", path).stdout == "1,1,\n"


def test_printf_of_what_kernels_do_not_have(tmp_path):
    """As NVIDIA's driver 580 prints it on an H200: a conversion of C stands as it is, any other one loses all but its "%"."""
    path = write(tmp_path, printf("%hd|%p|%s|%6s|%zu %td %Lf %.*f %n %5% %k %z %c|%", """st.local.u32 [list], 70000; st.local.u64 [list+8], 0;
        st.local.u64 [list+16], 0; call (%r), vprintf, (%f, %l);"""))
    done = run("run", "--grid=1", path)
    assert done.returncode == 0 and done.stdout == "4464|(nil)|(null)|  word|%zu %td %Lf %.*f %n %5% %k % A|%\n", done


def test_printf_of_nothing_is_reported(tmp_path):
    done = run("run", "--grid=1", write(tmp_path, printf("x", "mov.u64 %f, 64; call (%r), vprintf, (%f, %l);")))
    assert done.returncode and "no memory is mapped there" in done.stderr and "call (%r), vprintf" in done.stderr


def test_malloc_and_free(tmp_path):
    """Blocks are apart and are used again; what is too large gives 0; what is not a block is reported."""
    text = printf("%u", """mov.u64 %a, 100; call (%a), malloc, (%a); mov.u64 %b, 200; call (%b), malloc, (%b); st.u64 [%a+96], 1; st.u64 [%b], 2;
                  call free, (%a); mov.u64 %c, 50; call (%c), malloc, (%c); setp.ne.u64 %p, %a, %c; @%p trap;
                  mov.u64 %c, 0x100000000; call (%c), malloc, (%c); setp.ne.u64 %p, %c, 0; @%p trap; setp.eq.u64 %p, %a, %b; @%p trap;
                  add.u64 %b, %b, LAST; call free, (%b);""")
    assert run("run", "--grid=1", write(tmp_path, text.replace("LAST", "0"))).returncode == 0
    done = run("run", "--grid=1", write(tmp_path, text.replace("LAST", "1")))
    assert done.returncode and "which malloc has not returned" in done.stderr


def test_assertions_of_kernels(tmp_path):
    done = run("run", "--grid=1", write(tmp_path, printf("a > b", "call __assertfail, (%f, %w, 7, %w, 1);")))
    assert done.returncode and "word:7: word: assertion 'a > b' failed" in done.stderr


def test_addresses_are_explained_as_a_lane_of_ptx_sees_them(tmp_path):
    text = HEAD + """.visible .entry k(.param .u64 out)
{
    .reg .b64 %o, %l, %s;
    .reg .b32 %t;
    .local .align 4 .b8 mine[16];
    .shared .align 4 .b8 ours[64];
    ld.param.u64 %o, [out];
    mov.u32 %t, %tid.x;
    mov.u64 %l, mine;
    st.local.u32 [%l], %t;
    mov.u64 %s, ours;
    st.shared.u32 [%s+4], %t;
    st.global.u32 [%o], %t;
    ret;
}
"""
    file = write(tmp_path, text)

    def explain(address, *options):
        done = run("explain-address", "--grid=32", "--arg=zeros:128", *options, str(file), address)
        assert done.returncode == 0, done.stderr
        return done.stdout
    assert "0x200000000: global\n" in explain("0x200000000") and "in memory, which holds 0x00000000" in explain("0x200000000")
    # The warp is about to return: each store has been done, by the highest lane last where all store to one place.
    end = "--at=8"
    assert "in shared memory of the block, which holds 0x0000001f" in explain("0xfe000004", end)
    local = explain("0xff000000", end, "--lane=3")
    assert "bytes of local memory that a thread has" in local and "0x400000000030  in memory (local), which holds 0x00000003" in local
    assert "in memory, where there is nothing" in explain("0x10")


@pytest.mark.parametrize("check", [[], ["--check=memory,race"]], ids=["plain", "checked"])
def test_addresses_are_truncated_to_the_width_of_their_space(tmp_path, check):
    """PTX ISA, "Addresses as Operands": a register of 64 bits with a distance beyond 32 bits, as `e[~i]` compiles to, in each space that is
    narrower; a global address has all its bits."""
    text = body("""ld.param.u64 %rd1, [out];
mov.u64 %rd2, 0x1000000008; // 64 GiB and 8 bytes
mov.u64 %rd3, s;
add.u64 %rd3, %rd3, %rd2;
st.shared.u32 [%rd3], 11;
atom.shared.add.u32 %r1, [%rd3+-4294967296], 1;
ld.shared.v2.u32 {%r1, %r2}, [s+8];
mov.u64 %rd4, l;
sub.u64 %rd4, %rd4, -0x1000000008;
st.local.u32 [%rd4], 22;
ld.local.u32 %r2, [l+8];
mov.u64 %rd5, c;
add.u64 %rd5, %rd5, %rd2;
ld.const.u32 %r3, [%rd5];
mov.u64 %rd6, number;
add.u64 %rd6, %rd6, %rd2;
ld.param.u32 %r4, [%rd6+-8];
cp.async.ca.shared.global [%rd3+8], [%rd1], 8;
cp.async.wait_all;
ld.shared.u32 %r5, [s+16];
st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
st.global.u32 [%rd1+16], %r5;""", parameters=".param .u64 out, .param .u32 number").replace(HEAD, HEAD.replace("sm_50", "sm_80") + ".const .u32 c[4] = {1, 2, 33, 4};\n")
    text = text.replace("{\n", "{\n.shared .align 8 .b8 s[64];\n.local .align 8 .b8 l[64];\n", 1)
    done = run("run", "-g", "sm:cc=8.0", "--grid=1", "--block=1", *check, "--arg=pattern:32=05", "--arg=44", f"--dump-arg=0:{tmp_path}/out", write(tmp_path, text))
    assert done.returncode == 0, done.stderr
    assert struct.unpack("<5I", (tmp_path / "out").read_bytes()[:20]) == (12, 22, 33, 44, 0x05050505)
    wide = body("ld.param.u64 %rd1, [out];\nadd.u64 %rd1, %rd1, 0x1000000000;\nst.global.u32 [%rd1], 1;")
    assert run("run", "-g", "sm", "--grid=1", "--arg=zeros:32", write(tmp_path, wide)).returncode != 0
