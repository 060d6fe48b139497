/* Host programs on Gen9, and the kernels that they have launched. See gen_process.h. */
#include "target/gen_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/gen/process.h"
#include "object/gen_kernel_elf.h"
#include "target/code_list.h"

/* Each kernel is a module: numbers of kernels are never used again. */
struct gen_process_code {
    struct wt_listed_code of; /* first */
    uint64_t address;
    uint8_t *bytes; /* for the time after the program's end; NULL: they could not be had */
    size_t size;
};

struct own {
    struct wt_gen_process connection; /* first */
    uint64_t sources;                 /* texts that were fetched so far */
    struct wt_code_list code;
};

static struct own *own(const struct wt_process *p)
{
    return p->own;
}

/* Its instructions, read before breakpoints are planted there. */
static uint8_t *read_code(struct wt_process *p, const struct gen_wire_kernel *kernel)
{
    const struct wt_link *l = p->target.link;
    uint64_t addr = kernel->address;
    const uint32_t wave = wt_process_link_first(p->wire, wt_gen_unmark(l, &addr, 0));
    uint8_t *bytes = kernel->code_size ? malloc(kernel->code_size) : NULL;
    if (bytes && wt_link_read(l, wave, 0, addr, bytes, kernel->code_size, WT_IGNORED) == WT_OK)
        return bytes;
    free(bytes);
    return NULL;
}

/* Checks the sizes that another process gives: the code's memory is allocated at once. */
static enum wt_status check_kernel(const struct gen_wire_kernel *kernel, struct wt_error *err)
{
    enum { MOST_CODE = 64 << 20 };
    if (kernel->code_size <= MOST_CODE && kernel->elf_size <= MOST_CODE)
        return WT_OK;
    return wt_fail(err, WT_IO,
                   "the process reports a kernel %s of %llu bytes, and debug information of %llu; "
                   "%d are the most",
                   kernel->name, (unsigned long long)kernel->code_size,
                   (unsigned long long)kernel->elf_size, MOST_CODE);
}

static enum wt_status add_module(struct wt_process *p, void *record, void *entry,
                                 struct wt_error *err)
{
    struct gen_wire_kernel *kernel = record;
    struct gen_process_code *code = entry;
    enum wt_status status;
    uint8_t *bytes = NULL;
    size_t length;
    kernel->name[GEN_WIRE_NAME - 1] = 0;
    kernel->address += wt_gen_mark(p->target.link, kernel->device);
    if ((status = check_kernel(kernel, err)) ||
        (kernel->elf_size &&
         (status = wt_gen_process_elf(&own(p)->connection, kernel, &bytes, &length, err))))
        return status;
    if (bytes)
        gen_kernel_elf_correct(bytes, length, kernel->code_size);
    else
        status = gen_kernel_elf_make(kernel->name, NULL, kernel->code_size, &bytes, &length, err);
    if (!status)
        status = wt_modules_add_bytes(p->modules, kernel->name, bytes, length, kernel->address, 0,
                                      &code->of.module, err);
    free(bytes);
    code->address = kernel->address;
    code->bytes = status ? NULL : read_code(p, kernel);
    code->size = kernel->code_size;
    return status == WT_INVALID ? WT_IO : status; /* it is there, but makes no sense */
}

static void drop_code(void *entry)
{
    free(((struct gen_process_code *)entry)->bytes);
}

/* Texts are sent before the kernels that are compiled from them. */
static enum wt_status take_sources(struct wt_process *p, struct wt_error *err)
{
    enum wt_status status;
    char *text, name[64];
    size_t length;
    while ((status = wt_gen_process_source(&own(p)->connection, own(p)->sources + 1, &text, &length,
                                           err)) == WT_OK &&
           text) {
        snprintf(name, sizeof name, GEN_WIRE_SOURCE_PATH, (unsigned)++own(p)->sources);
        status = wt_modules_add_text(p->modules, name, text, length, err);
        free(text);
        if (status != WT_OK)
            break;
    }
    return status;
}

static enum wt_status refresh(struct wt_process *p, struct wt_error *err)
{
    static const struct wt_code_list_ops ops = {.verb = GEN_WIRE_KERNELS,
                                                .record_bytes = sizeof(struct gen_wire_kernel),
                                                .entry_bytes = sizeof(struct gen_process_code),
                                                .add = add_module,
                                                .drop = drop_code};
    const enum wt_status status = take_sources(p, err);
    return status ? status : wt_process_follow(p, &ops, &own(p)->code, err);
}

static int by_address(const void *a, const void *b)
{
    const struct gen_process_code *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* The memory that the process has left, if any. */
struct left {
    wt_process_piece_fn *found;
    void *context;
    bool any;
};

static bool pass_on(void *context, uint64_t addr, uint8_t *bytes, uint64_t size)
{
    struct left *left = context;
    left->any = true;
    return left->found(left->context, addr, bytes, size);
}

/* The kernels of a process that was killed can still be looked at. */
static void final_memory(struct wt_process *p, wt_process_piece_fn *found, void *context)
{
    struct left left = {found, context, false};
    wt_gen_process_final_memory(&own(p)->connection, pass_on, &left);
    struct gen_process_code *code = own(p)->code.entry;
    if (left.any || !code)
        return;
    qsort(code, own(p)->code.count, sizeof *code, by_address);
    for (size_t i = 0; i < own(p)->code.count; i++) {
        if (code[i].bytes)
            found(context, code[i].address, code[i].bytes, code[i].size);
        code[i].bytes = NULL;
    }
}

static void end(struct wt_process *p)
{
    for (size_t i = 0; i < own(p)->code.count; i++)
        drop_code((struct gen_process_code *)own(p)->code.entry + i);
    free(own(p)->code.entry);
}

const struct wt_process_ops wt_gen_process_ops = {.socket = GEN_WIRE_SOCKET,
                                                  .wire = GEN_WIRE_FAMILY,
                                                  .own_bytes = sizeof(struct own),
                                                  .lanes = 32,
                                                  .offer = wt_gen_process_offer_faults,
                                                  .final_memory = final_memory,
                                                  .refresh = refresh,
                                                  .end = end};
