/* See language.h: words of GDB, cuda-gdb and rocgdb that this console lacks, each with the command
 * to use instead. */
#include <string.h>

#include "frontend/language/language.h"

#define NO_SIGNALS "a device has no signals: 'catch fault' and 'catch NAME' are for its exceptions"
#define ONE_PROGRAM                                                                                \
    "the program is named when wavetrap is started: wavetrap debug PROGRAM, or PROGRAM CORE"
#define NO_SCRIPTS                                                                                 \
    "no interpreter is built in: 'define', 'if' and 'while' make scripts, --report=json:FILE and " \
    "'wavetrap dap' are for other programs"
#define A_PAGE "'wavetrap view' shows source, lanes and memory on a page; 'list' and 'display' here"
#define NO_TRACEPOINTS                                                                             \
    "'dprintf' logs where a program comes, and 'wavetrap trace' prints each instruction"
#define ALL_RECORDED                                                                               \
    "runs are recorded from their beginning: 'info time' says from when to when, 'goto TIME' "     \
    "goes "                                                                                        \
    "there"
#define ONE_INFERIOR "one program is debugged at a time: 'info devices' lists its GPUs"
#define OF_THE_HOST "that is the host's: GDB on the host program tells it"

static const struct {
    const char *kind, *words, *sentence;
} elsewhere[] = {
    {"", "python py python-interactive pi guile gu guile-repl gr", NO_SCRIPTS},
    {"", "tui layout focus refresh winheight wh winname", A_PAGE},
    {"", "record", ALL_RECORDED},
    {"", "checkpoint restart", ALL_RECORDED},
    {"", "return", "a frame cannot be dropped: 'finish' runs out of it, 'jump' goes on elsewhere"},
    {"", "handle signal queue-signal", NO_SIGNALS},
    {"", "skip", "'step' enters what has lines: 'next' runs over a call, 'finish' out of it"},
    {"", "target",
     "'attach PID' and 'attach tcp:HOST:PORT' go to a program that runs, 'wavetrap attach' to a "
     "device elsewhere"},
    {"",
     "file exec-file symbol-file add-symbol-file core-file core load sharedlibrary "
     "nosharedlibrary remove-symbol-file",
     ONE_PROGRAM},
    {"", "inferior add-inferior clone-inferior remove-inferiors kill-inferiors detach-inferiors",
     ONE_INFERIOR},
    {"", "monitor mon", "this console is the device's own: 'help' lists what it does"},
    {"", "compile explore expression", "'print' evaluates expressions, 'ptype' shows types"},
    {"", "macro", "macros are not read: print what they stand for"},
    {"",
     "trace tracepoint tp ftrace strace tstart tstop tstatus tfind actions collect passcount "
     "tdump tvariable",
     NO_TRACEPOINTS},
    {"", "starti", "'tbreak *ADDRESS' and 'run' stop at an instruction, 'start' at the first line"},
    {"", "autostep",
     "a fault is reported at its instruction, and 'reverse-stepi' goes back from there"},
    {"", "edit", "'info source' names the file"},
    {"", "compare-sections", "'dump memory FILE START END' writes memory, for cmp to compare"},
    {"", "tcatch", "'catch' sets a catchpoint, and 'enable once N' lets it stop once"},
    {"", "directory dir", "'set substitute-path FROM TO' says where sources are"},
    {"",
     "add-auto-load-safe-path dont-repeat flash-erase interrupt jit-reader-load "
     "stop",
     "it has no meaning here"},
    {"info ", "signals handle", NO_SIGNALS},
    {"info ", "macro macros", "macros are not read: print what they stand for"},
    {"info ", "os auxv proc process", OF_THE_HOST},
    {"info ", "vector float", "'info registers' shows all sets, 'info registers NAME' one"},
    {"info ", "checkpoints record", ALL_RECORDED},
    {"info ", "tracepoints tp tvariables static-tracepoint-markers", NO_TRACEPOINTS},
    {"info ", "inferiors", ONE_INFERIOR},
    {"info ",
     "win tasks auto-load connections exceptions extensions guile jit-reader selectors skip "
     "type-printers unwinder frame-filter pretty-printer w32 xmethod dcache copying "
     "warranty",
     "it has no meaning here"},
    {"set ", "cuda",
     "cuda-gdb's settings have other names: 'catch dispatch begin' stops at launches, 'catch "
     "check' at mistakes with memory"},
    {"set ", "amdgpu",
     "rocgdb's settings are options of wavetrap debug: see 'wavetrap debug --help'"},
    {"set ", "max-value-size",
     "values of any size are printed: 'set print elements' limits what is shown"},
    {"set ", "can-use-hw-watchpoints", "'wavetrap debug --hw-only' uses what the hardware has"},
    {"set ", "architecture endian osabi language sysroot solib-search-path auto-solib-add",
     "that is known from the program"},
    {"set ", "radix input-radix output-radix", "'print/x' prints in another base, 0x10 is 16"},
    {"set ", "cwd exec-wrapper startup-with-shell disable-randomization inferior-tty",
     "'wavetrap debug' starts the program as its own command line is: 'cd' changes the folder"},
    {"set ", "python guile auto-load data-directory", NO_SCRIPTS},
    {"set ", "record exec-direction", ALL_RECORDED},
};

const char *wt_language_elsewhere(const char *kind, const char *word, size_t length)
{
    for (size_t i = 0; length && i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (strcmp(elsewhere[i].kind, kind) != 0)
            continue;
        for (const char *at = elsewhere[i].words; *at;) {
            const size_t own = strcspn(at, " ");
            if (own == length && strncmp(at, word, length) == 0)
                return elsewhere[i].sentence;
            at += own + (at[own] == ' ');
        }
    }
    return NULL;
}
