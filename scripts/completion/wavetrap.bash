# Bash completion for wavetrap, which says itself what a word may become; files where it says nothing.

_wavetrap() {
    # Readline breaks words at '=' and ':': words are those of the line, and a reply begins after the last break.
    local line=${COMP_LINE:0:COMP_POINT} words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=${words[-1]}
    local before=${current%"${current##*[=:]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r line _; do
        COMPREPLY+=("${line#"$before"}")
        [[ $line == *[=:] ]] && compopt -o nospace 2>/dev/null
    done < <(wavetrap complete "${words[@]:1}" 2>/dev/null)
}

complete -o default -F _wavetrap wavetrap
