#!/bin/bash
# Runs a command on an emulated GPU and keeps what a CI job wants to keep:
#
#     run.sh [-g GPU] [-c CHECKS] [-t SECONDS] [-n LAUNCHES] [-o FOLDER] [-x OPTION]... COMMAND [ARGUMENT]...
#
#     -g GPU       as of `wavetrap exec` (gcn, gen9, sm, vortex, with :KEY=VALUE,...)
#     -c CHECKS    as of --check: memory,leak, all, ...; without it faults alone are reported
#     -t SECONDS   the command is ended after so long, with the places of all waves (1800)
#     -n LAUNCHES  it fails if fewer kernels ran (1; 0: none need run)
#     -o FOLDER    where reports and core files go (wavetrap-report)
#     -x OPTION    another option for `wavetrap exec`
#
# FOLDER has gpu.json (an object a line), findings.sarif and findings.xml (JUnit) of -c, and a core file PID-N.core for each fault, with
# the million issues before it, to be debugged backwards.
# Exit status: that of `wavetrap exec`; 2: this script was called wrongly; 125: there is no wavetrap, and none could be built.
#
# wavetrap is WAVETRAP, or the one of PATH, or that of the folder WAVETRAP_CACHE, which is built from the source tree of this script if it is
# not there: keep that folder from job to job, by the tree's commit.
set -eu

usage() {
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

find_wavetrap() {
    if [ -n "${WAVETRAP-}" ]; then
        echo "$WAVETRAP"
    elif command -v wavetrap; then
        :
    else
        build_wavetrap
    fi
}

build_wavetrap() {
    cache=$(realpath -m "${WAVETRAP_CACHE:-$HOME/.cache/wavetrap-ci}")
    if [ ! -x "$cache/bin/wavetrap" ]; then
        tree=$(dirname "$(readlink -f "$0")")/../..
        work=$(mktemp -d)
        echo "run.sh: builds wavetrap into $cache" >&2
        if ! { "$tree/scripts/need.sh" build && meson setup "$work" "$tree" --prefix="$cache" -Dtests=disabled && meson install -C "$work"; } >"$work.log" 2>&1
        then
            tail -n 40 "$work.log" >&2
            echo "run.sh: wavetrap could not be built from $tree" >&2
            exit 125
        fi
        rm -rf "$work" "$work.log"
    fi
    echo "$cache/bin/wavetrap"
}

gpu='' checks='' seconds=1800 launches=1 folder=wavetrap-report options=()
while getopts g:c:t:n:o:x: option; do
    case $option in
    g) gpu=$OPTARG ;;
    c) checks=$OPTARG ;;
    t) seconds=$OPTARG ;;
    n) launches=$OPTARG ;;
    o) folder=$OPTARG ;;
    x) options+=("$OPTARG") ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

wavetrap=$(find_wavetrap)
mkdir -p "$folder"
folder=$(realpath "$folder")
[ -z "$checks" ] || options+=("--check=$checks" "--report=sarif:$folder/findings.sarif" "--report=junit:$folder/findings.xml")
[ -z "$gpu" ] || options+=(-g "$gpu")
[ "$launches" = 0 ] || options+=("--require-launches=$launches")
status=0
"$wavetrap" exec --stats "--timeout=$seconds" --fault-exit=115 "--core-on-fault=$folder/%p-%n.core" --core-history=1000000 \
    "--report=json:$folder/gpu.json" "${options[@]}" -- "$@" || status=$?

# Annotations, where the forge reads them from the output (GitHub: ten of a step).
if [ -n "${GITHUB_ACTIONS-}" ] && [ -s "$folder/gpu.json" ]; then
    python3 - "$folder/gpu.json" <<'EOF'
import json
import os
import sys

for line in open(sys.argv[1]):
    o = json.loads(line)
    if o["kind"] not in ("fault", "finding"):
        continue
    level = {"note": "notice", "warning": "warning"}.get(o.get("severity"), "error")
    place = f" file={os.path.relpath(o['file'])},line={o['line']}" if "file" in o and "line" in o else ""
    text = o.get("text", o["kind"]).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{level}{place}::{text}")
EOF
fi
if [ "$status" -ne 0 ]; then
    echo "run.sh: status $status; reports are in $folder" >&2
    for core in "$folder"/*.core; do
        [ ! -e "$core" ] || echo "run.sh: 'wavetrap debug --core $core' opens the state at the fault" >&2
    done
fi
exit "$status"
