/* Texels whose components are no whole bytes: init_parts_ze FILE.spv FORMAT red|green. A kernel
 * draws red of numbers that nothing has written, and the other components of constants; another one
 * branches on red or on green. */
#include "ze.h"

enum { ITEMS = 64, BYTES = ITEMS * sizeof(int) };

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        ze_image_format_layout_t layout;
    } formats[] = {{"10_10_10_2", ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2},
                   {"5_6_5", ZE_IMAGE_FORMAT_LAYOUT_5_6_5},
                   {"5_5_5_1", ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1},
                   {"8_8_8_8", ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8}};
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    unsigned k = 0;
    ze_image_handle_t image;
    void *in, *out;
    int numbers[ITEMS];
    need(argc == 4, "reading the arguments");
    while (strcmp(formats[k].name, argv[2]) != 0)
        k++;
    const ze_image_desc_t of_image = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = ZE_IMAGE_TYPE_2D,
        .format = {formats[k].layout, ZE_IMAGE_FORMAT_TYPE_UNORM, ZE_IMAGE_FORMAT_SWIZZLE_R,
                   ZE_IMAGE_FORMAT_SWIZZLE_G, ZE_IMAGE_FORMAT_SWIZZLE_B, ZE_IMAGE_FORMAT_SWIZZLE_A},
        .width = 16,
        .height = 4,
        .depth = 1};
    find_device(argv[1]);
    ze_kernel_handle_t draw = own_kernel("draw_red", ITEMS),
                       branch = own_kernel(
                           strcmp(argv[3], "red") ? "branch_on_green" : "branch_on_red", ITEMS);
    need(!zeImageCreate(context, device, &of_image, &image) &&
             !zeMemAllocDevice(context, &on_device, BYTES, 0, device, &in) &&
             !zeMemAllocDevice(context, &on_device, BYTES, 0, device, &out),
         "the memory");
    zeKernelSetArgumentValue(draw, 0, sizeof image, &image);
    zeKernelSetArgumentValue(draw, 1, sizeof in, &in);
    run_kernel(draw);
    zeKernelSetArgumentValue(branch, 0, sizeof out, &out);
    zeKernelSetArgumentValue(branch, 1, sizeof image, &image);
    run_kernel(branch);
    need(!zeCommandListAppendMemoryCopy(list, numbers, out, BYTES, NULL, 0, NULL), "the copy");
    printf("%d\n", numbers[ITEMS - 1]);
    return 0;
}
