/* Frames: backtrace, frame, up, down, info frame, info locals, info args. */
#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "frontend/console/internal.h"

/* ---- variables ---- */

static bool is_scalar(const struct wt_type *type)
{
    const enum wt_type_kind kind = wt_type_plain(type)->kind;
    return kind != WT_TYPE_ARRAY && kind != WT_TYPE_STRUCT && kind != WT_TYPE_UNION &&
           kind != WT_TYPE_CLASS;
}

/* How the next variable is printed. */
struct variable_style {
    struct wt_shell *c;
    const char *before; /* of its name */
    bool brief;         /* in a line with the others */
};

static void print_variable(void *context, const struct wt_variable *v)
{
    struct variable_style *s = context;
    struct wt_shell *c = s->c;
    const struct wt_format format = format_of(c, 0, false);
    fprintf(c->out, "%s%s%s%s%s", s->before, style(c, NAME), v->name, style(c, PLAIN),
            s->brief ? "=" : " = ");
    const enum frame_arguments how = c->settings.frame_arguments;
    if (!v->values)
        fprintf(c->out, "<error: %s>", v->why);
    else if (s->brief && how != ARGUMENTS_ALL &&
             (how != ARGUMENTS_SCALARS || !is_scalar(v->values->type)))
        fputs("...", c->out);
    else
        wt_values_print(c->out, v->view, v->values, 0, &format);
    if (s->brief)
        s->before = ", ";
    else
        fputc('\n', c->out);
}

/* That there are arguments, as GDB's "print frame-arguments presence" has it. */
static void print_presence(void *context, const struct wt_variable *v)
{
    struct variable_style *s = context;
    if (!*s->before)
        fputs("...", s->c->out);
    s->before = "...";
}

/* Values of a frame's variables, one a line; false if there are none. */
static bool print_variables(struct wt_shell *c, const struct wt_frame *frame, bool arguments,
                            const char *indent)
{
    struct variable_style s = {.c = c, .before = indent};
    return wt_program_variables(c->program, frame, arguments, 0, print_variable, &s);
}

/* ---- frames ---- */

void print_frame(struct wt_shell *c, const struct wt_frame *frame, bool numbered, bool address)
{
    const int digits = (int)c->program->topology->address_bits / 4;
    char name[FUNCTION_TEXT];
    if (numbered)
        fprintf(c->out, "#%-2u ", frame->level);
    if (address)
        fprintf(c->out, "%s0x%0*" PRIx64 "%s in ", style(c, ADDRESS), digits, frame->pc,
                style(c, PLAIN));
    fprintf(c->out, "%s%s%s (", style(c, FUNCTION), function_text(frame, name, sizeof name),
            style(c, PLAIN));
    wt_program_variables(c->program, frame, true, 0,
                         c->settings.frame_arguments == ARGUMENTS_PRESENCE ? print_presence
                                                                           : print_variable,
                         &(struct variable_style){.c = c, .before = "", .brief = true});
    fputc(')', c->out);
    if (frame->file)
        fprintf(c->out, " at %s%s%s:%u", style(c, SOURCE_FILE), frame->file, style(c, PLAIN),
                frame->line);
    fputc('\n', c->out);
}

/* Whether the innermost frame stands within a line's code, not where it begins. */
static bool mid_line(const struct wt_frame *frame)
{
    struct wt_line_row row;
    return frame->level == 0 && frame->symbols &&
           wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) &&
           row.start != frame->pc - frame->bias;
}

void print_source_line(struct wt_shell *c, const struct wt_frame *frame, bool address)
{
    if (!frame->file || !frame->line)
        return;
    struct wt_text_file *file = wt_program_open_source(c->program, frame->path);
    if (address && mid_line(frame))
        fprintf(c->out, "0x%0*" PRIx64 "\t", (int)c->program->topology->address_bits / 4,
                frame->pc);
    if (file && file->path && frame->line <= file->line_count)
        fprintf(c->out, "%u\t%s\n", frame->line, file->line[frame->line - 1]);
    else
        fprintf(c->out, "%u\tin %s\n", frame->line, frame->file);
    free(c->program->list_file);
    c->program->list_file = strdup(frame->path);
    c->program->list_first = frame->line;
    c->program->list_last = 0;
    c->program->list_set = true;
}

void show_stop(struct wt_shell *c, bool with_frame)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(c->program, &frame, WT_IGNORED) != WT_OK)
        return;
    if (with_frame || !frame->file) {
        print_frame(c, frame, false, !frame->file || mid_line(frame));
        print_source_line(c, frame, false);
    } else {
        print_source_line(c, frame, true);
    }
}

void show_end(struct wt_shell *c, const struct wt_stepped *end)
{
    if (!end->show)
        return;
    wt_report_stop(&c->report, c->program);
    show_stop(c, end->with_frame);
    show_displays(c);
}

/* A frame shows its address if it is not at the beginning of its line. For an inlined call it would
 * be the address of the frame above. */
static bool needs_address(struct wt_shell *c, const struct wt_frame *frame)
{
    if (frame->level == 0)
        return !frame->line || mid_line(frame);
    const struct wt_frame *inner = wt_frames_get(c->program->frames, frame->level - 1);
    return !(inner && inner->physical == frame->physical);
}

enum wt_status do_backtrace(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_frame *frame;
    uint64_t most = UINT64_MAX, outermost = 0, *first = NULL;
    bool full = false;
    const unsigned selected = c->program->level;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    while (*text) {
        const size_t length = wt_word_length(text);
        if (strncmp(text, "full", length) == 0 || strncmp(text, "-full", length) == 0)
            full = true, text = wt_skip_blanks(text + length);
        else if (*text == '-' && isdigit((unsigned char)text[1]) && ++text &&
                 wt_take_number(&text, &outermost))
            first = &outermost; /* so many of the outermost */
        else if (!wt_take_number(&text, &most))
            return wt_fail(err, WT_INVALID, "No symbol \"%s\" in current context.", text);
    }
    unsigned from = 0;
    while (first && wt_frames_get(c->program->frames, from + (unsigned)*first))
        from++;
    unsigned level = from;
    for (; level < most && (frame = wt_frames_get(c->program->frames, level)); level++) {
        print_frame(c, frame, true, needs_address(c, frame));
        if (full && !print_variables(c, frame, false, "        "))
            fputs("No locals.\n", c->out);
    }
    if (most && wt_frames_get(c->program->frames, level))
        fputs("(More stack frames follow...)\n", c->out);
    else if (wt_frames_end(c->program->frames)[0])
        fprintf(c->out, "Backtrace stopped: %s\n", wt_frames_end(c->program->frames));
    c->program->level = selected;
    return WT_OK;
}

static enum wt_status show_frame(struct wt_shell *c, struct wt_error *err)
{
    const struct wt_frame *frame;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    print_frame(c, frame, true, needs_address(c, frame));
    print_source_line(c, frame, false);
    return WT_OK;
}

/* Executes a command in frames [from, until), each behind its line. Those in which it fails are
 * left out if `silent`, as by "frame apply -s". */
static enum wt_status apply_frames(struct wt_shell *c, unsigned from, unsigned until,
                                   const char *text, bool silent, struct wt_error *err)
{
    const unsigned before = c->program->level;
    enum wt_status status = WT_OK;
    for (unsigned level = from; level < until && !status; level++) {
        const struct wt_frame *frame;
        char *said = NULL;
        size_t size;
        FILE *out = c->out;
        c->program->level = level;
        if (wt_program_need_frame(c->program, &frame, WT_IGNORED) != WT_OK)
            break;
        FILE *kept = open_memstream(&said, &size);
        if (!kept) {
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
            break;
        }
        c->out = kept;
        print_frame(c, frame, true, needs_address(c, frame));
        status = wt_language_execute(c->owner.language, text, err);
        c->out = out;
        fclose(kept);
        if (!status || !silent)
            fwrite(said, 1, size, c->out);
        if (silent)
            status = WT_OK;
        free(said);
    }
    c->program->level = before;
    return status;
}

/* "frame apply all | COUNT | -COUNT | level N [-s] COMMAND" */
static enum wt_status frame_apply(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_frame *frame;
    unsigned from = 0, until = UINT32_MAX;
    uint64_t number;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    const bool outermost = *text == '-' && isdigit((unsigned char)text[1]);
    const bool level = strncmp(text, "level ", 6) == 0;
    text = wt_skip_blanks(text + (level ? 6 : outermost));
    if (!level && !outermost && strncmp(text, "all ", 4) == 0) {
        text = wt_skip_blanks(text + 4);
    } else {
        if (!wt_take_number(&text, &number) || number > UINT32_MAX - 1)
            return wt_fail(err, WT_INVALID,
                           "frame apply takes all, COUNT, -COUNT or level N, and a command");
        unsigned frames = 0;
        while (outermost && wt_frames_get(c->program->frames, frames))
            frames++;
        from = level ? (unsigned)number : frames > number ? frames - (unsigned)number : 0;
        until = level ? from + 1 : outermost ? frames : (unsigned)number;
    }
    const bool silent = strncmp(text, "-s ", 3) == 0;
    text = wt_skip_blanks(text + (silent ? 3 : 0));
    if (!*text)
        return wt_fail(err, WT_INVALID, "Please specify a command to apply on the frames");
    return apply_frames(c, from, until, text, silent, err);
}

static enum wt_status select_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_frame *frame;
    uint64_t level;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    if (strncmp(text, "function ", 9) == 0) {
        const char *name = wt_skip_blanks(text + 9);
        for (level = 0; (frame = wt_frames_get(c->program->frames, (unsigned)level)); level++)
            if (frame->function && strcmp(frame->function, name) == 0)
                break;
        if (!frame)
            return wt_fail(err, WT_INVALID, "No frame for function \"%s\".", name);
        c->program->level = (unsigned)level;
        return WT_OK;
    }
    if (strncmp(text, "level ", 6) == 0)
        text = wt_skip_blanks(text + 6);
    if (*text) {
        if (!wt_take_number(&text, &level) || *text)
            return wt_fail(err, WT_INVALID, "frame takes the number of a frame");
        if (level > UINT32_MAX || !wt_frames_get(c->program->frames, (unsigned)level))
            return wt_fail(err, WT_INVALID, "No frame at level %" PRIu64 ".", level);
        c->program->level = (unsigned)level;
    }
    return WT_OK;
}

enum wt_status do_select_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return select_frame(c, text, err);
}

enum wt_status do_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    if (strncmp(text, "apply ", 6) == 0)
        return frame_apply(c, wt_skip_blanks(text + 6), err);
    const enum wt_status status = select_frame(c, text, err);
    return status ? status : show_frame(c, err);
}

static enum wt_status move(struct wt_shell *c, const char *text, bool up, bool silent,
                           struct wt_error *err)
{
    const struct wt_frame *frame;
    uint64_t count = 1;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    if (*text && (!wt_take_number(&text, &count) || *text))
        return wt_fail(err, WT_INVALID, "%s takes a number of frames", up ? "up" : "down");
    if (!up && c->program->level == 0)
        return wt_fail(err, WT_INVALID, "Bottom (innermost) frame selected; you can't go down.");
    if (up && !wt_frames_get(c->program->frames, c->program->level + 1))
        return wt_fail(err, WT_INVALID, "Initial frame selected; you can't go up.");
    for (; count && up && wt_frames_get(c->program->frames, c->program->level + 1); count--)
        c->program->level++;
    for (; count && !up && c->program->level; count--)
        c->program->level--;
    return silent ? WT_OK : show_frame(c, err);
}

enum wt_status do_up(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, true, false, err);
}

enum wt_status do_down(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, false, false, err);
}

enum wt_status do_up_silently(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, true, true, err);
}

enum wt_status do_down_silently(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, false, true, err);
}

enum wt_status do_faas(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return *text ? apply_frames(c, 0, UINT32_MAX, text, true, err)
                 : wt_fail(err, WT_INVALID, "faas takes a command, for all frames");
}

enum wt_status do_info_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char name[FUNCTION_TEXT];
    const struct wt_frame *frame;
    uint64_t cfa;
    enum wt_status status = take_no_arguments(text, "info frame", err);
    if (!status)
        status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    const struct wt_frame *caller = wt_frames_get(c->program->frames, frame->level + 1);
    fprintf(c->out, "Stack level %u, ", frame->level);
    if (wt_frames_cfa(c->program->frames, frame->level, &cfa))
        fprintf(c->out, "frame at 0x%" PRIx64 ":\n", cfa);
    else
        fputs("frame at an unknown address:\n", c->out);
    fprintf(c->out, " pc = 0x%" PRIx64, frame->pc);
    if (frame->function)
        fprintf(c->out, " in %s", function_text(frame, name, sizeof name));
    if (frame->file)
        fprintf(c->out, " (%s:%u)", frame->file, frame->line);
    if (caller)
        fprintf(c->out, "; saved pc = 0x%" PRIx64, caller->pc);
    fputc('\n', c->out);
    if (frame->inlined)
        fprintf(c->out, " inlined into frame %u\n", frame->level + 1);
    if (caller)
        fprintf(c->out, " called by frame %u\n", caller->level);
    else
        fputs(" Outermost frame\n", c->out);
    return WT_OK;
}

static enum wt_status list_variables(struct wt_shell *c, const char *text, const char *command,
                                     bool arguments, const char *none, struct wt_error *err)
{
    const struct wt_frame *frame;
    enum wt_status status = take_no_arguments(text, command, err);
    if (!status)
        status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    if (!print_variables(c, frame, arguments, ""))
        fputs(frame->scope_count ? none : "No symbol table info available.\n", c->out);
    return WT_OK;
}

enum wt_status do_info_locals(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_variables(c, text, "info locals", false, "No locals.\n", err);
}

enum wt_status do_info_args(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_variables(c, text, "info args", true, "No arguments.\n", err);
}

/* ---- info scope ---- */

static void print_operations(struct wt_shell *c, const Dwarf_Op *ops, size_t count)
{
    const struct wt_topology *t = c->program->topology;
    unsigned number;
    const int index =
        count == 1 && wt_dwarf_register(ops, &number) ? wt_topology_dwarf_index(t, number) : -1;
    if (index >= 0)
        fprintf(c->out, "a variable in $%s", t->registers[index].name);
    else if (count == 1 && ops->atom == DW_OP_fbreg)
        fprintf(c->out, "a variable at frame base %+" PRId64, (int64_t)ops->number);
    else if (!count)
        fputs("optimized out", c->out);
    else
        fputs("a complex DWARF expression", c->out);
}

static void print_places(struct wt_shell *c, const struct wt_frame *frame,
                         Dwarf_Attribute *attribute)
{
    Dwarf_Block block;
    Dwarf_Addr base, start, end;
    Dwarf_Op *ops;
    size_t count;
    ptrdiff_t at = 0;
    const bool is_list = dwarf_formblock(attribute, &block) != 0;
    if (is_list)
        fputs("multi-location:\n", c->out);
    while ((at = dwarf_getlocations(attribute, at, &base, &start, &end, &ops, &count)) > 0) {
        if (is_list)
            fprintf(c->out, "  Range 0x%" PRIx64 "-0x%" PRIx64 ": ", start + frame->bias,
                    end + frame->bias);
        print_operations(c, ops, count);
        if (!is_list)
            return;
        fputc('\n', c->out);
    }
    if (at < 0) /* operations that libdw does not know */
        fputs("a complex DWARF expression", c->out);
}

static void print_symbol(struct wt_shell *c, const struct wt_view *view, Dwarf_Die *die)
{
    const struct wt_topology *t = c->program->topology;
    Dwarf_Attribute attribute;
    const struct wt_type *type = wt_types_of(wt_info_types(view->frame->info), die);
    struct wt_values v;
    int64_t value;
    const bool is_read = wt_source_read_variable(view, die, 0, &v, WT_IGNORED) == WT_OK;
    bool known = true;
    fprintf(c->out, "Symbol %s is ", dwarf_diename(die));
    if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute)) {
        fputs("a constant", c->out);
        if (wt_attribute_number(&attribute, &value))
            fprintf(c->out, " with value %" PRId64 " (0x%" PRIx64 ")", value, (uint64_t)value);
    } else if (is_read && v.in_memory) {
        fprintf(c->out, "in static storage at address %s%s0x%" PRIx64,
                v.space ? t->spaces[v.space].name : "", v.space ? "#" : "", v.address[0]);
    } else if (dwarf_attr_integrate(die, DW_AT_location, &attribute)) {
        print_places(c, view->frame, &attribute);
    } else {
        known = false;
        fputs("optimized out", c->out);
    }
    if (known)
        fprintf(c->out, ", length %" PRIu64, wt_type_size(type));
    fputs(".\n", c->out);
    if (is_read)
        wt_values_free(&v);
}

/* *what: the location, of which nothing was listed yet; else NULL. */
static void print_symbols(struct wt_shell *c, const struct wt_view *view, Dwarf_Die *scope,
                          const char **what)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);
        const char *name = dwarf_diename(&child);
        if (wt_info_is_part(scope, &child))
            print_symbols(c, view, &child, what);
        if ((tag != DW_TAG_formal_parameter && tag != DW_TAG_variable) || !name ||
            strncmp(name, "__ocl_dbg_", 10) == 0)
            continue;
        if (*what)
            fprintf(c->out, "Scope for %s:\n", *what);
        *what = NULL;
        print_symbol(c, view, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

enum wt_status do_info_scope(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_program *g = c->program;
    uint64_t *list;
    size_t count;
    const char *what = text;
    enum wt_status status =
        *text ? wt_program_resolve(g, text, &list, &count, err)
              : wt_fail(err, WT_INVALID,
                        "requires an argument (function, line or *addr) to define a scope");
    if (status)
        return status;
    struct wt_frames *frames = count ? wt_frames_at(g->debugger, g->modules, list[0]) : NULL;
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    const struct wt_view view = {.source = g->source, .frames = frames, .frame = frame};
    for (unsigned i = frame ? frame->scope_count : 0; frame && i > frame->first_scope; i--) {
        Dwarf_Die scope = frame->scope[i - 1];
        print_symbols(c, &view, &scope, &what);
    }
    if (what)
        fprintf(c->out, "Scope for %s contains no locals or arguments.\n", what);
    wt_frames_free(frames);
    free(list);
    return WT_OK;
}
