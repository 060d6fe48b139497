/* A batch that waits for an event that nobody signals. */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    uint32_t n = 1;
    ze_driver_handle_t drv;
    ze_device_handle_t dev;
    ze_context_handle_t ctx;
    zeInit(0);
    zeDriverGet(&n, &drv);
    n = 1;
    zeDeviceGet(drv, &n, &dev);
    ze_context_desc_t cd = {ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    zeContextCreate(drv, &cd, &ctx);
    ze_event_pool_desc_t pd = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, NULL,
                               ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2};
    ze_event_pool_handle_t pool;
    zeEventPoolCreate(ctx, &pd, 1, &dev, &pool);
    ze_event_desc_t ed = {ZE_STRUCTURE_TYPE_EVENT_DESC, NULL, 0, 0, 0};
    ze_event_handle_t e;
    zeEventCreate(pool, &ed, &e); /* made */
    ze_command_queue_desc_t qd = {ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_queue_handle_t q;
    zeCommandQueueCreate(ctx, dev, &qd, &q);
    ze_command_list_desc_t ld = {ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t l;
    zeCommandListCreate(ctx, dev, &ld, &l);
    zeCommandListAppendWaitOnEvents(l, 1, &e); /* appended */
    zeCommandListClose(l);
    zeCommandQueueExecuteCommandLists(q, 1, &l, NULL);
    puts("submitted");
    fflush(stdout);
    zeCommandQueueSynchronize(q, UINT64_MAX); /* waits */
    return 0;
}
