# What `make demo` types into stock GDB first.
set pagination off
set confirm off
set style enabled off
set width 130
set trace-commands on
break blur.c:34
continue
print tile
who-wrote tile[16]
