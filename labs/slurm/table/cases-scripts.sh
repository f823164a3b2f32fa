# shellcheck shell=bash disable=SC2016,SC2034
# Cases of one batch script: exit codes, names of streams, environment, files. See table.sh for `script`, `run` and the others.

# How a script ends is how its job ends.
t_exit_0() { script true; run; }
t_exit_1() { script 'exit 1'; run; }
t_exit_7_after_output() { script 'echo before' 'exit 7'; run; }
t_exit_255() { script 'exit 255'; run; }
t_exit_last_command() { script 'false; true; (exit 9)'; run; }
t_exit_set_e() { script 'set -e' 'echo one' 'false' 'echo two'; run; }
t_exit_unknown_command() { script 'no-such-command-here'; run; }
t_exit_not_executable() { script '/etc/passwd'; run; }
t_exit_syntax_error() { script 'echo first' 'if then'; run; }
t_exit_exec() { script "exec sh -c 'exit 5'"; run; }
t_exit_trap() { script "trap 'exit 4' EXIT" 'exit 1'; run; }
t_signal_term_itself() { script 'kill -TERM $$' 'sleep 5'; run; }
t_signal_kill_itself() { script 'kill -KILL $$' 'sleep 5'; run; }
t_signal_abrt_itself() { script 'kill -ABRT $$' 'sleep 5'; run; }
t_signal_usr1_itself() { script 'kill -USR1 $$' 'sleep 5'; run; }
t_signal_of_child() { script "sh -c 'kill -SEGV \$\$'" 'echo code $?'; run; }
t_child_left_behind() { script 'sleep 300 >/dev/null 2>&1 &' 'echo done'; run; }
t_interpreter_bash() { lines '#!/bin/bash -e' 'a=(1 2 3); echo ${#a[@]} $-' 'false' 'echo no'; run; }
t_interpreter_perl() { lines '#!/usr/bin/perl' 'print "perl $0\n" =~ s/.*slurm_script/script/r; exit 3;'; run; }
t_interpreter_absent() { lines '#!/no/such/interpreter' 'echo no'; run; }
t_no_last_newline() { printf '#!/bin/sh\necho last' >job.sh; run; }
t_long_line() { script "echo $(head -c 20000 /dev/zero | tr '\0' x) | wc -c"; run; }
t_refused_no_shebang() { printf 'echo no\n' >job.sh; run; }
t_refused_empty() { : >job.sh; run; }
t_refused_dos() { printf '#!/bin/sh\r\necho no\r\n' >job.sh; run; }
t_refused_absent() { run; }
t_refused_option() { script true; run --no-such-option; }
t_refused_partition() { script true; run -p nowhere; }
t_refused_time() { script true; run -t 5x; }

# Where its streams go.
t_out_default() { script 'echo out; echo err >&2'; run; }
t_out_name_and_user() { script 'echo out'; run -J words -o '%x-%u.out'; }
t_out_separate() { script 'echo out; echo err >&2'; run -o a.out -e a.err; }
t_out_both_in_one() { script 'echo out; echo err >&2'; run -o both.out -e both.out; }
t_out_numbers() { script 'echo out'; run -o 'job_%j_%A_%J_%8j.out'; }
t_out_node_and_task() { script 'echo out'; run -o 'n_%N_%n_%s_%t.out'; }
t_out_percent() { script 'echo out'; run -o 'a%%b.out'; }
t_out_backslash() { script 'echo out'; run -o 'a\%j.out'; }
t_out_blank() { script 'echo out'; run -o 'with blank.out'; }
t_out_null() { script 'echo out' 'echo kept >kept.txt'; run -o /dev/null; }
t_out_folder() { mkdir logs; script 'echo out'; run -o 'logs/%x.out' -J inner; }
t_out_absolute() { script 'echo out'; run -o "$PWD/absolute.out"; }
t_out_folder_absent() { script 'echo out'; run -o 'absent/x.out'; }
t_out_truncates() { echo old >same.out; script 'echo new'; run -o same.out; }
t_out_truncates_said() { echo old >same.out; script 'echo new'; run -o same.out --open-mode=truncate; }
t_out_append() { echo old >same.out; script 'echo new'; run -o same.out --open-mode=append; }
t_out_append_new() { script 'echo new'; run -o new.out --open-mode=append; }
t_out_append_array() { echo old >all.log; script 'echo task $SLURM_ARRAY_TASK_ID'; run -o all.log --open-mode=append --array=1-4; sort -o all.log all.log; }
t_out_nothing_said() { script true; run -o nothing.out; }
t_out_binary() { script "printf '\\000\\001\\377\\n'"; run -o binary.out; }
t_out_many_bytes() { script 'i=0; while [ $i -lt 20000 ]; do echo line $i of many; i=$((i+1)); done'; run -o many.out; }
t_out_no_newline() { script 'printf end'; run -o end.out; }
t_out_elsewhere() { script 'echo out'; run -o /tmp/elsewhere-%j.out; }
t_out_below_home() { mkdir work logs; script 'echo out; echo err >&2; echo more >more.txt'; mv job.sh work; (cd work && run -o "${PWD%/work}/logs/o-%j.out" -e "${PWD%/work}/logs/e.err"); cp work/.jobs .; }
t_input_file() { echo given >in.txt; script cat; run -i in.txt -o in.out; }
t_input_file_brought() { echo given >in.txt; lines '#!/bin/sh' '#SPILLWAY in=in.txt out=made.txt' 'cat; echo made >made.txt'; run -i in.txt -o in.out; }
t_input_none() { script 'wc -c'; run -o none.out; }

# Options in the script, arguments, the script itself.
t_directives() { lines '#!/bin/sh' '#SBATCH -J named' '#SBATCH --output=%x.out # and a comment' '' '# text' '#SBATCH -n 1' 'echo $SLURM_JOB_NAME'; run; }
t_directives_late() { lines '#!/bin/sh' 'echo $SLURM_JOB_NAME' '#SBATCH -J late'; run -o late.out; }
t_directives_overridden() { lines '#!/bin/sh' '#SBATCH -J inside' 'echo $SLURM_JOB_NAME'; run -J outside -o named.out; }
t_arguments() { script 'for a in "$@"; do echo "[$a]"; done'; run_with -- one 'two three' '*' '$x'; }
t_wrap() { run_wrap 'echo wrapped $0 | sed s,.*/,,; exit 6'; }
t_standard_input() { script 'echo from standard input'; run_stdin; }
t_script_kept() { script 'sleep 3; cat "$0" | tail -n 1'; run -o kept.out; }
t_chdir() { mkdir below; script 'pwd; echo x >made.txt'; run -D "$PWD/below" -o here.out; }
t_umask() { umask 027; script 'umask; : >made.txt'; run -o umask.out; }
t_limits() { ulimit -S -n 321; script 'ulimit -S -n'; run --propagate=NOFILE -o limits.out; }
t_limits_none() { ulimit -S -c 0; script 'echo $(ulimit -S -c)'; run --propagate=NONE -o limits.out; }
t_test_only() { script true; sbatch --test-only job.sh >said 2>&1; echo "code $?"; sed -i 's/Job [0-9]*/Job/; s/start at [^ ]*/start at TIME/' said; }
t_wait() { script 'exit 3'; sbatch -W -t 5 -o wait.out job.sh >said; echo "sbatch ended with $?"; sed -i 's/[0-9]*$//' said; }

# The surroundings that a script finds.
t_env_names() { script "env | sed -n 's/^\\(SLURM[A-Z_0-9]*\\)=.*/\\1/p' | sort"; run -o names.out; }
t_env_job() { script 'echo $SLURM_JOB_ID $SLURM_JOBID $SLURM_JOB_NAME $SLURM_JOB_PARTITION $SLURM_JOB_USER $SLURM_JOB_UID $SLURM_CLUSTER_NAME $SLURM_SUBMIT_DIR'; run -J e -o job.out; }
t_env_size() { script 'echo $SLURM_NNODES $SLURM_JOB_NUM_NODES $SLURM_NTASKS $SLURM_NPROCS $SLURM_CPUS_PER_TASK $SLURM_TASKS_PER_NODE $SLURM_MEM_PER_NODE $SLURM_MEM_PER_CPU $SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURM_GTIDS'; run -n 2 -o size.out; }
t_env_cpus() { script 'echo $SLURM_CPUS_PER_TASK $SLURM_CPUS_ON_NODE $SLURM_JOB_CPUS_PER_NODE'; run -c 2 -o cpus.out; }
t_env_memory() { script 'echo $SLURM_MEM_PER_NODE.$SLURM_MEM_PER_CPU'; run --mem=300 -o memory.out; }
t_env_user() { script 'echo $USER $LOGNAME $HOME $(id -un) $(id -u) $(id -gn) $(id -G)'; run -o user.out; }
t_env_folder() { script 'pwd; echo $PWD; echo $SLURM_SUBMIT_DIR'; run -o folder.out; }
t_env_exported() { export MINE='a b;$c'; script 'echo "$MINE"'; run -o mine.out; }
t_env_export_none() { export MINE=x; script 'echo "[$MINE] $SLURM_JOB_NAME"'; run --export=NONE -o none.out; }
t_env_export_some() { export MINE=x OTHER=y; script 'echo "$MINE.$OTHER.$NEW"'; run --export=MINE,NEW=z -o some.out; }
t_env_export_all_and() { export MINE=x; script 'echo "$MINE.$NEW"'; run --export=ALL,NEW=z -o all.out; }
t_env_comment() { script 'squeue -h -j $SLURM_JOB_ID -o %k'; run --comment='some words' -o comment.out; }
t_env_streams() { script '[ -t 0 ] && echo terminal; readlink /proc/self/fd/0'; run -o streams.out; }
# Signals from 32 on are the C library's and a program's own affair.
t_env_signals() { script "sed -nE 's/^(Sig(Blk|Ign)):.*(.{8})$/\1 \3/p' /proc/self/status | while read -r name mask; do echo \$name \$((0x\$mask & 0x7fffffff)); done"; run -o signals.out; }

# The files that a script leaves.
t_files_plain() { script 'echo one >one.txt; : >empty.txt'; run -o f.out; }
t_files_tree() { script 'mkdir -p a/b/c; echo deep >a/b/c/deep.txt; echo up >a/up.txt'; run -o f.out; }
t_files_names() { script 'echo x >"with blank"; echo y >"ümläut"; echo z >-dash; echo q >"quote'"'"'s"'; run -o f.out; }
t_files_mode() { script 'echo x >run.sh; chmod 750 run.sh; echo y >secret; chmod 600 secret'; run -o f.out; }
t_files_links() { script 'echo x >x.txt; ln -s x.txt soft; ln x.txt hard'; run -o f.out; }
t_files_large() { script 'head -c 5000000 /dev/zero | tr "\0" y >large.bin'; run -o f.out; }
t_files_many() { script 'for i in $(seq 200); do echo $i >n$i.txt; done'; run -o f.out; }
t_files_of_failed() { script 'echo kept >kept.txt' 'exit 2'; run -o f.out; }
t_files_removed() { script 'echo x >x.txt; echo y >y.txt; rm x.txt'; run -o f.out; }
t_files_folder_empty() { script 'mkdir hollow; echo x >x.txt'; run -o f.out; }
t_files_changed() { echo old >data.txt; script 'echo new >>data.txt'; run -o f.out; }
t_files_read() { echo given >data.txt; script 'cat data.txt'; run -o f.out; }
t_files_declared() { echo given >data.txt; lines '#!/bin/sh' '#SPILLWAY in=data.txt out=made.txt' 'tr a-z A-Z <data.txt >made.txt'; run -o f.out; }
t_files_declared_missing() { lines '#!/bin/sh' '#SPILLWAY out=made.txt' 'echo none'; run -o f.out; }
