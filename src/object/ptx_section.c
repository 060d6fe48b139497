/* Sections of debug information in PTX. See ptx_section.h. */
#include "object/ptx_section.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct section_reader {
    const char *at, *end;
    uint64_t bytes;        /* up to here */
    struct wt_buffer *out; /* NULL: they are counted only */
    ptx_section_name_fn value;
    void *context;
};

static void skip(struct section_reader *r)
{
    while (r->at < r->end) {
        if (isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '/') {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '*') {
            for (r->at += 2; r->end - r->at >= 2 && memcmp(r->at, "*/", 2) != 0;)
                r->at++;
            r->at = r->end - r->at >= 2 ? r->at + 2 : r->end;
        } else {
            return;
        }
    }
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_$.%", c));
}

static struct ptx_name take_name(struct section_reader *r)
{
    struct ptx_name name = {.at = r->at};
    while (r->at < r->end && is_of_name(*r->at))
        r->at++;
    name.length = (uint32_t)(r->at - name.at);
    return name;
}

/* Bytes of ".b8" and its like; 0: it is none. */
static unsigned size_of(struct ptx_name name)
{
    static const char *const names[] = {".b8", ".b16", ".b32", ".b64"};
    for (unsigned i = 0; i < 4; i++)
        if (ptx_name_is(name, names[i]))
            return 1u << i;
    return 0;
}

/* A number, decimal or hexadecimal. */
static bool take_number(struct section_reader *r, uint64_t *value)
{
    char text[32] = "";
    char *end;
    const bool negative = r->at < r->end && *r->at == '-';
    r->at += negative;
    const struct ptx_name name = take_name(r);
    if (!name.length || name.length >= sizeof text || !isdigit((unsigned char)*name.at))
        return false;
    memcpy(text, name.at, name.length);
    *value = strtoull(text, &end, 0);
    if (negative)
        *value = -*value;
    return *end == 0;
}

/* One item: a number, or a name and an addend. */
static bool take_item(struct section_reader *r, unsigned size)
{
    uint64_t value = 0;
    skip(r);
    if (r->at >= r->end)
        return false;
    if (isdigit((unsigned char)*r->at) || *r->at == '-') {
        if (!take_number(r, &value))
            return false;
        if (r->out)
            wt_buffer_append_number(r->out, value, size);
        return true;
    }
    const struct ptx_name name = take_name(r);
    if (!name.length)
        return false;
    if (r->out && !r->value(r->context, name, size, r->out))
        wt_buffer_append_number(r->out, 0, size);
    return true;
}

/* One directive with its items. */
static bool take_data(struct section_reader *r, unsigned size)
{
    bool more = size > 0;
    while (more) {
        if (!take_item(r, size))
            return false;
        r->bytes += size;
        skip(r);
        more = r->at < r->end && *r->at == ',';
        r->at += more;
    }
    return size > 0;
}

/* Goes on to the next label; a length of 0: there is none. False: the text is no list of data. */
static bool find_label(struct section_reader *r, struct ptx_name *label)
{
    for (skip(r); r->at < r->end; skip(r)) {
        const struct ptx_name name = take_name(r);
        skip(r);
        if (name.length && r->at < r->end && *r->at == ':') {
            r->at++;
            *label = name;
            return true;
        }
        if (!take_data(r, size_of(name)))
            return false;
    }
    label->length = 0;
    return true;
}

enum wt_status ptx_section_bytes(const struct ptx_section *section, ptx_section_name_fn value,
                                 void *context, struct wt_buffer *out, struct wt_error *err)
{
    struct section_reader r = {.at = section->body.at,
                               .end = section->body.at + section->body.length,
                               .out = out,
                               .value = value,
                               .context = context};
    struct ptx_name label;
    do
        if (!find_label(&r, &label))
            return wt_fail(err, WT_INVALID, "a section of debug information is damaged");
    while (label.length);
    return WT_OK;
}

bool ptx_section_label(const struct ptx_section *section, struct ptx_name label, uint64_t *offset)
{
    struct section_reader r = {.at = section->body.at,
                               .end = section->body.at + section->body.length};
    struct ptx_name name;
    while (find_label(&r, &name) && name.length)
        if (ptx_names_equal(name, label)) {
            *offset = r.bytes;
            return true;
        }
    return false;
}
