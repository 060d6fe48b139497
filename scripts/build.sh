#!/bin/sh
# Configures a build folder if that is to be done, and builds in it:
#   build.sh FOLDER product     what users have: the command, its libraries, the folders of cuda-path and hip-path
#   build.sh FOLDER             all: the tests and the benchmarks, too
# SETUP has options for Meson, also for a folder that is configured already. A counter of steps shows that it goes on: in place at a terminal, else a line for every hundred.
set -eu
cd "$(dirname "$0")/.."
folder=$1
# Packages that a part depends on: Meson looks for them again when one has come or gone.
optional=$(for package in cmocka libdrm libedit libhsakmt ompi-c; do
    ! pkg-config --exists $package || echo $package
done)
options=${SETUP:-$(cat "$folder/options" 2>/dev/null || true)}
again=
[ ! -f "$folder/build.ninja" ] || again=--reconfigure
if [ -z "$again" ] || [ "$optional" != "$(cat "$folder/optional" 2>/dev/null)" ] || [ "$options" != "$(cat "$folder/options" 2>/dev/null)" ]; then
    # shellcheck disable=SC2086
    meson setup $again "$folder" $options >"$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
    mv "$folder.log" "$folder/setup.log"
    echo "$optional" >"$folder/optional"
    echo "$options" >"$folder/options"
fi
targets=
if [ "${2:-}" = product ]; then
    # So that the list is that of today's files.
    ninja -C "$folder" --quiet build.ninja >"$folder/list.log" || { cat "$folder/list.log"; exit 1; }
    targets=$(meson introspect --targets "$folder" | python3 -c '
import json, os, sys
root = os.path.realpath(sys.argv[1])
print(*(os.path.relpath(t["filename"][0], root) for t in json.load(sys.stdin)
        if t["installed"] or os.path.relpath(t["defined_in"]).startswith("src/") and t["type"] != "static library" and not t["name"].startswith("layer-")))' "$folder")
fi
export NINJA_STATUS="%f of %t  "
# shellcheck disable=SC2086
[ ! -t 1 ] || exec ninja -C "$folder" $targets
status=$folder/status
# shellcheck disable=SC2086
{ ninja -C "$folder" $targets && echo 0 >"$status" || echo 1 >"$status"; } |
    awk '/^ninja: / { if (!/Entering|no work/) print; next }
         /^[0-9]+ of [0-9]+  / { if ($1 % 100 == 0 || $1 == $3) { print $1 " of " $3 " steps"; fflush() }; next }
         { print; fflush() }'
exit "$(cat "$status")"
