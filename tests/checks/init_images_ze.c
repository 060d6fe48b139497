/* Texels of Level Zero that nothing has written: init_images_ze FILE.spv KERNEL 1d|1d_array|2d|
 * 2d_array|3d bad|good. A kernel of init_texels.cl looks at a copy of an image of 64 texels, of
 * which in a bad run a half was written; draw_sum, to which the kind is not a matter, draws one of
 * a buffer of which a half was, and the host gets that. */
#include "ze.h"

enum { ITEMS = 64, BYTES = ITEMS * sizeof(int) };

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        ze_image_type_t type;
        unsigned size[3], layers;
    } kinds[] = {{"1d", ZE_IMAGE_TYPE_1D, {64, 1, 1}, 0},
                 {"1d_array", ZE_IMAGE_TYPE_1DARRAY, {16, 1, 1}, 4},
                 {"2d", ZE_IMAGE_TYPE_2D, {16, 4, 1}, 0},
                 {"2d_array", ZE_IMAGE_TYPE_2DARRAY, {4, 4, 1}, 4},
                 {"3d", ZE_IMAGE_TYPE_3D, {4, 4, 4}, 0}};
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    int numbers[ITEMS], zeros[ITEMS] = {0};
    unsigned k = 0;
    ze_image_handle_t image, copy;
    void *memory;
    need(argc == 5, "reading the arguments");
    const int bad = strcmp(argv[4], "bad") == 0, draws = strcmp(argv[2], "draw_sum") == 0;
    while (strcmp(kinds[k].name, argv[3]) != 0)
        k++;
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = i * 7 % 61;
    const ze_image_desc_t of_image = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = kinds[k].type,
        .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32, .type = ZE_IMAGE_FORMAT_TYPE_SINT},
        .width = kinds[k].size[0],
        .height = kinds[k].size[1],
        .depth = kinds[k].size[2],
        .arraylevels = kinds[k].layers};
    ze_image_region_t part = {0, 0, 0, kinds[k].size[0], kinds[k].size[1], kinds[k].size[2]};
    if (kinds[k].type == ZE_IMAGE_TYPE_1DARRAY)
        part.height = kinds[k].layers;
    if (kinds[k].type == ZE_IMAGE_TYPE_2DARRAY)
        part.depth = kinds[k].layers;
    const ze_image_region_t all = part;
    uint32_t *const halved = part.depth > 1    ? &part.depth
                             : part.height > 1 ? &part.height
                                               : &part.width;
    *halved /= bad && !draws ? 2 : 1;
    find_device(argv[1]);
    ze_kernel_handle_t kernel = own_kernel(argv[2], ITEMS);
    need(!zeMemAllocDevice(context, &on_device, BYTES, 0, device, &memory) &&
             !zeImageCreate(context, device, &of_image, &image) &&
             !zeImageCreate(context, device, &of_image, &copy),
         "the memory");
    if (draws) {
        need(!zeCommandListAppendMemoryCopy(list, memory, numbers, bad ? BYTES / 2 : BYTES, NULL, 0,
                                            NULL),
             "the copy");
        zeKernelSetArgumentValue(kernel, 0, sizeof image, &image);
        zeKernelSetArgumentValue(kernel, 1, sizeof memory, &memory);
        run_kernel(kernel);
        need(!zeCommandListAppendImageCopyToMemory(list, zeros, image, &all, NULL, 0, NULL),
             "the copy to memory");
    } else {
        /* Layer by layer: of several the runtime copies the first one alone. */
        const int layers = kinds[k].layers != 0, lines = kinds[k].type == ZE_IMAGE_TYPE_1DARRAY;
        ze_image_region_t layer = part;
        const unsigned count = layers ? *halved : 1;
        if (layers)
            *(lines ? &layer.height : &layer.depth) = 1;
        for (unsigned i = 0; i < count; i++) {
            *(lines ? &layer.originY : &layer.originZ) = i;
            need(!zeCommandListAppendImageCopyFromMemory(list, image, numbers + i * (ITEMS / 4),
                                                         &layer, NULL, 0, NULL) &&
                     (!layers || !zeCommandListAppendImageCopyRegion(list, copy, image, &layer,
                                                                     &layer, NULL, 0, NULL)),
                 "the copy");
        }
        need(layers || !zeCommandListAppendImageCopy(list, copy, image, NULL, 0, NULL), "the copy");
        zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory);
        zeKernelSetArgumentValue(kernel, 1, sizeof copy, &copy);
        run_kernel(kernel);
        need(!zeCommandListAppendMemoryCopy(list, zeros, memory, BYTES, NULL, 0, NULL), "the copy");
    }
    for (int i = 0; i < ITEMS / 2; i++)
        need(zeros[i] == numbers[i] + 1, "the result");
    zeImageDestroy(image);
    zeImageDestroy(copy);
    zeMemFree(context, memory);
    printf("%d\n", zeros[ITEMS - 1]);
    return 0;
}
