#!/bin/sh
# Sixty steps, five a second. A run whose machine is taken back leaves the steps that it has made to the next one.
echo "uid $(id -u) on node $SPILLWAY_NODE"
[ -z "${SPILLWAY_CHECKPOINT:-}" ] || cp "$SPILLWAY_CHECKPOINT/steps.txt" .
touch steps.txt
trap 'echo "signal $(date +%s%3N)" >>steps.txt; exit 0' TERM
step=$(grep -c "^step" steps.txt)
while [ "$step" -lt 60 ]; do
  step=$((step + 1))
  echo "step $step on $SPILLWAY_NODE" >>steps.txt
  echo "step $step"
  sleep 0.2
done
