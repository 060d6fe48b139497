#!/bin/sh
# Makes build-dap/schema.json: JSON schemas of the Debug Adapter Protocol's messages, from the protocol's types in the
# registry's package @vscode/debugprotocol. It is made once for a version of package-lock.json.
set -eu
here=$(dirname "$(readlink -f "$0")")
out=${1:-$here/../../build-dap}
mkdir -p "$out"
exec 9>"$out/lock"
flock 9    # tests that run side by side may come here at once
if [ -e "$out/schema.json" ] && cmp -s "$here/package-lock.json" "$out/package-lock.json" && cmp -s "$0" "$out/schema.sh"; then
    exit 0
fi
rm -f "$out/schema.json"
cp "$here/package.json" "$here/package-lock.json" "$0" "$out"
npm ci --prefix "$out" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
"$out/node_modules/.bin/typescript-json-schema" "$out/node_modules/@vscode/debugprotocol/lib/debugProtocol.d.ts" '*' \
    --required --strictNullChecks --ignoreErrors -o "$out/schema.tmp" >/dev/null
rm -rf "$out/node_modules"
mv "$out/schema.tmp" "$out/schema.json"
