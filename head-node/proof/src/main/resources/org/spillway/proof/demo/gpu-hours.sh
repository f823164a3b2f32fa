#!/bin/sh
# gpu-hours FILE...: for each virtual cluster in these slices of the log its name, its jobs, and their GPU time in tenths
# of a GPU second: whole numbers, so that no sum is rounded.
exec awk -F, '
  $1 == "timestamp" { next }
  NF != 5 || $4 !~ /^[0-9]+\.[0-9]$/ { print FILENAME ":" FNR ": not a row of the log" >"/dev/stderr"; bad = 1; exit 1 }
  { time = $4; sub(/\./, "", time); jobs[$5]++; tenths[$5] += time }
  END { if (!bad) for (cluster in jobs) printf "%s %d %.0f\n", cluster, jobs[cluster], tenths[cluster] }' "$@"
