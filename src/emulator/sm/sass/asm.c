/* One instruction's text to its word: the other direction of text.c. See isa.h. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "emulator/sm/sass/asm.h"

/* Whether operand A or B of a video instruction has such a part; others do. */
static bool fits_type(const struct sm_asm *p, const struct sm_item *item, unsigned part)
{
    if (item->part != SM_F_part36 && item->part != SM_F_part28)
        return true;
    const bool b = item->part == SM_F_part28;
    if (b && !(p->word >> 50 & 1))
        return false;
    return sm_video_size(p->word, b) == (part < SM_VIDEO_HALF ? SM_VIDEO_BYTE : SM_VIDEO_HALF);
}

static bool take_suffixes(struct sm_asm *p, const struct sm_item *item, bool immediate)
{
    for (;;) {
        const char *start = p->at;
        unsigned value;
        if (*p->at != '.')
            return true;
        if (immediate && sm_asm_take(p, ".NEG") && item->neg != SM_NO_BIT) {
            sm_asm_set(p, item->neg, 1, 1);
        } else if (item->cc != SM_NO_BIT && sm_asm_take(p, ".CC")) {
            sm_asm_set(p, item->cc, 1, 1);
        } else if (sm_asm_take(p, ".reuse")) {
            const unsigned slot = item->what == 'a'                            ? 0
                                  : strchr("bnfgv", item->what)                ? 1
                                  : item->what == 'c' && p->form != SM_FORM_RC ? 2
                                                                               : 3;
            if (slot == 3 || p->phase) {
                p->at = start;
                return sm_asm_bad(p, "this operand cannot be kept for reuse");
            }
            p->reuse |= 1u << slot;
        } else if (item->has_part && item->part == SM_F_part41 && sm_asm_take(p, ".H1")) {
            sm_asm_set_field(p, item->part, 2);
        } else if (item->has_part && sm_asm_take(p, ".") &&
                   sm_asm_name(p, &sm_fields[item->part], &value) && fits_type(p, item, value)) {
            sm_asm_set_field(p, item->part, value);
        } else {
            p->at = start;
            return sm_asm_bad(p, "this modifier does not belong here");
        }
        if (!sm_asm_ends_word(*p->at))
            return sm_asm_bad(p, "this modifier does not belong here");
    }
}

/* An operand with what stands around it. */
static bool take_whole(struct sm_asm *p, const struct sm_item *item)
{
    const bool immediate = sm_item_is_immediate(item, p->form);
    bool bars = false;
    if (item->neg != SM_NO_BIT && *p->at == '-' && !immediate) {
        p->at++;
        sm_asm_set(p, item->neg, 1, 1);
    }
    if (item->inv != SM_NO_BIT && *p->at == (item->what == 'p' ? '!' : '~')) {
        p->at++;
        sm_asm_set(p, item->inv, 1, 1);
    }
    if (item->abs != SM_NO_BIT && *p->at == '|') {
        p->at++;
        bars = true;
        sm_asm_set(p, item->abs, 1, 1);
    }
    if (!sm_asm_operand(p, item))
        return false;
    if (bars && !sm_asm_take(p, "|"))
        return sm_asm_bad(p, "'|' is missing");
    return take_suffixes(p, item, immediate);
}

/* The default of an operand that is left out. */
static void set_fallback(struct sm_asm *p, const struct sm_item *item)
{
    switch (item->what) {
    case 'd':
        sm_asm_set(p, 0, 8, 255);
        break;
    case 'j':
        sm_asm_set(p, 0, 6, 0);
        break;
    case 'z':
        sm_asm_set(p, 43, 1, 1);
        sm_asm_set(p, 20, 12, 0);
        break;
    default:
        sm_asm_set(p, item->pos, item->width, item->fallback);
        break;
    }
}

static bool take_test(struct sm_asm *p, bool *taken)
{
    unsigned value;
    *taken = false;
    sm_asm_set(p, 0, 5, 15);
    if (strncmp(p->at, "CC.", 3) != 0)
        return true;
    p->at += 3;
    if (!sm_asm_name(p, &sm_fields[SM_F_ccop8], &value))
        return sm_asm_bad(p, "a test of the condition code (CC.NE) is expected here");
    sm_asm_set(p, 0, 5, value);
    *taken = true;
    return true;
}

/* An operand with the comma before it; one that may be left out may fail. */
static bool take_next(struct sm_asm *p, const struct sm_item *item, bool *first)
{
    const struct sm_asm before = *p;
    bool taken = true;
    sm_asm_blanks(p);
    if (item->what == 'x') {
        if (!take_test(p, &taken))
            return false;
        *first = *first && !taken;
        return true;
    }
    bool good =
        *first || sm_asm_take(p, ",") || sm_asm_bad(p, "',' and another operand are missing");
    sm_asm_blanks(p);
    good = good && take_whole(p, item);
    if (good) {
        *first = false;
        return true;
    }
    if (!item->optional || p->undefined)
        return false;
    const struct sm_asm failed = *p;
    *p = before;
    p->farthest = failed.farthest;
    memcpy(p->why, failed.why, sizeof p->why);
    set_fallback(p, item);
    return true;
}

/* Reports the text where the operands should begin: a modifier that does not belong there, or no
 * modifier of any instruction. */
static bool bad_modifier(struct sm_asm *p)
{
    char why[80];
    const size_t length = strcspn(p->at, " ;\t,") % 40;
    unsigned value;
    bool known = false;
    for (unsigned id = 0; *p->at == '.' && id < SM_FIELDS && !known; id++) {
        struct sm_asm after = *p;
        after.at++;
        known = sm_asm_name(&after, &sm_fields[id], &value);
    }
    snprintf(why, sizeof why, known ? "'%.*s' does not belong here" : "there is no modifier '%.*s'",
             (int)length, p->at);
    return sm_asm_bad(p, why);
}

static bool parse_row(struct sm_asm *p, const struct sm_row *row)
{
    const char *at = row->text + (*row->text == '!'), *start = p->at;
    bool in_operands = false, first = true, begun = false;
    for (;;) {
        const struct sm_item item = sm_item_next(&at, &in_operands);
        char chars[24];
        switch (item.kind) {
        case SM_ITEM_END:
            sm_asm_blanks(p);
            if (*p->at == ';')
                p->at++;
            sm_asm_blanks(p);
            return !*p->at || sm_asm_bad(p, "this does not belong to the instruction");
        case SM_ITEM_CHARS:
            snprintf(chars, sizeof chars, "%.*s", (int)item.length, item.chars);
            if (!sm_asm_take(p, chars) || !sm_asm_ends_word(*p->at)) {
                char why[60];
                snprintf(why, sizeof why, "there is no instruction '%.*s'",
                         (int)(strcspn(start, " ;\t") % 32), start);
                return sm_asm_bad(p, why);
            }
            break;
        case SM_ITEM_FIELD:
            if (!sm_asm_modifier(p, item.field))
                return false;
            break;
        case SM_ITEM_PHASE:
            sm_asm_phase(p);
            break;
        case SM_ITEM_TYPES:
            if (!sm_asm_types(p, &item))
                return false;
            break;
        case SM_ITEM_OPERAND:
            if (!begun && *p->at && *p->at != ' ' && *p->at != '\t' && *p->at != ';')
                return bad_modifier(p);
            begun = true;
            if (!take_next(p, &item, &first))
                return false;
            break;
        }
    }
}

/* "@!P0 ": the predicate's four bits; 7 where there is none. */
static bool take_guard(struct sm_asm *p, unsigned *guard)
{
    unsigned number;
    *guard = 7;
    sm_asm_blanks(p);
    if (!sm_asm_take(p, "@"))
        return true;
    const bool inverted = sm_asm_take(p, "!");
    if (!sm_asm_predicate(p, &number))
        return false;
    *guard = number | (inverted ? 8u : 0);
    sm_asm_blanks(p);
    return true;
}

/* Whether the row's mnemonic begins as the text does: up to the first modifier. */
static bool may_be(const struct sm_row *row, const char *text)
{
    const char *name = row->text + (*row->text == '!');
    const size_t length = strcspn(name, ".[{ ");
    return strncmp(name, text, length) == 0 && sm_asm_ends_word(text[length]);
}

/* Whether what stands where the parse failed looks like operand B of the form that was tried. */
static bool is_meant(const struct sm_asm *p)
{
    const char c = *p->farthest;
    switch (p->form) {
    case SM_FORM_C:
        return c == 'c';
    case SM_FORM_I:
        return isdigit((unsigned char)c) || c == '-';
    default:
        return c == 'R';
    }
}

enum wt_status sm_assemble(const char *text, uint64_t pc, sm_label_fn label, void *context,
                           uint64_t *word, unsigned *reuse, size_t *column, struct wt_error *err)
{
    struct sm_asm start = {.text = text, .at = text, .pc = pc, .label = label, .context = context};
    unsigned guard;
    bool known = false;
    if (!take_guard(&start, &guard)) {
        *column = (size_t)(start.farthest - text);
        return wt_fail(err, WT_INVALID, "%s", start.why);
    }
    struct sm_asm best = start;
    for (unsigned i = 0; i < SM_INSNS; i++) {
        const struct sm_row *row = &sm_rows[i];
        if (!may_be(row, start.at))
            continue;
        known = true;
        for (unsigned form = 0; form < SM_FORMS; form++) {
            if (!row->word[form])
                continue;
            struct sm_asm p = start;
            p.form = (enum sm_form)form;
            p.word = row->word[form];
            if (*row->text != '!')
                p.word |= (uint64_t)guard << 16;
            else if (guard != 7) {
                sm_asm_bad(&p, "this instruction takes no predicate");
                best = p;
                continue;
            }
            if (parse_row(&p, row)) {
                *word = p.word;
                *reuse = p.reuse;
                return WT_OK;
            }
            if (!best.farthest || p.farthest > best.farthest ||
                (p.farthest == best.farthest && is_meant(&p)))
                best = p;
        }
    }
    if (!known) {
        *column = (size_t)(start.at - text);
        const struct sm_refused *refused = sm_refused_name(start.at, strcspn(start.at, " .;\t"));
        if (refused)
            return wt_fail(err, WT_UNSUPPORTED, "%s is not in the table: %s", refused->name,
                           refused->why);
        return wt_fail(err, WT_INVALID, "there is no instruction '%.*s'",
                       (int)(strcspn(start.at, " .;\t") % 32), start.at);
    }
    *column = (size_t)(best.farthest - text);
    return wt_fail(err, WT_INVALID, "%s", best.why);
}
