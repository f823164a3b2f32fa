#!/bin/sh
# So many steps, five a second. A run whose machine is taken back, or lost, leaves the steps that it has made to the next one.
# They are written under another name and renamed, as what comes home while a job runs should be.
echo "uid $(id -u) on node $SPILLWAY_NODE"
[ -z "${SPILLWAY_CHECKPOINT:-}" ] || cp "$SPILLWAY_CHECKPOINT/steps.txt" .
touch steps.txt
trap 'echo "signal $(date +%s%3N)" >>steps.txt; exit 0' TERM
step=$(grep -c "^step" steps.txt)
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  { cat steps.txt && echo "step $step on $SPILLWAY_NODE"; } >steps.new && mv steps.new steps.txt
  echo "step $step"
  sleep 0.2
done
