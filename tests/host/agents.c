/* A program without HIP: AMD's runtime itself says which agents there are. */
#include <hsa/hsa.h>
#include <stdio.h>

static hsa_status_t say(hsa_agent_t agent, void *context)
{
    char name[64];
    (void)context;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
    puts(name);
    return HSA_STATUS_SUCCESS;
}

int main(void)
{
    if (hsa_init() != HSA_STATUS_SUCCESS)
        return 1;
    hsa_iterate_agents(say, NULL);
    return hsa_shut_down() != HSA_STATUS_SUCCESS;
}
