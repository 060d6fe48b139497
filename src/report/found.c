/* Findings with names. See found.h. */
#include "report/found.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/called_place.h"
#include "base/demangle.h"
#include "base/report.h"
#include "base/text.h"
#include "debug/source/frame_memory.h"
#include "debug/source/described.h"
#include "debug/source/inlined.h"
#include "debug/source/modules.h"
#include "debug/source/symbols.h"
#include "report/counted_view.h"

enum { LONGEST = 16 }; /* bytes of an instruction */

/* ---- reading ---- */

/* Names the variable of a group's, or a lane's own memory that an access is in, past the end of
 * which it is, or before the beginning. Memory that is asked for beside the kernel's own has no
 * variable. */
static void name_variable(struct wt_report_found *f, const struct wt_module *m)
{
    enum { MOST = 64, PADDING = 16 };
    struct wt_finding *one = &f->finding;
    struct wt_memory_variable list[MOST], *best = NULL;
    const struct wt_family_words *words = &f->family->words;
    const int64_t at = (int64_t)(one->address - one->object);
    const uint64_t kernel = one->entry ? one->entry - m->bias : 0;
    const size_t count =
        one->space == WT_FOUND_GROUP
            ? wt_group_variables(m->symbols, one->pc - m->bias, kernel, words->local_window, list,
                                 MOST)
            : wt_frame_variables(m->symbols, kernel, words->private_window, list, MOST);
    for (size_t i = 0; i < count; i++) {
        struct wt_memory_variable *v = &list[i];
        if (at >= 0 && (uint64_t)at - v->offset < v->size) {
            best = v;
            break;
        }
        const bool ends = v->offset + v->size <= one->object_size &&
                          one->object_size - (v->offset + v->size) < PADDING;
        if (at < 0 ? v->offset < PADDING && (!best || v->offset < best->offset)
                   : ends && (!best || v->offset > best->offset))
            best = v;
    }
    const char *parameter =
        !count && one->space == WT_FOUND_GROUP
            ? wt_group_parameter(m->symbols, one->pc - m->bias, words->local_window)
            : NULL;
    if (parameter) /* all of the memory is its */
        snprintf(one->object_name, sizeof one->object_name, "%s", parameter);
    if (!best)
        return;
    one->object += best->offset;
    one->object_size = best->size;
    snprintf(one->object_name, sizeof one->object_name, "%s", best->name);
}

/* The name of the kernel, which is in the same module. */
static void name_kernel(struct wt_report_found *f, const struct wt_module *m)
{
    const uint64_t at = (f->finding.entry ? f->finding.entry : f->finding.pc) - m->bias;
    Dwarf_Die scope[WT_SCOPES];
    struct wt_inlined list[WT_SCOPES + 1];
    if (!f->finding.entry && !wt_symbols_is_kernel(m->symbols, at))
        return;
    const unsigned count = wt_inlined_at(m->symbols, at, scope, list);
    if (list[count - 1].function)
        wt_demangle(list[count - 1].function, f->kernel, sizeof f->kernel);
}

static void add_call(void *context, const struct wt_inlined *call)
{
    if (call->function || call->path)
        wt_report_calls_add(context, call, true);
}

/* Fills in the calls that an instruction is in, and its text, which has 256 bytes. */
static const struct wt_module *resolve_place(const struct wt_report_found *f, uint64_t pc,
                                             const uint64_t back[WT_TRAIL],
                                             const struct wt_report_counted_code *code,
                                             const struct wt_emulated *e,
                                             struct wt_report_calls *calls, char *text)
{
    const struct wt_module *m = wt_modules_at(code->modules, 0, pc);
    uint8_t bytes[LONGEST];
    if (!m || !m->symbols)
        return NULL;
    const uint64_t at = pc - m->bias;
    wt_described_calls(code->modules,
                       &(struct wt_called_place){.pc = pc, .back = back, .depth = WT_TRAIL},
                       add_call, calls);
    unsigned length = LONGEST;
    while (length && !wt_symbols_code(m->symbols, at, bytes, length))
        length -= 4;
    if (length && f->family->isa.instruction_text)
        f->family->isa.instruction_text((struct wt_emulated *)(uintptr_t)e, m->symbols, pc, bytes,
                                        length, text, 256);
    memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
    return m;
}

/* Fills in what code tells of the instruction. */
static void resolve_code(struct wt_report_found *f, const struct wt_report_counted_code *code,
                         const struct wt_emulated *e)
{
    const enum wt_finding_space space = (enum wt_finding_space)f->finding.space;
    const struct wt_module *m =
        resolve_place(f, f->finding.pc, f->finding.back, code, e, &f->calls, f->instruction);
    static_assert(sizeof f->instruction == 256 && sizeof f->other_instruction == 256, "their text");
    if (m)
        name_kernel(f, m);
    if (m && f->finding.has_object && !*f->finding.object_name &&
        (space == WT_FOUND_GROUP || space == WT_FOUND_PRIVATE))
        name_variable(f, m);
}

/* PTX has its texts in its program. */
static void take_text(const struct wt_report_counted_view *view,
                      struct wt_report_counted_code *code, uint64_t pc, char *text)
{
    const struct wt_counted_block *b = *text ? NULL : wt_report_counted_at(view, code->at);
    const struct wt_module *m = wt_modules_at(code->modules, 0, pc);
    uint8_t word[8];
    if (b && m && m->symbols && wt_symbols_code(m->symbols, pc - m->bias, word, sizeof word))
        wt_core_section_text(code->family, &code->texts, (const uint8_t *)(b + 1),
                             (size_t)b->length, pc, wt_load_le(word, sizeof word), text, 256);
}

/* The code that holds an instruction: @p here, if that is all there is; NULL: none that is known.
 */
static struct wt_report_counted_code *code_of(struct wt_report_counted_view *view,
                                              const struct wt_counted_finding *one,
                                              struct wt_report_counted_code *here, uint64_t pc)
{
    return !pc ? NULL : here ? here : wt_report_counted_code(view, one->code, pc);
}

static void take_finding(struct wt_report_found_list *all, struct wt_report_counted_view *view,
                         const struct wt_counted_finding *one, long process,
                         const struct wt_emulated *e)
{
    struct wt_report_counted_code here = {.modules = e ? e->modules : NULL};
    struct wt_report_found *grown =
        wt_array_grow(all->list, &all->capacity, all->count + 1, sizeof *grown);
    if (!grown)
        return;
    all->list = grown;
    struct wt_report_found *f = &grown[all->count++];
    *f = (struct wt_report_found){.finding = one->finding, .process = process};
    const struct wt_counted_block *list = wt_report_counted_at(view, one->code),
                                  *maps = wt_report_counted_at(view, one->maps);
    /* It is no string where the program has overwritten it. */
    const char *lines =
        maps && memchr(maps + 1, 0, (size_t)maps->length) ? (const char *)(maps + 1) : "";
    f->family = e ? e->family : list ? wt_report_counted_family(list) : NULL;
    if (f->family)
        snprintf(f->gpu, sizeof f->gpu, "%.23s", e ? wt_emulated_model(e) : list->gpu);
    wt_demangle(one->finding.object_name, f->finding.object_name, sizeof f->finding.object_name);
    const uint64_t pc = f->family ? f->finding.pc : 0, other = f->family ? f->finding.other.pc : 0;
    struct wt_report_counted_code *code = code_of(view, one, e ? &here : NULL, pc);
    if (code)
        resolve_code(f, code, e);
    if (code && !e)
        take_text(view, code, pc, f->instruction);
    /* It may be another kernel's, in code of its own. */
    code = code_of(view, one, e ? &here : NULL, other);
    if (code)
        resolve_place(f, other, f->finding.other.back, code, e, &f->other, f->other_instruction);
    if (code && !e)
        take_text(view, code, other, f->other_instruction);
    wt_report_host_calls(&all->files, lines, &f->finding.calls,
                         f->finding.pc ? &f->launch : &f->calls);
    wt_report_host_calls(&all->files, lines, &f->finding.other_calls,
                         f->finding.other.pc ? &f->other_launch : &f->other);
    wt_report_host_calls(&all->files, lines, &f->finding.made, &f->made);
    wt_report_host_calls(&all->files, lines, &f->finding.ended, &f->ended);
}

static bool is_access(uint32_t access)
{
    return access <= WT_ACCESS_ATOMIC || access == WT_NO_ACCESS;
}

/* The file is mapped in the program, whose stray stores may reach it. */
static bool is_sound(const struct wt_finding *f)
{
    return f->kind < WT_FINDING_KINDS &&
           (f->severity == wt_finding_severity(f->kind, false) ||
            f->severity == wt_finding_severity(f->kind, true)) &&
           f->space <= WT_FOUND_HOST && is_access(f->access) &&
           memchr(f->text, 0, sizeof f->text) && memchr(f->wave, 0, sizeof f->wave) &&
           memchr(f->object_by, 0, sizeof f->object_by) &&
           memchr(f->object_name, 0, sizeof f->object_name) &&
           memchr(f->whole_name, 0, sizeof f->whole_name) && f->made.depth <= WT_STACK_DEPTH &&
           f->ended.depth <= WT_STACK_DEPTH && f->calls.depth <= WT_STACK_DEPTH &&
           f->other_calls.depth <= WT_STACK_DEPTH && is_access(f->other.access) &&
           memchr(f->other.wave, 0, sizeof f->other.wave);
}

/* Whether a load is part of an atomic operation, which compilers make of a load and a
 * compare-and-swap: both are of one line, and of the same lanes and bytes. */
static bool is_load_of(const struct wt_report_found *load, const struct wt_report_found *atomic)
{
    const struct wt_finding *a = &load->finding, *b = &atomic->finding;
    const struct wt_report_call *at = wt_report_found_place(load),
                                *there = wt_report_found_place(atomic);
    return a->kind != WT_FOUND_RACE && a->access == WT_ACCESS_LOAD &&
           b->access == WT_ACCESS_ATOMIC && load->process == atomic->process &&
           a->kind == b->kind && a->address == b->address && a->bytes == b->bytes &&
           a->launch == b->launch && a->wave_id == b->wave_id && a->device == b->device &&
           !memcmp(a->lanes, b->lanes, sizeof a->lanes) && a->object_number == b->object_number &&
           at && there && at->line && at->line == there->line && !strcmp(at->file, there->file);
}

/* One mistake is one finding. */
static void join_atomics(struct wt_report_found_list *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t k = 0;
        while (k < all->count && !is_load_of(&all->list[i], &all->list[k]))
            k++;
        if (k == all->count)
            all->list[count++] = all->list[i];
        else
            wt_report_found_free_one(&all->list[i]);
    }
    all->count = count;
}

static bool are_same_lines(const struct wt_report_calls *a, const struct wt_report_calls *b)
{
    bool same = a->count == b->count && a->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->list[i].line && a->list[i].line == b->list[i].line &&
               strcmp(a->list[i].file, b->list[i].file) == 0;
    return same;
}

static bool are_alike(const struct wt_report_found *a, const struct wt_report_found *b)
{
    return a->finding.kind == b->finding.kind && a->process == b->process &&
           a->finding.severity == b->finding.severity && a->suppressed == b->suppressed;
}

/* Whether two are a race of the same two lines. */
static bool are_one_race(const struct wt_report_found *a, const struct wt_report_found *b)
{
    const struct wt_finding *x = &a->finding, *y = &b->finding;
    const bool one_object = x->has_object == y->has_object &&
                            x->object_number == y->object_number && x->space == y->space;
    if (!x->other.pc || !y->other.pc || !are_alike(a, b) || !one_object)
        return false;
    return (are_same_lines(&a->calls, &b->calls) && are_same_lines(&a->other, &b->other) &&
            x->access == y->access && x->other.access == y->other.access) ||
           (are_same_lines(&a->calls, &b->other) && are_same_lines(&a->other, &b->calls) &&
            x->access == y->other.access && x->other.access == y->access);
}

static void join(struct wt_report_found *to, struct wt_report_found *one)
{
    to->finding.times += one->finding.times;
    to->finding.lanes_of += one->finding.lanes_of;
    if (to->finding.groups < one->finding.groups)
        to->finding.groups = one->finding.groups;
    wt_report_found_free_one(one);
}

void wt_report_found_few(struct wt_report_found_list *all, uint64_t limit)
{
    enum { MOST = 10 };
    size_t kept = 0;
    uint64_t reported = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct wt_report_found *one = &all->list[i], *like = NULL;
        size_t k = 0, there = 0;
        while (k < kept && !are_one_race(&all->list[k], one))
            k++;
        if (k < kept) {
            join(&all->list[k], one);
            continue;
        }
        for (k = 0; k < kept && !one->suppressed && one->finding.pc; k++)
            if (are_alike(&all->list[k], one) && are_same_lines(&all->list[k].calls, &one->calls)) {
                like = &all->list[k];
                there++;
            }
        const bool beyond = !one->suppressed && reported == limit;
        if (there >= MOST || beyond) {
            all->sums.more += there < MOST;
            if (there >= MOST)
                like->more++;
            wt_report_found_free_one(one);
            continue;
        }
        reported += !one->suppressed;
        if (kept != i)
            all->list[kept] = *one;
        kept++;
    }
    all->count = kept;
}

size_t wt_report_found_used(int fd)
{
    struct wt_report_counted_view view = {.count = 0};
    const struct wt_counted_block *b = NULL;
    size_t used = 0;
    if (wt_report_counted_open(fd, &view, WT_IGNORED) != WT_OK)
        return 0;
    while ((b = wt_report_counted_next(&view, b))) {
        const struct wt_counted_finding *list = (const void *)(b + 1);
        for (size_t i = 0; b->kind == WT_COUNTED_FINDINGS && i < b->length / sizeof *list; i++)
            used += atomic_load((_Atomic uint64_t *)(uintptr_t)&list[i].used) != 0;
    }
    struct wt_report_counted_sums sums;
    wt_report_counted_close(&view, &sums, WT_IGNORED);
    return used;
}

/* Adds a sentence on what a check does not see, if it is another one. */
static void take_unseen(struct wt_report_found_list *all, const struct wt_counted_block *b)
{
    const char *text = (const void *)(b + 1);
    const size_t length = strnlen(text, b->length);
    char *at = all->unseen, *grown;
    while (at && *at && strncmp(at, text, length + 1) != 0)
        at += strlen(at) + 1;
    const size_t used = at ? (size_t)(at - all->unseen) : 0;
    if (!length || length == b->length || (at && *at) ||
        !(grown = realloc(all->unseen, used + length + 2)))
        return;
    memcpy(grown + used, text, length + 1);
    grown[used + length + 1] = 0;
    all->unseen = grown;
}

enum wt_status wt_report_found_read(int fd, const struct wt_emulated *e,
                                    struct wt_report_found_list *all, struct wt_error *err)
{
    struct wt_report_counted_view view = {.count = 0};
    enum wt_status status = wt_report_counted_open(fd, &view, err);
    if (status)
        return status;
    const struct wt_counted_block *b = NULL;
    size_t damaged = 0;
    while ((b = wt_report_counted_next(&view, b))) {
        const struct wt_counted_finding *list = (const void *)(b + 1);
        if (b->kind == WT_COUNTED_UNSEEN)
            take_unseen(all, b);
        const bool whole =
            b->kind == WT_COUNTED_FINDINGS && b->length == WT_COUNTED_FOUND * sizeof *list;
        for (size_t i = 0; whole && i < WT_COUNTED_FOUND; i++)
            if (!atomic_load((_Atomic uint64_t *)(uintptr_t)&list[i].used))
                continue;
            else if (is_sound(&list[i].finding))
                take_finding(all, &view, &list[i], (long)b->process, e);
            else
                damaged++;
    }
    join_atomics(all);
    if (damaged)
        fprintf(stderr, "wavetrap: %zu findings are lost: the program has overwritten them\n",
                damaged);
    status = wt_report_counted_close(&view, &all->sums, err);
    wt_report_counted_free(&view);
    return status;
}

void wt_report_found_free_one(struct wt_report_found *f)
{
    wt_report_calls_free(&f->calls);
    wt_report_calls_free(&f->launch);
    wt_report_calls_free(&f->made);
    wt_report_calls_free(&f->ended);
    wt_report_calls_free(&f->other);
    wt_report_calls_free(&f->other_launch);
}

void wt_report_found_free(struct wt_report_found_list *all)
{
    for (size_t i = 0; i < all->count; i++)
        wt_report_found_free_one(&all->list[i]);
    free(all->list);
    free(all->unseen);
    wt_report_host_files_free(&all->files);
    *all = (struct wt_report_found_list){.count = 0};
}

/* ---- what reports say ---- */

const struct wt_report_call *wt_report_found_place(const struct wt_report_found *f)
{
    if (f->finding.pc)
        return f->calls.count ? &f->calls.list[0] : NULL;
    return wt_report_calls_own(&f->calls);
}

/* The offset in the object at which the access begins; false: there is no object, or no access. */
static bool found_offset(const struct wt_report_found *f, int64_t *offset)
{
    *offset = (int64_t)(f->finding.address - f->finding.object);
    return f->finding.has_object && (f->finding.access != WT_NO_ACCESS || f->finding.address);
}

/* " store of 4 bytes" */
static void add_access(struct wt_text *t, uint32_t access, uint64_t bytes)
{
    wt_text_add(t, " %s", wt_access_word((enum wt_access)access));
    if (bytes)
        wt_text_add(t, " of %" PRIu64 " byte%s", bytes, wt_plural(bytes));
}

static void add_number(struct wt_text *t, const struct wt_finding *f, uint64_t number)
{
    wt_text_add(t, f->pieces_of == WT_PIECES_OF_MEMORY ? " 0x%" PRIx64 : " %" PRIu64, number);
}

/* " (bytes 160 to 255 and 300 of the copy)" */
static void add_pieces(struct wt_text *t, const struct wt_finding *f)
{
    const uint64_t listed = f->pieces < WT_FINDING_PIECES ? f->pieces : WT_FINDING_PIECES,
                   more = f->pieces - listed;
    wt_text_add(t, f->pieces > 1 || f->piece[0].last > f->piece[0].first ? " (bytes" : " (byte");
    for (uint64_t i = 0; i < listed; i++) {
        wt_text_add(t, "%s", !i ? "" : i + 1 == listed && !more ? " and" : ",");
        add_number(t, f, f->piece[i].first);
        if (f->piece[i].last > f->piece[i].first) {
            wt_text_add(t, " to");
            add_number(t, f, f->piece[i].last);
        }
    }
    if (more) {
        wt_text_add(t, " and %" PRIu64 " more in %" PRIu64 " piece%s up to", f->rest, more,
                    wt_plural(more));
        add_number(t, f, f->rest_last);
    }
    if (f->pieces_of == WT_PIECES_OF_COPY)
        wt_text_add(t, " of the copy");
    else if (f->pieces_of == WT_PIECES_OF_OBJECT && *f->whole_name)
        wt_text_add(t, " of %s", f->whole_name);
    else if (f->pieces_of == WT_PIECES_OF_OBJECT)
        wt_text_add(t, " of the allocation at 0x%" PRIx64, f->whole);
    wt_text_add(t, ")");
}

void wt_report_found_sentence(const struct wt_report_found *f, char *text, size_t size)
{
    const struct wt_finding *one = &f->finding;
    struct wt_text t = {text, size};
    *text = 0;
    wt_text_add(&t, "%s", wt_finding_name(one->kind));
    if (one->access != WT_NO_ACCESS)
        add_access(&t, one->access, one->bytes);
    if (*one->text)
        wt_text_add(&t, ": %s", one->text);
    if (one->pieces)
        add_pieces(&t, one);
}

/* ---- for people ---- */

void wt_report_calls_print(FILE *out, const struct wt_report_calls *calls, const char *indent)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct wt_report_call *c = &calls->list[i];
        fprintf(out, "%s%s", indent, *c->function ? c->function : "?");
        if (c->line && c->after)
            fprintf(out, " in %s, after line %u\n", c->file, c->line);
        else if (c->line)
            fprintf(out, " at %s:%u\n", c->file, c->line);
        else
            fprintf(out, *c->file ? " in %s\n" : "\n", c->file);
    }
}

/* Describes the object of a finding: "variable words of 128 bytes". */
static void describe_object(const struct wt_report_found *f, char *text, size_t size)
{
    const struct wt_finding *one = &f->finding;
    struct wt_text t = {text, size};
    if (strchr(one->object_name, ' ')) /* no variable's name: the kernel's arguments, … */
        wt_text_add(&t, "%s", one->object_name);
    else if (*one->object_name)
        wt_text_add(&t, "variable %s", one->object_name);
    else if (one->space == WT_FOUND_GROUP)
        wt_text_add(&t, "%s memory", f->family ? f->family->words.local : "local");
    else if (one->space == WT_FOUND_PRIVATE)
        wt_text_add(&t, "private memory");
    else
        wt_text_add(&t, "%s", one->freed ? "a freed allocation" : "an allocation");
    wt_text_add(&t, " of %" PRIu64 " byte%s", one->object_size, wt_plural(one->object_size));
    if (one->object && one->space != WT_FOUND_GROUP && one->space != WT_FOUND_PRIVATE)
        wt_text_add(&t, " at 0x%" PRIx64, one->object);
}

static void print_object(FILE *out, const struct wt_report_found *f)
{
    const struct wt_finding *one = &f->finding;
    char what[200], where[WT_OFFSET_TEXT];
    int64_t at;
    describe_object(f, what, sizeof what);
    if (!found_offset(f, &at))
        fprintf(out, "  %s\n", what);
    else if (at < 0)
        fprintf(out, "  %" PRIu64 " byte%s before %s\n", (uint64_t)-at, wt_plural((uint64_t)-at),
                what);
    else {
        const uint64_t left = one->object_size - (uint64_t)at;
        wt_offset_text((uint64_t)at, one->bytes, one->object_size, where, sizeof where);
        fprintf(out, "  %s %s", where, what);
        if ((uint64_t)at < one->object_size && one->bytes > left)
            fprintf(out, ", and %" PRIu64 " byte%s past its end", one->bytes - left,
                    wt_plural(one->bytes - left));
        fputc('\n', out);
    }
    if (f->made.count) {
        fprintf(out, "  allocated%s%s\n", *one->object_by ? " by " : "", one->object_by);
        wt_report_calls_print(out, &f->made, "    ");
    }
    if (f->ended.count) {
        fputs("  freed\n", out);
        wt_report_calls_print(out, &f->ended, "    ");
    }
}

static void print_counts(FILE *out, const struct wt_finding *one, const char *lane)
{
    if (!one->pc)
        fprintf(out, "  %" PRIu64 " times\n", one->times);
    else if (!one->groups)
        fprintf(out, "  %" PRIu64 " times: %" PRIu64 " %s%s\n", one->times, one->lanes_of, lane,
                wt_plural(one->lanes_of));
    else
        fprintf(out,
                "  %" PRIu64 " times: %" PRIu64 " %s%s of %" PRIu64 " work-group%s, %" PRIu64
                " dispatch%s\n",
                one->times, one->lanes_of, lane, wt_plural(one->lanes_of), one->groups,
                wt_plural(one->groups), one->launches, one->launches == 1 ? "" : "es");
}

/* The wave and the lanes of an access, and its instruction. */
struct printed_access {
    const char *wave;
    wt_lanes lanes;
    uint64_t time, pc;
    const char *instruction;
};

static void print_access(FILE *out, const struct wt_report_found *f, const char *indent,
                         const struct printed_access *a)
{
    const char *lane = f->family ? f->family->words.lane : "lane";
    char lanes[WT_LANES_TEXT];
    wt_lanes_text(a->lanes, lanes, sizeof lanes);
    fprintf(out, "%s%s%s%s%s %s, issue time %" PRIu64 " (goto %" PRIu64 ")\n", indent, a->wave,
            *a->wave ? ", " : "", lane, wt_plural(wt_lanes_count(a->lanes)),
            *lanes ? lanes : "none", a->time, a->time);
    fprintf(out, "%s0x%" PRIx64 "%s%s\n", indent, a->pc, *a->instruction ? ": " : "",
            a->instruction);
}

static void print_place(FILE *out, const struct wt_report_found *f)
{
    const struct wt_finding *one = &f->finding;
    wt_report_calls_print(out, &f->calls, "  ");
    if (*f->kernel)
        fprintf(out, "  kernel %s\n", f->kernel);
    print_access(out, f, "  ",
                 &(struct printed_access){one->wave, wt_finding_lanes(one), one->time, one->pc,
                                          f->instruction});
}

/* Whether there is another access, and it is the host's. */
static bool has_host_other(const struct wt_finding *one)
{
    return !one->other.pc && *one->other.wave;
}

static void print_launch(FILE *out, const struct wt_report_calls *calls, const char *what,
                         const char *indent)
{
    char deeper[16];
    snprintf(deeper, sizeof deeper, "%s  ", indent);
    if (calls->count)
        fprintf(out, "%s%s\n", indent, what);
    wt_report_calls_print(out, calls, deeper);
}

/* Whether the host's calls of a kernel's mistake are those of the copy that gave it to the host,
 * and not those of the launch. */
static bool is_of_copy(const struct wt_finding *one)
{
    return one->kind == WT_FOUND_UNDEFINED_RESULT && one->pieces_of == WT_PIECES_OF_COPY;
}

static void print_other(FILE *out, const struct wt_report_found *f)
{
    const struct wt_finding_other *o = &f->finding.other;
    const enum wt_check of = wt_finding_check((enum wt_finding_kind)f->finding.kind);
    char access[64];
    struct wt_text t = {access, sizeof access};
    if (of == WT_CHECK_INIT)
        fputs("  computed first by\n", out);
    else if (o->access == WT_NO_ACCESS)
        fputs(of == WT_CHECK_HAZARD ? "  issued before\n" : "  the others\n", out);
    else {
        add_access(&t, o->access, o->bytes);
        fprintf(out, "  with the%s%s%s\n", access, has_host_other(&f->finding) ? " by " : "",
                has_host_other(&f->finding) ? o->wave : "");
    }
    wt_report_calls_print(out, &f->other, "    ");
    if (!o->pc)
        return;
    print_access(out, f, "    ",
                 &(struct printed_access){o->wave, wt_finding_other_lanes(&f->finding), o->time,
                                          o->pc, f->other_instruction});
    print_launch(out, &f->other_launch, "launched", "    ");
}

void wt_report_found_print(FILE *out, const struct wt_report_found *f)
{
    const struct wt_finding *one = &f->finding;
    char sentence[512];
    wt_report_found_sentence(f, sentence, sizeof sentence);
    fprintf(out, "wavetrap: %s: %s\n", wt_severity_name((enum wt_severity)one->severity), sentence);
    if (one->pc)
        print_place(out, f);
    else
        wt_report_calls_print(out, &f->calls, "  ");
    if (one->other.pc || has_host_other(one))
        print_other(out, f);
    if (one->has_object)
        print_object(out, f);
    if (one->times > 1)
        print_counts(out, one, f->family ? f->family->words.lane : "lane");
    if (f->more)
        fprintf(out, "  and %" PRIu64 " more of this kind at this line\n", f->more);
    print_launch(out, &f->launch, is_of_copy(one) ? "copied by" : "launched", "  ");
}

/* ---- objects ---- */

static void report_call(struct wt_report_object *o, const struct wt_report_call *c)
{
    if (*c->function)
        wt_report_text(o, "function", c->function);
    if (*c->file)
        wt_report_text(o, "file", c->file);
    if (c->line)
        wt_report_number(o, "line", c->line);
    if (c->line && c->after)
        wt_report_true(o, "after");
}

static void report_calls(struct wt_report_object *o, const char *name,
                         const struct wt_report_calls *calls, size_t first)
{
    if (first >= calls->count)
        return;
    wt_report_begin_list(o, name);
    for (size_t i = first; i < calls->count; i++) {
        wt_report_begin_member(o, NULL);
        report_call(o, &calls->list[i]);
        wt_report_end_member(o);
    }
    wt_report_end_list(o);
}

static void report_access(struct wt_report_object *o, uint32_t access, uint64_t bytes)
{
    wt_report_text(o, "access", wt_access_word((enum wt_access)access));
    if (bytes)
        wt_report_number(o, "bytes", bytes);
}

static void report_other(struct wt_report_object *o, const struct wt_report_found *f)
{
    const struct wt_finding_other *other = &f->finding.other;
    char lanes[WT_LANES_TEXT];
    if (!other->pc && !has_host_other(&f->finding))
        return;
    wt_report_begin_member(o, "other");
    if (other->access != WT_NO_ACCESS)
        report_access(o, other->access, other->bytes);
    if (!other->pc) {
        const struct wt_report_call *place = wt_report_calls_own(&f->other);
        wt_report_text(o, "by", other->wave);
        if (place)
            report_call(o, place);
        report_calls(o, "calls", &f->other, 0);
        wt_report_end_member(o);
        return;
    }
    if (f->other.count)
        report_call(o, &f->other.list[0]);
    report_calls(o, "calls", &f->other, 1);
    report_calls(o, "launched", &f->other_launch, 0);
    wt_lanes_list(wt_finding_other_lanes(&f->finding), ",", lanes, sizeof lanes);
    wt_report_text(o, "wave", other->wave);
    wt_report_text(o, "lanes", lanes);
    wt_report_number(o, "time", other->time);
    wt_report_address(o, "pc", other->pc);
    if (*f->other_instruction)
        wt_report_text(o, "instruction", f->other_instruction);
    wt_report_end_member(o);
}

static void report_object(struct wt_report_object *o, const struct wt_report_found *f)
{
    const struct wt_finding *one = &f->finding;
    int64_t offset;
    if (!one->has_object)
        return;
    wt_report_begin_member(o, "object");
    if (*one->object_name)
        wt_report_text(o, "name", one->object_name);
    if (*one->object_by)
        wt_report_text(o, "by", one->object_by);
    wt_report_number(o, "size", one->object_size);
    if (found_offset(f, &offset))
        wt_report_signed(o, "offset", offset);
    report_calls(o, "made", &f->made, 0);
    report_calls(o, "freed", &f->ended, 0);
    wt_report_end_member(o);
}

static void report_instruction(struct wt_report_object *o, const struct wt_report_found *f)
{
    const struct wt_finding *one = &f->finding;
    char lanes[WT_LANES_TEXT];
    wt_lanes_list(wt_finding_lanes(one), ",", lanes, sizeof lanes);
    if (f->family)
        wt_report_text(o, "gpu", f->gpu);
    wt_report_number(o, "device", one->device);
    if (*f->kernel)
        wt_report_text(o, "kernel", f->kernel);
    wt_report_number(o, "dispatch", one->launch);
    wt_report_text(o, "wave", one->wave);
    wt_report_text(o, "lanes", lanes);
    wt_report_number(o, "time", one->time);
    wt_report_address(o, "pc", one->pc);
    if (*f->instruction)
        wt_report_text(o, "instruction", f->instruction);
}

void wt_report_found_report(const char *files, const struct wt_report_found *f)
{
    const struct wt_finding *one = &f->finding;
    const struct wt_report_call *place = wt_report_found_place(f);
    struct wt_report_object o;
    wt_report_begin_of(&o, files, "finding", f->process);
    wt_report_text(&o, "finding", wt_finding_name(one->kind));
    wt_report_text(&o, "severity", wt_severity_name((enum wt_severity)one->severity));
    char sentence[512];
    wt_report_found_sentence(f, sentence, sizeof sentence);
    wt_report_text(&o, "text", sentence);
    if (one->access != WT_NO_ACCESS) {
        report_access(&o, one->access, one->bytes);
        wt_report_address(&o, "address", one->address);
    }
    if (place)
        report_call(&o, place);
    report_calls(&o, "calls", &f->calls, one->pc ? 1 : 0);
    if (one->pc)
        report_instruction(&o, f);
    report_other(&o, f);
    report_object(&o, f);
    report_calls(&o, is_of_copy(one) ? "copied" : "launched", &f->launch, 0);
    wt_report_number(&o, "times", one->times);
    if (f->more)
        wt_report_number(&o, "more", f->more);
    if (one->pc) {
        wt_report_number(&o, "lane_count", one->lanes_of);
        wt_report_number(&o, "groups", one->groups);
        wt_report_number(&o, "dispatches", one->launches);
    }
    wt_report_end(&o);
}
