/* The debugger of a Gen9 that no program uses: front ends inspect it before a host program is
 * started and after its end. See process.h. */
#include <stdlib.h>

#include "debug/gen/gen.h"
#include "emulator/gen/gen.h"
#include "target/gen_process.h"
#include "target/no_process.h"

static enum wt_status gt2(void *context, struct wt_gen_info *info, struct wt_error *err)
{
    struct gen_config config;
    (void)context, (void)err;
    gen_config_default(&config);
    *info = (struct wt_gen_info){.gpus = 1,
                                 .subslices = {config.subslices},
                                 .saved = GEN_SAVED_APERTURE,
                                 .slm = GEN_SLM_APERTURE,
                                 .file = GEN_FILE_APERTURE};
    return WT_OK;
}

static enum wt_status read_zero(void *context, uint32_t gpu, uint32_t offset, uint32_t *value,
                                struct wt_error *err)
{
    (void)context, (void)gpu, (void)offset, (void)err;
    *value = 0;
    return WT_OK;
}

static enum wt_status write_nowhere(void *context, uint32_t gpu, uint32_t offset, uint32_t value,
                                    struct wt_error *err)
{
    (void)context, (void)gpu, (void)offset, (void)value, (void)err;
    return WT_OK;
}

static enum wt_status image_read(void *context, uint32_t thread, uint64_t addr, void *out,
                                 size_t size, struct wt_error *err)
{
    (void)thread;
    return wt_process_read_image(context, addr, out, size, err);
}

static enum wt_status no_write(void *context, uint32_t thread, uint64_t addr, const void *bytes,
                               size_t size, struct wt_error *err)
{
    (void)context, (void)thread, (void)addr, (void)bytes, (void)size;
    return wt_process_refuse_write(err);
}

static enum wt_status no_event(void *context, bool wait, struct wt_gen_event *event,
                               struct wt_error *err)
{
    (void)context, (void)wait, (void)err;
    *event = (struct wt_gen_event){.attention = false};
    return WT_OK;
}

static void detach(void *context)
{
    (void)context;
}

static const struct wt_gen_link_ops no_link_ops = {.info = gt2,
                                                   .read_register = read_zero,
                                                   .write_register = write_nowhere,
                                                   .read = image_read,
                                                   .write = no_write,
                                                   .event = no_event,
                                                   .ended = wt_process_never_ended,
                                                   .detach = detach};

/* Its kernels are created when the program runs. */
enum wt_status wt_gen_connect_none(struct wt_process *p, const char *program, struct wt_error *err)
{
    struct wt_gen_link *link = malloc(sizeof *link);
    (void)program;
    if (!link)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a GPU without a program");
    *link = (struct wt_gen_link){.ops = &no_link_ops, .context = p};
    p->no_link = link;
    p->target.link = link;
    return WT_OK;
}
