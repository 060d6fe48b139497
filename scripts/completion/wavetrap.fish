# Fish completion for wavetrap. Commands and options come from its own help, so they are never old.

function __wavetrap_commands
    wavetrap --help 2>/dev/null | LC_ALL=C sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1\t\2/p'
end

function __wavetrap_options
    set -l words (commandline -opc)
    set -l command $words[2]
    test "$words[2] $words[3]" = "dm check"; and set command dm check
    wavetrap $command --help 2>/dev/null | string match -rg -- '^  (?:-., |    )(--[a-z-]+=?)'
end

complete -c wavetrap -n __fish_use_subcommand -f -a '(__wavetrap_commands)'
complete -c wavetrap -n __fish_use_subcommand -f -a '--help --version'
complete -c wavetrap -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' \
    -f -a '(__wavetrap_options)'
complete -c wavetrap -n '__fish_seen_subcommand_from dm; and not __fish_seen_subcommand_from check' -a check
