/* The toy as a family of targets: kernels in files, and host programs. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "probe.h"
#include "target/gcn.h"
#include "target/gen.h"
#include "target/history.h"
#include "target/host_program.h"
#include "target/launch.h"
#include "target/no_process.h"
#include "target/sm.h"
#include "target/vortex.h"
#include "toy.h"

/* ---- configuration ---- */

struct config {
    unsigned cores;
};

static void set_default(void *config)
{
    ((struct config *)config)->cores = 2;
}

static const struct wt_config_key keys[] = {
    {"cores", "1..4 (2)", offsetof(struct config, cores), .least = 1, .most = TOY_MOST_CORES}};

static const struct wt_config table = {.gpu = "a toy",
                                       .size = sizeof(struct config),
                                       .keys = keys,
                                       .count = 1,
                                       .set_default = set_default};

static void describe(const void *config, char *text, size_t size)
{
    snprintf(text, size, "a toy with %u cores", ((const struct config *)config)->cores);
}

/* ---- kernels in files ---- */

struct own {
    struct toy_device *device;
    uint8_t *file;
    size_t length;
    struct toy_header header;
    struct toy_launch launch;
    struct wt_value *value;
    size_t values;
    struct toy_link link;
};

static struct own *own(const struct wt_emulated *e)
{
    return e->own;
}

static bool takes(const char *path)
{
    struct toy_header h = {.magic = ""};
    FILE *file = fopen(path, "re");
    const bool is = file && fread(&h, sizeof h, 1, file) == 1 && !memcmp(h.magic, TOY_MAGIC, 8);
    if (file)
        fclose(file);
    return is;
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
    uint32_t grid[3], block[3];
    enum wt_status status = wt_file_read(e->program, &o->file, &o->length, err);
    if (!status)
        status = wt_launch_shape(&e->options->kernel, grid, block, err);
    if (status)
        return status;
    memcpy(&o->header, o->file, sizeof o->header);
    if (block[0] % TOY_LANES || grid[0] % block[0] || grid[1] * grid[2] != 1)
        return wt_fail(err, WT_INVALID, "a toy's groups are whole, of %u lanes a wave", TOY_LANES);
    o->launch = (struct toy_launch){.groups = grid[0] / block[0], .waves = block[0] / TOY_LANES};
    return wt_launch_read_values(e->options, "toy", &o->header, o->header.arguments, argument,
                                 &o->value, &o->values, err);
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct wt_schedule schedule;
    struct own *o = e->own = calloc(1, sizeof *o);
    enum wt_status status = WT_OK;
    if (!o)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &schedule, WT_IGNORED);
    if (e->program && (status = read_program(e, err)) != WT_OK)
        return status;
    o->device = toy_new(((const struct config *)config)->cores, false,
                        e->options->schedule ? e->options->schedule : &schedule, err);
    e->machine = o->device ? &o->device->machine : NULL;
    return o->device ? WT_OK : WT_NO_MEMORY;
}

static uint32_t launch(struct wt_emulated *e)
{
    return wt_emulated_input(e, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                   .bytes = &own(e)->launch,
                                                   .size = sizeof own(e)->launch,
                                                   .operation = toy_do_launch});
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    struct own *o = own(e);
    uint64_t arguments[64] = {0}, at = TOY_BUFFERS;
    enum wt_status status = WT_OK;
    wt_memory_clear(e->machine->memory);
    wt_machine_forget_code(e->machine);
    e->machine->ops->reset(e->machine);
    for (size_t i = 0; i < o->values && !status; i++) {
        struct wt_value *v = &o->value[i];
        memcpy(&arguments[i], v->bytes, v->length < 8 ? v->length : 8);
        if (!(o->header.buffers >> i & 1))
            continue;
        arguments[i] = v->addr = at;
        status = wt_mapped_put(e->machine, at, v->bytes, v->length, err);
        at += (v->length + 255) / 256 * 256;
    }
    if (!status)
        status = toy_load(o->device, o->file, o->length, arguments, &o->launch, err);
    if (!status)
        toy_do_launch(e->machine, &o->launch, sizeof o->launch);
    return status;
}

static void close_device(struct wt_emulated *e)
{
    struct own *o = own(e);
    if (!o)
        return;
    if (o->device)
        e->machine->ops->free(e->machine);
    wt_launch_free_values(o->value, o->values);
    free(o->file);
    free(o);
    e->own = NULL;
}

static unsigned waves_per_core(const struct wt_emulated *e)
{
    (void)e;
    return TOY_SLOTS;
}

static uint32_t exit_word(struct wt_emulated *e)
{
    (void)e;
    return 0;
}

static bool buffer(const struct wt_emulated *e, size_t index, struct wt_kernel_buffer *out)
{
    const struct own *o = own(e);
    if (index >= o->values || !(o->header.buffers >> index & 1))
        return false;
    *out = (struct wt_kernel_buffer){.name = "",
                                     .addr = o->value[index].addr,
                                     .length = o->value[index].length,
                                     .slice = o->value[index].length};
    return true;
}

static unsigned instruction_text(struct wt_emulated *e, uint64_t pc, const uint8_t *bytes,
                                 size_t available, char *text, size_t size)
{
    struct toy_insn in;
    (void)e, (void)pc;
    if (available < sizeof in)
        return 0;
    memcpy(&in, bytes, sizeof in);
    toy_text(&in, text, size);
    return sizeof in;
}

static bool instruction(struct wt_emulated *e, uint64_t pc, char *text, size_t size)
{
    struct toy_insn in;
    if (!toy_fetch(own(e)->device, pc, &in))
        return false;
    toy_text(&in, text, size);
    return true;
}

static const void *config_of(const struct wt_emulated *e)
{
    return &own(e)->device->cores;
}

static void list_isa(FILE *out)
{
    char text[64];
    for (struct toy_insn in = {.op = TOY_SET}; in.op < TOY_OPS; in.op++) {
        toy_text(&in, text, sizeof text);
        fprintf(out, "%s\n", text);
    }
}

static bool wave_error(struct wt_emulated *e, uint32_t wave, struct wt_fault **fault)
{
    struct toy_wave *w = &own(e)->device->wave[wave];
    *fault = &w->error;
    return wave < e->machine->waves && w->active && w->cause == TOY_FAILED;
}

static struct wt_fault *wave_fault(struct wt_emulated *e, uint32_t wave)
{
    struct wt_fault *fault;
    return wave_error(e, wave, &fault) ? fault : NULL;
}

/* ---- the debugger's way in ---- */

static uint32_t input(void *context, const struct wt_input *in)
{
    return wt_emulated_input(context, in);
}

static enum wt_status local_ask(void *context, const struct wt_wire_request *r, const void *more,
                                struct wt_wire_answer *answer, void *out, size_t room,
                                struct wt_error *err)
{
    struct wt_emulated *e = context;
    static uint8_t bytes[WT_WIRE_MOST];
    const struct wt_wire_register *reg = more;
    (void)err;
    *answer = (struct wt_wire_answer){.result = -1};
    if (r->verb == WT_WIRE_READ) {
        if (e->machine->ops->read_memory(e->machine, r->wave, r->lane, r->addr, out, r->size))
            *answer = (struct wt_wire_answer){.size = r->size};
    } else if (r->verb == WT_WIRE_WRITE) {
        answer->result = (int32_t)input(e, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                              .wave = r->wave,
                                                              .lane = r->lane,
                                                              .addr = r->addr,
                                                              .bytes = more,
                                                              .size = r->follows}) -
                         1;
    } else if (r->verb == WT_WIRE_REGISTERS) {
        input(e, &(struct wt_input){
                     .kind = WT_INPUT_DEBUG_WRITE, .addr = reg->addr, .value = reg->value});
        *answer = (struct wt_wire_answer){.size = sizeof *reg};
    } else {
        memcpy(bytes, more ? more : "", more ? r->follows : 0);
        answer->result = toy_serve(own(e)->device, input, e, r, answer, bytes);
        memcpy(out ? out : bytes, bytes, answer->size < room ? answer->size : room);
    }
    return WT_OK;
}

static enum wt_status local_event(void *context, bool wait, struct toy_event *event,
                                  struct wt_error *err)
{
    struct wt_emulated *e = context;
    struct wt_machine *m = e->machine;
    uint64_t before;
    enum wt_run run = WT_RUN_EVENT;
    (void)err;
    *event = (struct toy_event){.happened = true};
    do { /* a watched instruction is reported before it issues; a step is meant to issue it */
        before = m->time;
        if (wait && (run = wt_emulated_run(e, 4096)) == WT_RUN_WATCH && m->time == before)
            m->hits = 0;
    } while (wait && run == WT_RUN_WATCH && m->time == before);
    return WT_OK;
}

static bool local_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    (void)text, (void)size;
    *status = 0;
    return !m->active && !m->fault.kind;
}

static enum wt_status local_reset(void *context, struct wt_error *err)
{
    wt_emulated_input(context, &(struct wt_input){.kind = WT_INPUT_RESET});
    wt_emulated_input(
        context, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .value = TOY_ATTEND | TOY_HOLD});
    return launch(context) ? WT_OK : wt_fail(err, WT_INVALID, "it cannot be launched again");
}

static void attach(struct wt_emulated *e)
{
    own(e)->link = (struct toy_link){.context = e,
                                     .waves = e->machine->waves,
                                     .ask = local_ask,
                                     .event = local_event,
                                     .ended = local_ended,
                                     .reset = local_reset};
    e->target.link = &own(e)->link;
}

static void make_ready(struct wt_emulated *e)
{
    own(e)->device->control |= TOY_ATTEND;
}

/* ---- host programs ---- */

struct process {
    struct wt_process_link wire; /* first: the context of the target's services */
    struct toy_link link;
};

static enum wt_status remote_ask(void *context, const struct wt_wire_request *r, const void *more,
                                 struct wt_wire_answer *answer, void *out, size_t room,
                                 struct wt_error *err)
{
    *answer = (struct wt_wire_answer){.size = r->size};
    if (r->verb == WT_WIRE_READ)
        return wt_process_link_read(context, *r, out, r->size, err);
    if (r->verb == WT_WIRE_WRITE)
        return wt_process_link_write(context, *r, more, r->follows, err);
    return wt_process_link_ask(context, r, more, answer, out, room, err);
}

static enum wt_status remote_event(void *context, bool wait, struct toy_event *event,
                                   struct wt_error *err)
{
    int what;
    uint64_t code;
    const enum wt_status status = wt_process_link_event(context, wait, &what, &code, err);
    *event = (struct toy_event){what & WT_WIRE_STOPPED, what & WT_WIRE_CODE, code};
    return status;
}

static enum wt_status remote_known(void *context, uint64_t state, struct wt_error *err)
{
    return wt_process_link_code_known(context, state, err);
}

static bool remote_ended(void *context, uint32_t *status, char *text, size_t size)
{
    return wt_process_link_ended(context, status, text, size);
}

static enum wt_status connect_to(struct wt_process *p, const struct wt_process_place *place,
                                 struct wt_error *err)
{
    struct process *own = p->own = calloc(1, sizeof *own);
    struct wt_wire_answer answer;
    enum wt_status status;
    if (!own)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    own->wire.history.lanes = TOY_LANES;
    if ((status = wt_process_link_open(&own->wire, place, TOY_SOCKET, TOY_WIRE_FAMILY, err)) ||
        (status = wt_process_link_tell(&own->wire, (struct wt_wire_request){.verb = WT_WIRE_ATTACH},
                                       &answer, err)))
        return status;
    const uint32_t cores = own->wire.hello.units[0];
    own->link =
        (struct toy_link){.context = own,
                          .host_launches = true,
                          .waves = TOY_SLOTS * (cores && cores <= TOY_MOST_CORES ? cores : 1),
                          .ask = remote_ask,
                          .event = remote_event,
                          .code_known = remote_known,
                          .ended = remote_ended};
    p->wire = &own->wire;
    p->target.link = &own->link;
    return WT_OK;
}

static void disconnect(struct wt_process *p)
{
    struct process *own = p->own;
    if (own)
        wt_process_link_close(&own->wire);
    free(own);
}

static enum wt_status refresh(struct wt_process *p, struct wt_error *err)
{
    (void)p, (void)err; /* kernels have no symbols */
    return WT_OK;
}

/* Before the program is started, and after its end. */
static enum wt_status none_ask(void *context, const struct wt_wire_request *r, const void *more,
                               struct wt_wire_answer *answer, void *out, size_t room,
                               struct wt_error *err)
{
    (void)more;
    if (r->verb == WT_WIRE_WRITE)
        return wt_process_refuse_write(err);
    *answer = (struct wt_wire_answer){.size = (uint32_t)room};
    memset(out, 0, room);
    return r->verb == WT_WIRE_READ ? wt_process_read_image(context, r->addr, out, room, err)
                                   : WT_OK;
}

static enum wt_status none_event(void *context, bool wait, struct toy_event *event,
                                 struct wt_error *err)
{
    (void)context, (void)wait, (void)err;
    *event = (struct toy_event){.happened = false};
    return WT_OK;
}

static enum wt_status connect_none(struct wt_process *p, const char *program, struct wt_error *err)
{
    struct toy_link *link = p->no_link = malloc(sizeof *link);
    (void)program;
    if (!link)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *link = (struct toy_link){.context = p,
                              .waves = TOY_SLOTS,
                              .ask = none_ask,
                              .event = none_event,
                              .ended = wt_process_never_ended};
    p->target.link = link;
    return WT_OK;
}

static const struct wt_process_ops process = {.socket = TOY_SOCKET,
                                              .wire = TOY_WIRE_FAMILY,
                                              .connect = connect_to,
                                              .connect_none = connect_none,
                                              .refresh = refresh,
                                              .disconnect = disconnect};

static bool prepare(const struct wt_host_program *program, const char *folder)
{
    (void)program;
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
    .config = {.table = &table, .of = config_of, .describe = describe},
    .files = {.runs = "kernels of toys", .elf_machine = UINT32_MAX, .takes = takes},
    .words = {.core = "core", .wave = "wave", .lane = "lane", .mask_digits = 2},
    .run = {.open = open_device,
            .load = load,
            .close = close_device,
            .waves_per_core = waves_per_core,
            .exit_word = exit_word,
            .wave_fault = wave_fault,
            .buffer = buffer},
    .isa = {.instruction = instruction, .instruction_text = instruction_text, .list_isa = list_isa},
    .core_file = {.operations = toy_operations, .make_ready = make_ready},
    .debug = {.attach = attach, .probe = &toy_probe, .process = &process},
    .host = &host,
    .tasks = tasks};

/* The registry, with one more row. */
const struct wt_family *const wt_families[] = {&wt_family_vortex, &wt_family_gcn, &wt_family_gen,
                                               &wt_family_sm,     &family,        NULL};
