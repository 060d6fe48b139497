#!/bin/sh
# A compiler of HIP or CUDA with its headers compiled before (precompile.py), and hipcc without its Perl: clang is called as hipcc
# calls it. What is asked in another way than most tests do goes to the compiler itself.
name=${0##*/}
folder=@FOLDER@
plain() { exec "$name" "$@"; }
[ -d "$folder" ] || plain "$@"

level='' link='' language='' input='' headers=1 fits=1 previous=''
for word; do
    case $previous$word in
    -o*) ;;
    -xhip | -xcuda) language=1 ;;
    -x?*) plain "$@" ;;
    -O0) level=$level-O0 ;;
    -O[123]) level=$level-O1 ;;
    -c) link=-c ;;
    -E | -M* | -save-temps* | -include* | -std=* | -D_* | -DHIP* | -DCUDA*) plain "$@" ;;
    -fPIC) fits='' ;;
    --offload-arch=gfx900 | -g | -w | -D* | -I* | -W[a-z]* | -f[a-z]* | -shared | -\#\#\#) ;;
    *.hip | *.cu)
        input=1
        # What stands before the first header may change what it is.
        case $(sed -n '/^[[:space:]]*#/{p;q}' "$word" 2>/dev/null) in '#include'*) ;; *) headers='' ;; esac
        ;;
    *) [ "$name" != hipcc ] || [ "$word" = -x ] || [ "$word" = -o ] || plain "$@" ;;
    esac
    previous=
    case $word in -o | -x) previous=$word ;; esac
done
if [ "$name" = hipcc ]; then
    case $input$level in 1-O[01]) ;; *) plain "$@" ;; esac
    [ "$language" ] || set -- -x hip "$@"
    ifs=$IFS
    IFS='
'
    # shellcheck disable=SC2046
    if [ "$link" ]; then set -- $(cat "$folder/before-c$level") "$@"; else set -- $(cat "$folder/before$level") "$@" $(cat "$folder/after$level"); fi
    IFS=$ifs
else
    case $language$input in 1*) ;; *) plain "$@" ;; esac
    headers=1 # clang itself has read them before the source's first line
    set -- "$name" "$@"
fi
[ "$headers$fits" = 11 ] || exec "$@"
{
    said=$("$@" -Xclang -include-pch -Xclang "$folder" 2>&1 >&3 3>&-)
    status=$?
} 3>&1
case $status$said in
0) exit ;;
*'precompiled header file'*) exec "$@" ;; # none for these options
esac
printf '%s\n' "$said" >&2
exit $status
