/* Reports about kernels, for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
#include "base/report.h"
#include "base/fault.h"
#include "debug/source/modules.h"
#include "debug/source/symbols.h"
#include "emulator/machine/machine.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/places.h"
#include "runtime/common/serve.h"
#include "runtime/vortex/internal.h"

static void report_place(struct gpu *g, uint64_t pc, char *text, size_t size)
{
    char elf[4096] = "";
    struct wt_modules *modules = wt_modules_new();
    const struct wt_module *module = NULL;
    state_lock();
    const struct buffer *b = buffer_of_code(g, pc);
    if (b && b->program.elf)
        snprintf(elf, sizeof elf, "%s", b->program.elf);
    state_unlock();
    if (modules && *elf && wt_modules_add_file(modules, elf, 0, 0, NULL, WT_IGNORED) == WT_OK)
        module = wt_modules_at(modules, 0, pc);
    wt_symbols_describe(module ? module->symbols : NULL, pc, text, size);
    wt_modules_free(modules);
}

static void instruction(struct gpu *g, uint64_t pc, char *text, size_t size)
{
    uint8_t bytes[4];
    *text = 0;
    if (gpu_read(g, pc, bytes, sizeof bytes))
        vx_disassemble_known(bytes, sizeof bytes, g->config.xlen, pc, text, size);
}

/* The nearest buffers, where the address is in none. */
static void describe_memory(struct gpu *g, struct wt_fault *f)
{
    struct wt_block below = {0}, above = {0};
    if (*f->memory || (f->kind != WT_FAULT_ACCESS && f->kind != WT_FAULT_MISALIGNED))
        return;
    state_lock();
    for (const struct buffer *b = g->buffers; b && !above.size; b = b->next)
        if (!b->staged)
            *(b->addr <= f->addr ? &below : &above) = (struct wt_block){b->addr, b->size};
    state_unlock();
    wt_fault_near(f->addr, below, above, f->memory, sizeof f->memory);
}

static void describe_place(void *context, const struct wt_called_place *place, char *text,
                           size_t size)
{
    report_place(context, place->pc, text, size);
}

static void tell_warps(struct gpu *g)
{
    const struct wt_places places = {.machine = g->machine,
                                     .wave_word = "warp",
                                     .lane_word = "thread",
                                     .describe = describe_place,
                                     .context = g};
    wt_places_tell(stderr, &places);
}

void report_fault(struct gpu *g)
{
    struct wt_machine *m = g->machine;
    struct wt_fault *f = &m->fault;
    char wave[WT_WAVE_NAME], place[600], code[300];
    if (f->kind == WT_FAULT_DEADLOCK) {
        fprintf(stderr, "wavetrap: %s (issue time %" PRIu64 ")\n", f->text, f->time);
        tell_warps(g);
        wt_fault_report(getenv(WT_REPORT_VARIABLE), f, NULL);
    } else {
        report_place(g, f->pc, place, sizeof place);
        instruction(g, f->pc, code, sizeof code);
        wt_machine_name_wave(m, f->wave, wave, sizeof wave);
        describe_memory(g, f);
        fputs("wavetrap: ", stderr);
        wt_fault_print(stderr, f,
                       &(struct wt_fault_words){wave, "thread", place, code, g->kernel_name,
                                                getenv(WT_REPORT_VARIABLE)});
    }
    fprintf(stderr, "  of the kernel %s\n", g->kernel_name);
    wt_core_on_fault_write(&g->on_fault, &g->hosted, "", f->wave, (uint64_t)f->lanes, stderr);
}

_Noreturn void report_interrupted(struct gpu *g)
{
    wt_server_forget();
    fprintf(stderr, "wavetrap: interrupted: vortex, issue time %" PRIu64 ": kernel %s runs\n",
            g->machine->time, g->kernel_name);
    tell_warps(g);
    wt_interrupt_end();
}
