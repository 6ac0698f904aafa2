# Completion of kymo for fish: verbs, and the options that the installed kymo itself names. Values and programs are files.
function __kymo_words
    set -l words (commandline -opc)
    if test (count $words) -lt 2
        kymo --help-options 2>/dev/null
    else if contains -- -- $words
        return
    else if test $words[2] = gpu
        if test (count $words) -lt 3
            kymo gpu --help-options 2>/dev/null
        else
            kymo gpu $words[3] --help-options 2>/dev/null
        end
    else
        kymo $words[2] --help-options 2>/dev/null
    end
end
complete -c kymo -a '(__kymo_words)'
