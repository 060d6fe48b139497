#!/bin/sh
# Runs the fuzz targets of tests/fuzz under libFuzzer with AddressSanitizer and UBSan:
#   fuzz.sh SECONDS [NAME]...
#   fuzz.sh product: only compiles all of src, for what clang says of it
# Seeds are in tests/fuzz/corpus/NAME; what libFuzzer finds worth keeping goes to build-fuzz/corpus,
# an input that breaks something to build-fuzz/crash-NAME-… . Without clang nothing is run.
# FUZZ_SEED=N makes a run one that can be repeated: libFuzzer starts from that seed and from the
# committed corpus alone. `make check` does so; `make fuzz` explores. The seconds of a repeated run
# are few, so its build, in build-fuzz-check, is not optimised: that takes a third of the time. Warnings are errors in both.
set -eu
cd "$(dirname "$0")/.."
seconds=$1
shift
clang=${FUZZ_CC:-clang-19}
if ! command -v "$clang" >/dev/null; then
    echo "fuzzing left out: there is no $clang"
    [ "$seconds" != product ]
    exit
fi
build=build-fuzz
optimization=1
if [ -n "${FUZZ_SEED:-}" ]; then
    build=build-fuzz-check
    optimization=0
fi
[ -f "$build/build.ninja" ] ||
    CC=$clang CC_LD=lld meson setup "$build" -Dfuzz=true -Doptimization=$optimization \
        -Db_sanitize=address,undefined -Db_lundef=false -Dc_args='-g1 -fsanitize=fuzzer-no-link' >"$build.log" 2>&1 ||
    { cat "$build.log"; exit 1; }
rm -f "$build.log"
export LC_ALL=C.UTF-8 # in other locales json-c leaves what newlocale() allocates
if [ "$seconds" = product ]; then
    # shellcheck disable=SC2046
    exec ninja -C "$build" --quiet $(ninja -C "$build" -t targets all | sed -n 's/^\(src\/[^:]*\.o\): c_COMPILER.*/\1/p')
fi
[ $# -gt 0 ] || set -- $(cd tests/fuzz && for f in fuzz_*.c; do f=${f#fuzz_}; echo "${f%.c}"; done)
targets=
for name in "$@"; do
    targets="$targets tests/fuzz/fuzz_$name"
done
# shellcheck disable=SC2086
ninja -C "$build" --quiet $targets

# The folder for new inputs: kept and used again, or, for a run that can be repeated, an empty one.
corpus=$build/corpus
[ -z "${FUZZ_SEED:-}" ] || rm -rf "$corpus"

run_one() {
    mkdir -p "$corpus/$1"
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$build/tests/fuzz/fuzz_$1" \
        -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2560 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="$build/crash-$1-" \
        "$corpus/$1" "tests/fuzz/corpus/$1" >"$build/$1.log" 2>&1 || {
        cat "$build/$1.log"
        echo "fuzz_$1 FAILED: see $build/crash-$1-*"
        return 1
    }
    echo "fuzz_$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log") inputs, all well"
}

failed=0
while [ $# -gt 0 ]; do
    run_one "$1" &
    first=$!
    second=
    shift
    if [ $# -gt 0 ]; then
        run_one "$1" &
        second=$!
        shift
    fi
    wait "$first" || failed=1
    [ -z "$second" ] || wait "$second" || failed=1
done
exit $failed
