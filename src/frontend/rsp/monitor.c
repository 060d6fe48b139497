/* `monitor …`: wavetrap's own commands, for users of an unmodified client. */
#include "frontend/rsp/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/common/common.h"
#include "frontend/rsp/hex.h"

static void help(struct wt_rsp_session *s, const char *args, FILE *out);

static void lane(struct wt_rsp_session *s, const char *args, FILE *out)
{
    const struct wt_topology *t = s->topology;
    struct wt_error err = {0};
    if (*args) {
        char *end;
        unsigned long number = strtoul(args, &end, 0);
        if (!isdigit((unsigned char)*args) || *end || number > 0xffff) {
            fprintf(out, "'%s' is not a number of a %s: they go from 0 to %u.\n", args,
                    t->lane_word, t->lanes - 1);
            return;
        }
        if (wt_debugger_choose_lane(s->debugger, (unsigned)number, &err)) {
            fprintf(out, "%s\n", err.text);
            return;
        }
    }
    bool lanes = wt_debugger_thread_mode(s->debugger) == WT_THREADS_LANES;
    fprintf(out, "A %s as a thread shows the registers of its %s %u.\n", t->wave_word, t->lane_word,
            wt_debugger_chosen_lane(s->debugger));
    if (lanes)
        fprintf(out, "Now every %s is a thread of its own: see 'monitor threads'.\n", t->lane_word);
    else if (*args)
        fputs(wt_rsp_stale(s), out);
}

static void threads(struct wt_rsp_session *s, const char *args, FILE *out)
{
    const struct wt_topology *t = s->topology;
    static const struct {
        const char *word;
        enum wt_thread_mode mode;
    } modes[] = {{"auto", WT_THREADS_AUTO},
                 {"lanes", WT_THREADS_LANES},
                 {"warps", WT_THREADS_WAVES},
                 {"waves", WT_THREADS_WAVES}};
    bool found = !*args;
    for (size_t i = 0; i < sizeof modes / sizeof *modes && !found; i++) {
        if (strcmp(args, modes[i].word) != 0)
            continue;
        wt_debugger_set_thread_mode(s->debugger, modes[i].mode);
        s->general = s->control = 0;
        found = true;
    }
    if (!found) {
        fprintf(out, "'%s' is not one of lanes, warps, auto.\n", args);
        return;
    }
    bool lanes = wt_debugger_thread_mode(s->debugger) == WT_THREADS_LANES;
    wt_rsp_load_threads(s);
    fprintf(out, "A thread is a %s%s; there are %zu now.\n", lanes ? "lane of a " : "",
            t->wave_word, s->thread_count);
}

static void reset(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_error err = {0};
    bool device = strcmp(args, "device") == 0;
    if (*args && !device) {
        fprintf(out, "'%s' is unknown here: 'monitor reset' or 'monitor reset device'.\n", args);
        return;
    }
    wt_rsp_forget_call(s);
    if (device ? wt_debugger_reset(s->debugger, &err) : wt_debugger_restart(s->debugger, &err)) {
        fprintf(out, "%s\n", err.text);
        return;
    }
    s->general = s->control = 0;
    s->mark_count = 0;
    s->last = wt_rsp_standing(s);
    const struct wt_target *target = wt_debugger_target(s->debugger);
    fprintf(out, "%s, halted before the first instruction.\n%s",
            device || !target->services->reload
                ? "The device was reset (memory is as it was)"
                : "The program was loaded afresh and the device reset",
            wt_rsp_stale(s));
}

static void lift(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_error err = {0};
    uint64_t looked, total;
    if (wt_debugger_find_leftovers(s->debugger, 0, &looked, &total, &err)) {
        fprintf(out, "%s\n", err.text);
        return;
    }
    if (total == 0) {
        fputs("The program's code is not known: name its file when attaching (--symbols).\n", out);
        return;
    }
    size_t count;
    const struct wt_leftover *list = wt_debugger_leftovers(s->debugger, &count);
    if (count == 0)
        fputs("Memory has no breakpoint that is not in the program's file.\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "0x%llx\n", (unsigned long long)list[i].addr);
    if (wt_debugger_lift_leftovers(s->debugger, &err))
        fprintf(out, "%s\n", err.text);
    else if (count)
        fprintf(out, "%zu breakpoint%s of another debugger lifted.\n", count,
                count == 1 ? "" : "s");
}

static void reattach(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_error err = {0};
    if (wt_debugger_reattach(s->debugger, &err)) {
        fprintf(out, "%s\n", err.text);
        return;
    }
    s->last = wt_rsp_standing(s);
    fprintf(out, "Attached again; every %s is halted, and the breakpoints are as they were.\n%s",
            s->topology->wave_word, wt_rsp_stale(s));
}

static void info(struct wt_rsp_session *s, const char *args, FILE *out)
{
    if (strncmp(args, "checks", 6) == 0 && (!args[6] || args[6] == ' ')) {
        wt_rsp_info_checks(s, args + 6 + strspn(args + 6, " "), out);
        return;
    }
    const struct wt_topology *t = s->topology;
    const struct wt_target *target = wt_debugger_target(s->debugger);
    fprintf(out, "%s, %s: %u cluster%s, %u core%s, %u %ss a core, %u %ss a %s\n", t->family,
            t->arch, t->clusters, t->clusters == 1 ? "" : "s", t->cores, t->cores == 1 ? "" : "s",
            t->waves_per_core, t->wave_word, t->lanes, t->lane_word, t->wave_word);
    if (target && target->services && target->services->time)
        fprintf(out, "issue time: %llu\n",
                (unsigned long long)target->services->time(target->context));
    uint32_t status;
    if (wt_debugger_ended(s->debugger, &status))
        fprintf(out, "the program has ended with status %u\n", status);
    else
        fprintf(out, "the program is %s\n",
                wt_debugger_running(s->debugger) ? "running" : "halted");
    threads(s, "", out);
    fprintf(out, "breakpoints of this client: %zu\n", s->breakpoint_count);
    if (s->program)
        fprintf(out, "program: %s\n", s->program);
}

static void each_lane(struct wt_rsp_session *s, const char *args, FILE *out)
{
    if (strcmp(args, "on") == 0 || strcmp(args, "off") == 0)
        s->each_lane = strcmp(args, "on") == 0;
    else if (*args)
        fprintf(out, "each-lane is 'on' or 'off'\n");
    fprintf(out, s->each_lane ? "A breakpoint stops for each lane that meets it.\n"
                              : "A breakpoint stops once for the lanes that meet it together.\n");
}

static void fault(struct wt_rsp_session *s, const char *args, FILE *out)
{
    const struct wt_fault_report report = {.debugger = s->debugger};
    wt_report_standing(out, &report, wt_debugger_current_thread(s->debugger), NULL);
}

static const struct {
    const char *name, *args, *text;
    void (*handle)(struct wt_rsp_session *s, const char *args, FILE *out);
} commands[] = {
    {"allocation", "ADDR", "the program's memory object at an address, or those around it",
     wt_rsp_allocation},
    {"check", "[N [other]|catch [KIND|off]]",
     "findings of --check; goes before one; stops before mistakes from now on", wt_rsp_check},
    {"each-lane", "[on|off]", "stop for each lane that meets a breakpoint, not once for its wave",
     each_lane},
    {"fault", "", "the mistake for which the current thread's wave is stopped", fault},
    {"generate-core", "FILE [ISSUES|all]",
     "write a core file, with that many issues of the recorded run", wt_rsp_generate_core},
    {"goto", "TIME", "go to an issue time: a number, +N, -N, start, end or a mark", wt_rsp_goto},
    {"hash", "", "a hash of the program's whole state here", wt_rsp_hash},
    {"help", "", "this list", help},
    {"info", "[checks [N]]", "the device, the program, the threads; findings of --check", info},
    {"lane", "[N]", "which lane the registers of a warp show, when threads are warps", lane},
    {"lift-breakpoints", "",
     "put the program's code back where another debugger left breakpoints in memory", lift},
    {"mark", "[NAME]", "call this issue time NAME; without one, list the marks", wt_rsp_mark},
    {"reattach", "", "a new connection to the device, which is halted", reattach},
    {"reset", "[device]",
     "the program from its beginning; 'device', and on hardware: memory stays as it is", reset},
    {"stop-at-end", "[on|off]", "stop before the program ends, with all its history",
     wt_rsp_stop_at_end},
    {"threads", "[lanes|warps|auto]", "what a thread is: a lane of a warp, or a warp", threads},
    {"time", "", "the issue time, and what is recorded", wt_rsp_time},
    {"unmark", "NAME", "forget a mark", wt_rsp_unmark},
    {"who-read", "ADDR[,LEN] [--all]", "the last read of memory before now, or all of them",
     wt_rsp_who_read},
    {"who-wrote", "ADDR[,LEN] [--all]", "the last write to memory before now, or all of them",
     wt_rsp_who_wrote},
};

static void help(struct wt_rsp_session *s, const char *args, FILE *out)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char usage[48];
        snprintf(usage, sizeof usage, "%s %s", commands[i].name, commands[i].args);
        fprintf(out, "monitor %-26s %s\n", usage, commands[i].text);
    }
}

/* A command may be abbreviated as long as it is unique. */
static int find(const char *word, size_t length)
{
    int found = -1;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strncmp(commands[i].name, word, length) != 0)
            continue;
        if (commands[i].name[length] == 0)
            return (int)i;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

void wt_rsp_rcmd(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    char line[256], *text = NULL;
    const size_t whole = args->arg[0].length / 2;
    size_t size = whole < sizeof line ? whole : sizeof line - 1, length;
    if (args->arg[0].length % 2 || wt_hex_decode(line, args->arg[0].text, size) != size) {
        wt_rsp_refuse(s, WT_INVALID, "the command is malformed");
        return;
    }
    while (size && isspace((unsigned char)line[size - 1]))
        size--;
    line[size] = 0;
    const char *word = line;
    while (isspace((unsigned char)*word))
        word++;
    size_t word_length = strcspn(word, " \t");
    const char *rest = word + word_length;
    while (isspace((unsigned char)*rest))
        rest++;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        wt_rsp_refuse(s, WT_NO_MEMORY, "out of memory");
        return;
    }
    int command = find(word_length ? word : "help", word_length ? word_length : 4);
    /* The error is sent as text: GDB would take an error reply here for hex digits. */
    if (whole >= sizeof line) {
        fprintf(out, "A command of wavetrap has at most %zu characters.\n", sizeof line - 1);
    } else if (command >= 0) {
        commands[command].handle(s, rest, out);
    } else {
        fprintf(out, "'%.*s' is not a command of wavetrap. There are:\n", (int)word_length, word);
        help(s, "", out);
    }
    const bool fine = fclose(out) == 0;
    if (s->errand.end) {
        s->waiting = true; /* the reply follows when it is done */
        free(text);
        return;
    }
    wt_rsp_end_rcmd(s, text, fine ? length : 0);
}
