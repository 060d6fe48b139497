/* clang's header for CUDA includes this one of NVIDIA's; what it needs of it is elsewhere. */
