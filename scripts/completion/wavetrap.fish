# Fish completion for wavetrap, which says itself what a word may become; files where it says nothing.

function __wavetrap_complete
    set -l words (commandline -opc) (commandline -ct)
    wavetrap complete $words[2..] 2>/dev/null
end

complete -c wavetrap -n 'test (count (__wavetrap_complete)) -gt 0' -f -a '(__wavetrap_complete)'
