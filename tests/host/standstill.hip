// A barrier packet that waits for a signal that nobody changes.
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>
#include <cstdio>
int main()
{
    hsa_init();
    hsa_agent_t gpu{0};
    hsa_iterate_agents([](hsa_agent_t a, void *d) { hsa_device_type_t t; hsa_agent_get_info(a, HSA_AGENT_INFO_DEVICE, &t); if (t == HSA_DEVICE_TYPE_GPU) *(hsa_agent_t *)d = a; return HSA_STATUS_SUCCESS; }, &gpu);
    hsa_queue_t *q;
    hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, ~0u, ~0u, &q);
    hsa_signal_t never, done;
    hsa_signal_create(1, 0, NULL, &never);
    hsa_signal_create(1, 0, NULL, &done);
    uint64_t i = hsa_queue_add_write_index_relaxed(q, 1);
    auto *b = (hsa_barrier_and_packet_t *)q->base_address + i % q->size;
    *b = hsa_barrier_and_packet_t{};
    b->dep_signal[0] = never;
    b->completion_signal = done;
    __atomic_store_n(&b->header, (uint16_t)(HSA_PACKET_TYPE_BARRIER_AND | 1 << HSA_PACKET_HEADER_BARRIER), __ATOMIC_RELEASE);
    hsa_signal_store_relaxed(q->doorbell_signal, i);
    puts("submitted");
    fflush(stdout);
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    return 0;
}
