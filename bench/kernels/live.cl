__kernel void work(__global uint *data, uint rounds)
{
    const uint i = get_global_id(0);
    uint v = i;
    for (uint k = 0; k < rounds; k++)
        v = v * 1664525u + (v >> 7) + k; // step
    data[i] = v; // end
}
