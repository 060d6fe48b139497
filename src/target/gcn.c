/* AMD's GPUs as a family of targets: one kernel of a code object. See gcn.h. */
#include "target/gcn.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/file.h"
#include "debug/source/symbols.h"
#include "emulator/gcn/debug.h"
#include "emulator/gcn/gcn.h"
#include "emulator/gcn/isa.h"
#include "emulator/gcn/kfd.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/meaning.h"
#include "object/code_object.h"
#include "object/fatbin.h"
#include "runtime/gcn/launch.h"
#include "target/emulated.h"
#include "target/gcn_arguments.h"
#include "target/gcn_debugger.h"
#include "target/launch.h"
#include "target/gcn_process.h"
#include "target/gcn_program.h"

struct gcn {
    const struct gcn_model *model; /* that the program asks for; NULL: the device's config says */
    struct wt_gcn_program program;
    struct gcn_launch launch;
    struct gcn_device *device;
    struct gcn_disassembler *disassembler; /* NULL until the first use */
};

static struct gcn *own(const struct wt_emulated *e)
{
    return e->own;
}

struct gcn_device *wt_gcn_device(const struct wt_emulated *e)
{
    return own(e)->device;
}

static const struct gcn_model *model_of_config(const void *config)
{
    const struct gcn_config *c = config;
    return c ? c->model : gcn_models;
}

/* The model that --gpu asks for, else the program, or the core file. */
static const struct gcn_model *model_of(const struct wt_emulated *e)
{
    const struct gcn_model *model = own(e)->model;
    return model ? model : model_of_config(e->options->gpu.config);
}

static const struct gcn_model *model_of_program(const char *path)
{
    uint8_t *bytes;
    size_t length, own;
    char all[80];
    if (gcn_fatbin_read(path, &bytes, &length, &own, WT_IGNORED) != WT_OK)
        return NULL;
    const struct gcn_model *model = gcn_model_of_code(bytes, length, all, sizeof all);
    free(bytes);
    return model;
}

static void describe(const void *config, char *text, size_t size)
{
    const struct gcn_config *c = config;
    snprintf(text, size, "wavetrap %s: %u compute units; HIP, OpenMP, OpenACC",
             c->model->target.name, c->cu);
}

/* ---- the launch ---- */

static struct wt_launch_argument argument(const void *kernel, size_t index)
{
    const struct gcn_argument *a = &((const struct gcn_kernel *)kernel)->argument[index];
    return (struct wt_launch_argument){a->name, gcn_value_kind(a), a->size};
}

static enum wt_status read_handlers(const struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    for (size_t i = 0; i < e->options->kernel.handler_count; i++) {
        const char *path = e->options->kernel.handler[i];
        struct wt_value *h = &e->launch->handler[i];
        if ((status = wt_file_read(path, &h->bytes, &h->length, err)) != WT_OK)
            return status;
        if (h->length >= 4 && memcmp(h->bytes, "\177ELF", 4) == 0)
            return wt_fail(err, WT_INVALID,
                           "%s is an ELF file; a trap handler is its code alone: llvm-objcopy -O "
                           "binary -j .text",
                           path);
        if (!h->length || h->length % 4 || h->length > 1 << 20)
            return wt_fail(err, WT_INVALID,
                           "%s has %zu bytes; a trap handler is of whole dwords, and not more than "
                           "a MiB",
                           path, h->length);
    }
    return WT_OK;
}

static enum wt_status read_program(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    struct gcn *g = own(e);
    if (e->options->load_count || e->options->base_given)
        return wt_fail(err, WT_UNSUPPORTED, "--load and --base are not for code objects");
    if (!e->options->gpu.config)
        g->model = model_of_program(e->program);
    if ((status = wt_gcn_program_read(e->program, e->options->kernel.name, &model_of(e)->target,
                                      &g->program, err)) != WT_OK)
        return status;
    e->launch = &g->launch.given;
    g->launch.kernel = g->program.kernel;
    if ((status = wt_launch_describe(e, g->launch.kernel->name, g->launch.kernel,
                                     g->launch.kernel->explicit_arguments, argument, err)) != WT_OK)
        return status;
    return read_handlers(e, err);
}

static void add_module(struct wt_emulated *e)
{
    uint64_t at;
    /* A kernel without symbols runs, too. */
    if (own(e)->program.contained)
        wt_modules_add_bytes(e->modules, e->program, own(e)->program.object.file,
                             own(e)->program.length, GCN_LAUNCH_CODE, 0, NULL, WT_IGNORED);
    else
        wt_modules_add_file(e->modules, e->program, GCN_LAUNCH_CODE, 0, NULL, WT_IGNORED);
    /* The device libraries contain a printf without arguments: if it was linked too early, it has
     * replaced the compiler's own. */
    if (!own(e)->program.object.formats && wt_modules_address(e->modules, 0, "__printf_alloc", &at))
        snprintf(
            e->notice, sizeof e->notice,
            "%.200s calls printf, but has none of its texts: compile it with a clang newer than "
            "15, -O1 or more and -Xclang -mlink-builtin-bitcode-postopt",
            e->program);
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct gcn *g = own(e);
    struct gcn_config c = *(const struct gcn_config *)config;
    gcn_config_choose(&c, g->model ? g->model : c.model);
    g->model = c.model;
    const enum wt_status status = gcn_device_new(&c, &g->device, err);
    if (status)
        return status;
    e->machine = gcn_machine(g->device);
    e->reads_change_state = true; /* SQ_IND_INDEX increments itself */
    e->is_elf = true;
    if (e->program)
        add_module(e);
    return WT_OK;
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    gcn_device_clear(own(e)->device);
    return gcn_launch(own(e)->device, &own(e)->program.object, &own(e)->launch, err);
}

static void close_device(struct wt_emulated *e)
{
    struct gcn *g = own(e);
    gcn_disassembler_free(g->disassembler);
    gcn_device_free(g->device);
    if (g->launch.kernel)
        wt_gcn_program_free(&g->program);
}

/* ---- the run ---- */

static struct gcn_disassembler *disassembler(struct wt_emulated *e)
{
    if (!own(e)->disassembler)
        own(e)->disassembler = gcn_disassembler_new(model_of(e), gcn_code_lanes(own(e)->device));
    return own(e)->disassembler;
}

static enum wt_status print(struct wt_emulated *e, FILE *out, struct wt_error *err)
{
    struct gcn *g = own(e);
    const char *lost = NULL;
    const enum wt_status status =
        gcn_launch_print(g->device, &g->program.object, &g->launch, out, &lost, err);
    if (lost)
        snprintf(e->notice, sizeof e->notice, "not all that the kernel prints is there: %s", lost);
    const char *notice = gcn_device_take_notice(g->device);
    if (notice && !e->notice[0])
        snprintf(e->notice, sizeof e->notice, "%s", notice);
    return status;
}

/* ---- reports ---- */

static bool fault_memory(struct wt_emulated *e, const struct wt_fault *fault, char *text,
                         size_t size)
{
    unsigned lane;
    uint64_t byte;
    uint32_t bytes;
    if (!gcn_explain_private_fault(own(e)->device, fault, &lane, &byte, &bytes))
        return false;
    snprintf(text, size, GCN_PRIVATE_TEXT, lane, byte, bytes);
    return true;
}

static void explain_fault(struct wt_emulated *e, FILE *out)
{
    const struct wt_fault *f = &e->machine->fault;
    if (f->kind == WT_FAULT_EXCEPTION)
        gcn_explain_exception(out, own(e)->device, f, false);
    if (f->addr - GCN_LAUNCH_HOSTCALL < GCN_LAUNCH_HOSTCALL_SIZE)
        fprintf(out, "  The kernel asks a host runtime for something (printf of HIP, assert, "
                     "malloc): such programs run under 'wavetrap exec'.\n");
}

static bool independent_lanes(const struct wt_emulated *e)
{
    return own(e)->launch.kernel && own(e)->launch.kernel->opencl;
}

static unsigned instruction_text(struct wt_emulated *e, const struct wt_symbols *code, uint64_t pc,
                                 const uint8_t *bytes, size_t available, char *text, size_t size)
{
    const struct gcn_model *model = code ? gcn_model_of_machine(wt_symbols_flags(code)) : NULL;
    struct gcn_disassembler *own_one =
        e ? NULL
          : gcn_disassembler_new(model ? model : gcn_models,
                                 model ? model->target.lanes : gcn_models->target.lanes);
    struct gcn_disassembler *d = own_one;
    if (e)
        d = disassembler(e);
    const unsigned length =
        d && available >= 4 ? gcn_disassemble(d, bytes, (unsigned)available, pc, text, size) : 0;
    gcn_disassembler_free(own_one);
    return length;
}

static void explain_registers(FILE *out, const char *const *name, const uint64_t *value,
                              size_t count)
{
    struct gcn_trap_registers r = {.given = 0};
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < GCN_TRAP_REGISTERS; k++)
            if (strcasecmp(name[i], gcn_trap_register_names[k]) == 0) {
                r.value[k] = (uint32_t)value[i];
                r.given |= 1u << k;
            }
    gcn_explain_trap(out, &r);
}

static bool code_register(struct wt_emulated *e, uint64_t pc, size_t n,
                          struct wt_code_register *reg)
{
    return wt_gcn_code_argument(e->modules, pc, n, reg);
}

/* ---- the debugger ---- */

static void attach(struct wt_emulated *e)
{
    e->link.ops = &gcn_debugger_link;
    gcn_debugger_add_queue(own(e)->device);
    if (e->core_file) /* the debugger that wrote the file is gone */
        gcn_debugger_detach(e);
}

/* A run without a debugger has the driver's debug interface disabled. */
static void make_ready(struct wt_emulated *e)
{
    struct gcn_device *d = own(e)->device;
    gcn_debugger_add_queue(d);
    if (!gcn_kfd_is_enabled(d))
        gcn_kfd_enable(d, KFD_QUEUE_EXCEPTIONS);
}

static void list_isa(FILE *out, const void *config)
{
    for (unsigned i = 0; i < GCN_INSNS; i++) {
        const struct gcn_row *row = &gcn_rows[i];
        if (!(row->models & model_of_config(config)->set))
            continue;
        fprintf(out, "%-32s %-7s opcode 0x%03x%s%s%s%s", row->name,
                gcn_encoding_name((enum gcn_encoding)row->encoding),
                gcn_is_gfx10(model_of_config(config)) ? row->gfx10 : row->opcode,
                row->forms & GCN_E64 ? ", VOP3" : "", row->forms & GCN_SDWA ? ", SDWA" : "",
                row->forms & GCN_DPP ? ", DPP" : "",
                gcn_row_executes(row) ? "" : "; is not executed");
        if (gcn_row_executes(row))
            wt_meaning_print(out, ": ", row->meaning);
        fputc('\n', out);
    }
}

/* The oldest model with the row. */
static const struct gcn_model *first_with(const struct gcn_row *row)
{
    const struct gcn_model *m = gcn_models;
    while (m->set != (row->models & -row->models))
        m++;
    return m;
}

static void list_support(wt_support_fn *tell, void *context)
{
    static const char *const refused[][2] = {
        {"s_endpgm_ordered_ps_done", "it ends pixel shaders"},
        {"s_code_end", "it pads code and is never reached"},
        {"v_screen_partition_4se_b32", "no public document says what it computes"},
        {"ds_ordered_count", "an AQL packet cannot request ordered append"},
        {"image_get_lod", "images have one level here"}};
    for (unsigned i = 0; i < GCN_INSNS; i++) {
        const struct gcn_row *row = &gcn_rows[i];
        struct wt_support what = {first_with(row)->target.name, row->name, WT_SUPPORT_WORKS,
                                  "models of the manual's formulas in Python, LLVM's disassembler"};
        if (gcn_row_is_near(row)) {
            what.state = WT_SUPPORT_NEAR;
            what.note =
                row->encoding == GCN_MIMG
                    ? "linear filters: how a GPU rounds is not published; the same on every host"
                : strncmp(row->name, "v_dot", 5) == 0
                    ? "the order of its sums and their rounding are not published"
                    : "within one unit of the last place, the same on every host";
        } else if (!gcn_row_executes(row)) {
            what.state = WT_SUPPORT_REFUSED;
            what.note = "it is disassembled only";
            if (row->encoding == GCN_MIMG)
                what.note = !row->models ? "gfx10's images are not executed"
                            : strstr(row->name, "pck")
                                ? "it gives texels without converting them"
                                : "it compares with a reference, or is gather4h";
            for (unsigned r = 0; r < sizeof refused / sizeof refused[0]; r++)
                if (strcmp(refused[r][0], row->name) == 0)
                    what.note = refused[r][1];
        }
        tell(context, &what);
    }
}

/* The dwords of an instruction, as `trace` prints them: "0xd1010001 0x02020300". */
static enum wt_status explain_word(FILE *out, const char *text, const void *config,
                                   struct wt_error *err)
{
    const struct gcn_model *model = model_of_config(config);
    struct gcn_uop u = {0};
    struct wt_insn_operands operands;
    uint32_t word[GCN_MOST_DWORDS] = {0};
    uint8_t bytes[4 * GCN_MOST_DWORDS];
    unsigned count = 0;
    char line[256];
    const char *why, *from = text;
    while (*(from += strspn(from, " "))) {
        char *end;
        const unsigned long value = strtoul(from, &end, 16);
        if (end == from || (*end && *end != ' ') || value > UINT32_MAX ||
            count == model->most_dwords)
            return wt_fail(err, WT_INVALID,
                           "'%.64s' is not an instruction: its dwords in hexadecimal, such as "
                           "'d1010001 02020300'",
                           text);
        word[count++] = (uint32_t)value;
        from = end;
    }
    if (!count || !gcn_decode(model, model->target.lanes, word, count, &u, &why))
        return wt_fail(err, WT_INVALID, "'%.64s' is not an instruction of %s: %s", text,
                       model->target.name, count ? why : "there is no number");
    for (unsigned i = 0; i < count; i++)
        wt_store_le(bytes + 4 * i, word[i], 4);
    struct gcn_disassembler *d = gcn_disassembler_new(model, model->target.lanes);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a disassembler");
    gcn_disassemble(d, bytes, 4 * count, 0, line, sizeof line);
    gcn_disassembler_free(d);
    fprintf(out, "%s\n", line);
    gcn_operands(&u, &operands);
    wt_operands_print(out, &operands, gcn_operand_name);
    return WT_OK;
}

static const struct wt_hw_table *registers_of(const void *config)
{
    return gcn_register_table_of(((const struct gcn_config *)config)->model);
}

static void list_interrupts(struct wt_emulated *e, FILE *out)
{
    const struct gcn_device *d = own(e)->device;
    const struct wt_hw_table *t = registers_of(e->machine->config);
    const struct wt_hw_register *word[2] = {wt_hw_find(t, "SQ_INTERRUPT_WORD_WAVE", 22),
                                            wt_hw_find(t, "SQ_INTERRUPT_WORD_WAVE_1", 24)};
    struct gcn_interrupt in;
    assert(word[0] && word[1]);
    fprintf(out, "%" PRIu64 " interrupts\n", gcn_debug_interrupt_count(d));
    for (unsigned i = 0; gcn_debug_interrupt(d, i, &in); i++) {
        fprintf(out, "time %" PRIu64 ", wave %" PRIu32 ", VMID %" PRIu32 ", queue %" PRIu32 "\n  ",
                in.time, in.wave, in.vmid, in.queue);
        wt_hw_print(out, word[0], in.context0);
        fputs("  ", out);
        wt_hw_print(out, word[1], in.context1);
    }
}

static struct wt_rows_totals translated(const struct wt_emulated *e)
{
    return gcn_device_translated((struct gcn_device *)e->machine);
}

/* The preferred one last. */
static void models(wt_model_fn *tell, void *context)
{
    const struct gcn_model *list[32];
    unsigned count = 0;
    for (const struct gcn_model *m = NULL; (m = gcn_model_preferred(m));) {
        assert(count < sizeof list / sizeof *list);
        list[count++] = m;
    }
    while (count) {
        const struct gcn_model *m = list[--count];
        char keys[40] = "", about[180], more[50] = "";
        if (m != gcn_models)
            snprintf(keys, sizeof keys, "model=%s", m->target.name);
        if (m->agprs)
            snprintf(more, sizeof more, " and %u accumulation registers%s", m->agprs,
                     m->unified ? " in one file" : "");
        snprintf(about, sizeof about,
                 "AMD %s: waves of %s lanes, %u vector registers%s, %u KiB of LDS", m->chip,
                 m->target.lanes < 64 ? "32 or 64" : "64", m->vgprs, more, m->lds_bytes / 1024);
        tell(context, m->target.name, about, keys);
    }
}

static const char *model_name(const void *config)
{
    return model_of_config(config)->target.name;
}

const struct wt_family wt_family_gcn = {
    .name = "gfx900",
    .alias = "gcn",
    .models = models,
    .model = model_name,
    .config = {.table = &gcn_config_table, .describe = describe},
    .files = {.runs = "code objects",
              .elf_machine = GCN_ELF_MACHINE,
              .contained = wt_gcn_program_contained},
    .words = {.core = "cu", .wave = "wave", .lane = "lane", .local = "local", .mask_digits = 16},
    .profile = GCN_PROFILE,
    .run = {.own_bytes = sizeof(struct gcn),
            .read = read_program,
            .open = open_device,
            .load = load,
            .close = close_device,
            .print = print,
            .fault_memory = fault_memory,
            .explain_fault = explain_fault,
            .independent_lanes = independent_lanes,
            .translated = translated},
    .isa = {.reported = 8,
            .instruction_text = instruction_text,
            .code_register = code_register,
            .explain_registers = explain_registers,
            .assembler = "clang -target amdgcn-amd-amdhsa -mcpu=MODEL FILE.s assembles its text "
                         "(any version of Debian's package)",
            .list_isa = list_isa,
            .list_support = list_support,
            .explain_word = explain_word},
    .core_file = {.operations = gcn_debugger_operations, .make_ready = make_ready},
    .debug = {.probe = &wt_probe_gcn,
              .unit_waves = 1,
              .most_units = WT_MAX_WAVES,
              .attach = attach,
              .serve = gcn_debugger_serve,
              .process = &wt_gcn_process_ops,
              .attention = gcn_debugger_attention,
              .launch_again = gcn_debugger_launch_again,
              .registers = &gcn_register_table,
              .registers_of = registers_of,
              .interrupts = list_interrupts,
              .exception_name = gcn_exception_name},
    .host = &wt_gcn_host_driver,
    .tasks = wt_gcn_tasks,
};
