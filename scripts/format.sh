#!/bin/sh
# Lays out the C files as .clang-format says: format.sh; `format.sh --check` only names those that differ.
set -eu
cd "$(dirname "$0")/.."
case ${1-} in
--check) how="--dry-run --Werror" ;;
*) how=-i ;;
esac
# shellcheck disable=SC2086
git ls-files -z '*.c' '*.h' | xargs -0 clang-format $how
