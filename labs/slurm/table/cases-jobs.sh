# shellcheck shell=bash disable=SC2016,SC2034
# Cases of what is done to jobs, and of jobs that wait for each other. See table.sh for `script`, `put`, `over` and the others.

# Steps.
t_srun_one() { script 'srun echo step'; run -o s.out; }
t_srun_code() { script 'srun sh -c "exit 3"' 'echo srun ended with $?'; run -o s.out; }
t_srun_code_of_job() { script 'srun sh -c "exit 3"'; run -o s.out; }
t_srun_two_tasks() { script 'srun sh -c "echo \$SLURM_PROCID of \$SLURM_NTASKS" | sort'; run -n 2 -o s.out; }
t_srun_labels() { script 'srun -l echo task | sort'; run -n 2 -o s.out; }
t_srun_highest_code() { script 'srun sh -c "exit \$((SLURM_PROCID + 4))"' 'echo $?'; run -n 2 -o s.out; }
t_srun_fewer_tasks() { script 'srun -n 1 sh -c "echo \$SLURM_STEP_NUM_TASKS"'; run -n 2 -o s.out; }
t_srun_too_many() { script 'srun -n 64 true >/dev/null 2>&1; echo $(($? > 0))'; run -o s.out; }
t_srun_unknown_program() { script 'srun no-such-program 2>/dev/null; echo $?'; run -o s.out; }
t_srun_output_file() { script 'srun -o step-%t.txt echo into'; run -n 2 -o s.out; }
t_srun_output_step() { script 'srun -o of-%s.txt echo one; srun -o of-%s.txt echo two'; run -o s.out; }
t_srun_output_none() { script 'srun -o none echo gone; echo rest'; run -o s.out; }
t_srun_error_file() { script 'srun -e err.txt sh -c "echo e >&2; echo o"'; run -o s.out; }
t_srun_input() { script 'echo words | srun cat'; run -o s.out; }
t_srun_input_all() { script 'echo words | srun cat | sort'; run -n 2 -o s.out; }
t_srun_multi_prog() { script 'printf "0 echo zero\n1 echo one %%t\n" >multi.conf' 'srun --multi-prog multi.conf | sort'; run -n 2 -o s.out; }
t_srun_export() { script 'X=inner srun --export=ALL,Y=more sh -c "echo \$X.\$Y"'; run -o s.out; }
t_srun_export_none() { export MINE=x; script 'srun --export=NONE /bin/sh -c "echo [\$MINE]"'; run -o s.out; }
t_srun_chdir() { script 'mkdir in; srun -D "$PWD/in" sh -c "pwd; echo x >made.txt"'; run -o s.out; }
t_srun_at_once() { script 'srun -n 1 --exact sh -c "echo a >a.txt" & srun -n 1 --exact sh -c "echo b >b.txt" & wait'; run -n 2 -o s.out; }
t_srun_signal_of_step() { script 'srun sh -c "kill -KILL \$\$" 2>/dev/null; echo $?'; run -o s.out; }
t_srun_kill_on_bad_exit() { script 'srun -K sh -c "[ \$SLURM_PROCID = 1 ] && exit 2; sleep 100" 2>/dev/null; echo $(($? > 0))'; run -n 2 -o s.out; }
t_srun_job_name() { script 'srun -J stepname sh -c "echo \$SLURM_JOB_NAME"'; run -J whole -o s.out; }
t_srun_env() { script "srun sh -c 'env' | sed -n 's/^\\(SLURM_STEP[A-Z_]*\\|SLURM_TASK[A-Z_]*\\|SLURM_PROCID\\|SLURM_LOCALID\\)=.*/\\1/p' | sort"; run -o s.out; }
t_srun_two_nodes() { script 'srun -N 2 -n 2 sh -c "echo \$SLURM_NODEID" | sort; echo $SLURM_NNODES'; run -N 2 -n 2 --ntasks-per-node=1 -o s.out; }
t_srun_names_of_nodes() { script 'scontrol show hostnames "$SLURM_JOB_NODELIST" | wc -l; srun sh -c "echo \$SLURMD_NODENAME" | sort -u | wc -l'; run -N 2 -n 2 --ntasks-per-node=1 -o s.out; }
t_srun_ports_between_nodes() { script 'first=$(scontrol -o show node "$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)" | grep -oE " NodeAddr=[^ ]*" | cut -d = -f 2)' 'cat >peer.sh <<END' 'if [ "\$SLURM_PROCID" = 0 ]; then exec perl -MIO::Socket::INET -e "exit(!IO::Socket::INET->new(Listen=>1,LocalPort=>33411,ReuseAddr=>1)->accept)"; fi' 'for i in \$(seq 100); do bash -c "echo >/dev/tcp/$first/33411" 2>/dev/null && exit; sleep 0.5; done; exit 1' 'END' 'sbcast -f peer.sh /tmp/peer-$SLURM_JOB_ID; srun -N 2 -n 2 sh /tmp/peer-$SLURM_JOB_ID; echo $?; rm -f peer.sh'; run -N 2 -n 2 --ntasks-per-node=1 -o s.out; }
t_srun_alone() { timeout 200 srun -t 5 -n 1 sh -c 'echo alone; exit 4' >said 2>said.err; echo "code $?"; cat said; }
t_srun_alone_two() { timeout 200 srun -t 5 -n 2 -l sh -c 'echo x' >said 2>said.err; echo "code $?"; sort -o said said; cat said; }
t_salloc() { timeout 200 salloc -t 5 -n 1 sh -c 'srun echo in allocation; exit 5' >said 2>said.err; echo "code $?"; cat said; }
t_sbcast() { script 'echo cast >from.txt; sbcast -f from.txt /tmp/cast-$SLURM_JOB_ID && cat /tmp/cast-$SLURM_JOB_ID'; run -o s.out; }

# Signals and ends.
t_scancel_waiting() { script true; put --hold; scancel "$job"; over; }
t_scancel_running() { begins 'echo begun' 'exec sleep 100'; put -o c.out; running; scancel "$job"; over; }
t_scancel_trapped() { begins 'trap "echo told; exit 3" TERM' 'echo begun' 'while :; do sleep 0.2; done'; put -o c.out; running; scancel "$job"; over; }
t_scancel_signal_batch() { begins 'trap "echo usr1; exit 6" USR1' 'echo begun; : >begun' 'while :; do sleep 0.2; done'; put -o c.out; running; scancel -b -s USR1 "$job"; over; }
t_scancel_signal_goes_on() { begins 'trap "echo usr2" USR2' 'i=0; while [ $i -lt 40 ]; do sleep 0.2; i=$((i+1)); done; echo end'; put -o c.out; running; scancel -b -s USR2 "$job"; over; }
t_scancel_signal_full() { begins 'exec sleep 100'; put -o c.out; running; scancel -f -s KILL "$job"; over; }
t_scancel_step_signal() { begins 'srun sh -c "trap \"exit 8\" TERM; while :; do sleep 0.2; done" 2>/dev/null; echo step ended with $?'; put -o c.out; running; sleep 3; scancel -s TERM "$job"; over; }
t_scancel_name() { script 'echo up; exec sleep 250'; put -J "n$$" -o c.out; for _ in $(seq "$patience"); do [ ! -s c.out ] || break; sleep 1; done; scancel -n "n$$"; over; }
t_scancel_state() { script true; put -J "w$$" --hold; scancel -n "w$$" -t PENDING; over; }
t_scancel_others() { script 'sleep 5'; put -o c.out; scancel 999999 2>&1 | sed 's/.*error: //'; over; }
t_time_limit_signal() { script 'trap "echo warned; exit 9" USR1' 'while :; do sleep 0.2; done'; job=$(sbatch --parsable -t 1 --signal=B:USR1@50 -o t.out job.sh); note; over; }
t_suspended_by_user() { script true; put --hold; scontrol suspend "$job" 2>&1 | sed 's/.*error: //; s/job [0-9]*/job/'; scancel "$job"; over; }

# Held, later, changed.
t_hold_release() { script 'echo ran'; put --hold -o h.out; state; scontrol release "$job"; over; }
t_hold_later() { script 'echo ran'; put --begin=now+600 -o h.out; scontrol hold "$job"; state; scontrol release "$job"; scontrol update jobid="$job" starttime=now; over; }
t_begin_soon() { script 'echo ran'; put --begin=now+3 -o h.out; over; }
t_update_name() { script 'echo $SLURM_JOB_NAME'; put --hold -J before -o h.out; scontrol update jobid="$job" jobname=after; scontrol release "$job"; over; }
t_update_limit() { script 'squeue -h -j $SLURM_JOB_ID -o %l'; put --hold -o h.out; scontrol update jobid="$job" timelimit=3; scontrol release "$job"; over; }
t_update_comment() { script 'squeue -h -j $SLURM_JOB_ID -o %k'; put --hold -o h.out; scontrol update jobid="$job" comment='said later'; scontrol release "$job"; over; }
t_write_script() { script 'echo ran'; put --hold; scontrol write batch_script "$job" - | head -c 2000; scancel "$job"; over; }
t_deadline_over() { script true; sbatch --deadline=2020-01-01 -t 5 job.sh >said 2>&1; echo "code $?"; }
t_nice() { script 'squeue -h -j $SLURM_JOB_ID -O nice:10 | tr -d " "'; run --nice=50 -o h.out; }

# Requeued.
t_requeue_running() { begins 'echo run $SLURM_RESTART_COUNT' '[ -n "$SLURM_RESTART_COUNT" ] || sleep 100'; put --requeue -o r.out; running; sleep 1; scontrol requeue "$job"; soon; over; }
t_requeue_itself() { script 'echo run ${SLURM_RESTART_COUNT:-0}' 'if [ "${SLURM_RESTART_COUNT:-0}" = 0 ]; then scontrol requeue $SLURM_JOB_ID; sleep 60; fi'; put --requeue -o r.out; requeued; soon; over; }
t_requeue_refused() { begins 'sleep 20'; put --no-requeue -o r.out; running; scontrol requeue "$job" >/dev/null 2>&1; echo "code $?"; over; }
t_requeue_waiting() { script 'echo ran'; put --hold; scontrol requeue "$job" >/dev/null 2>&1; echo "code $?"; scontrol release "$job"; over; }
t_requeue_ended() { script 'echo run ${SLURM_RESTART_COUNT:-0}'; put --requeue -o r.out; over; scontrol requeue "$job"; soon; over; }
t_requeue_hold() { begins 'exec sleep 60'; put --requeue -o r.out; running; sleep 1; scontrol requeuehold "$job"; within_state PENDING; state; scancel "$job"; over; }

# Arrays.
t_array_two() { script 'echo task $SLURM_ARRAY_TASK_ID'; put --array=1-2 -o 'a-%a.out'; over; }
t_array_default_names() { script 'echo task $SLURM_ARRAY_TASK_ID'; put --array=3; over; }
t_array_numbers() { script 'echo $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX $SLURM_ARRAY_TASK_STEP $((SLURM_ARRAY_JOB_ID > 0))'; put --array=2-8:3 -o 'a-%a.out'; over; }
t_array_list() { script 'echo $SLURM_ARRAY_TASK_ID'; put --array=1,5,9 -o '%x_%4a.out' -J l; over; }
t_array_one_at_a_time() { script 'date +%s >t-$SLURM_ARRAY_TASK_ID.begin; sleep 2; echo $SLURM_ARRAY_TASK_ID'; put --array=1-2%1 -o 'a-%a.out'; over; first=$(cat t-1.begin spillway-*/t-1.begin 2>/dev/null) second=$(cat t-2.begin spillway-*/t-2.begin 2>/dev/null); rm -f t-*.begin spillway-*/t-*.begin; rmdir spillway-* 2>/dev/null; echo "apart: $((second - first > 1))"; }
t_array_codes() { script 'exit $SLURM_ARRAY_TASK_ID'; put --array=0-2 -o /dev/null; over; }
# Without files: two tasks in one folder on one node may bring each other's.
t_array_cancel_one() { begins 'sleep 20'; put --array=1-2 -o /dev/null; running; scancel "${job}_2"; over; }
t_array_cancel_all() { begins 'exec sleep 100'; put --array=1-3 -o /dev/null; running; scancel "$job"; over; }
t_array_requeue_none() { script 'echo $SLURM_RESTART_COUNT'; put --array=0 -o 'a-%a.out'; over; }
t_array_refused() { script true; run --array=5-1; }

# Jobs one after the other.
t_after_ok() { script 'sleep 1; echo one >one.txt'; put -o d1.out; script 'echo two'; put -d "afterok:$job" -o d2.out; over; }
t_after_ok_of_failed() { script 'exit 1'; put -o d1.out; first=$job; script 'echo two'; put -d "afterok:$first" -o d2.out; over_one "$first"; sleep 3; state; scancel "$job"; over; }
t_after_not_ok() { script 'exit 1'; put -o d1.out; script 'echo two'; put -d "afternotok:$job" -o d2.out; over; }
t_after_any() { script 'exit 1'; put -o d1.out; script 'echo two'; put -d "afterany:$job" -o d2.out; over; }
t_after_cancelled() { begins 'exec sleep 100'; put -o d1.out; first=$job; script 'echo two'; put -d "afterany:$first" -o d2.out; running "$first"; scancel "$first"; over; }
t_after_begun() { script 'sleep 3'; put -o d1.out; script 'echo two'; put -d "after:$job" -o d2.out; over; }
t_after_invalid_killed() { script 'exit 1'; put -o d1.out; script true; put --kill-on-invalid-dep=yes -d "afterok:$job" -o d2.out; over; }
t_after_array() { script 'echo task $SLURM_ARRAY_TASK_ID'; put --array=1-2 -o 'a-%a.out'; script 'cat a-1.out a-2.out'; put -d "afterok:$job" -p home -o d2.out; over; }
t_after_corresponding() { script '[ $SLURM_ARRAY_TASK_ID = 1 ]'; put --array=1-2 -o /dev/null; script 'echo task $SLURM_ARRAY_TASK_ID'; put --array=1-2 -d "aftercorr:$job" --kill-on-invalid-dep=yes -o 'c-%a.out'; over; }
t_after_either() { script 'exit 1'; put -o d1.out; first=$job; script true; put -o d2.out; script 'echo three'; put -d "afterok:$first?afterok:$job" -o d3.out; over; }
t_singleton() { script 'date +%s%N >s-$SLURM_JOB_ID.at; sleep 1; date +%s%N >>s-$SLURM_JOB_ID.at'; put -J "only$$" -d singleton -o /dev/null; put -J "only$$" -d singleton -o /dev/null; over; find . -name '*.at' | sort -t - -k 2 | xargs cat | sort -c 2>/dev/null && echo in order; find . -name '*.at' -delete; rmdir spillway-* 2>/dev/null; }

# Where.
t_nodelist_unknown() { script true; run -w nowhere; }
t_exclude() { script 'echo ran'; run -x home2 -o w.out; }
t_constraint_unknown() { script true; run -C nosuchfeature; }
t_too_many_cpus() { script true; run -c 500; }
t_too_much_memory() { script true; run --mem=9000G; }
t_nodes_impossible() { script true; run -N 400; }
t_exclusive() { script 'echo ran'; run --exclusive --mem=100 -o w.out; }
t_het_job() { script 'echo het $SLURM_HET_SIZE'; put -n 1 -o w.out : -n 1; over; }
t_nodelist_own() { script 'echo ran'; run -w "$(sinfo -h -p "$SBATCH_PARTITION" -N -o %N | sort -u | head -n 1)" -o w.out; }
t_nodelist_last() { script 'echo ran'; run -w "$(sinfo -h -p "$SBATCH_PARTITION" -N -o %N | sort -u | tail -n 1)" -o w.out; }
t_nodelist_two() { script 'srun sh -c "echo \$SLURMD_NODENAME" | sort -u | wc -l'; run -N 2 -w "$(sinfo -h -p "$SBATCH_PARTITION" -N -o %N | sort -u | sed -n '1p;$p' | paste -sd,)" -o w.out; }
