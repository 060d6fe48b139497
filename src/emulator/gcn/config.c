/* The options of --gpu gcn:…. */
#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/machine/fill.h"

#define MOST_IMPRECISE 1000
#define MOST_SE 32
#define MOST_SH 2
enum { DEFAULT_CU = 4 };

void gcn_config_default(void *config)
{
    struct gcn_config *c = config;
    *c = (struct gcn_config){
        .model = gcn_models, .cu = DEFAULT_CU, .xcc = 1, .sh = 1, .debug = true, .jit = 256};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &c->schedule, WT_IGNORED);
}

void gcn_config_choose(struct gcn_config *config, const struct gcn_model *model)
{
    config->model = model;
    if (config->cu == DEFAULT_CU && model->cu < DEFAULT_CU)
        config->cu = model->cu;
}

unsigned gcn_config_engines(const struct gcn_config *c)
{
    const unsigned engine = c->sh * c->model->cu_per_array; /* its compute units */
    return c->se ? c->se : (c->cu / c->xcc + engine - 1) / engine * c->xcc;
}

bool gcn_config_fits(const struct gcn_config *c)
{
    const struct gcn_model *model = c->model;
    const unsigned arrays = gcn_config_engines(c) * c->sh;
    return c->cu >= 1 && c->cu <= model->cu && c->se <= model->engines && c->sh >= 1 &&
           c->sh <= model->arrays && c->cu >= arrays && c->cu <= arrays * model->cu_per_array;
}

static enum wt_status check(const void *config, struct wt_error *err)
{
    const struct gcn_config *c = config;
    const struct gcn_model *model = c->model;
    if (c->xcc > 1 && (c->xcc > model->xcc || c->cu % c->xcc))
        return wt_fail(err, WT_INVALID,
                       "cu=%u,xcc=%u: a %s has %u dies at most, with as many compute units each",
                       c->cu, c->xcc, model->target.name, model->xcc ? model->xcc : 1);
    if (model->paired_units && c->cu % 2)
        return wt_fail(err, WT_INVALID,
                       "cu=%u: a %s has its compute units in pairs (work-group processors), so "
                       "their number is even",
                       c->cu, model->target.name);
    return gcn_config_fits(c)
               ? WT_OK
               : wt_fail(err, WT_INVALID,
                         "cu=%u does not fit se=%u,sh=%u: a shader array has 1 to %u compute "
                         "units, and a %s has at most %u in %u engines of %u arrays",
                         c->cu, gcn_config_engines(c), c->sh, model->cu_per_array,
                         model->target.name, model->cu, model->engines, model->arrays);
}

static void print_engines(const void *config, char *text, size_t size)
{
    snprintf(text, size, "%u", gcn_config_engines(config));
}

static enum wt_status take_model(void *config, const char *text, struct wt_error *err)
{
    const struct gcn_model *model = gcn_model_find(text, strlen(text));
    if (!model)
        return wt_fail(err, WT_INVALID, "there is no such model: wavetrap info --models");
    gcn_config_choose(config, model);
    return WT_OK;
}

/* The default model prints nothing: core files from before there were models have no such key. */
static void print_model(const void *config, char *text, size_t size)
{
    const struct gcn_model *model = ((const struct gcn_config *)config)->model;
    snprintf(text, size, "%s", model == gcn_models ? "" : model->target.name);
}

#define AT(member) .offset = offsetof(struct gcn_config, member)

static const struct wt_config_key keys[] = {
    {"model", "which GPU of the family (the first of info --models)", .kind = WT_CONFIG_OWN,
     .take = take_model, .print = print_model},
    {"cu", "compute units, 1..304, at most those of the model (4); at most 16 a shader array",
     AT(cu), .least = 1, .most = GCN_MOST_CU},
    {"xcc",
     "dies (XCC) that share the work, 1..8, at most those of the model (1): work-group n is on "
     "number n modulo xcc",
     AT(xcc), .least = 1, .most = 8},
    {"se", "shader engines, 1..32, likewise (as many as the compute units need)", AT(se),
     .least = 1, .most = MOST_SE, .print = print_engines},
    {"sh", "shader arrays of an engine, 1..2 (1)", AT(sh), .least = 1, .most = MOST_SH},
    {"debug", "'all' or 'none': wave control and address watch (all)", AT(debug), WT_CONFIG_WORD,
     .words = {"none", "all"}},
    {"imprecise", "instructions by which memory violations are late, 0..1000 (0)", AT(imprecise),
     .most = MOST_IMPRECISE, .rare = true},
    {"atomics",
     "'pcie': those that hardware drops on fine-grained memory are dropped, and return 0; or "
     "'all':\n"
     "               all are done (all)",
     AT(atomics_pcie), WT_CONFIG_WORD, .words = {"all", "pcie"}},
    {"jit",
     "visits of an instruction after which code of the host is made for it and what follows,\n"
     "               1..60000; 0: never (256)",
     AT(jit), .most = 60000},
    {"vectors",
     "bits of the longest vectors in that code: '512', where the host has them, or '256' (512)",
     AT(vectors_256), WT_CONFIG_WORD, .words = {"512", "256"}, .rare = true},
    WT_PROCESSES_KEY,
    WT_FILL_KEY,
};

const struct wt_config gcn_config_table = {
    .gpu = "an AMD GPU",
    .size = sizeof(struct gcn_config),
    .keys = keys,
    .count = sizeof keys / sizeof keys[0],
    .set_default = gcn_config_default,
    .check = check,
};
