/* A device with a program in it, and its console. See session.h. */
#include "cli/session_history.h"

#include "emulator/vortex/profile.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One line of the program's console. */
static void console_line(void *context, unsigned slot, const char *line, size_t length)
{
    struct cli_session *s = context;
    if (!s->console)
        return;
    if (s->console_slots)
        fprintf(s->console, "#%u: ", slot);
    fwrite(line, 1, length, s->console);
    fputc('\n', s->console);
    if (fflush(s->console) || ferror(s->console))
        s->console_broken = true;
}

/* All bytes of the file that a --load names. */
static enum wt_status read_file(const struct cli_load *load, uint8_t **bytes, size_t *length,
                                struct wt_error *err)
{
    char *path = strndup(load->path, load->path_length);
    if (!path)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    enum wt_status status = WT_OK;
    FILE *file = fopen(path, "rb");
    size_t room = 65536, have = 0;
    uint8_t *buffer = file ? malloc(room) : NULL;
    while (buffer) {
        have += fread(buffer + have, 1, room - have, file);
        if (have < room)
            break;
        room *= 2;
        uint8_t *grown = room <= (size_t)1 << 30 ? realloc(buffer, room) : NULL;
        if (!grown)
            free(buffer);
        buffer = grown;
    }
    if (!file)
        status = wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(errno));
    else if (!buffer)
        status = wt_fail(err, WT_NO_MEMORY, "%s: too large (it must be below 1 GiB)", path);
    else if (ferror(file))
        status = wt_fail(err, WT_IO, "%s: cannot read: %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (status)
        free(buffer);
    *bytes = status ? NULL : buffer;
    *length = status ? 0 : have;
    free(path);
    return status;
}

/* Puts the program and the --load files into memory, and resets. */
static enum wt_status load_all(struct cli_session *s, struct wt_error *err)
{
    if (s->program && vx_device_load(s->device, &s->image, err))
        return wt_fail_in(err, "%s", s->program);
    for (size_t i = 0; i < s->options->loads; i++) {
        const struct cli_loaded *l = &s->loaded[i];
        if (!s->machine->ops->write_memory(s->machine, 0, l->addr, l->bytes, l->length))
            return wt_fail(err, WT_INVALID,
                           "--load %s: %zu bytes at 0x%" PRIx64 " do not fit the address space",
                           s->options->load[i].path, l->length, l->addr);
    }
    s->fault_told = false;
    return WT_OK;
}

static enum wt_status open_program(struct cli_session *s, struct wt_error *err)
{
    const struct cli_options *o = s->options;
    uint64_t base = o->base_given             ? o->base
                    : o->config.startup_given ? o->config.startup
                                              : o->config.profile->startup_addr;
    if (wt_image_load(s->program, base, &s->image, err))
        return err->status;
    if (s->image.format == WT_IMAGE_ELF && s->image.elf_machine != EM_RISCV)
        return wt_fail(err, WT_INVALID,
                       "%s: it is a program for %s (ELF machine %u); Vortex runs RISC-V (243)",
                       s->program, wt_image_machine_name(s->image.elf_machine),
                       s->image.elf_machine);
    /* A program runs without its symbols, too (they cannot be read from a pipe, for one). */
    if (s->image.format == WT_IMAGE_ELF && wt_symbols_open(s->program, &s->symbols, err)) {
        s->symbols = NULL;
        fprintf(stderr, "wavetrap: no symbols: %s\n", err->text);
    }
    return WT_OK;
}

static enum wt_status open_files(struct cli_session *s, struct wt_error *err)
{
    const struct cli_options *o = s->options;
    if (s->program && open_program(s, err))
        return err->status;
    s->loaded = calloc(o->loads ? o->loads : 1, sizeof *s->loaded);
    if (!s->loaded)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < o->loads; i++) {
        struct cli_loaded *l = &s->loaded[i];
        if (cli_session_address(s, o->load[i].place, &l->addr, err) ||
            read_file(&o->load[i], &l->bytes, &l->length, err))
            return wt_fail_in(err, "--load");
    }
    return WT_OK;
}

enum wt_status cli_session_open(struct cli_session *session, const struct cli_options *options,
                                const char *program, struct wt_error *err)
{
    *session = (struct cli_session){
        .options = options, .program = program, .console = stdout, .console_slots = options->slots};
    enum wt_status status = cli_check_arguments(options, err);
    if (!status && options->gpu_is_gcn)
        status = wt_fail(err, WT_UNSUPPORTED,
                         "--gpu=gfx900: that runs code objects, by 'wavetrap run', and %s is none",
                         program);
    if (!status)
        status = open_files(session, err);
    if (!status) {
        struct vx_config config = options->config;
        if (!config.xlen)
            config.xlen = session->image.bits;
        status = vx_device_new(&config, &session->device, err);
    }
    if (!status) {
        session->machine = vx_machine(session->device);
        session->machine->console = console_line;
        session->machine->console_context = session;
        status = load_all(session, err);
    }
    if (status)
        cli_session_close(session);
    return status;
}

void cli_session_close(struct cli_session *session)
{
    wt_bus_close(session->bus);
    cli_history_stop(session);
    if (session->device)
        vx_device_free(session->device);
    if (session->symbols)
        wt_symbols_close(session->symbols);
    for (size_t i = 0; session->loaded && i < session->options->loads; i++)
        free(session->loaded[i].bytes);
    free(session->loaded);
    free(session->watch);
    free(session->hit);
    wt_image_free(&session->image);
    *session = (struct cli_session){0};
}

enum wt_status cli_session_address(struct cli_session *session, const char *text, uint64_t *addr,
                                   struct wt_error *err)
{
    if (text[0] >= '0' && text[0] <= '9')
        return cli_number(text, addr, err);
    const char *plus = strchr(text, '+');
    size_t length = plus ? (size_t)(plus - text) : strlen(text);
    uint64_t offset = 0;
    if (plus && cli_number(plus + 1, &offset, err))
        return err->status;
    char name[256];
    if (length >= sizeof name)
        return wt_fail(err, WT_INVALID, "'%.32s…' is too long for a symbol", text);
    memcpy(name, text, length);
    name[length] = 0;
    if (!session->symbols || !wt_symbols_address(session->symbols, name, addr))
        return wt_fail(err, WT_INVALID, "'%s' is neither a number nor a symbol of %s", name,
                       session->program ? session->program : "a program");
    *addr += session->moved + offset;
    return WT_OK;
}

/* ---- the device as a debugger's target ---- */

static uint32_t bus_read(void *context, uint32_t addr)
{
    struct cli_session *s = context;
    /* Unless core cycles pass with each access, reading changes nothing that replay has to repeat.
     */
    if (!s->options->config.dm_clock)
        return vx_dm_read(s->device, addr);
    return cli_history_input(s, &(struct wt_input){.kind = WT_INPUT_DEBUG_READ, .addr = addr});
}

static void bus_write(void *context, uint32_t addr, uint32_t value)
{
    cli_history_input(
        context, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = addr, .value = value});
}

static enum wt_pump pump(void *context, uint64_t budget)
{
    struct cli_session *s = context;
    uint64_t before = s->machine->time;
    enum wt_run run = cli_history_run(s, budget);
    bool advanced = s->machine->time != before;
    bool new_fault = run == WT_RUN_FAULT && !s->fault_told;
    s->fault_told = run == WT_RUN_FAULT;
    if (run == WT_RUN_ENDED)
        cli_history_input(s, &(struct wt_input){.kind = WT_INPUT_FLUSH_CONSOLE});
    if (run == WT_RUN_BUDGET)
        return WT_PUMP_RAN;
    return run == WT_RUN_EVENT || run == WT_RUN_WATCH || advanced || new_fault ? WT_PUMP_EVENT
                                                                               : WT_PUMP_IDLE;
}

static bool read_memory(void *context, uint32_t wave, uint64_t addr, void *out, size_t size)
{
    struct wt_machine *m = ((struct cli_session *)context)->machine;
    return m->ops->read_memory(m, wave, addr, out, size);
}

static bool write_memory(void *context, uint32_t wave, uint64_t addr, const void *bytes,
                         size_t size)
{
    return cli_history_input(
        context,
        &(struct wt_input){
            .kind = WT_INPUT_MEMORY, .wave = wave, .addr = addr, .bytes = bytes, .size = size});
}

static void wave_detail(void *context, uint32_t wave, struct wt_wave_detail *detail)
{
    struct wt_machine *m = ((struct cli_session *)context)->machine;
    struct wt_wave_view view;
    m->ops->view(m, wave, &view);
    detail->mask = view.mask;
    snprintf(detail->wait, sizeof detail->wait, "%s", view.waiting ? view.wait : "");
    detail->wait_pc = view.wait_pc;
    detail->at_barrier = view.at_barrier;
    detail->between_cores = view.between_cores;
    detail->barrier = view.barrier;
    detail->arrived = view.arrived;
    detail->expected = view.expected;
    detail->waiters = 0;
    for (unsigned i = view.depth; i-- > 0 && detail->waiters < WT_MAX_LANES;) {
        struct wt_divergence entry;
        if (m->ops->divergence(m, wave, i, &entry) && entry.other)
            detail->waiter[detail->waiters++] =
                (struct wt_wave_waiters){.lanes = entry.other, .pc = entry.pc};
    }
}

static void fault(void *context, struct wt_target_fault *out)
{
    const struct wt_fault *f = &((struct cli_session *)context)->machine->fault;
    out->present = f->kind != WT_FAULT_NONE;
    if (!out->present)
        return; /* asked after every step */
    *out = (struct wt_target_fault){.present = f->kind != WT_FAULT_NONE,
                                    .wave = f->wave,
                                    .lanes = f->lanes,
                                    .pc = f->pc,
                                    .addr = f->addr,
                                    .signal = WT_SIGNAL_ABRT};
    snprintf(out->text, sizeof out->text, "%s", f->text);
    switch (f->kind) {
    case WT_FAULT_ILLEGAL:
    case WT_FAULT_DIVERGENCE:
        out->signal = WT_SIGNAL_ILL;
        break;
    case WT_FAULT_MISALIGNED:
        out->signal = WT_SIGNAL_BUS;
        break;
    case WT_FAULT_ACCESS:
        out->signal = WT_SIGNAL_SEGV;
        break;
    default:
        break;
    }
}

static void clear_fault(void *context)
{
    struct cli_session *s = context;
    if (s->machine->fault.kind)
        cli_history_input(s, &(struct wt_input){.kind = WT_INPUT_CLEAR_FAULT});
    s->fault_told = false;
}

static enum wt_status reload(void *context, struct wt_error *err)
{
    enum wt_status status = load_all(context, err);
    return status ? status : cli_history_restart(context, err);
}

static uint64_t issue_time(void *context)
{
    return ((struct cli_session *)context)->machine->time;
}

struct wt_watch cli_watch_of(const struct wt_watchpoint *w)
{
    static const enum wt_watch_kind kinds[] = {[WT_WATCHPOINT_WRITE] = WT_WATCH_WRITE,
                                               [WT_WATCHPOINT_READ] = WT_WATCH_READ,
                                               [WT_WATCHPOINT_ACCESS] = WT_WATCH_ACCESS};
    return (struct wt_watch){
        .kind = kinds[w->kind], .addr = w->addr, .size = w->size, .wave = w->wave};
}

bool cli_watch_again(struct cli_session *s)
{
    return s->machine->ops->set_watches(s->machine, s->watch, s->watches);
}

bool cli_watch_room(struct cli_session *s)
{
    if (!s->hit)
        s->hit = calloc(WT_WATCH_HITS, sizeof *s->hit);
    return s->hit != NULL;
}

static enum wt_status watch(void *context, const struct wt_watchpoint *list, size_t count,
                            struct wt_error *err)
{
    struct cli_session *s = context;
    struct wt_watch *watches = calloc(count ? count : 1, sizeof *watches);
    for (size_t i = 0; watches && i < count; i++)
        watches[i] = cli_watch_of(&list[i]);
    if (watches)
        wt_watch_pin(s->machine, watches, count);
    free(s->watch);
    s->watch = watches;
    s->watches = watches ? count : 0;
    const bool set = cli_watch_again(s);
    if (watches && set && cli_watch_room(s))
        return WT_OK;
    s->watches = 0;
    cli_watch_again(s);
    return wt_fail(err, WT_NO_MEMORY, "no host memory for %zu watchpoints", count);
}

static size_t watch_hits(void *context, const struct wt_watchpoint_hit **list)
{
    struct cli_session *s = context;
    struct wt_machine *m = s->machine;
    size_t count = 0;
    for (size_t i = 0; i < m->hits && s->hit; i++) {
        const struct wt_watch_hit *h = &m->hit[i];
        if (!h->size)
            continue; /* a place of code, which nobody watches here */
        struct wt_watchpoint_hit *hit = &s->hit[count++];
        *hit = (struct wt_watchpoint_hit){.read = h->kind != WT_WATCH_WRITE,
                                          .write = h->kind != WT_WATCH_READ,
                                          .time = h->time,
                                          .wave = h->wave,
                                          .lane = h->lane,
                                          .pc = h->pc,
                                          .addr = h->addr,
                                          .size = h->size};
        memcpy(hit->before, h->before, sizeof hit->before);
        memcpy(hit->after, h->after, sizeof hit->after);
    }
    m->hits = 0;
    *list = s->hit;
    return count;
}

static const struct wt_target_services services = {
    .pump = pump,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .wave_detail = wave_detail,
    .fault = fault,
    .clear_fault = clear_fault,
    .reload = reload,
    .time = issue_time,
    .watch = watch,
    .watch_hits = watch_hits,
};

struct wt_bus_device cli_session_registers(struct cli_session *session)
{
    return (struct wt_bus_device){.context = session, .read = bus_read, .write = bus_write};
}

enum wt_status cli_session_attach(struct cli_session *session, struct wt_error *err)
{
    const struct wt_bus_device device = cli_session_registers(session);
    session->bus = wt_bus_local(&device);
    if (!session->bus)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    session->services = services;
    session->target = (struct wt_target){.bus = session->bus,
                                         .services = &session->services,
                                         .context = session,
                                         .exit_addr = vx_device_config(session->device)->exit_addr,
                                         .xlen = vx_device_config(session->device)->xlen};
    return WT_OK;
}
