/* Faults of the program: their reports, which are those of `run` and `exec`, and "info fault". */
#include "frontend/console/internal.h"

void put_instruction(void *context, uint64_t at, char *text, size_t size)
{
    struct wt_shell *c = context;
    struct wt_code_line line;
    wt_program_instruction(c->program, at, &line, WT_IGNORED);
    snprintf(text, size, "%s", line.text);
}

static struct wt_fault_report report_of(struct wt_shell *c)
{
    return (struct wt_fault_report){.debugger = c->program->debugger,
                                    .modules = c->program->modules,
                                    .instruction = put_instruction,
                                    .context = c};
}

void print_fault(struct wt_shell *c, const struct wt_fault *f)
{
    struct wt_fault_report report = report_of(c);
    report.files = c->options.report;
    wt_report_fault(c->out, &report, c->program->thread, f);
}

void remind_of_fault(struct wt_shell *c)
{
    const struct wt_fault_report report = report_of(c);
    wt_report_standing(c->out, &report, c->program->thread, "The program stands at a fault: ");
}

enum wt_status do_info_fault(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_fault_report report = report_of(c);
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (!status)
        wt_report_standing(c->out, &report, c->program->thread, NULL);
    return status;
}
