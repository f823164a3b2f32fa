#!/bin/sh
# GPU hours of the virtual clusters whose slices of the log were staged here. gpu-hours comes with the image.
set -eu
find slices -name '*.csv' -exec gpu-hours {} + >hours.txt
echo "uid $(id -u) on node $SPILLWAY_NODE: $(wc -l <hours.txt) virtual clusters"
