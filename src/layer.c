/* What the link check of a layer starts with: see `layers` in meson.build. */
int main(void)
{
    return 0;
}
