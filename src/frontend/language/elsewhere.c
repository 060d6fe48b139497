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
    "'dprintf' logs the places that a program reaches, and 'wavetrap trace' prints each "          \
    "instruction"
#define ALL_RECORDED                                                                               \
    "runs are recorded from their beginning: 'info time' says from when to when, 'goto TIME' "     \
    "goes "                                                                                        \
    "there"
#define ONE_INFERIOR "one program is debugged at a time: 'info devices' lists its GPUs"
#define OF_THE_HOST "that is the host's: GDB on the host program shows it"
#define KNOWN "that is known from the program"
#define NO_MEANING "it has no meaning here"
#define OWN_CONNECTION                                                                             \
    "wavetrap talks to devices itself: 'wavetrap attach --help' lists which it reaches"
#define OWN_DEBUG_INFORMATION                                                                      \
    "debug information is read from the program: 'set substitute-path FROM TO' says where its "    \
    "sources are"
#define AS_TYPED "what is typed is done: no setting forbids it"

static const struct {
    const char *kind, *words, *sentence;
} elsewhere[] = {
    {"", "python py python-interactive pi guile gu guile-repl gr interpreter-exec new-ui function",
     NO_SCRIPTS},
    {"", "tui layout focus fs refresh winheight wh winwidth winname update + - < >", A_PAGE},
    {"", "record rec", ALL_RECORDED},
    {"", "checkpoint restart bookmark goto-bookmark", ALL_RECORDED},
    {"", "return",
     "a frame cannot be dropped: 'finish' runs out of it, 'jump' continues elsewhere"},
    {"", "handle signal queue-signal", NO_SIGNALS},
    {"", "target",
     "'attach PID' and 'attach tcp:HOST:PORT' go to a program that runs, 'wavetrap attach' to a "
     "device elsewhere"},
    {"", "remote", OWN_CONNECTION},
    {"", "disconnect", "'detach' lets the program run without a debugger"},
    {"",
     "file exec-file add-symbol-file add-symbol-file-from-memory core-file core load "
     "sharedlibrary nosharedlibrary remove-symbol-file section",
     ONE_PROGRAM},
    {"", "inferior add-inferior clone-inferior remove-inferiors kill-inferiors detach-inferiors",
     ONE_INFERIOR},
    {"", "monitor mon", "this console is the device's own: 'help' lists what it does"},
    {"", "compile explore expression print-object po",
     "'print' evaluates expressions, 'ptype' shows types"},
    {"", "macro", "macros are not read: print their text instead"},
    {"",
     "trace trac tra tr tracepoint tp ftrace strace tstart tstop tstatus tfind tsave actions "
     "collect teval passcount tdump tvariable agent-printf stepping ws while-stepping",
     NO_TRACEPOINTS},
    {"", "starti", "'tbreak *ADDRESS' and 'run' stop at an instruction, 'start' at the first line"},
    {"", "autostep",
     "a fault is reported at its instruction, and 'reverse-stepi' goes back from there"},
    {"", "break-range", "'break *ADDRESS' stops at one instruction, 'watch' at accesses to memory"},
    {"", "edit", "'info source' names the file"},
    {"", "make", "'shell make' does it"},
    {"", "tty", "'run < FILE > FILE' says where a host program reads and writes"},
    {"", "path", "'set environment PATH=…' is for the program, 'shell' for the shell"},
    {"", "task", "there are threads: 'thread', 'info threads'"},
    {"", "define-prefix", "'define' makes commands of one word"},
    {"", "end", "it ends the lines of 'if', 'while', 'define', 'document' and 'commands'"},
    {"", "compare-sections", "'dump memory FILE START END' writes memory, for cmp to compare"},
    {"", "tcatch", "'catch' sets a catchpoint, and 'enable once N' lets it stop once"},
    {"", "directory dir", "'set substitute-path FROM TO' says where sources are"},
    {"",
     "add-auto-load-safe-path add-auto-load-scripts-directory adi dont-repeat flash-erase "
     "interrupt jit-reader-load jit-reader-unload mem memory-tag overlay ov ovly stop",
     NO_MEANING},
    {"info ", "signals handle", NO_SIGNALS},
    {"info ", "macro macros", "macros are not read: print their text instead"},
    {"info ", "os auxv proc process terminal", OF_THE_HOST},
    {"info ", "vector float", "'info registers' shows all sets, 'info registers NAME' one"},
    {"info ", "checkpoints record rec bookmarks", ALL_RECORDED},
    {"info ", "tracepoints tp tvariables static-tracepoint-markers probes", NO_TRACEPOINTS},
    {"info ", "inferiors", ONE_INFERIOR},
    {"info ", "vtbl classes", "'ptype' shows a class, 'info types' lists them"},
    {"info ", "common", "'info variables' lists variables of file scope"},
    {"info ",
     "win tasks auto-load connections exceptions extensions guile gu jit-reader selectors skip "
     "type-printers unwinder frame-filter pretty-printer w32 xmethod dcache copying warranty mem",
     NO_MEANING},
    {"set ", "cuda",
     "cuda-gdb's settings have other names: 'catch dispatch begin' stops at launches, 'catch "
     "check' at mistakes with memory"},
    {"set ", "amdgpu",
     "rocgdb's settings are options of wavetrap debug: see 'wavetrap debug --help'"},
    {"set ", "max-value-size varsize-limit",
     "values of any size are printed: 'set print elements' limits what is shown"},
    {"set ", "can-use-hw-watchpoints", "'wavetrap debug --hw-only' uses what the hardware has"},
    {"set ",
     "architecture processor endian osabi language case-sensitive check ch c sysroot "
     "solib-search-path solib-absolute-prefix auto-solib-add cp-abi demangle-style "
     "opaque-type-resolution overload-resolution multiple-symbols gnutarget fortran",
     KNOWN},
    {"set ", "radix input-radix output-radix", "'print/x' prints in another base, 0x10 is 16"},
    {"set ", "cwd exec-wrapper startup-with-shell inferior-tty",
     "'wavetrap debug' starts the program as its own command line is: 'cd' changes the folder"},
    {"set ", "disable-randomization",
     "addresses are the same in each run of a program that 'wavetrap debug' starts"},
    {"set ", "python guile gu g auto-load data-directory extension-language script-extension",
     NO_SCRIPTS},
    {"set ", "record rec exec-direction", ALL_RECORDED},
    {"set ", "disassemble-next-line", "'display/i $pc' shows the next instruction at each stop"},
    {"set ", "disassembler-options", "each GPU has one assembly language here"},
    {"set ", "extended-prompt", "'set prompt TEXT' sets the prompt"},
    {"set ", "backtrace",
     "a backtrace goes as far as callers are known: 'backtrace COUNT' limits it"},
    {"set ", "breakpoint",
     "the device decides how breakpoints are made: 'set breakpoint pending' is the one choice"},
    {"set ", "style", "'set style enabled on|off' is for all colours"},
    {"set ", "history commands editing",
     "a terminal's lines are edited, and kept between sessions"},
    {"set ", "charset host-charset target-charset target-wide-charset",
     "characters are shown as the terminal has them"},
    {"set ", "dprintf-channel dprintf-function dprintf-style",
     "'dprintf' logs to this console, beside the device"},
    {"set ", "stop-on-solib-events", "'catch module load' stops when code is loaded"},
    {"set ",
     "follow-exec-mode detach-on-fork schedule-multiple exec-file-mismatch exec-done-display",
     "'attach PID' goes to another process"},
    {"set ",
     "may-call-functions unwindonsignal unwind-on-terminating-exception coerce-float-to-double",
     "functions of the program are not called from here"},
    {"set ",
     "may-insert-breakpoints may-interrupt may-write-memory may-write-registers observer write",
     AS_TYPED},
    {"set ",
     "debug-file-directory debuginfod directories index-cache libthread-db-search-path source "
     "filename-display basenames-may-differ use-deprecated-index-sections",
     OWN_DEBUG_INFORMATION},
    {"set ", "compile-args compile-gcc", "'print' evaluates expressions, 'ptype' shows types"},
    {"set ",
     "agent circular-trace-buffer default-collect disconnected-tracing disconnected-dprintf "
     "trace-buffer-size trace-notes trace-stop-notes trace-user may-insert-fast-tracepoints "
     "may-insert-tracepoints",
     NO_TRACEPOINTS},
    {"set ", "tui", A_PAGE},
    {"set ",
     "remote remoteaddresssize remotecache remoteflow remotelogbase remotelogfile remotetimeout "
     "remotewritesize remote-mips64-transfers-32bit-regs serial tcp range-stepping watchdog "
     "auto-connect-native-target tdesc",
     OWN_CONNECTION},
    {"set ",
     "ada arm mips mipsfpu mpx powerpc riscv sh ravenscar heuristic-fence-post struct-convention "
     "annotate code-cache complaints dcache debug displaced-stepping dump-excluded-mappings "
     "frame-filter interactive-mode max-completions max-user-call-depth mem mi-async stack-cache "
     "startup-quietly suppress-cli-notifications target-file-system-kind trust-readonly-sections "
     "use-coredump-filter copying warranty configuration",
     NO_MEANING},
    {"set ", "paths", "'show environment' shows what the program gets"},
    {"set print ", "type", "flags of 'ptype' say what is shown: ptype/m is without methods"},
    {"set print ",
     "array-indexes max-depth null-stop sevenbit-strings nibbles pascal_static-members raw-values "
     "memory-tag-violations max-symbolic-offset",
     "values are printed as GDB does without settings: 'print/FORMAT' prints in others"},
    {"set print ", "entry-values finish frame-info raw-frame-arguments",
     "frames are printed as GDB does without settings"},
    {"set print ", "symbol-filename symbol-loading", "'info symbol' and 'info modules' show it"},
    {"catch ", "signal", NO_SIGNALS},
    {"catch ", "assert catch exception handlers rethrow throw exec fork vfork syscall",
     OF_THE_HOST},
    {"catch ", "load unload", "'catch module load' stops when code is loaded or unloaded"},
    {"unset ", "exec-wrapper tdesc", NO_MEANING},
    {"points ", "bookmark checkpoint", ALL_RECORDED},
    {"points ", "tracepoints tr tvariable", NO_TRACEPOINTS},
    {"points ", "mem frame-filter pretty-printer probes type-printer unwinder xmethod", NO_MEANING},
};

static const char *find(const char *kind, const char *word, size_t length, bool begins)
{
    const char *found = NULL;
    for (size_t i = 0; length && i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (strcmp(elsewhere[i].kind, kind) != 0)
            continue;
        for (const char *at = elsewhere[i].words; *at;) {
            const size_t own = strcspn(at, " ");
            if ((begins ? own > length : own == length) && strncmp(at, word, length) == 0) {
                if (found && found != elsewhere[i].sentence)
                    return NULL;
                found = elsewhere[i].sentence;
            }
            at += own + (at[own] == ' ');
        }
    }
    return found;
}

enum wt_status wt_language_elsewhere(const char *kind, const char *word, size_t length,
                                     struct wt_error *err)
{
    const char *found = find(kind, word, length, false);
    if (!found && length >= 3)
        found = find(kind, word, length, true);
    if (strcmp(kind, "points ") == 0)
        kind = "";
    return found ? wt_fail(err, WT_UNSUPPORTED, "%s%.*s: %s", kind, (int)length, word, found)
                 : WT_OK;
}
