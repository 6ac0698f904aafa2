# Completion of kymo for bash: verbs, and the options that the installed kymo itself names. Values and programs are files.
_kymo() {
    local word=${COMP_WORDS[COMP_CWORD]} i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(kymo --help-options 2>/dev/null | cut -f1)" -- "$word")
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && return # a program's own words
    done
    local verb=("${COMP_WORDS[1]}")
    if [[ ${verb[0]} == gpu ]]; then
        if ((COMP_CWORD == 2)); then
            mapfile -t COMPREPLY < <(compgen -W "$(kymo gpu --help-options 2>/dev/null | cut -f1)" -- "$word")
            return
        fi
        verb+=("${COMP_WORDS[2]}")
    fi
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(kymo "${verb[@]}" --help-options 2>/dev/null | cut -f1)" -- "$word")
    fi
}
complete -o default -F _kymo kymo
