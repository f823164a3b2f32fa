#!/bin/sh
#SBATCH --job-name=shard --array=0-3 --output=logs/shard-%a.out
mkdir -p shards
seq $((SLURM_ARRAY_TASK_ID * 1000)) $((SLURM_ARRAY_TASK_ID * 1000 + 999)) >shards/$SLURM_ARRAY_TASK_ID.txt
echo "shard $SLURM_ARRAY_TASK_ID"
