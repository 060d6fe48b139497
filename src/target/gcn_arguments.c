/* Arguments of kernels on AMD's GPUs, by the metadata of their code object. See gcn_arguments.h. */
#include "target/gcn_arguments.h"

#include <stdio.h>

#include "debug/source/symbols.h"
#include "emulator/gcn/models.h"
#include "object/code_object.h"

bool wt_gcn_code_argument(const struct wt_modules *modules, uint64_t pc, size_t n,
                          struct wt_code_register *reg)
{
    const struct wt_module *module;
    struct gcn_object object;
    const char *name;
    size_t length;
    const uint8_t *image = wt_modules_image(modules, pc, &module, &name, &length);
    const struct gcn_model *model =
        image ? gcn_model_of_machine(wt_symbols_flags(module->symbols)) : NULL;
    if (!model ||
        gcn_object_parse(module->name, image, length, &model->target, &object, WT_IGNORED) != WT_OK)
        return false;
    const struct gcn_kernel *k = gcn_object_kernel(&object, name);
    const bool found = k && n < k->explicit_arguments;
    if (found) {
        *reg = (struct wt_code_register){.parameter = (unsigned)n + 1,
                                         .at_launch = true,
                                         .offset = k->argument[n].offset,
                                         .bytes = k->argument[n].size};
        snprintf(reg->name, sizeof reg->name, "%s", k->argument[n].name);
    }
    gcn_object_free(&object);
    return found;
}
