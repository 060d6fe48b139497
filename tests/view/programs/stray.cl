/* Lane 5 of the second group reads where no memory is. </script><!-- A page of it must not end here. */
kernel void stray(global int *to)
{
    int i = get_global_id(0);
    global int *from = i == 69 ? (global int *)0x7f0000000000 : to;
    to[i] = from[i] + 1; /* stray */
}
