/* Faults of the program: their reports, which are those of `run` and `exec`, and "info fault". */
#include <stdio.h>
#include <string.h>

#include "base/wave_name.h"
#include "frontend/console/internal.h"

/* The text of the instruction at an address; "" where there is no disassembler. */
static void instruction_text(struct wt_shell *c, uint64_t at, char *text, size_t size)
{
    struct wt_instruction instruction = {0};
    uint8_t bytes[WT_WINDOW_BYTES];
    *text = 0;
    if (!c->options.disassemble || wt_debugger_instruction(c->program->debugger, c->program->thread,
                                                           at, &instruction, WT_IGNORED) != WT_OK)
        return;
    unsigned length = instruction.length ? instruction.length : c->program->topology->code_granule;
    length = length > sizeof bytes ? sizeof bytes : length;
    if (read_at(c, at, bytes, length, WT_IGNORED) != WT_OK ||
        !c->options.disassemble(c->options.context, at, bytes, length, text, size))
        *text = 0;
}

void print_fault(struct wt_shell *c, const struct wt_fault *f)
{
    char name[WT_WAVE_NAME] = "", place[300], instruction[256];
    struct wt_wave wave;
    if (c->program->thread &&
        wt_debugger_thread_wave(c->program->debugger, c->program->thread, &wave))
        wt_debugger_name_wave(c->program->debugger, &wave, name, sizeof name);
    wt_modules_describe(c->program->modules, 0, f->pc, place, sizeof place);
    instruction_text(c, f->pc, instruction, sizeof instruction);
    const struct wt_fault_words words = {name, c->program->topology->lane_word, place,
                                         instruction + strspn(instruction, " ")};
    wt_fault_print(c->out, f, &words);
}

void remind_of_fault(struct wt_shell *c)
{
    struct wt_event event;
    if (!c->program->thread || !wt_debugger_fault(c->program->debugger, c->program->thread, &event))
        return;
    fputs("The program stands at a fault: ", c->out);
    print_fault(c, &event.record);
}

enum wt_status do_info_fault(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_event event;
    enum wt_status status = wt_program_need_thread(c->program, err);
    (void)text;
    if (status)
        return status;
    if (wt_debugger_fault(c->program->debugger, c->program->thread, &event))
        print_fault(c, &event.record);
    else
        fprintf(c->out, "No fault is recorded of this %s here.\n", c->program->topology->wave_word);
    return WT_OK;
}
