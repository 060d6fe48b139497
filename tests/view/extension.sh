#!/bin/sh
# Compiles the extension for VS Code into build-vscode/editors/vscode, with the registry's packages of its lock file: once for a state
# of its files.
set -eu
top=$(dirname "$(readlink -f "$0")")/../..
out=${1:-$top/build-vscode}
mkdir -p "$out"
exec 9>"$out/lock"
flock 9    # tests that run side by side may come here at once
sum=$(cd "$top/editors/vscode" && find . \( -name node_modules -o -name out \) -prune -o -type f -print | sort | xargs cat | cksum)
if [ "$(cat "$out/sum" 2>/dev/null)" = "$sum" ]; then
    exit 0
fi
rm -rf "$out/editors" "$out/sum"
mkdir -p "$out/editors/vscode"
(cd "$top/editors/vscode" && tar -cf - --exclude=node_modules --exclude=out .) | tar -xf - -C "$out/editors/vscode"
ln -sfn "$top/src" "$out/src"
ln -sfn "$top/LICENSE" "$out/LICENSE"
cd "$out/editors/vscode"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
node_modules/.bin/tsc -p .
rm -rf node_modules
echo "$sum" >"$out/sum"
