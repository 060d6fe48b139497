/* Host programs on Gen9, and the kernels that they have launched. See gen_process.h. */
#include "target/gen_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/gen/process.h"
#include "object/gen_kernel_elf.h"

/* Each kernel is a module: numbers of kernels are never used again. */
struct code {
    wt_module_id id;
    uint64_t number, address;
    uint8_t *bytes; /* for the time after the program's end; NULL: they could not be had */
    size_t size;
};

struct own {
    struct wt_gen_process connection; /* first */
    uint64_t sources;                 /* texts that were fetched so far */
    struct code *code;
    size_t code_count, code_capacity;
};

static struct own *own(const struct wt_process *p)
{
    return p->own;
}

static bool is_known(const struct wt_process *p, uint64_t number)
{
    for (size_t i = 0; i < own(p)->code_count; i++)
        if (own(p)->code[i].number == number)
            return true;
    return false;
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
    return wt_fail(err, WT_INVALID,
                   "the process tells of a kernel %s of %llu bytes, and debug information of %llu; "
                   "%d are the most",
                   kernel->name, (unsigned long long)kernel->code_size,
                   (unsigned long long)kernel->elf_size, MOST_CODE);
}

static enum wt_status add_module(struct wt_process *p, const struct gen_wire_kernel *kernel,
                                 struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes = NULL;
    size_t length;
    wt_module_id id;
    if ((status = check_kernel(kernel, err)) != WT_OK)
        return status;
    struct code *grown =
        wt_array_grow(own(p)->code, &own(p)->code_capacity, own(p)->code_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a list of kernels");
    own(p)->code = grown;
    if (kernel->elf_size &&
        (status = wt_gen_process_elf(&own(p)->connection, kernel, &bytes, &length, err)) != WT_OK)
        return status;
    if (bytes)
        gen_kernel_elf_correct(bytes, length, kernel->code_size);
    if (!bytes && (status = gen_kernel_elf_make(kernel->name, NULL, kernel->code_size, &bytes,
                                                &length, err)) != WT_OK)
        return status;
    status =
        wt_modules_add_bytes(p->modules, kernel->name, bytes, length, kernel->address, 0, &id, err);
    free(bytes);
    if (status == WT_OK)
        grown[own(p)->code_count++] = (struct code){.id = id,
                                                    .number = kernel->number,
                                                    .address = kernel->address,
                                                    .bytes = read_code(p, kernel),
                                                    .size = kernel->code_size};
    return status;
}

/* Removes kernels whose memory is used by other kernels now. */
static void drop_modules(struct wt_process *p, const struct gen_wire_kernel *list, size_t count)
{
    for (size_t i = own(p)->code_count; i-- > 0;) {
        bool there = false;
        for (size_t k = 0; k < count; k++)
            there |= list[k].number == own(p)->code[i].number;
        if (there)
            continue;
        wt_modules_remove(p->modules, own(p)->code[i].id);
        free(own(p)->code[i].bytes);
        own(p)->code[i] = own(p)->code[--own(p)->code_count];
    }
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
    struct gen_wire_kernel *list;
    size_t count;
    enum wt_status status;
    if ((status = take_sources(p, err)) != WT_OK ||
        (status = wt_gen_process_kernels(&own(p)->connection, &list, &count, err)) != WT_OK)
        return status;
    drop_modules(p, list, count);
    for (size_t i = 0; i < count && !status; i++)
        if (!is_known(p, list[i].number))
            status = add_module(p, &list[i], err);
    free(list);
    return status;
}

static int by_address(const void *a, const void *b)
{
    const struct code *x = a, *y = b;
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
    if (left.any || !own(p)->code_count)
        return;
    qsort(own(p)->code, own(p)->code_count, sizeof *own(p)->code, by_address);
    for (size_t i = 0; i < own(p)->code_count; i++) {
        struct code *c = &own(p)->code[i];
        if (c->bytes)
            found(context, c->address, c->bytes, c->size);
        c->bytes = NULL;
    }
}

static void end(struct wt_process *p)
{
    for (size_t i = 0; i < own(p)->code_count; i++)
        free(own(p)->code[i].bytes);
    free(own(p)->code);
}

const struct wt_process_ops wt_gen_process_ops = {.socket = GEN_WIRE_SOCKET,
                                                  .wire = GEN_WIRE_FAMILY,
                                                  .own_bytes = sizeof(struct own),
                                                  .lanes = 32,
                                                  .offer = wt_gen_process_offer_faults,
                                                  .final_memory = final_memory,
                                                  .refresh = refresh,
                                                  .end = end};
