/* The main function of a layer's link check: see `layers` in meson.build. */
int main(void)
{
    return 0;
}
