# Bash completion for wavetrap. Commands and options come from its own help, so they are never old.

_wavetrap_options() {
    wavetrap "$@" --help 2>/dev/null | LC_ALL=C sed -nE 's/^  (-., |    )(--[a-z-]+=?).*/\2/p'
}

_wavetrap_commands() {
    wavetrap --help 2>/dev/null | LC_ALL=C sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

_wavetrap() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} value= subcommand=
    [ "$command ${COMP_WORDS[2]}" = "dm check" ] && subcommand=check
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "$(_wavetrap_commands) --help --version" -- "$current"))
        return
    fi
    # Readline breaks words at '=': the option is then one or two words before the value.
    if [ "$current" = "=" ]; then
        value=$previous current=
    elif [ "$previous" = "=" ]; then
        value=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $previous == --* ]]; then
        value=$previous
    fi
    local words=
    case $value in
    --schedule) words="rr: lockstep random:" ;;
    --fill) words="zero random:" ;;
    --gdb-threads) words="auto lanes warps" ;;
    --gpu) words="vortex: gfx900:" ;;
    esac
    if [ -n "$words" ]; then
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        compopt -o nospace 2>/dev/null
    elif [[ $current == -* ]]; then
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "$(_wavetrap_options "$command" $subcommand)" -- "$current"))
        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    else
        compopt -o default 2>/dev/null
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -f -- "$current"))
        [ "$COMP_CWORD $command" = "2 dm" ] && [[ check == "$current"* ]] && COMPREPLY+=(check)
    fi
}

complete -F _wavetrap wavetrap
