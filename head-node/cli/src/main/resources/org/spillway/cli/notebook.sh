#!/bin/sh
# Made by 'spillway notebook': a Jupyter that its user alone reaches, for as long as somebody uses it.
# FOLDER IDLE_SECONDS SETUP
place=$PWD/.spillway/notebook
mkdir -p .spillway && mkdir -m 700 "$place" || exit 1
# Outputs are what has changed from here on.
: >.spillway/since
mkdir -p -- "$1" && cd -- "$1" || exit 1
# The user's own line, which may change PATH.
[ -z "$3" ] || eval "$3" || {
  echo "--setup ended with $?: $3" >&2
  exit 1
}
for kind in lab notebook server; do
  server=$(command -v "jupyter-$kind") && break
done
if [ -z "$server" ] || ! command -v python3 >/dev/null; then
  echo "there is no Jupyter on ${SPILLWAY_NODE:-this node}: looked for python3 and jupyter-lab, jupyter-notebook or jupyter-server in $PATH" >&2
  echo "an image or overlay that has one, or --setup '. FOLDER/bin/activate' with a FOLDER that the node has, will do" >&2
  exit 127
fi
# Here is the program, as a file.
exec python3 "$place.py" "$place" "$server" "$2"
