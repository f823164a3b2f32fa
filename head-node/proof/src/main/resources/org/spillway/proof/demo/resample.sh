#!/bin/sh
# How much do the GPU hours depend on a few large jobs? Draws as many jobs from the log as it has, with replacement, again
# and again for the given number of seconds, and writes between which bounds 9 of 10 sums lie. It leaves room for others.
set -eu
cat slices/*/*.csv | grep -v '^timestamp' >all.csv
end=$(($(date +%s) + $1))
draw=0
while [ "$(date +%s)" -lt "$end" ]; do
  draw=$((draw + 1))
  # shellcheck disable=SC2016
  nice -n 19 awk -F, -v seed="$SPILLWAY_JOB_ID$draw" '
    { time[NR] = $4 }
    END { srand(seed); for (i = 0; i < NR; i++) sum += time[1 + int(rand() * NR)]; printf "%.1f\n", sum / 3600 }' all.csv
  sleep 0.3
done | sort -n >sums.txt
awk '{ sum[NR] = $1 } END { print NR " draws, GPU hours from " sum[1 + int(NR * 0.05)] " to " sum[NR - int(NR * 0.05)] }' \
  sums.txt >interval.txt
echo "uid $(id -u) on node $SPILLWAY_NODE: $(cat interval.txt)"
