/* See checks.h. */
#include "target/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/demangle.h"
#include "check/names.h"
#include "debug/source/frame_memory.h"
#include "debug/source/modules.h"
#include "debug/source/symbols.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/origin.h"
#include "target/family.h"

/* Each buffer is an object, each slice of one that has some. */
static void add_buffer(const struct wt_emulated *e, const struct wt_kernel_buffer *b)
{
    const uint64_t slice = b->slice ? b->slice : b->length;
    for (uint64_t at = 0; slice && at < b->length; at += b->slice ? b->stride : b->length)
        wt_object_variable(e->machine, b->addr + at, slice, b->name, b->read_only);
}

/* Kernels may use what else is mapped: the launch has put it there. */
static bool allows(void *context, uint64_t addr, unsigned size, bool write,
                   const struct wt_object *near)
{
    struct wt_emulated *e = context;
    const uint64_t first = addr & ~WT_PAGE_MASK, last = (addr + size - 1) | WT_PAGE_MASK;
    uint8_t bytes[128];
    if (e->family->run.allows)
        return e->family->run.allows(e, addr, size, write, near);
    return last >= addr && !(near->size && near->addr <= last && near->addr + near->size > first) &&
           e->machine->ops->read_memory(e->machine, UINT32_MAX, 0, addr, bytes,
                                        size < sizeof bytes ? size : sizeof bytes);
}

/* Whether parts of a function are elsewhere, as GCC does with what is rarely executed: such code
 * is not analysed. */
static bool is_whole(struct wt_symbols *symbols, const char *name)
{
    char cold[300];
    uint64_t addr;
    snprintf(cold, sizeof cold, "%s.cold", name);
    return !strstr(name, ".cold") && !wt_symbols_address(symbols, cold, &addr);
}

struct module_names {
    struct wt_names_reader reader;
    const struct wt_module *module;
};

static bool add_name(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    struct module_names *n = context;
    char plain[300];
    if (code && size && is_whole(n->module->symbols, name))
        wt_function_at(n->reader.space, addr + n->module->bias, size, name);
    if (code)
        return true;
    wt_demangle(name, plain, sizeof plain);
    wt_names_read(&n->reader, plain, addr + n->module->bias, size);
    return true;
}

/* Functions and variables of the program's modules. */
static void add_names(const struct wt_emulated *e)
{
    size_t count;
    const struct wt_module *module = wt_modules_list(e->modules, &count);
    wt_names_begin(e->machine);
    for (size_t i = 0; i < count; i++) {
        struct module_names n = {.reader = {.space = e->machine}, .module = &module[i]};
        if (module[i].symbols)
            wt_symbols_each(module[i].symbols, add_name, &n);
        wt_names_end(&n.reader);
    }
}

enum { MOST_ARGUMENTS = 1024 };

static bool is_any(void *context, const struct wt_object *object)
{
    *(bool *)context = true;
    return false;
}

/* Tells of the program's objects, once. */
static void add_objects(struct wt_emulated *e)
{
    struct wt_kernel_buffer b;
    bool known = false;
    wt_objects_of(e->machine, is_any, &known);
    if (known)
        return;
    add_names(e);
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        if (wt_emulated_buffer(e, i, &b))
            add_buffer(e, &b);
    if (e->family->run.objects)
        e->family->run.objects(e);
}

/* The variable of a lane's or a group's own memory, by the program's debug information. Of PTX,
 * whose private memory has a window, only what is in frames: the code names the others itself. */
static bool variable_of(void *context, enum wt_observed_space space, uint64_t pc,
                        const struct wt_origin *o, struct wt_known_variable *v)
{
    const struct wt_emulated *e = context;
    const struct wt_family_words *words = &e->family->words;
    const struct wt_module *m = wt_modules_at(e->modules, 0, pc);
    const bool group = space == WT_OBSERVED_GROUP, in_frame = o->base == WT_ORIGIN_FRAME;
    const struct wt_own_place place = {
        .of = in_frame ? WT_PLACE_IN_FRAME
              : group  ? WT_PLACE_OF_GROUP
                       : WT_PLACE_OF_KERNEL,
        .at = (uint64_t)o->constant,
        .frame = (uint64_t)o->moved,
        .window = group ? words->local_window : words->private_window,
    };
    struct wt_memory_variable found;
    if (!m || !m->symbols || (!group && space != WT_OBSERVED_PRIVATE) || !o->scaled ||
        (o->base != WT_ORIGIN_NO_BASE && !in_frame) || (words->private_window && !in_frame) ||
        !wt_variable_at(m->symbols, pc - m->bias, &place, &found))
        return false;
    *v = (struct wt_known_variable){.first = found.offset, .size = found.size};
    snprintf(v->name, sizeof v->name, "%s", found.name);
    return true;
}

bool wt_emulated_check(struct wt_emulated *e, struct wt_check_set *set,
                       const struct wt_check_start *start, unsigned checks, wt_check_say_fn *say)
{
    struct wt_check_stacks stacks;
    if (checks & WT_CHECK_MEMORY)
        add_objects(e);
    if (!wt_check_set_begin(set, start, checks, WT_OPENMP_NONE, say))
        return false;
    /* The search for stacks looks functions up, which check/names.h has once a check has begun. */
    const bool has_stacks = e->family->run.stacks && e->family->run.stacks(e, &stacks);
    if (set->memory)
        wt_check_memory_set_allows(set->memory, allows, e);
    if (set->memory)
        wt_check_memory_set_variables(
            set->memory, e->family->run.variable ? e->family->run.variable : variable_of, e);
    if (set->memory && has_stacks)
        wt_check_memory_set_stacks(set->memory, &stacks);
    if (set->init && has_stacks) {
        const uint64_t size = stacks.size * e->machine->waves * e->machine->lanes;
        wt_check_init_set_stacks(set->init, stacks.top - size, size);
    }
    return true;
}

/* ---- results ---- */

struct results {
    struct wt_emulated *e;
    XXH3_state_t *hash;
};

static void hash_range(struct results *r, const char *name, uint64_t addr, uint64_t size)
{
    struct wt_machine *m = r->e->machine;
    uint8_t bytes[4096];
    XXH3_64bits_update(r->hash, name, strlen(name) + 1);
    XXH3_64bits_update(r->hash, &size, sizeof size);
    for (uint64_t at = 0; at < size; at += sizeof bytes) {
        const size_t part = size - at < sizeof bytes ? (size_t)(size - at) : sizeof bytes;
        if (m->ops->read_memory(m, UINT32_MAX, 0, addr + at, bytes, part))
            XXH3_64bits_update(r->hash, bytes, part);
    }
}

static bool hash_object(void *context, const struct wt_object *object)
{
    struct results *r = context;
    struct wt_machine *m = r->e->machine;
    if (!object->read_only && m->ops->home(m, 0, object->addr) == WT_HOME_NOW)
        hash_range(r, object->name, object->addr, object->size);
    return true;
}

/* Variables of a kernel's module; those of groups are at no address. */
static bool hash_variable(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    struct results *r = context;
    if (!code && size)
        hash_range(r, name, addr, size);
    return true;
}

bool wt_emulated_hash_results(struct wt_emulated *e, uint64_t *hash)
{
    struct results r = {.e = e, .hash = XXH3_createState()};
    size_t count;
    const struct wt_module *module = wt_modules_list(e->modules, &count);
    if (!r.hash)
        return false;
    XXH3_64bits_reset(r.hash);
    add_objects(e);
    wt_objects_of(e->machine, hash_object, &r);
    for (size_t i = 0; i < count; i++)
        if (module[i].symbols)
            wt_symbols_each(module[i].symbols, hash_variable, &r);
    *hash = XXH3_64bits_digest(r.hash);
    XXH3_freeState(r.hash);
    return true;
}
