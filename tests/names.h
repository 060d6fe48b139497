/* Names of enumerators, for the messages of tests. */
#ifndef TESTS_NAMES_H
#define TESTS_NAMES_H

#include "debug/core/debugger.h"
#include "emulator/machine/run.h"
#include "emulator/machine/watch.h"

#define NAME(word)                                                                                 \
    case word:                                                                                     \
        return #word

static inline const char *status_name(enum wt_status status)
{
    switch (status) {
        NAME(WT_OK);
        NAME(WT_INVALID);
        NAME(WT_IO);
        NAME(WT_NO_MEMORY);
        NAME(WT_UNSUPPORTED);
        NAME(WT_STATE);
        NAME(WT_TIMEOUT);
    }
    return "no status";
}

static inline const char *event_name(enum wt_event_kind kind)
{
    switch (kind) {
        NAME(WT_EVENT_NONE);
        NAME(WT_EVENT_STOPPED);
        NAME(WT_EVENT_EXITED);
        NAME(WT_EVENT_ARRIVED);
        NAME(WT_EVENT_SEARCHED);
    }
    return "no kind of event";
}

static inline const char *reason_name(enum wt_stop_reason reason)
{
    switch (reason) {
        NAME(WT_STOP_BREAKPOINT);
        NAME(WT_STOP_WATCHPOINT);
        NAME(WT_STOP_STEP);
        NAME(WT_STOP_INTERRUPTED);
        NAME(WT_STOP_REQUESTED);
        NAME(WT_STOP_FAULT);
        NAME(WT_STOP_TRAP);
        NAME(WT_STOP_LOST);
        NAME(WT_STOP_HISTORY_BEGIN);
        NAME(WT_STOP_HISTORY_END);
    }
    return "no reason";
}

static inline const char *instruction_name(enum wt_instruction_kind kind)
{
    switch (kind) {
        NAME(WT_INSTRUCTION_PLAIN);
        NAME(WT_INSTRUCTION_CALL);
        NAME(WT_INSTRUCTION_RETURN);
        NAME(WT_INSTRUCTION_BRANCH);
        NAME(WT_INSTRUCTION_BARRIER);
        NAME(WT_INSTRUCTION_TRAP);
        NAME(WT_INSTRUCTION_END);
    }
    return "no kind of instruction";
}

static inline const char *run_name(enum wt_run run)
{
    switch (run) {
        NAME(WT_RUN_BUDGET);
        NAME(WT_RUN_EVENT);
        NAME(WT_RUN_HALTED);
        NAME(WT_RUN_ENDED);
        NAME(WT_RUN_FAULT);
        NAME(WT_RUN_WATCH);
    }
    return "no end of a run";
}

static inline const char *watch_name(enum wt_watch_kind kind)
{
    switch (kind) {
        NAME(WT_WATCH_WRITE);
        NAME(WT_WATCH_READ);
        NAME(WT_WATCH_ACCESS);
        NAME(WT_WATCH_MISTAKE);
        NAME(WT_WATCH_EXECUTE);
        NAME(WT_WATCH_ISSUE);
    }
    return "no kind of watch";
}

#undef NAME

#endif
