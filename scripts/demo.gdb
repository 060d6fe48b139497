# What `make demo` types into stock GDB. $kernel, $branch: lines of mandelbrot.c, set by demo.sh.
set pagination off
set confirm off
set style enabled off
set width 100

echo \n
echo == The kernel is draw(): every thread of every warp runs it, one pixel each. A breakpoint stops\n
echo == all warps at the same issue time.\n\n
break draw
continue

echo \n
echo == What GDB calls threads are the threads of the warps that are active, named by core, warp and\n
echo == thread.\n\n
info threads
echo \n
backtrace

echo \n
echo == The loop before line 45 ends for each pixel when it ends. Now a conditional breakpoint on the\n
echo == branch behind it: GDB sends the condition along, and it is evaluated beside the device, for\n
echo == each thread of the warp.\n\n
delete
break $branch if point.count == 60
continue

echo \n
echo == Each thread has variables and registers of its own. Of the warp that stopped:\n\n
thread apply all -q -s printf "pixel %d: count %d at (%f, %f)\n", pixel, point.count, point.x0, point.y0
echo \n
info registers pc sp a5 fa5 vx_thread_id vx_warp_id vx_core_id

echo \n
echo == The threads of this warp disagree. One step: those that take the branch go on; the others are\n
echo == masked off and wait at the place where they will wake up.\n\n
next
info threads

echo \n
echo == Two more steps lead this thread behind the JOIN: meanwhile the others have done their part.\n\n
delete
next
next
thread apply all -q -s printf "pixel %d: now '%c'\n", pixel, picture[pixel / 64][pixel % 64]

echo \n
echo == Memory can be changed. The first pixel was right:\n\n
x/4cb picture
set var picture[0][0] = '@'
x/4cb picture

echo \n
echo == So the program, which computes everything again by one thread and compares, will say that this\n
echo == pixel is wrong and exit with 1.\n\n
delete
continue
printf "exit status: %d\n", $_exitcode

echo \n
echo == "run" starts it afresh; undisturbed, it exits with 0.\n\n
run
printf "exit status: %d\n", $_exitcode
