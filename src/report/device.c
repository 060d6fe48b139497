/* Reports about a program on stderr. See device.h and status.h. */
#include "report/device.h"
#include "base/text.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/schedule.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

/* The line of the report about one wave. */
struct device_state {
    uint64_t pc;
    wt_lanes mask;
    char wait[96];
};

static bool wave_state(struct wt_machine *m, uint32_t wave, struct device_state *state)
{
    struct wt_wave_view view;
    m->ops->view(m, wave, &view);
    if (!view.active)
        return false;
    *state = (struct device_state){.pc = view.waiting ? view.wait_pc : view.pc, .mask = view.mask};
    snprintf(state->wait, sizeof state->wait, "%s", view.waiting ? view.wait : "");
    return true;
}

static bool same_state(const struct device_state *a, const struct device_state *b)
{
    return a->pc == b->pc && a->mask == b->mask && strcmp(a->wait, b->wait) == 0;
}

void wt_report_device_waves(FILE *out, struct wt_emulated *e)
{
    struct wt_machine *m = e->machine;
    uint32_t active = 0;
    for (uint32_t wave = 0; wave < m->waves;) {
        struct device_state first, next;
        if (!wave_state(m, wave, &first)) {
            wave++;
            continue;
        }
        uint32_t end = wave + 1;
        while (end < m->waves && wave_state(m, end, &next) && same_state(&first, &next))
            end++;
        char from[WT_WAVE_NAME], to[WT_WAVE_NAME], place[512], lanes[256];
        wt_machine_name_wave(m, wave, from, sizeof from);
        wt_machine_name_wave(m, end - 1, to, sizeof to);
        wt_emulated_describe_wave(e, wave, first.mask, first.pc, place, sizeof place);
        wt_lanes_text(first.mask, lanes, sizeof lanes);
        fprintf(out, "  %s%s%s, %s%s %s: %s", from, end - wave > 1 ? " to " : "",
                end - wave > 1 ? to : "", e->family->words.lane,
                wt_plural(wt_lanes_count(first.mask)), lanes, place);
        fprintf(out, first.wait[0] ? ": %s\n" : "\n", first.wait);
        active += end - wave;
        wave = end;
    }
    if (!active)
        fprintf(out, "  no %s is active\n", e->family->words.wave);
}

void wt_report_device_instruction(FILE *out, struct wt_emulated *e, uint64_t pc)
{
    char text[256];
    if (wt_emulated_instruction(e, pc, text, sizeof text))
        fprintf(out, "  %s\n", text);
}

void wt_report_device_fault(FILE *out, struct wt_emulated *e, const char *report)
{
    struct wt_machine *m = e->machine;
    const struct wt_fault *f = &m->fault;
    if (f->kind == WT_FAULT_DEADLOCK) {
        fprintf(out, "wavetrap: %s (issue time %" PRIu64 ")\n", f->text, f->time);
        wt_report_device_waves(out, e);
        wt_fault_report(report, f, NULL);
        return;
    }
    char wave[WT_WAVE_NAME], place[512], instruction[256] = "";
    wt_machine_name_wave(m, f->wave, wave, sizeof wave);
    wt_emulated_describe_wave(e, f->wave, f->lanes, f->pc, place, sizeof place);
    if (!wt_emulated_instruction(e, f->pc, instruction, sizeof instruction))
        *instruction = 0;
    f = wt_emulated_fault(e, f->wave);
    const struct wt_fault_words words = {wave,  e->family->words.lane, place, instruction, NULL,
                                         report};
    fputs("wavetrap: ", out);
    wt_fault_print(out, f, &words);
    if (e->family->run.explain_fault)
        e->family->run.explain_fault(e, out);
}

void wt_report_device_stats(const struct wt_emulated *e, double seconds)
{
    const struct wt_machine *m = e->machine;
    const struct wt_rows_totals none = {0},
                                t = e->family->run.translated ? e->family->run.translated(e) : none;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr,
            "wavetrap: %" PRIu64 " issues in %.3f s (%.1f million a second), "
            "peak memory %ld KiB\n",
            m->time, seconds, (double)m->time / (seconds * 1e6 + 1e-9), usage.ru_maxrss);
    if (t.blocks)
        fprintf(stderr,
                "wavetrap: %" PRIu64 " block%s translated (%" PRIu64 " KiB), in which %" PRIu64
                " of the issues were\n",
                t.blocks, wt_plural(t.blocks), (t.bytes + 1023) / 1024, t.issues);
}

int wt_report_failed(const char *command, const struct wt_error *err)
{
    fprintf(stderr, "wavetrap %s: %s\n", command, err->text);
    return WT_EXIT_FAILED;
}

int wt_report_fault_status(enum wt_fault_kind kind)
{
    switch (kind) {
    case WT_FAULT_ILLEGAL:
        return WT_EXIT_ILLEGAL;
    case WT_FAULT_DIVERGENCE:
        return WT_EXIT_DIVERGENCE;
    case WT_FAULT_STACK_OVERFLOW:
    case WT_FAULT_STACK_UNDERFLOW:
        return WT_EXIT_STACK;
    case WT_FAULT_MISALIGNED:
        return WT_EXIT_MISALIGNED;
    case WT_FAULT_ACCESS:
        return WT_EXIT_ACCESS;
    case WT_FAULT_DEADLOCK:
        return WT_EXIT_DEADLOCK;
    case WT_FAULT_EXCEPTION:
        return WT_EXIT_EXCEPTION;
    case WT_FAULT_HOST:
        return WT_EXIT_FAILED;
    default:
        return WT_EXIT_OTHER_FAULT;
    }
}

int wt_report_word_status(uint32_t word)
{
    if (word <= 255)
        return (int)word;
    return word & 0xff ? (int)(word & 0xff) : 1;
}

void wt_report_device_missed(FILE *out, const struct wt_machine *machine)
{
    const struct wt_turns *turns = &machine->turns;
    if (turns->missed)
        fprintf(out, "wavetrap: " WT_CHOICE_MISSED "\n", turns->first_missed.time,
                turns->first_missed.wave);
}
