/* Texels of Level Zero that nothing has written: init_images_ze FILE.spv KERNEL 1d|1d_array|2d|
 * 2d_array|3d bad|good. A kernel of init_texels.cl looks at a copy of an image of 64 texels, of
 * which in a bad run a half was written; draw_sum, to which the kind is no matter, draws one of a
 * buffer of which a half was, and the host gets that. */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, BYTES = ITEMS * sizeof(int) };

static void need(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "%s failed\n", what);
        exit(3);
    }
}

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
    static uint8_t binary[1 << 22];
    int numbers[ITEMS], zeros[ITEMS] = {0};
    const ze_context_desc_t of_context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t synchronous = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_group_count_t one_group = {1, 1, 1};
    uint32_t one = 1, k = 0;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_image_handle_t image, copy;
    void *memory;
    need(argc == 5, "reading the arguments");
    const int bad = strcmp(argv[4], "bad") == 0, draws = strcmp(argv[2], "draw_sum") == 0;
    while (strcmp(kinds[k].name, argv[3]) != 0)
        k++;
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = i * 7 % 61;
    FILE *const file = fopen(argv[1], "rb");
    const size_t size = file ? fread(binary, 1, sizeof binary, file) : 0;
    const ze_module_desc_t of_module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                        .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                        .inputSize = size,
                                        .pInputModule = binary};
    const ze_kernel_desc_t of_kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                        .pKernelName = argv[2]};
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
    need(!zeInit(0) && !zeDriverGet(&one, &driver) && !zeDeviceGet(driver, &one, &device) &&
             !zeContextCreate(driver, &of_context, &context) &&
             !zeCommandListCreateImmediate(context, device, &synchronous, &list) &&
             !zeModuleCreate(context, device, &of_module, &module, NULL) &&
             !zeKernelCreate(module, &of_kernel, &kernel),
         "the set-up");
    need(!zeMemAllocDevice(context, &on_device, BYTES, 0, device, &memory) &&
             !zeImageCreate(context, device, &of_image, &image) &&
             !zeImageCreate(context, device, &of_image, &copy),
         "the memory");
    zeKernelSetGroupSize(kernel, ITEMS, 1, 1);
    if (draws) {
        need(!zeCommandListAppendMemoryCopy(list, memory, numbers, bad ? BYTES / 2 : BYTES, NULL, 0,
                                            NULL),
             "the copy");
        zeKernelSetArgumentValue(kernel, 0, sizeof image, &image);
        zeKernelSetArgumentValue(kernel, 1, sizeof memory, &memory);
        need(!zeCommandListAppendLaunchKernel(list, kernel, &one_group, NULL, 0, NULL) &&
                 !zeCommandListAppendImageCopyToMemory(list, zeros, image, &all, NULL, 0, NULL),
             "the launch");
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
        need(!zeCommandListAppendLaunchKernel(list, kernel, &one_group, NULL, 0, NULL) &&
                 !zeCommandListAppendMemoryCopy(list, zeros, memory, BYTES, NULL, 0, NULL),
             "the launch");
    }
    for (int i = 0; i < ITEMS / 2; i++)
        need(zeros[i] == numbers[i] + 1, "the result");
    zeImageDestroy(image);
    zeImageDestroy(copy);
    zeMemFree(context, memory);
    printf("%d\n", zeros[ITEMS - 1]);
    return 0;
}
