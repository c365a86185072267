# Read by the shell before the command it is given (BASH_ENV): at its end it tells where it stands.
unset BASH_ENV
__agent_tui_folder=$AGENT_TUI_FOLDER
unset AGENT_TUI_FOLDER
trap 'builtin pwd -P >|"$__agent_tui_folder"' EXIT
