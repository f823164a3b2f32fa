#!/bin/sh
# Puts the results of all other jobs together. Each virtual cluster must be there once.
set -eu
export LC_ALL=C
sort hours/*.txt >hours.all
sort shapes/*.txt >shapes.all
for all in hours.all shapes.all; do
  twice=$(cut -d' ' -f1 "$all" | uniq -d)
  [ -z "$twice" ] || { echo "there more than once: $twice" >&2; exit 1; }
done
{
  echo cluster,jobs,gpu_seconds,gpu_hours,most_gpus
  join hours.all shapes.all | awk '
    { hours = int(($3 + 1800) / 3600)
      printf "%s,%d,%.0f.%d,%.0f.%d,%d\n", $1, $2, int($3 / 10), $3 % 10, int(hours / 10), hours % 10, $4 }'
} >gpu-hours.csv
echo "uid $(id -u) on node $SPILLWAY_NODE: $(($(wc -l <gpu-hours.csv) - 1)) virtual clusters"
