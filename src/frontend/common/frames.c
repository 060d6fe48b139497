/* Frames in words: their lines, variables and sources, as GDB has them. See words.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/common/words.h"

struct wt_format wt_words_format(const struct wt_words *w, char letter, bool top)
{
    return (struct wt_format){.letter = letter,
                              .elements = w->how.elements,
                              .repeats = w->how.repeats,
                              .pretty = w->how.pretty,
                              .top = top};
}

static bool is_scalar(const struct wt_type *type)
{
    const enum wt_type_kind kind = wt_type_plain(type)->kind;
    return kind != WT_TYPE_ARRAY && kind != WT_TYPE_STRUCT && kind != WT_TYPE_UNION &&
           kind != WT_TYPE_CLASS;
}

/* How the next variable is printed. */
struct variable_style {
    const struct wt_words *w;
    const char *before; /* before of its name */
    bool brief;         /* in a line with the others */
};

static void print_variable(void *context, const struct wt_variable *v)
{
    struct variable_style *s = context;
    const struct wt_words *w = s->w;
    const struct wt_format format = wt_words_format(w, 0, false);
    fprintf(w->out, "%s%s%s%s%s", s->before, wt_style(w, WT_STYLE_NAME), v->name,
            wt_style(w, WT_STYLE_PLAIN), s->brief ? "=" : " = ");
    const enum wt_frame_arguments how = w->how.arguments;
    if (!v->values)
        fprintf(w->out, "<error: %s>", v->why);
    else if (s->brief && how != WT_ARGUMENTS_ALL &&
             (how != WT_ARGUMENTS_SCALARS || !is_scalar(v->values->type)))
        fputs("...", w->out);
    else
        wt_values_print(w->out, v->view, v->values, 0, &format);
    if (s->brief)
        s->before = ", ";
    else
        fputc('\n', w->out);
}

/* That there are arguments, as GDB's "print frame-arguments presence" has it. */
static void print_presence(void *context, const struct wt_variable *v)
{
    struct variable_style *s = context;
    if (!*s->before)
        fputs("...", s->w->out);
    s->before = "...";
}

/* Values of a frame's variables, one a line; false if there are none. */
bool wt_words_variables(const struct wt_words *w, const struct wt_frame *frame, bool arguments,
                        const char *indent)
{
    struct variable_style s = {.w = w, .before = indent};
    return wt_program_variables(w->program, frame, arguments, 0, print_variable, &s);
}

void wt_words_frame(const struct wt_words *w, const struct wt_frame *frame, bool numbered,
                    bool address)
{
    const int digits = (int)w->program->topology->address_bits / 4;
    char name[WT_FUNCTION_TEXT];
    if (numbered)
        fprintf(w->out, "#%-2u ", frame->level);
    if (address)
        fprintf(w->out, "%s0x%0*" PRIx64 "%s in ", wt_style(w, WT_STYLE_ADDRESS), digits, frame->pc,
                wt_style(w, WT_STYLE_PLAIN));
    fprintf(w->out, "%s%s%s (", wt_style(w, WT_STYLE_FUNCTION),
            wt_function_text(frame, name, sizeof name), wt_style(w, WT_STYLE_PLAIN));
    wt_program_variables(w->program, frame, true, 0,
                         w->how.arguments == WT_ARGUMENTS_PRESENCE ? print_presence
                                                                   : print_variable,
                         &(struct variable_style){.w = w, .before = "", .brief = true});
    fputc(')', w->out);
    if (frame->file)
        fprintf(w->out, " at %s%s%s:%u", wt_style(w, WT_STYLE_SOURCE_FILE), frame->file,
                wt_style(w, WT_STYLE_PLAIN), frame->line);
    fputc('\n', w->out);
}

/* Whether the innermost frame stands within a line's code, not where it begins. */
static bool mid_line(const struct wt_frame *frame)
{
    struct wt_line_row row;
    return frame->level == 0 && frame->symbols &&
           wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) &&
           row.start != frame->pc - frame->bias;
}

void wt_words_line(const struct wt_words *w, const struct wt_frame *frame, bool address)
{
    if (!frame->file || !frame->line)
        return;
    struct wt_text_file *file = wt_program_open_source(w->program, frame->path);
    if (address && mid_line(frame))
        fprintf(w->out, "0x%0*" PRIx64 "\t", (int)w->program->topology->address_bits / 4,
                frame->pc);
    if (file && file->path && frame->line <= file->line_count)
        fprintf(w->out, "%u\t%s\n", frame->line, file->line[frame->line - 1]);
    else
        fprintf(w->out, "%u\tin %s\n", frame->line, frame->file);
    free(w->program->list_file);
    w->program->list_file = strdup(frame->path);
    w->program->list_first = frame->line;
    w->program->list_last = 0;
    w->program->list_set = true;
}

void wt_words_stop(const struct wt_words *w, bool with_frame)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(w->program, &frame, WT_IGNORED) != WT_OK)
        return;
    if (with_frame || !frame->file) {
        wt_words_frame(w, frame, false, !frame->file || mid_line(frame));
        wt_words_line(w, frame, false);
    } else {
        wt_words_line(w, frame, true);
    }
}

/* A frame shows its address if it is not at the beginning of its line. For an inlined call it would
 * be the address of the frame above. */
bool wt_words_needs_address(const struct wt_words *w, const struct wt_frame *frame)
{
    if (frame->level == 0)
        return !frame->line || mid_line(frame);
    const struct wt_frame *inner = wt_frames_get(w->program->frames, frame->level - 1);
    return !(inner && inner->physical == frame->physical);
}
