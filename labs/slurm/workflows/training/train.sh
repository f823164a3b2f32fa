#!/bin/bash
#SBATCH --job-name=train --nodes=2 --ntasks-per-node=2 --output=logs/train.out --open-mode=append --requeue
# The last rank dies in the first run; the job puts itself into the queue again and goes on from its checkpoint.
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
export FAILS_AT=$([ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && echo -1 || echo 7)
echo "run ${SLURM_RESTART_COUNT:-0} on $SLURM_JOB_NUM_NODES nodes"
srun --kill-on-bad-exit=1 python3 train.py 2>logs/train-${SLURM_RESTART_COUNT:-0}.err
code=$?
echo "srun ended with $((code > 0))"
if [ "$code" -ne 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 2 ]; then
  scontrol requeue "$SLURM_JOB_ID"
  sleep 60
fi
exit "$code"
