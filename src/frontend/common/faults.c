/* Reports of faults as debuggers know them. */
#include <inttypes.h>
#include <string.h>

#include "base/wave_name.h"
#include "frontend/common/common.h"

void wt_report_fault(FILE *out, const struct wt_fault_report *report, wt_thread thread,
                     const struct wt_fault *fault)
{
    char name[WT_WAVE_NAME] = "", place[1000], instruction[256] = "";
    struct wt_wave wave;
    if (thread && wt_debugger_thread_wave(report->debugger, thread, &wave))
        wt_debugger_name_wave(report->debugger, &wave, name, sizeof name);
    if (report->modules && report->place && thread)
        report->place(report->debugger, report->modules, thread, fault->pc, true, place,
                      sizeof place);
    else if (report->modules)
        wt_modules_describe(report->modules, 0, fault->pc, place, sizeof place);
    else
        snprintf(place, sizeof place, "0x%" PRIx64, fault->pc);
    if (report->instruction)
        report->instruction(report->context, fault->pc, instruction, sizeof instruction);
    const struct wt_fault_words words = {.wave = name,
                                         .lane_word =
                                             wt_debugger_topology(report->debugger)->lane_word,
                                         .place = place,
                                         .instruction = instruction + strspn(instruction, " "),
                                         .report = report->files};
    wt_fault_print(out, fault, &words);
}

void wt_report_standing(FILE *out, const struct wt_fault_report *report, wt_thread thread,
                        const char *before)
{
    struct wt_event event;
    if (thread && wt_debugger_fault(report->debugger, thread, &event)) {
        fputs(before ? before : "", out);
        wt_report_fault(out, report, thread, &event.record);
    } else if (!before) {
        fprintf(out, "No fault is recorded of this %s here.\n",
                wt_debugger_topology(report->debugger)->wave_word);
    }
}
