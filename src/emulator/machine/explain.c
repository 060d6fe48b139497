/* Explanations of addresses, for users. See explain.h. */
#include "emulator/machine/explain.h"

#include <assert.h>
#include <inttypes.h>

void wt_explanation_add(struct wt_explanation *e, bool summand, const char *name, uint64_t value)
{
    assert(e->terms < WT_EXPLAIN_TERMS);
    snprintf(e->term[e->terms].name, sizeof e->term[e->terms].name, "%s", name);
    e->term[e->terms].value = value;
    e->summand[e->terms++] = summand;
}

void wt_explanation_print(FILE *out, uint64_t addr, const struct wt_explanation *e)
{
    assert(out && e && e->terms <= WT_EXPLAIN_TERMS);
    assert(e->space && e->where);
    fprintf(out, "0x%" PRIx64 ": %s", addr, e->space);
    if (e->has_aperture)
        fprintf(out, ", aperture 0x%" PRIx64 " .. 0x%" PRIx64, e->first, e->last);
    fprintf(out, "\n");
    for (unsigned i = 0; i < e->terms; i++)
        fprintf(out, "  %c %#18" PRIx64 "  %s\n", e->summand[i] ? '+' : ' ', e->term[i].value,
                e->term[i].name);
    fprintf(out, "  = %#18" PRIx64 "  in %s", e->landing, e->where);
    if (e->usable)
        fprintf(out, ", which holds 0x%08" PRIx64 "\n", e->contents);
    else
        fprintf(out, ", where there is nothing\n");
}
