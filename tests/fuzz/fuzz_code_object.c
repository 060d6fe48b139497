/*
 * Fuzz target: AMD code objects. What parses keeps the promises of code_object.h; its first kernel
 * is launched, with a buffer for each pointer, and runs for a while: whatever it does, it ends,
 * goes on or makes a mistake that is reported.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "runtime/gcn/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_first(const struct gcn_object *object)
{
    struct gcn_config config;
    struct gcn_device *device;
    struct wt_error err = {0};
    struct gcn_launch launch = {
        .kernel = &object->kernel[0], .grid = {70, 2, 1}, .block = {32, 2, 1}};
    struct wt_value value[16] = {0};
    uint8_t bytes[256] = {0};
    if (launch.kernel->explicit_arguments > 16)
        return;
    launch.value = value;
    launch.value_count = launch.kernel->explicit_arguments;
    for (size_t i = 0; i < launch.value_count; i++) {
        const struct gcn_argument *a = &launch.kernel->argument[i];
        if (a->kind == GCN_ARG_VALUE && a->size > sizeof bytes)
            return;
        value[i].bytes = a->kind == GCN_ARG_LOCAL ? NULL : bytes;
        value[i].length = a->kind == GCN_ARG_VALUE ? a->size : sizeof bytes;
    }
    gcn_config_default(&config);
    config.cu = 1;
    if (gcn_device_new(&config, &device, &err))
        abort();
    if (gcn_launch(device, object, &launch, &err)) {
        if (!err.text[0])
            abort();
    } else {
        struct wt_machine *m = gcn_machine(device);
        const enum wt_run run = m->ops->run(m, 2000);
        if (run == WT_RUN_FAULT && (!m->fault.kind || !m->fault.text[0]))
            abort();
        m->ops->hash(m);
    }
    gcn_device_free(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gcn_object object;
    struct wt_error err = {0};
    if (gcn_object_parse("k.co", data, size, &gcn_models->target, &object, &err)) {
        if (object.file || object.kernel || !err.text[0])
            abort();
        return 0;
    }
    for (size_t i = 0; i < object.kernels; i++) {
        const struct gcn_kernel *k = &object.kernel[i];
        if (!k->name || k->descriptor > object.size || k->explicit_arguments > k->arguments)
            abort();
        for (size_t j = 0; j < k->arguments; j++)
            if (!k->argument[j].name ||
                (uint64_t)k->argument[j].offset + k->argument[j].size > k->kernarg_size)
                abort();
    }
    if (object.kernels)
        run_first(&object);
    gcn_object_free(&object);
    return 0;
}
