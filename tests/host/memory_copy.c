/* hsa_memory_copy between memory of the program, of the GPU, and of both, compared with memcpy.
 * With an argument: past an allocation. */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 16, PLACES = 4 };

static hsa_status_t find_agent(hsa_agent_t agent, void *agents)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    ((hsa_agent_t *)agents)[type == HSA_DEVICE_TYPE_GPU] = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *found)
{
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment == HSA_AMD_SEGMENT_GLOBAL)
        *(hsa_amd_memory_pool_t *)found = pool;
    return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    static const size_t size[] = {1, 3, 4, 100, 4097, 40000};
    static unsigned char expected[SIZE], seen[SIZE];
    hsa_agent_t agent[2];
    hsa_amd_memory_pool_t pool[2];
    unsigned char *place[PLACES] = {malloc(SIZE)}; /* the program's; shared; the GPU's, twice */
    if (hsa_init() || hsa_iterate_agents(find_agent, agent))
        return 1;
    for (int i = 0; i < 2; i++)
        if (hsa_amd_agent_iterate_memory_pools(agent[i], find_pool, &pool[i]))
            return 1;
    for (int i = 1; i < PLACES; i++)
        if (hsa_amd_memory_pool_allocate(pool[i > 1], SIZE, 0, (void **)&place[i]) ||
            hsa_amd_agents_allow_access(1, &agent[1], NULL, place[i]))
            return 1;
    if (argc > 1)
        return hsa_amd_memory_pool_allocate(pool[1], 256, 0, (void **)&place[1]) ||
               hsa_memory_copy(place[1], place[0], 300);
    for (int to = 0; to < PLACES; to++)
        for (int from = 0; from < PLACES; from++)
            for (unsigned i = 0; i < sizeof size / sizeof *size; i++) {
                const size_t at = 11 * i, source = 7 + 5 * i;
                for (unsigned k = 0; to != from && k < SIZE; k++) {
                    seen[k] = rand();
                    expected[k] = rand();
                }
                if (to == from || hsa_memory_copy(place[from], seen, SIZE) ||
                    hsa_memory_copy(place[to], expected, SIZE))
                    continue;
                memcpy(expected + at, seen + source, size[i]);
                if (hsa_memory_copy(place[to] + at, place[from] + source, size[i]) ||
                    hsa_memory_copy(seen, place[to], SIZE) || memcmp(seen, expected, SIZE))
                    return printf("wrong: %d to %d, %zu bytes\n", from, to, size[i]);
            }
    puts("right");
    return hsa_shut_down();
}
