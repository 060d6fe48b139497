#!/bin/sh
# Makes all of a release in a scratch clone of HEAD, and tries it; docs/release.md says what it is made of.
#   release.sh VERSION          a dry run: what is made lies in build/release, the repository stays as it is
#   release.sh VERSION --tag    the same, and then, if all has been made, HEAD gets the tag vVERSION
# STEPS="packages site" makes some parts only, in a dry run.
set -eu
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
top=$PWD
version=${1:-}
tag=
case $# in
1) ;;
2) [ "$2" = --tag ] && tag=v$version || [ "$2" = --dry-run ] || { echo "release: what is '$2'? --tag or --dry-run" >&2; exit 2; } ;;
*) echo "usage: release.sh VERSION [--dry-run | --tag]" >&2; exit 2 ;;
esac
steps=${STEPS:-packages extension image site}
# What is made of a commit is the same, whenever and wherever it is made.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
out=$top/build/release

refuse() {
    echo "release: $*" >&2
    exit 1
}

# pack FILE FOLDER NAME...: tar and gzip, without what differs from one machine to the next.
pack() {
    file=$1 from=$2
    shift 2
    tar -C "$from" --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --mtime="@$SOURCE_DATE_EPOCH" -c "$@" | gzip -9n >"$file"
}

say() {
    printf '%-10s %s\n' "$1" "$2"
}

# ---- what must be so before anything is made ----

changed=$(git status --porcelain)
[ -z "$changed" ] || refuse "the working tree is not clean:
$changed"

versions() {
    echo "meson.build $(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build | head -1)"
    echo "debian/changelog $(sed -n '1s/^wavetrap (\([^-)]*\).*/\1/p' debian/changelog)"
    echo "editors/vscode/package.json $(sed -n 's/^ *"version": "\(.*\)",$/\1/p' editors/vscode/package.json | head -1)"
    echo "editors/vscode/package-lock.json $(sed -n 's/^ *"version": "\(.*\)",$/\1/p' editors/vscode/package-lock.json | head -1)"
    echo "contrib/python/pyproject.toml $(sed -n 's/^version = "\(.*\)"$/\1/p' contrib/python/pyproject.toml)"
    echo "CITATION.cff $(sed -n 's/^version: //p' CITATION.cff)"
    echo "docs/stability.md $(sed -n 's/^Version \([0-9.]*[0-9]\)\..*/\1/p' docs/stability.md | head -1)"
    echo "CHANGELOG.md $(sed -n "s/^## \($version\) (.*/\1/p" CHANGELOG.md)"
}
other=$(versions | while read -r file has; do [ "$has" = "$version" ] || echo "$file has ${has:-none}"; done)
[ -z "$other" ] || refuse "not everywhere is the version $version:
$other"
say version "$version in $(versions | wc -l) files"

# A dry run may come before the last of these are done.
open=
[ -z "$(find changes -name '*.md' ! -name README.md)" ] || open="changes/ has files (make changelog, then fold them)"
[ -z "$(sed -n '/^## Not released yet/,/^## [0-9]/{/^## /d;p}' CHANGELOG.md | tr -d ' \n')" ] || open="${open:+$open; }CHANGELOG.md has changes that are not released yet"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || open="${open:+$open; }the tag v$version is there already"
[ -z "$open" ] || [ -z "$tag" ] || refuse "$open"
[ -z "$open" ] || say "to do" "$open"
[ -z "$tag" ] || [ -z "${STEPS:-}" ] || refuse "a tag wants all parts, not STEPS"

# ---- the parts ----

work=$(mktemp -d)
image=wavetrap-release-$$
clean() {
    # shellcheck disable=SC2046
    [ ! -f "$work/boxes" ] || {
        buildah rm $(cat "$work/boxes")
        buildah rmi -f "localhost/$image" "localhost/$image-base"
    } >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap clean EXIT
rm -rf "$out"
mkdir -p "$out"
left_out=

# part NAME STEP-OF-NEED TOOL...: runs make_NAME in the clone, with a log, and says its last line; where a tool is missing it says that.
part() {
    name=$1 step=$2
    shift 2
    lacks=
    for tool in "$@"; do
        command -v "$tool" >/dev/null || lacks="$lacks $tool"
    done
    if [ -n "$lacks" ]; then
        say "$name" "left out, without$lacks: scripts/need.sh $step"
        left_out="$left_out $name"
        return
    fi
    # A subshell of its own: where a function is a condition, set -e does nothing in it.
    set +e
    (set -e; cd "$work/tree"; "make_$name") >"$work/$name.log" 2>&1
    status=$?
    set -e
    [ $status = 0 ] || { tail -30 "$work/$name.log" >&2; refuse "$name: failed (status $status)"; }
    say "$name" "$(tail -1 "$work/$name.log")"
}

archive=$out/wavetrap-$version.tar.xz
make_archive() {
    git archive --prefix="wavetrap-$version/" HEAD | xz -9 -T1 >"$archive"
    # Each file of the repository is in it, and no other.
    tar -tf "$archive" | sed -n "s,^wavetrap-$version/,,;/[^/]\$/p" | sort >"$work/packed"
    git -c core.quotePath=off ls-files | sort | diff - "$work/packed"
    # What follows is made of the archive, not of the clone.
    tar -xf "$archive" -C "$work"
    # What abidiff compares the next version's library with.
    cp "$work/wavetrap-$version/tests/api/abi.xml" "$out/libwavetrap-$version.abi.xml"
    echo "$(wc -l <"$work/packed") files, as the repository has them: ${archive##*/}"
}

make_packages() {
    mkdir "$work/packages"
    # Debian's archive of upstream has no debian/: lintian warns of one whose packages change nothing.
    pack "$work/packages/wavetrap_$version.orig.tar.gz" "$work" --exclude="wavetrap-$version/debian" "wavetrap-$version"
    cp -r "$work/wavetrap-$version" "$work/packages"
    cd "$work/packages/wavetrap-$version"
    dpkg-checkbuilddeps
    dpkg-buildpackage -us -uc -j"$(nproc)"
    cd ..
    TMPDIR=$work lintian --allow-root --fail-on error,warning ./*.changes
    for package in wavetrap_*.deb libwavetrap0_*.deb; do
        dpkg-deb -x "$package" "$work/installed"
    done
    "$work/installed/usr/bin/wavetrap" --version | grep -F "$version"
    mv ./*.deb ./*.dsc ./*.debian.tar.* ./*.orig.tar.* ./*.changes ./*.buildinfo "$out"
    echo "$(find "$out" -name '*.deb' ! -name '*-dbgsym_*' | wc -l) packages; lintian has neither error nor warning; the installed command is $version"
}

make_extension() {
    cd "$work/wavetrap-$version"
    tests/view/extension.sh "$work/vscode"
    node "$work/vscode/editors/vscode/package.js" "$out/wavetrap-$version.vsix"
    python3 -c 'import json, sys, zipfile; print(json.load(zipfile.ZipFile(sys.argv[1]).open("extension/package.json"))["version"])' \
        "$out/wavetrap-$version.vsix" | grep -Fx "$version"
    echo "wavetrap-$version.vsix"
}

make_image() {
    mmdebstrap --mode=root --variant=minbase bookworm "$work/base.tar"
    box=$(buildah from scratch)
    echo "$box" >>"$work/boxes"
    buildah add "$box" "$work/base.tar" /
    buildah commit "$box" "$image-base"
    cd "$work/wavetrap-$version"
    buildah bud --isolation=chroot --build-arg "BASE=localhost/$image-base" --build-arg FAMILIES=kernels -t "$image" -f contrib/ci/Containerfile .
    box=$(buildah from "localhost/$image")
    echo "$box" >>"$work/boxes"
    buildah run --isolation=chroot "$box" -- wavetrap-ci -g sm -n 0 wavetrap --version | grep -F "$version"
    cp contrib/ci/Containerfile "$out"
    echo "an image by contrib/ci/Containerfile has the command $version"
}

make_site() {
    cd "$work/wavetrap-$version"
    scripts/site.py "$work/site"
    pack "$out/wavetrap-$version-site.tar.gz" "$work" site
    echo "$(find "$work/site" -name '*.html' | wc -l) pages: wavetrap-$version-site.tar.gz"
}

git clone -q "$top" "$work/tree"
say clone "$(git -C "$work/tree" log -1 --format='%h %s')"
part archive build git xz
for step in $steps; do
    case $step in
    packages) part packages full dpkg-buildpackage dh lintian ;;
    extension) part extension dap node npm ;;
    image) part image full buildah mmdebstrap ;;
    site) part site full mkdocs ;;
    *) refuse "there is no part '$step'" ;;
    esac
done
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >"$work/sums" && mv "$work/sums" SHA256SUMS)
say sums "$(wc -l <"$out/SHA256SUMS") files in ${out#"$top/"}"
[ -z "$left_out" ] || refuse "not made:$left_out"
if [ -z "$tag" ]; then
    say tag "none: this was a dry run"
    exit
fi
# With a key in git's configuration the tag is signed.
signed=-a
! git config user.signingkey >/dev/null || signed=-s
git tag $signed -m "wavetrap $version" "$tag"
say tag "$tag is $(git rev-parse --short "$tag^{commit}"); push it, with what lies in ${out#"$top/"}"
