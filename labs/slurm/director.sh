#!/bin/sh
# director.sh boot|run COMMAND...: an instance that is the region's own machine, for the director (`machine:` of its type in
# a local-cloud's configuration). It has no namespaces but the region's: its address is the region's, and so are its
# cable and its bridge, where it routes. As root.
set -eu
action=${1:?usage: director.sh boot|run COMMAND...}
shift
case $action in
boot) ip addr replace "$SPILLWAY_INSTANCE_ADDRESS/32" dev lo ;;
run) ;;
*) echo "director.sh: no $action" >&2; exit 64 ;;
esac
exec "$@"
