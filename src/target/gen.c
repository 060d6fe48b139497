/* Intel Gen9 as a family of targets: one kernel of a zebin. See gen.h. */
#include "target/gen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "emulator/gen/isa.h"
#include "runtime/gen/launch.h"
#include "target/emulated.h"

struct gen {
    struct gen_object object;
    struct gen_launch launch;
    struct gen_device *device;
};

static struct gen *own(const struct wt_emulated *e)
{
    return e->own;
}

static void config_default(void *config)
{
    gen_config_default(config);
}

static enum wt_status config_parse(void *config, const char *text, struct wt_error *err)
{
    return gen_config_parse(config, text, err);
}

/* ---- the launch ---- */

static enum wt_status choose_kernel(const struct wt_emulated *e, struct wt_error *err)
{
    struct gen *g = own(e);
    const char *name = e->options->kernel.name;
    char names[300] = "";
    for (size_t i = 0, used = 0; i < g->object.kernel_count && used < sizeof names; i++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, " %s", g->object.kernel[i].name);
    if (name)
        g->launch.kernel = gen_object_kernel(&g->object, name);
    else if (g->object.kernel_count == 1)
        g->launch.kernel = &g->object.kernel[0];
    if (g->launch.kernel)
        return WT_OK;
    if (name)
        return wt_fail(err, WT_INVALID, "%s: there is no kernel '%.64s'; there are:%s", e->program,
                       name, names);
    return wt_fail(err, WT_INVALID, "%s: say by --kernel which one to run:%s", e->program, names);
}

static enum wt_status set_shape(const struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_kernel_options *k = &e->options->kernel;
    struct gen_launch *l = &own(e)->launch;
    for (unsigned i = 0; i < 3; i++) {
        l->block[i] = k->block_given ? k->block[i] : i ? 1 : 64;
        l->grid[i] = k->grid_given ? k->grid[i] : l->block[i];
        if (l->block[i] > l->grid[i])
            l->block[i] = l->grid[i];
    }
    return k->grid_given ? WT_OK
                         : wt_fail(err, WT_INVALID, "say by --grid how many work-items there are");
}

static const char *kind_name(enum wt_value_kind kind)
{
    static const char *const names[] = {"a value", "a buffer", "local memory",
                                        "an image or a sampler"};
    return names[kind];
}

static enum wt_status wrong_count(const struct gen_kernel *k, size_t wanted, size_t given,
                                  struct wt_error *err)
{
    char list[300] = "";
    size_t size;
    for (size_t i = 0, used = 0; i < wanted && used < sizeof list; i++) {
        const char *name = gen_launch_name(k, i);
        used += (size_t)snprintf(list + used, sizeof list - used, "\n  %zu: %s%s%s", i, name,
                                 *name ? ", " : "", kind_name(gen_launch_kind(k, i, &size)));
    }
    return wt_fail(err, WT_INVALID, "kernel %.64s takes %zu arguments; %zu --arg are given%s",
                   k->name, wanted, given, list);
}

static enum wt_status read_values(const struct wt_emulated *e, struct wt_error *err)
{
    struct gen_launch *l = &own(e)->launch;
    const struct gen_kernel *k = l->kernel;
    const size_t wanted = gen_launch_arguments(k);
    if (e->options->argument_count != wanted)
        return wrong_count(k, wanted, e->options->argument_count, err);
    l->value = calloc(wanted + 1, sizeof *l->value);
    if (!l->value)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < wanted; i++) {
        size_t size;
        const enum wt_value_kind kind = gen_launch_kind(k, i, &size);
        const char *name = gen_launch_name(k, i);
        l->value_count++;
        if (wt_value_parse(kind, size, e->options->argument[i], &l->value[i], err) != WT_OK)
            return wt_fail_in(err, "argument %zu%s%.64s", i, *name ? ", " : "", name);
    }
    return WT_OK;
}

static enum wt_status read_program(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    if (e->options->load_count || e->options->base_given)
        return wt_fail(err, WT_UNSUPPORTED, "--load and --base are not for zebins");
    if (e->options->kernel.handler_count)
        return wt_fail(err, WT_UNSUPPORTED, "--trap-handler is for gfx900");
    if ((status = wt_file_read(e->program, &bytes, &length, err)) != WT_OK)
        return status;
    status = gen_object_parse(e->program, bytes, length, &own(e)->object, err);
    free(bytes);
    return status;
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct gen_config gpu = *(const struct gen_config *)config;
    struct gen *g = calloc(1, sizeof *g);
    enum wt_status status;
    assert(e->program);
    if (!g)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    e->own = g;
    if (e->options->schedule)
        gpu.schedule = *e->options->schedule;
    if ((status = read_program(e, err)) != WT_OK || (status = choose_kernel(e, err)) != WT_OK ||
        (status = set_shape(e, err)) != WT_OK || (status = read_values(e, err)) != WT_OK ||
        (status = gen_device_new(&gpu, &g->device, err)) != WT_OK)
        return status;
    e->machine = gen_machine(g->device);
    e->is_elf = true;
    return WT_OK;
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    return gen_launch(own(e)->device, &own(e)->object, &own(e)->launch, err);
}

static void close_device(struct wt_emulated *e)
{
    struct gen *g = own(e);
    if (!g)
        return;
    for (size_t i = 0; i < g->launch.value_count; i++)
        free(g->launch.value[i].bytes);
    free(g->launch.value);
    gen_device_free(g->device);
    gen_object_free(&g->object);
    free(g);
    e->own = NULL;
}

/* ---- the run ---- */

static unsigned waves_per_core(const struct wt_emulated *e)
{
    return GEN_SUBSLICE_THREADS;
}

/* Kernels have no status. */
static uint32_t exit_word(struct wt_emulated *e)
{
    return 0;
}

static bool instruction(struct wt_emulated *e, uint64_t pc, char *text, size_t size)
{
    uint8_t bytes[16];
    if (!gen_device_read(own(e)->device, pc, bytes, sizeof bytes))
        return false;
    const struct gen_word word = {wt_load_le(bytes, 8), wt_load_le(bytes + 8, 8)};
    gen_disassemble(&word, text, size);
    return true;
}

static bool buffer(const struct wt_emulated *e, size_t index, struct wt_kernel_buffer *out)
{
    const struct gen_launch *l = &own(e)->launch;
    size_t size;
    if (index >= l->value_count || gen_launch_kind(l->kernel, index, &size) != WT_VALUE_BUFFER)
        return false;
    *out = (struct wt_kernel_buffer){.name = gen_launch_name(l->kernel, index),
                                     .addr = l->value[index].addr,
                                     .length = l->value[index].length};
    return true;
}

static bool work_item(struct wt_emulated *e, uint32_t wave, unsigned lane, uint64_t item[3])
{
    const struct gen_launch *l = &own(e)->launch;
    uint32_t group[3], index, size[3];
    if (!gen_thread_group(own(e)->device, wave, group, &index))
        return false;
    for (unsigned i = 0; i < 3; i++) { /* the last groups of a row may be smaller */
        const uint32_t left = l->grid[i] - group[i] * l->block[i];
        size[i] = left < l->block[i] ? left : l->block[i];
    }
    const uint32_t n = index * l->kernel->simd + lane;
    item[0] = (uint64_t)group[0] * l->block[0] + n % size[0];
    item[1] = (uint64_t)group[1] * l->block[1] + n / size[0] % size[1];
    item[2] = (uint64_t)group[2] * l->block[2] + n / size[0] / size[1];
    return true;
}

static void list_isa(FILE *out)
{
    static const char *const formats[] = {
        "no operands", "one source",  "two sources",  "three sources", "math",
        "JIP",         "JIP and UIP", "jump",         "call",          "return",
        "wait",        "message",     "split message"};
    for (unsigned i = 0; i < GEN_INSNS; i++)
        fprintf(out, "%-8s opcode 0x%02x, %s%s\n", gen_rows[i].name, gen_rows[i].opcode,
                formats[gen_rows[i].format], i == GEN_SMOV ? "; is not executed" : "");
}

const struct wt_family wt_family_gen = {
    .name = "gen9",
    .runs = "zebins",
    .elf_machine = GEN_ELF_MACHINE,
    .core_word = "subslice",
    .wave_word = "thread",
    .lane_word = "channel",
    .mask_digits = 8,
    .config_size = sizeof(struct gen_config),
    .config_default = config_default,
    .config_parse = config_parse,
    .config_help = gen_config_help,
    .open = open_device,
    .load = load,
    .close = close_device,
    .waves_per_core = waves_per_core,
    .exit_word = exit_word,
    .instruction = instruction,
    .buffer = buffer,
    .work_item = work_item,
    .list_isa = list_isa,
};
