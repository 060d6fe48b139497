/* The services of a console that the target answers: code, registers, counts, findings. See
 * debuggee.h. */
#include <stdio.h>

#include "session/debuggee.h"

static const struct wt_family *family_of(const struct wt_debuggee *d)
{
    return d->host ? wt_session_host_family(d->host) : d->device.family;
}

static unsigned disassemble(void *context, uint64_t addr, const uint8_t *bytes, size_t length,
                            char *text, size_t size)
{
    struct wt_debuggee *d = context;
    const struct wt_family *f = d->device.family;
    if (d->host)
        return wt_session_host_instruction(d->host, addr, bytes, length, text, size);
    return f->isa.instruction_text
               ? f->isa.instruction_text(&d->device, 64, addr, bytes, length, text, size)
               : 0;
}

static bool code_register(void *context, uint64_t pc, size_t n, struct wt_code_register *reg)
{
    struct wt_debuggee *d = context;
    const struct wt_family *f = d->device.family;
    if (d->host)
        return wt_session_host_code_register(d->host, pc, n, reg);
    return f->isa.code_register && f->isa.code_register(&d->device, pc, n, reg);
}

static size_t region(void *context, const char *text, struct wt_register_region *region)
{
    const struct wt_family *f = family_of(context);
    return f->isa.region ? f->isa.region(text, region) : 0;
}

static bool explain(void *context, FILE *out, const char *const *name, const uint64_t *value,
                    size_t count)
{
    const struct wt_debuggee *d = context;
    const struct wt_family *f = family_of(d);
    if (f->isa.explain_registers)
        f->isa.explain_registers(out, name, value, count);
    return f->isa.explain_registers != NULL;
}

static enum wt_status print_operand(void *context, FILE *out, const char *text, char letter,
                                    bool (*read)(void *reader, const char *name, uint8_t *bytes,
                                                 size_t size),
                                    void *reader, bool *is_operand, struct wt_error *err)
{
    const struct wt_debuggee *d = context;
    const struct wt_family *f = family_of(d);
    const struct wt_register_reader registers = {read, reader};
    *is_operand = false;
    return f->isa.print_operand
               ? f->isa.print_operand(out, text, letter, &registers, is_operand, err)
               : WT_OK;
}

bool wt_debuggee_is_attached(const struct wt_debuggee *d)
{
    return wt_session_attached_is_given(&d->drive.options.connect);
}

const char *wt_debuggee_quit_question(void *context)
{
    const struct wt_debuggee *d = context;
    return wt_debuggee_is_attached(d) || d->core_path ||
                   (d->host && !wt_session_host_is_own(d->host))
               ? "Quit? (y or n) "
               : "Quit and end the program? (y or n) ";
}

static enum wt_status print_profile(void *context, FILE *out, struct wt_error *err)
{
    struct wt_debuggee *d = context;
    return wt_report_profile_print(&d->drive.profile, d->host ? NULL : &d->device, out, err);
}

static int pid_of_host(void *context)
{
    return wt_session_host_pid(context);
}

void wt_debuggee_services(struct wt_debuggee *d, struct wt_shell_options *options)
{
    options->disassemble = disassemble;
    options->code_register = code_register;
    options->region = region;
    options->explain = explain;
    options->print_operand = print_operand;
    options->profile = wt_report_profile_wanted(&d->drive.profile) ? print_profile : NULL;
    options->checks = wt_report_check_offer(
        &d->drive.check, &(struct wt_report_checked){
                             d->host ? &d->drive.profile.file : &d->drive.check.file,
                             d->host ? NULL : &d->device, d->host ? pid_of_host : NULL, d->host});
    options->context = d;
}
