"""`wavetrap dm`: registers and fields of the Debug Module by name."""
import subprocess

from conftest import run

LOOP = "_start: addi t0, t0, 1\n j _start\n"


def dm(build, *commands, text=LOOP, gpu="vortex", **options):
    return run("dm", f"--gpu={gpu}", build.asm(text), *commands, **options)


def test_registers_and_fields_are_read(build):
    done = dm(build, "DCTRL.dmactive=1", "PLATFORM", "platform.NUMWARPS", "0x0", "DCTRL.DA",
              gpu="vortex:clusters=2,cores=3,warps=5,threads=8")
    assert done.returncode == 0, done
    platform = ("PLATFORM = 0x1040302b platformid=1 numclusters=2 numcores=3 numwarps=5 "
                "numthreads=3").replace("0x1040302b", f"{1 << 28 | 2 << 21 | 3 << 12 | 5 << 3 | 3:#010x}")
    assert done.stdout.splitlines() == [platform, "PLATFORM.numwarps=5", platform, "DCTRL.dmactive=1"]


def test_a_warp_is_halted_stepped_and_resumed(build):
    done = dm(build, "DCTRL.dmactive=1", "run 10", "WMASK=1", "DCTRL.haltreq=1", "WSTATUS", "DPC",
              "DCTRL.hacause", "DCTRL.stepreq=1", "wait DCTRL.stepstate=NONE", "DPC", "DCTRL.hacause",
              "run 100", "DCTRL.resumereq=1", "run 2", "DCTRL.anyrunning")
    assert done.returncode == 0, done
    out = done.stdout.splitlines()
    assert out[0] == "ran 10 issues to time 10"
    assert out[1] == "WSTATUS = 0x00000001 status=0x1"
    assert out[2] == "DPC = 0x80000000 pc=0x80000000"
    assert out[3] == "DCTRL.hacause=2(HALTREQ)"
    assert out[4].startswith("DCTRL.stepstate=NONE after ")
    assert out[5] == "DPC = 0x80000004 pc=0x80000004"
    assert out[6] == "DCTRL.hacause=3(STEP)"
    assert out[7].endswith("every active warp is halted")
    assert out[8].startswith("ran 2 issues")
    assert out[9] == "DCTRL.anyrunning=1"


def test_registers_are_moved_by_injected_instructions(build):
    """csrw dscratch0, t0 is 0x7b229073."""
    done = dm(build, "DCTRL.dmactive=1", "run 20", "WMASK=1", "DCTRL.haltreq=1", "INJECT=0x7b229073",
              "DCTRL.injectreq=1", "DCTRL.injectstate", "DSCRATCH0")
    assert done.stdout.splitlines() == ["ran 20 issues to time 20", "DCTRL.injectstate=0(NONE)",
                                        "DSCRATCH0 = 0x0000000a data=0xa"]


def test_the_end_of_the_program_is_told(build):
    done = dm(build, "run 100", text="_start: put 0, 'x'\n exit 3\n")
    assert done.returncode == 0
    assert "x\n" in done.stdout
    assert "the program has ended, exit word 3" in done.stdout
    done = dm(build, "run 100", text="_start: .word 0\n")
    assert "made a mistake" in done.stdout and "illegal instruction" in done.stderr


def test_scripts_and_stdin(build):
    commands = "DCTRL.dmactive=1 # wake it\n\nrun 4\n  DCTRL.DA\n"
    wanted = "ran 4 issues to time 4\nDCTRL.dmactive=1\n"
    assert dm(build, input=commands).stdout == wanted
    script = build.path("script.txt", commands)
    assert dm(build, f"--script={script}").stdout == wanted
    assert dm(build, "-s", "-", input=commands).stdout == wanted


def test_all_registers_are_listed_and_read(build):
    listed = run("dm", "--registers")
    assert listed.returncode == 0
    names = [line.split()[1].rstrip(":") for line in listed.stdout.splitlines() if line.startswith("0x")]
    assert len(names) == 13
    done = dm(build, "all")
    assert [line.split()[0] for line in done.stdout.splitlines()] == names


def test_bad_commands_get_a_message(build):
    for command, words in (("NOSUCH", "no register 'NOSUCH'"), ("DCTRL.nosuch", "no field 'nosuch'"),
                           ("DCTRL.haltreq=2", "does not fit 1 bit"), ("DCTRL.hacause=1", "read-only"),
                           ("WMASK=x", "not a number"), ("WMASK=0x100000000", "does not fit 32 bits"),
                           ("run x", "not a number"), ("run 1 2", "one of"), ("99999", "end at 0xffff"),
                           ("wait DCTRL", "wants REGISTER=VALUE"), ("wait DCTRL.SST=FOO", "not a value of"),
                           ("wait DCTRL.anyhalted=1 10", "did not happen within 10 issues"),
                           ("a b c d", "one word too many")):
        done = dm(build, command)
        assert done.returncode == 125 and words in done.stderr, (command, done)
    done = dm(build, input="PLATFORM\nfoo\nPLATFORM\n")
    assert done.returncode == 125 and "stdin: line 2" in done.stderr
    assert done.stdout.count("PLATFORM") == 1
    assert "cannot open" in dm(build, "--script=/nonexistent").stderr


def test_waiting_for_what_cannot_come_ends(build):
    done = dm(build, "DCTRL.dmactive=1", "wait DCTRL.allunavail=1", text="_start: exit 1\n")
    assert done.returncode == 0 and "DCTRL.allunavail=1 after 3 issues" in done.stdout
    done = dm(build, "DCTRL.dmactive=1", "wait DCTRL.anyhalted=1", text="_start: exit 1\n")
    assert done.returncode == 125 and "nothing can issue any more" in done.stderr


def test_the_names_of_the_specification_are_understood(build):
    """Its figures and its table name two fields differently; so does the short name."""
    done = dm(build, "DCTRL.dmactive=1", "DCONFIG.ndmresetcycles=5", "DCONFIG.resethaltreqcycles=3", "DCONFIG.ndmresetcyc",
              "DCONFIG.RHC", "dconfig.NDMRESETCYCLES")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["DCONFIG.ndmresetcyc=5", "DCONFIG.resethaltreqcyc=3", "DCONFIG.ndmresetcyc=5"]
