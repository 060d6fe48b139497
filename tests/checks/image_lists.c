/* Level Zero's images between two queues. image_lists KIND FIRST ROW SECOND ROW list|immediate
 * [ordered] */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 16, H = 8 };

static ze_context_handle_t context;
static ze_device_handle_t device;
static ze_image_handle_t image, other;
static unsigned words[W * H];

/* How H rows of W texels are an image. */
static const struct kind {
    const char *name;
    ze_image_type_t type;
    unsigned size[3], layers;
    int depth; /* which coordinate rows are; -1: they are one line */
} kinds[] = {{"2d", ZE_IMAGE_TYPE_2D, {W, H, 1}, 0, 1},
             {"1d", ZE_IMAGE_TYPE_1D, {W * H, 1, 1}, 0, -1},
             {"1d_array", ZE_IMAGE_TYPE_1DARRAY, {W, 1, 1}, H, 1},
             {"2d_array", ZE_IMAGE_TYPE_2DARRAY, {W, 1, 1}, H, 2},
             {"3d", ZE_IMAGE_TYPE_3D, {W, 1, H}, 0, 2}};
static const struct kind *kind;

/* Rows from one on; of an array one alone, since the runtime copies the first one of several. */
static ze_image_region_t region(unsigned row, unsigned count)
{
    ze_image_region_t r = {0, 0, 0, W, 1, 1};
    count = kind->layers ? 1 : count;
    if (kind->depth < 0) {
        r.originX = row * W;
        r.width = count * W;
    } else {
        *(kind->depth == 1 ? &r.originY : &r.originZ) = row;
        *(kind->depth == 1 ? &r.height : &r.depth) = count;
    }
    return r;
}

static void works(ze_result_t result)
{
    if (result) {
        fprintf(stderr, "0x%x\n", result);
        exit(3);
    }
}

static void append(ze_command_list_handle_t l, const char *what, unsigned row,
                   ze_event_handle_t wait, ze_event_handle_t done)
{
    const ze_image_region_t rows = region(row, H / 2), all = region(row, H);
    const unsigned waits = wait != NULL;
    if (!strcmp(what, "write"))
        works(zeCommandListAppendImageCopyFromMemory(l, image, words, &rows, done, waits, &wait));
    else if (!strcmp(what, "read"))
        works(zeCommandListAppendImageCopyToMemory(l, words, image, &rows, done, waits, &wait));
    else if (!strcmp(what, "all"))
        works(zeCommandListAppendImageCopyFromMemory(l, image, words, &all, done, waits, &wait));
    else if (!strcmp(what, "copy_to"))
        works(
            zeCommandListAppendImageCopyRegion(l, image, other, &rows, &rows, done, waits, &wait));
    else
        works(zeCommandListAppendImageCopy(l, other, image, done, waits, &wait));
}

int main(int argc, char **argv)
{
    for (kind = kinds; strcmp(kind->name, argv[1]); kind++)
        ;
    const int immediate = !strcmp(argv[6], "immediate");
    const ze_context_desc_t c = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                       .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_command_queue_desc_t waits = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_command_list_desc_t l = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_event_pool_desc_t p = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                    .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                    .count = 2};
    const ze_image_desc_t i = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = kind->type,
        .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32, .type = ZE_IMAGE_FORMAT_TYPE_UINT},
        .width = kind->size[0],
        .height = kind->size[1],
        .depth = kind->size[2],
        .arraylevels = kind->layers};
    ze_driver_handle_t driver;
    ze_event_pool_handle_t pool;
    ze_event_handle_t done[2];
    ze_command_queue_handle_t queue[2];
    ze_command_list_handle_t list[2], first;
    unsigned one = 1;
    works(zeInit(0));
    works(zeDriverGet(&one, &driver));
    works(zeDeviceGet(driver, &one, &device));
    works(zeContextCreate(driver, &c, &context));
    works(zeEventPoolCreate(context, &p, 1, &device, &pool));
    works(zeImageCreate(context, device, &i, &image));
    works(zeImageCreate(context, device, &i, &other));
    works(zeCommandListCreateImmediate(context, device, &waits, &first));
    for (unsigned k = 0; k < 2; k++)
        works(zeEventCreate(pool,
                            &(ze_event_desc_t){.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                               .index = k,
                                               .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                               .wait = ZE_EVENT_SCOPE_FLAG_DEVICE},
                            &done[k]));
    for (unsigned row = 0; row < (kind->layers ? H : 1); row++)
        append(first, "all", row, NULL, NULL);
    for (unsigned k = 0; k < 2; k++) {
        works(zeCommandQueueCreate(context, device, &q, &queue[k]));
        works(immediate ? zeCommandListCreateImmediate(context, device, &q, &list[k])
                        : zeCommandListCreate(context, device, &l, &list[k]));
        append(list[k], argv[2 * k + 2], (unsigned)atoi(argv[2 * k + 3]),
               k && argc > 7 ? done[0] : NULL, done[k]);
        if (!immediate) {
            works(zeCommandListClose(list[k]));
            works(zeCommandQueueExecuteCommandLists(queue[k], 1, &list[k], NULL));
        }
    }
    for (unsigned k = 0; k < 2; k++)
        works(zeEventHostSynchronize(done[k], UINT64_MAX));
    for (unsigned k = 0; k < 2; k++) {
        works(zeCommandListDestroy(list[k]));
        works(zeCommandQueueDestroy(queue[k]));
    }
    for (unsigned k = 0; k < 2; k++)
        works(zeEventDestroy(done[k]));
    works(zeCommandListDestroy(first));
    works(zeEventPoolDestroy(pool));
    works(zeImageDestroy(image));
    works(zeImageDestroy(other));
    works(zeContextDestroy(context));
    puts("done");
    return 0;
}
