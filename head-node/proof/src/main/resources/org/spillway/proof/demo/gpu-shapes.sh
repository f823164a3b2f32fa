#!/bin/sh
# gpu-shapes FILE...: for each virtual cluster in these slices of the log its name and the GPUs of its largest job.
exec awk -F, '
  $1 == "timestamp" { next }
  NF != 5 || $3 !~ /^[0-9]+$/ { print FILENAME ":" FNR ": not a row of the log" >"/dev/stderr"; bad = 1; exit 1 }
  $3 + 0 > most[$5] { most[$5] = $3 + 0 }
  END { if (!bad) for (cluster in most) print cluster, most[cluster] }' "$@"
