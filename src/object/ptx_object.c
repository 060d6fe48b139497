/* Objects of PTX texts. See ptx_object.h. */
#include "object/ptx_object.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "object/cubin.h"

/* The fields that LLVM's tools check: OS ABI 51 and flags as NVIDIA's tools set them. */
enum { OSABI = 51, FLAGS = 0x500, ENTRY = 0x10 };
enum { NONE, TEXTS, INITIALISED, ZEROED, STRINGS, SYMBOLS, NAMES, SECTIONS };
#define TEXTS_NAME ".wavetrap.ptx"
static const char names[] =
    "\0" TEXTS_NAME "\0.nv.global.init\0.nv.global\0.strtab\0.symtab\0.shstrtab";

struct writer {
    struct wt_buffer texts, data, strings, symbols;
    uint64_t zeroed; /* bytes of variables without initial values */
    const struct ptx_module *module;
    size_t module_count;
};

static void align_to(struct wt_buffer *b, size_t alignment)
{
    while (b->length % alignment && !b->failed)
        wt_buffer_append_number(b, 0, 1);
}

struct ptx_object_symbol {
    unsigned type, section;
    uint64_t value, size;
    bool is_entry;
};

static void add_symbol(struct writer *w, struct ptx_name name, enum ptx_linkage linkage,
                       struct ptx_object_symbol s)
{
    const unsigned bind = linkage == PTX_WEAK || linkage == PTX_COMMON ? STB_WEAK : STB_GLOBAL;
    wt_buffer_append_number(&w->symbols, w->strings.length, 4);
    wt_buffer_append_number(&w->symbols, ELF64_ST_INFO(bind, s.type), 1);
    wt_buffer_append_number(&w->symbols, s.is_entry ? ENTRY : 0, 1);
    wt_buffer_append_number(&w->symbols, s.section, 2);
    wt_buffer_append_number(&w->symbols, s.value, 8);
    wt_buffer_append_number(&w->symbols, s.size, 8);
    wt_buffer_append(&w->strings, name.at, name.length);
    wt_buffer_append_number(&w->strings, 0, 1);
}

/* ---- symbols ---- */

static bool is_known(const struct ptx_variable *v)
{
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) &&
           v->linkage != PTX_PRIVATE && v->linkage != PTX_EXTERN;
}

/* A definition of the same name in an earlier text, or earlier in this one. */
static bool is_defined(const struct writer *w, struct ptx_name name, const void *before)
{
    for (size_t m = 0; m < w->module_count; m++) {
        const struct ptx_module *t = &w->module[m];
        for (size_t i = 0; i < t->function_count; i++) {
            const struct ptx_function *f = &t->function[i];
            if (f == before)
                return false;
            if (f->has_body && f->linkage != PTX_PRIVATE && ptx_names_equal(f->name, name))
                return true;
        }
        for (size_t i = 0; i < t->global_count; i++) {
            const struct ptx_variable *v = &t->variable[t->global[i]];
            if (v == before)
                return false;
            if (is_known(v) && ptx_names_equal(v->name, name))
                return true;
        }
    }
    return false;
}

static void add_variable(struct writer *w, const struct ptx_module *t, const struct ptx_variable *v)
{
    if (!v->initial_count) {
        w->zeroed = (w->zeroed + v->align - 1) / v->align * v->align;
        add_symbol(w, v->name, v->linkage,
                   (struct ptx_object_symbol){STT_OBJECT, ZEROED, w->zeroed, v->bytes, false});
        w->zeroed += v->bytes;
        return;
    }
    align_to(&w->data, v->align);
    const size_t at = w->data.length;
    add_symbol(w, v->name, v->linkage,
               (struct ptx_object_symbol){STT_OBJECT, INITIALISED, at, v->bytes, false});
    for (uint64_t i = 0; i < v->bytes && !w->data.failed; i++)
        wt_buffer_append_number(&w->data, 0, 1);
    for (uint32_t i = 0; i < v->initial_count && !w->data.failed; i++) {
        const struct ptx_initial *item = &t->initial[v->initial + i];
        if (!item->symbol.length && item->offset + item->size <= v->bytes)
            wt_store_le(w->data.bytes + at + item->offset, item->value >> item->shift, item->size);
    }
}

/* The functions that the driver itself provides. */
static bool is_provided(struct ptx_name name)
{
    return ptx_name_is(name, "vprintf") || ptx_name_is(name, "malloc") ||
           ptx_name_is(name, "free") || ptx_name_is(name, "__assertfail");
}

static bool is_listed(const struct ptx_name *list, size_t count, struct ptx_name name)
{
    for (size_t i = 0; i < count; i++)
        if (ptx_names_equal(list[i], name))
            return true;
    return false;
}

/* Names that are declared and defined nowhere: by them members of archives are chosen. */
static bool add_undefined(struct writer *w)
{
    size_t room = 1, count = 0;
    for (size_t m = 0; m < w->module_count; m++)
        room += w->module[m].function_count + w->module[m].global_count;
    struct ptx_name *list = calloc(room, sizeof *list);
    if (!list)
        return false;
    for (size_t m = 0; m < w->module_count; m++) {
        const struct ptx_module *t = &w->module[m];
        for (size_t i = 0; i < t->function_count + t->global_count; i++) {
            const bool function = i < t->function_count;
            const struct ptx_function *f = function ? &t->function[i] : NULL;
            const struct ptx_variable *v =
                function ? NULL : &t->variable[t->global[i - t->function_count]];
            const struct ptx_name name = function ? f->name : v->name;
            if (function ? f->has_body || f->is_prototype : v->linkage != PTX_EXTERN)
                continue;
            if ((v && v->space == PTX_SPACE_SHARED) || is_provided(name) ||
                is_defined(w, name, NULL) || is_listed(list, count, name))
                continue;
            list[count++] = name;
            add_symbol(w, name, PTX_VISIBLE,
                       (struct ptx_object_symbol){STT_NOTYPE, SHN_UNDEF, 0, 0, false});
        }
    }
    free(list);
    return true;
}

static bool add_symbols(struct writer *w)
{
    static const uint8_t none[24];
    wt_buffer_append(&w->symbols, none, sizeof none);
    wt_buffer_append_number(&w->strings, 0, 1);
    for (size_t m = 0; m < w->module_count; m++) {
        const struct ptx_module *t = &w->module[m];
        for (size_t i = 0; i < t->function_count; i++) {
            const struct ptx_function *f = &t->function[i];
            if (f->has_body && f->linkage != PTX_PRIVATE && !is_defined(w, f->name, f))
                add_symbol(w, f->name, f->linkage,
                           (struct ptx_object_symbol){STT_FUNC, TEXTS, 0, 0, f->is_entry});
        }
        for (size_t i = 0; i < t->global_count; i++) {
            const struct ptx_variable *v = &t->variable[t->global[i]];
            if (is_known(v) && !is_defined(w, v->name, v))
                add_variable(w, t, v);
        }
    }
    return add_undefined(w);
}

/* ---- the file ---- */

struct ptx_object_section {
    unsigned type;
    uint64_t flags, offset, size;
    unsigned link;
    uint64_t entry;
};

static void put_section(struct wt_buffer *out, unsigned index, const struct ptx_object_section *s)
{
    const char *name = names;
    for (unsigned i = 0; i < index; i++)
        name += strlen(name) + 1;
    wt_buffer_append_number(out, (uint64_t)(name - names), 4);
    wt_buffer_append_number(out, s->type, 4);
    wt_buffer_append_number(out, s->flags, 8);
    wt_buffer_append_number(out, 0, 8);
    wt_buffer_append_number(out, s->offset, 8);
    wt_buffer_append_number(out, s->size, 8);
    wt_buffer_append_number(out, s->link, 4);
    wt_buffer_append_number(out, s->type == SHT_SYMTAB, 4); /* the first that is not local */
    wt_buffer_append_number(out, index ? 16 : 0, 8);
    wt_buffer_append_number(out, s->entry, 8);
}

static uint64_t put_part(struct wt_buffer *out, const void *bytes, size_t length)
{
    align_to(out, 16);
    const uint64_t at = out->length;
    wt_buffer_append(out, bytes, length);
    return at;
}

static void put_file(struct writer *w, unsigned capability, bool linked, struct wt_buffer *out)
{
    static const uint8_t ident[16] = {0x7f,        'E',        'L',   'F', ELFCLASS64,
                                      ELFDATA2LSB, EV_CURRENT, OSABI, 7};
    uint64_t at[SECTIONS] = {0};
    wt_buffer_append(out, ident, sizeof ident);
    wt_buffer_append_number(out, linked ? ET_EXEC : ET_REL, 2);
    wt_buffer_append_number(out, CUBIN_ELF_MACHINE, 2);
    wt_buffer_append_number(out, 1, 4);

    while (out->length < 64 && !out->failed)
        wt_buffer_append_number(out, 0, 1);
    at[TEXTS] = put_part(out, w->texts.bytes, w->texts.length);
    at[INITIALISED] = put_part(out, w->data.bytes, w->data.length);
    at[STRINGS] = put_part(out, w->strings.bytes, w->strings.length);
    at[SYMBOLS] = put_part(out, w->symbols.bytes, w->symbols.length);
    at[NAMES] = put_part(out, names, sizeof names);
    align_to(out, 16);
    const uint64_t headers = out->length;
    const struct ptx_object_section sections[SECTIONS] = {
        [TEXTS] = {.type = SHT_PROGBITS, .offset = at[TEXTS], .size = w->texts.length},
        [INITIALISED] = {.type = SHT_PROGBITS,
                         .flags = SHF_ALLOC | SHF_WRITE,
                         .offset = at[INITIALISED],
                         .size = w->data.length},
        [ZEROED] = {.type = SHT_NOBITS,
                    .flags = SHF_ALLOC | SHF_WRITE,
                    .offset = at[STRINGS],
                    .size = w->zeroed},
        [STRINGS] = {.type = SHT_STRTAB, .offset = at[STRINGS], .size = w->strings.length},
        [SYMBOLS] = {SHT_SYMTAB, 0, at[SYMBOLS], w->symbols.length, STRINGS, 24},
        [NAMES] = {.type = SHT_STRTAB, .offset = at[NAMES], .size = sizeof names}};
    for (unsigned i = 0; i < SECTIONS; i++)
        put_section(out, i, &sections[i]);
    if (out->failed)
        return;
    uint8_t *h = out->bytes;
    wt_store_le(h + 32, 0, 8);
    wt_store_le(h + 40, headers, 8);
    wt_store_le(h + 48, capability | capability << 16 | FLAGS, 4);
    wt_store_le(h + 52, 64, 2);
    wt_store_le(h + 58, 64, 2);
    wt_store_le(h + 60, SECTIONS, 2);
    wt_store_le(h + 62, NAMES, 2);
}

static void free_all(struct writer *w, struct ptx_module *module)
{
    free(w->texts.bytes);
    free(w->data.bytes);
    free(w->strings.bytes);
    free(w->symbols.bytes);
    for (size_t i = 0; i < w->module_count; i++)
        ptx_free(&module[i]);
    free(module);
}

enum wt_status ptx_object_write(const struct ptx_object_text *text, size_t count,
                                unsigned capability, bool linked, struct wt_buffer *out,
                                struct wt_error *err)
{
    enum wt_status status = WT_OK;
    struct ptx_module *module = calloc(count + 1, sizeof *module);
    struct writer w = {.module = module};
    if (!module)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < count && !status; i++) {
        status = ptx_parse(text[i].name, text[i].text, text[i].length, &module[i], err);
        w.module_count += status == WT_OK;
        /* NAME, length, text: what ptx_object_each() reads. */
        wt_buffer_append_number(&w.texts, strlen(text[i].name) + 1, 8);
        wt_buffer_append(&w.texts, text[i].name, strlen(text[i].name) + 1);
        wt_buffer_append_number(&w.texts, text[i].length, 8);
        wt_buffer_append(&w.texts, text[i].text, text[i].length);
    }
    if (!status) {
        const bool good = add_symbols(&w);
        put_file(&w, capability, linked, out);
        if (!good || w.texts.failed || w.data.failed || w.strings.failed || w.symbols.failed ||
            out->failed)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    free_all(&w, module);
    return status;
}

/* ---- reading ---- */

bool ptx_object_is(const uint8_t *bytes, size_t available, size_t *size)
{
    if (available < 64 || memcmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64 ||
        wt_load_le(bytes + 18, 2) != CUBIN_ELF_MACHINE || wt_load_le(bytes + 60, 2) != SECTIONS ||
        wt_load_le(bytes + 40, 8) > SIZE_MAX / 2)
        return false;
    *size = (size_t)wt_load_le(bytes + 40, 8) + (size_t)SECTIONS * 64;
    return true;
}

enum wt_status ptx_object_each(const uint8_t *bytes, size_t size,
                               enum wt_status (*add)(void *context, const char *name,
                                                     const char *text, size_t length,
                                                     struct wt_error *err),
                               void *context, struct wt_error *err)
{
    size_t whole;
    enum wt_status status;
    if (!ptx_object_is(bytes, size, &whole))
        return wt_fail(err, WT_INVALID, "no object of PTX");
    if (whole > size)
        return wt_fail(err, WT_INVALID, "an object of PTX of %zu bytes is cut short after %zu",
                       whole, size);
    const uint8_t *headers = bytes + whole - SECTIONS * 64;
    const uint64_t name_at = wt_load_le(headers + NAMES * 64 + 24, 8);
    const uint64_t at = wt_load_le(headers + TEXTS * 64 + 24, 8);
    uint64_t left = wt_load_le(headers + TEXTS * 64 + 32, 8);
    if (name_at > whole || whole - name_at < sizeof names ||
        memcmp(bytes + name_at, names, sizeof names) != 0 || at > whole || left > whole - at)
        return wt_fail(err, WT_INVALID, "an object for NVIDIA's GPUs that is not wavetrap's");
    for (const uint8_t *p = bytes + at; left;) {
        uint64_t length[2];
        const uint8_t *part[2];
        for (unsigned i = 0; i < 2; i++) {
            length[i] = left >= 8 ? wt_load_le(p, 8) : UINT64_MAX;
            if (left < 8 || length[i] > left - 8)
                return wt_fail(err, WT_INVALID, "an object of PTX that is damaged");
            part[i] = p + 8;
            p += 8 + length[i];
            left -= 8 + length[i];
        }
        if (!length[0] || part[0][length[0] - 1])
            return wt_fail(err, WT_INVALID, "an object of PTX that is damaged");
        if ((status = add(context, (const char *)part[0], (const char *)part[1], (size_t)length[1],
                          err)) != WT_OK)
            return status;
    }
    return WT_OK;
}
