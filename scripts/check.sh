#!/bin/sh
# Every test against one build: check.sh BUILD-FOLDER. The build must be up to date.
# Python suites are tests/NAME with files test_*.py; WAVETRAP and WAVETRAP_BUILD tell them what to run.
set -eu
cd "$(dirname "$0")/.."
WAVETRAP_BUILD=$(cd "$1" && pwd)
WAVETRAP=$WAVETRAP_BUILD/wavetrap
export WAVETRAP WAVETRAP_BUILD PYTHONDONTWRITEBYTECODE=1
# Of no use without a sanitizer; with one, no finding may look like a program's exit status.
export ASAN_OPTIONS="exitcode=99${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:exitcode=99${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"

failed=
# Sanitizers make everything slow, and tell of what is wrong at once. The soak waits for its sockets
# half of the time, so the unit tests run beside it.
soak=60
case $1 in *asan*) soak=20 ;; esac
echo "== $1: unit tests, and the soak beside them"
"$1/tests/soak/soak" "$soak" >"$1/check-soak.log" 2>&1 &
soaking=$!
if meson test -C "$1" --no-rebuild --print-errorlogs --suite unit >"$1/check-unit.log" 2>&1; then
    grep -E '^(Ok|Fail|Skipped|Timeout):' "$1/check-unit.log"
else
    cat "$1/check-unit.log"
    failed="$failed unit"
fi
wait "$soaking" || failed="$failed soak"
cat "$1/check-soak.log"
for suite in tests/*/; do
    suite=${suite%/}
    ls "$suite"/test_*.py >/dev/null 2>&1 || continue
    echo "== $1: $suite"
    # What talks to a debugger waits more than it computes.
    workers=2
    case $suite in */gdb) workers=5 ;; esac
    # Debian's Python by its path: it has Debian's pytest, which another one may not have.
    /usr/bin/python3 -m pytest -q -p no:cacheprovider -n "$workers" "$suite" || failed="$failed $suite"
done
[ -z "$failed" ] || { echo "$1: FAILED:$failed"; exit 1; }
