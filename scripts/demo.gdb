# What `make demo` types into stock GDB.
set pagination off
set confirm off
set style enabled off
set width 130
set trace-commands on
break blur.c:34
continue
print tile
who-wrote tile[16]
goto-time 723
thread 16
print tile[t]
stepi
print tile[t]
