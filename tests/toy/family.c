/* The toy as a family of targets: kernels in files, and host programs. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "target/gcn.h"
#include "target/gen.h"
#include "target/history.h"
#include "target/host_program.h"
#include "target/launch.h"
#include "target/process.h"
#include "target/sm.h"
#include "target/vortex.h"
#include "toy.h"

/* ---- configuration ---- */

static void describe(const void *config, char *text, size_t size)
{
    snprintf(text, size, "a toy with %u cores", ((const struct toy_config *)config)->cores);
}

/* ---- kernels in files ---- */

struct own {
    WT_KERNEL_LAUNCH; /* first */
    struct toy_device *device;
    uint8_t *file;
    size_t length;
    struct toy_header header;
    struct toy_launch launch;
};

static struct own *own(const struct wt_emulated *e)
{
    return e->own;
}

static bool takes(const char *path)
{
    struct toy_header h;
    return wt_file_begin(path, &h, sizeof h) == sizeof h && !memcmp(h.magic, TOY_MAGIC, 8);
}

static struct wt_launch_argument argument(const void *kernel, size_t index)
{
    const bool buffer = ((const struct toy_header *)kernel)->buffers >> index & 1;
    return (struct wt_launch_argument){
        .name = "", .kind = buffer ? WT_VALUE_BUFFER : WT_VALUE_PLAIN, .size = 8};
}

static enum wt_status read_program(struct wt_emulated *e, struct wt_error *err)
{
    struct own *o = own(e);
    enum wt_status status = wt_file_read(e->program, &o->file, &o->length, err);
    e->launch = &o->given;
    if (!status && o->length >= sizeof o->header)
        memcpy(&o->header, o->file, sizeof o->header);
    if (!status)
        status = wt_launch_describe(e, "toy", &o->header, o->header.arguments, argument, err);
    if (!status &&
        (o->block[0] % TOY_LANES || o->grid[0] % o->block[0] || o->grid[1] * o->grid[2] != 1))
        return wt_fail(err, WT_INVALID, "a toy's groups are whole, of %u lanes a wave", TOY_LANES);
    return status;
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct own *o = own(e);
    o->device = toy_new(config, false, err);
    e->machine = o->device ? &o->device->machine : NULL;
    return o->device ? WT_OK : WT_NO_MEMORY;
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    struct own *o = own(e);
    uint64_t arguments[64] = {0}, at = TOY_BUFFERS;
    enum wt_status status = WT_OK;
    wt_memory_clear(e->machine->memory);
    wt_machine_forget_code(e->machine);
    e->machine->ops->reset(e->machine);
    for (size_t i = 0; i < o->value_count && !status; i++) {
        struct wt_value *v = &o->value[i];
        memcpy(&arguments[i], v->bytes, v->length < 8 ? v->length : 8);
        if (v->kind != WT_VALUE_BUFFER)
            continue;
        arguments[i] = v->addr = at;
        status = wt_mapped_put(e->machine, at, v->bytes, v->length, err);
        at += (v->length + 255) / 256 * 256;
    }
    o->launch =
        (struct toy_launch){.groups = o->grid[0] / o->block[0], .waves = o->block[0] / TOY_LANES};
    if (!status)
        status = toy_load(o->device, o->file, o->length, arguments, &o->launch, err);
    if (!status)
        toy_do_launch(e->machine, &o->launch, sizeof o->launch);
    return status;
}

static void close_device(struct wt_emulated *e)
{
    if (own(e)->device)
        e->machine->ops->free(e->machine);
    free(own(e)->file);
}

static unsigned instruction_text(struct wt_emulated *e, const struct wt_symbols *code, uint64_t pc,
                                 const uint8_t *bytes, size_t available, char *text, size_t size)
{
    struct toy_insn in;
    if (available < sizeof in)
        return 0;
    memcpy(&in, bytes, sizeof in);
    toy_text(&in, text, size);
    return sizeof in;
}

static void list_isa(FILE *out, const void *config)
{
    char text[64];
    for (struct toy_insn in = {.op = TOY_SET}; in.op < toy_op_count; in.op++) {
        toy_text(&in, text, sizeof text);
        fprintf(out, "%s\n", text);
    }
}

/* ---- the debugger's way in ---- */

static enum wt_status launch_again(struct wt_emulated *e, struct wt_error *err)
{
    wt_emulated_input(
        e, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .value = TOY_ATTEND | TOY_HOLD});
    return wt_emulated_operation(e, toy_do_launch, &own(e)->launch, sizeof own(e)->launch)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "it cannot be launched again");
}

static void make_ready(struct wt_emulated *e)
{
    own(e)->device->control |= TOY_ATTEND;
}

/* ---- host programs ---- */

static enum wt_status refresh(struct wt_process *p, struct wt_error *err)
{
    return WT_OK; /* kernels have no symbols */
}

static const struct wt_process_ops process = {.socket = TOY_SOCKET,
                                              .wire = TOY_WIRE_FAMILY,
                                              .own_bytes = sizeof(struct wt_process_link),
                                              .lanes = TOY_LANES,
                                              .refresh = refresh};

static bool prepare(const struct wt_host_program *program, const char *folder)
{
    return wt_host_find_libraries_in(folder);
}

static const struct wt_host_driver host = {.library = "libtoy.so",
                                           .built_in = ".",
                                           .package = "",
                                           .gpus = "WAVETRAP_TOY_GPUS",
                                           .name = "toy",
                                           .waves = "waves",
                                           .prepare = prepare};

static const struct wt_family_task tasks[] = {{"run kernels", "", "", true}, {0}};

static const struct wt_family family = {
    .name = "toy",
    .config = {.table = &toy_config_table, .describe = describe},
    .files = {.runs = "kernels of toys", .elf_machine = UINT32_MAX, .takes = takes},
    .words = {.core = "core", .wave = "wave", .lane = "lane", .local = "local", .mask_digits = 2},
    .profile = TOY_PROFILE,
    .run = {.own_bytes = sizeof(struct own),
            .read = read_program,
            .open = open_device,
            .load = load,
            .close = close_device},
    .isa = {.reported = sizeof(struct toy_insn),
            .instruction_text = instruction_text,
            .list_isa = list_isa},
    .core_file = {.operations = toy_operations, .make_ready = make_ready},
    .debug = {.probe = &toy_probe,
              .unit_waves = TOY_SLOTS,
              .most_units = TOY_MOST_CORES,
              .shown_units = 1,
              .process = &process,
              .looks = true,
              .launch_again = launch_again},
    .host = &host,
    .tasks = tasks};

/* The registry, with one more row. */
const struct wt_family *const wt_families[] = {&wt_family_vortex, &wt_family_gcn, &wt_family_gen,
                                               &wt_family_sm,     &family,        NULL};
