#!/bin/sh
# The largest job of each virtual cluster. Runs on several nodes at once; each takes every N-th virtual cluster.
set -eu
mkdir shapes
ls slices >clusters
awk -v rank="$SPILLWAY_RANK" -v nodes="$SPILLWAY_NODES" 'NR % nodes == rank' clusters | while read -r cluster; do
  gpu-shapes slices/"$cluster"/*.csv
done >"shapes/$SPILLWAY_RANK.txt"
echo "uid $(id -u) on node $SPILLWAY_NODE, rank $SPILLWAY_RANK of $SPILLWAY_NODES: $(wc -l <"shapes/$SPILLWAY_RANK.txt") virtual clusters"
