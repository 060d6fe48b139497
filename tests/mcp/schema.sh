#!/bin/sh
# Makes build-mcp: the registry's packages of package-lock.json, with the clients of the Model Context Protocol, and schema.json, JSON
# schemas of the types of its revision 2025-11-25. It is made once for a version of package-lock.json.
set -eu
here=$(dirname "$(readlink -f "$0")")
out=${1:-$here/../../build-mcp}
mkdir -p "$out"
exec 9>"$out/lock"
flock 9    # tests that run side by side may come here at once
if [ -e "$out/schema.json" ] && cmp -s "$here/package-lock.json" "$out/package-lock.json" && cmp -s "$0" "$out/schema.sh"; then
    exit 0
fi
rm -f "$out/schema.json"
cp "$here/package.json" "$here/package-lock.json" "$0" "$out"
npm ci --prefix "$out" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
"$out/node_modules/.bin/typescript-json-schema" "$out/node_modules/mcp-types/dist/esm/spec.types.d.ts" '*' \
    --required --strictNullChecks --ignoreErrors -o "$out/schema.tmp" >/dev/null
# The inspector's command line reads its version from the package that it is usually a part of.
cp "$out/node_modules/@modelcontextprotocol/inspector-cli/package.json" "$out/node_modules/@modelcontextprotocol/package.json"
mv "$out/schema.tmp" "$out/schema.json"
