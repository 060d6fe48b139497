# NVIDIA's own names: with them no version of clang warns that its data layout is another one.
s/^target datalayout = .*/target datalayout = "e-i64:64-v16:16-v32:32-n16:32:64"/
s/^target triple = .*/target triple = "nvptx64-nvidia-gpulibs"/
# Each product and sum of the library is rounded, as its authors meant it. Compilers for NVIDIA's GPUs contract a*b + c to one operation, which breaks what
# computes the rest of a rounded sum, and also reaches into the caller's: sin(x * pi) was the sine of a product that was not rounded. Sums and products
# with a rounding of their own are not contracted.
s/^( *%[^ ]+ = )fmul ([a-z]+ )*double ([^,]+), ([^,]+)(, !.*)?$/\1call double @llvm.nvvm.mul.rn.d(double \3, double \4)/
s/^( *%[^ ]+ = )fadd ([a-z]+ )*double ([^,]+), ([^,]+)(, !.*)?$/\1call double @llvm.nvvm.add.rn.d(double \3, double \4)/
s/^( *%)([^ ]+)( = )fsub ([a-z]+ )*double ([^,]+), ([^,]+)(, !.*)?$/  %negative.\2 = fneg double \6\n\1\2\3call double @llvm.nvvm.add.rn.d(double \5, double %negative.\2)/
s/^( *%[^ ]+ = )fmul ([a-z]+ )*float ([^,]+), ([^,]+)(, !.*)?$/\1call float @llvm.nvvm.mul.rn.f(float \3, float \4)/
s/^( *%[^ ]+ = )fadd ([a-z]+ )*float ([^,]+), ([^,]+)(, !.*)?$/\1call float @llvm.nvvm.add.rn.f(float \3, float \4)/
s/^( *%)([^ ]+)( = )fsub ([a-z]+ )*float ([^,]+), ([^,]+)(, !.*)?$/  %negative.\2 = fneg float \6\n\1\2\3call float @llvm.nvvm.add.rn.f(float \5, float %negative.\2)/
# The library was written for GPUs whose conversions give 0 for a NaN, and takes places in tables from them.
s/^( *%[^ ]+ = )fptosi double ([^ ]+) to i32(, !.*)?$/\1call i32 @llvm.fptosi.sat.i32.f64(double \2)/
# A compiler inlines a function only where its features and built-ins are the caller's: functions without a branch have none of their own. The others,
# which are long, stay calls.
/^define .*@__nv_/,/^}/{
H
/^}/!d
x
s/^\n//
/\n  (br|switch) /!s/ #[0-9]+ \{/ #99 {/
p
s/.*//
x
d
}
/^declare .*@llvm\.nvvm\.(mul|add)\.rn\.[fd]\(/d
$a declare i32 @llvm.fptosi.sat.i32.f64(double)\ndeclare double @llvm.nvvm.mul.rn.d(double, double)\ndeclare double @llvm.nvvm.add.rn.d(double, double)\ndeclare float @llvm.nvvm.mul.rn.f(float, float)\ndeclare float @llvm.nvvm.add.rn.f(float, float)\nattributes #99 = { nounwind willreturn }
