/* Planted mistakes with what orders the commands of Level Zero's lists and queues, and idioms:
 * command_lists PREFIX bad|good [CASE]... races.txt has the labels. */
#include "cases.h"
#include "queues.h"

static ze_command_queue_handle_t a, b;
static struct one_queue first, second; /* lists to execute */
static buffer_t p, out;
static int zeros[N], here[N];

static ze_command_queue_handle_t queue_for_lists(void)
{
    const ze_command_queue_desc_t description = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_queue_handle_t made;
    works(zeCommandQueueCreate(context, device, &description, &made));
    return made;
}

static ze_command_list_handle_t new_list(void)
{
    const ze_command_list_desc_t description = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t made;
    works(zeCommandListCreate(context, device, &description, &made));
    return made;
}

static void execute(ze_command_queue_handle_t q, struct one_queue *l, ze_fence_handle_t fence)
{
    works(zeCommandListClose(l->list));
    works(zeCommandQueueExecuteCommandLists(q, 1, &l->list, fence));
}

static void wait_for_queue(ze_command_queue_handle_t q)
{
    works(zeCommandQueueSynchronize(q, UINT64_MAX));
}

static void begin(void)
{
    struct one_queue l = {new_list(), 0};
    a = queue_for_lists();
    b = queue_for_lists();
    first.list = new_list();
    second.list = new_list();
    p = new_buffer();
    out = new_buffer();
    copy_in(&l, p, zeros, NONE);
    copy_in(&l, out, zeros, NONE);
    execute(a, &l, NULL);
    wait_for_queue(a);
    works(zeCommandListDestroy(l.list));
}

static void end(void)
{
    struct one_queue l = {new_list(), 0};
    int sum = 0;
    wait_for_queue(a);
    wait_for_queue(b);
    copy_out(&l, here, out, NONE);
    execute(a, &l, NULL);
    wait_for_queue(a);
    for (int i = 0; i < N; i++)
        sum = sum * 3 + here[i];
    result(&sum, sizeof sum);
    free_buffer(p);
    free_buffer(out);
}

/* ---- one list ---- */

static void list_without_barrier(int bad)
{
    begin();
    put(&first, p, 0, N, NONE);
    if (!bad)
        barrier(&first);
    get(&first, out, p, N, NONE);
    execute(a, &first, NULL);
    end();
}

static void copied_without_event(int bad)
{
    int early[N];
    begin();
    const event_t done = put(&first, p, 0, N, NONE);
    copy_out(&first, early, p, bad ? NONE : done); /* BUG list_copy */
    execute(a, &first, NULL);
    end();
}

/* clang-format off */
CALLED void copy_rows(int *to, const int *from)
{
    const ze_copy_region_t r = {.width = 16, .height = 4};
    ze_command_list_handle_t l = first.list;
    zeCommandListAppendMemoryCopyRegion(l, to, &r, 32, 0, from, &r, 32, 0, NULL, 0, NULL); /* BUG region_copy */
}
/* clang-format on */

static void rows_overlap(int bad)
{
    begin();
    put(&first, p, 0, N / 2, NONE);
    copy_rows(p + N / 2 - bad, out);
    execute(a, &first, NULL);
    end();
}

static void filled_beside_list(int bad)
{
    begin();
    fill(&first, p, 7, NONE); /* BUG list_fill */
    if (!bad)
        barrier(&first);
    put(&first, p, 0, N, NONE);
    barrier(&first);
    get(&first, out, p, N, NONE);
    execute(a, &first, NULL);
    end();
}

/* ---- lists and queues ---- */

static void list_behind_list(int bad)
{
    begin();
    put(&first, p, 0, N, NONE);
    if (!bad)
        barrier(&second);
    get(&second, out, p, N, NONE);
    execute(a, &first, NULL);
    execute(a, &second, NULL);
    end();
}

static void list_in_another_queue(int bad)
{
    begin();
    put(&first, p, 0, N, NONE);
    barrier(&second);
    get(&second, out, p, N, NONE);
    execute(a, &first, NULL);
    if (!bad)
        wait_for_queue(a);
    execute(b, &second, NULL);
    end();
}

static void fence_of_the_other(int bad)
{
    const ze_fence_desc_t description = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t of_first, of_other;
    struct one_queue other = {new_list(), 0};
    begin();
    works(zeFenceCreate(a, &description, &of_first));
    works(zeFenceCreate(b, &description, &of_other));
    barrier(&other);
    put(&first, p, 0, N, NONE);
    get(&second, out, p, N, NONE);
    execute(a, &first, of_first);
    execute(b, &other, of_other);
    works(zeFenceHostSynchronize(bad ? of_other : of_first, UINT64_MAX));
    execute(b, &second, NULL);
    end();
}

static void event_not_reset(int bad)
{
    const event_t done = own_event();
    const ze_group_count_t groups = {N / 4, 1, 1};
    int start = 0;
    begin();
    works(zeKernelSetArgumentValue(put_kernel, 0, sizeof p, &p));
    works(zeKernelSetArgumentValue(put_kernel, 1, sizeof start, &start));
    works(zeCommandListAppendLaunchKernel(first.list, put_kernel, &groups, done, 0, NULL));
    get(&second, out, p, N, done);
    execute(a, &first, NULL);
    execute(b, &second, NULL);
    wait_for_queue(b);
    if (!bad)
        works(zeEventHostReset(done));
    works(zeCommandQueueExecuteCommandLists(a, 1, &first.list, NULL));
    works(zeCommandQueueExecuteCommandLists(b, 1, &second.list, NULL));
    end();
}

/* Intel's runtime has one hardware context, in which no command passes one that waits. */
static void raised_by_the_host(int bad)
{
    const event_t mine = own_event();
    begin();
    put(&first, p, 0, N, NONE);
    execute(a, &first, NULL);
    if (!bad)
        wait_for_queue(a);
    get(&second, out, p, N, mine);
    execute(b, &second, NULL);
    raise_event(mine);
    end();
}

/* ---- idioms ---- */

static void signal_and_wait(int bad)
{
    const event_t done = own_event();
    (void)bad;
    begin();
    put(&first, p, 0, N, NONE);
    works(zeCommandListAppendSignalEvent(first.list, done));
    works(zeCommandListAppendWaitOnEvents(second.list, 1, (event_t *)&done));
    works(zeCommandListAppendEventReset(second.list, done));
    get(&second, out, p, N, NONE);
    execute(a, &first, NULL);
    execute(b, &second, NULL);
    end();
}

static void executed_again(int bad)
{
    (void)bad;
    begin();
    put(&first, p, 0, N, NONE);
    barrier(&first);
    get(&first, out, p, N, NONE);
    barrier(&first);
    execute(a, &first, NULL);
    works(zeCommandQueueExecuteCommandLists(a, 1, &first.list, NULL));
    end();
}

/* clang-format off */
CASES(CASE(list_without_barrier), CASE(copied_without_event), CASE(rows_overlap), CASE(filled_beside_list), CASE(list_behind_list),
      CASE(list_in_another_queue), CASE(fence_of_the_other), CASE(event_not_reset), CASE(raised_by_the_host), CASE(signal_and_wait), CASE(executed_again))
/* clang-format on */

int main(int argc, char **argv)
{
    set_up(argv[1]);
    run_cases(argc - 1, argv + 1);
    return 0;
}
