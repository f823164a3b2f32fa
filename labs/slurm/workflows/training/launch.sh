#!/bin/bash
# launch.sh: eleven jobs that wait for each other, as a user starts them. SBATCH_PARTITION says where.
set -eu
mkdir -p logs results
put() { sbatch --parsable --time=10 --mem-per-cpu=200 "$@" | tee -a jobs.txt; }
over() { ! squeue -h -j "$1" -o %T 2>/dev/null | grep -q .; }
shards=$(put shard.sh)
train=$(put --dependency="afterok:$shards" train.sh)
validate=$(put --dependency="afterok:$train" --job-name=validate --output=logs/validate.out --wrap 'sort -n results/model.txt | tail -n 1 >results/largest.txt; cat checkpoint.json | wc -c >results/size.txt')
unsteady=$(put --dependency="afterany:$train" --job-name=unsteady --output=logs/unsteady.out --wrap 'echo fails; exit 9')
again=$(put --dependency="afternotok:$unsteady" --job-name=again --output=logs/again.out --wrap 'cat logs/unsteady.out >results/again.txt')
long=$(put --job-name=long --output=logs/long.out --wrap 'echo begun; echo $SLURM_JOB_ID >running.long; sleep 300; echo never')
never=$(put --dependency="afterok:$long" --kill-on-invalid-dep=yes --job-name=never --output=logs/never.out --wrap true)
report=$(put --dependency="afterok:$validate:$again,afterany:$long" --job-name=report --output=logs/report.out --wrap 'cat results/largest.txt results/again.txt logs/train.out logs/long.out >results/report.txt')
until [ -s running.long ]; do sleep 1; done
scancel "$long"
# A requeued job waits for two minutes; who does not wants it sooner.
until scontrol -o show job "$train" | grep -q ' Restarts=[1-9]'; do sleep 1; done
for _ in $(seq 20); do
  sleep 1
  ! scontrol update jobid="$train" starttime=now+4 2>/dev/null || break
done
until over "$report"; do sleep 1; done
test "$(scontrol -o show job "$report" | grep -o ' JobState=[A-Z]*')" = ' JobState=COMPLETED'
