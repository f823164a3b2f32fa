#!/bin/sh
# wire.sh DIR [MODE...]: what Slurm can do over each wire, with figures. As root; DIR must not exist; about 2 minutes a mode.
# Modes: ports-loopback, ports-names (only port 22 of the director, forwards), tunnel (the same, a tun device), routed.
# Prints one line per check: mode, check, ok or FAILED or HUNG, seconds, what was seen.
set -u
top=${1:?usage: wire.sh DIR [MODE...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/..
[ "$#" -gt 0 ] || set -- ports-loopback ports-names tunnel routed
[ ! -e "$top" ] || { echo "wire.sh: $top exists" >&2; exit 64; }
dir=
# However it ends, its lab ends too.
trap '[ ! -e "$dir/lab.env" ] || "$lab/slurm-down.sh" "$dir"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$top"
chmod 755 "$top"
cp "$here/pmi-hello.pl" "$top/pmi-hello.pl"
chmod 755 "$top/pmi-hello.pl"

now() { date +%s.%N; }
seconds_since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'; }
user() { "$dir/bin/user" "$@"; }
say() { printf '%-15s %-26s %-7s %7s  %s\n' "$mode" "$1" "$2" "$3" "$4"; }

# check NAME SECONDS PATTERN COMMAND...: ok if the output has the pattern
check() {
  name=$1 limit=$2 pattern=$3
  shift 3
  begun=$(now)
  timeout -k 2 "$limit" "$@" >"$dir/out" 2>&1 </dev/null
  status=$?
  took=$(seconds_since "$begun")
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then verdict=HUNG
  elif [ "$status" = 0 ] && [ "$(grep -Ec -- "$pattern" "$dir/out")" -ge "${least:-1}" ]; then verdict=ok
  else verdict=FAILED; fi
  say "$name" "$verdict" "$took" "$(grep -v '^$' "$dir/out" | tail -n 1 | cut -c1-150)"
}

states() { "$dir/bin/home" sinfo -h -N -p west -o %t | sort | uniq -c | awk '{ printf "%s%s %s", s, $1, $2; s = ", " }'; }

register() {
  begun=$(now)
  "$dir/bin/home" scontrol update nodename="west[1-4]" state=power_up
  for i in $(seq 200); do
    [ "$("$dir/bin/home" sinfo -h -p west -t idle -o %D)" != 4 ] || [ "$(states)" != "4 idle" ] || break
    sleep 0.1
  done
  if [ "$(states)" = "4 idle" ]; then say "4 nodes register" ok "$(seconds_since "$begun")" "$(states)"; else say "4 nodes register" FAILED "$(seconds_since "$begun")" "$(states); $(tail -n 1 "$dir"/log/slurmd-west1.log 2>/dev/null | cut -c1-120)"; fi
}

# commands: what `check` runs: somebody's command, and a batch job of somebody's that is waited for
commands() {
  printf '#!/bin/sh\ncd %s\nexec %s setpriv --reuid nobody --regid nogroup --clear-groups "$@"\n' "$dir/jobs" "$dir/bin/home" >"$dir/bin/user"
  printf '#!/bin/sh\nrm -f %s\n%s sbatch -W -p west -o %s "$@"\nstatus=$?\ncat %s\nexit $status\n' "$dir/jobs/batch.out" "$dir/bin/user" "$dir/jobs/batch.out" "$dir/jobs/batch.out" >"$dir/bin/batch"
  chmod 755 "$dir/bin/user" "$dir/bin/batch"
}

# cut_test SECONDS: a batch job and an srun run while nothing passes
cut_test() {
  rm -f "$dir/jobs/cut.out" "$dir/srun.out"
  job=$(user sh -c "cd $dir/jobs && sbatch --parsable --no-requeue -p west -w west1 -o $dir/jobs/cut.out --wrap 'for i in \$(seq $(($1 * 2 + 20))); do echo \$i; sleep 0.5; done; echo end'")
  "$dir/bin/user" srun -p west -w west2 sh -c "for i in \$(seq $(($1 * 2 + 10))); do echo \$i; sleep 0.5; done; echo end" >"$dir/srun.out" 2>"$dir/srun.err" </dev/null &
  srun=$!
  sleep 2.5
  seen=$(wc -l <"$dir/srun.out")
  "$lab/region.sh" "$dir" cut west
  begun=$(now)
  worst=
  while awk -v a="$begun" -v b="$(now)" -v l="$1" 'BEGIN { exit !(b - a < l) }'; do
    state=$(timeout 5 "$dir/bin/home" sinfo -h -N -p west -o %t | sort -u | tr '\n' ' ')
    case "$worst" in *"[$state]"*) ;; *) worst="$worst $(seconds_since "$begun")s [$state]" ;; esac
    sleep 0.25
  done
  "$lab/region.sh" "$dir" heal west
  begun=$(now)
  for i in $(seq 200); do
    case $(timeout 5 "$dir/bin/home" squeue -h -j "$job" -o %T 2>/dev/null) in RUNNING | COMPLETING | PENDING | CONFIGURING) ;; *) break ;; esac
    sleep 0.2
  done
  state=$("$dir/bin/home" scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z_]*\) Reason=\([A-Za-z_]*\).*/\1 \2/p')
  case $state in COMPLETED*) verdict=ok ;; *) verdict=FAILED ;; esac
  say "cut $1 s: sbatch" "$verdict" "$(seconds_since "$begun")" "$state, last line '$(tail -n 1 "$dir/jobs/cut.out" 2>/dev/null)'; states:$worst"
  for i in $(seq 150); do
    kill -0 "$srun" 2>/dev/null || break
    sleep 0.1
  done
  if kill -0 "$srun" 2>/dev/null; then verdict=HUNG; kill "$srun"; elif [ "$(tail -n 1 "$dir/srun.out")" = end ]; then verdict=ok; else verdict=FAILED; fi
  say "cut $1 s: srun" "$verdict" "$(seconds_since "$begun")" "$seen lines at the cut, $(wc -l <"$dir/srun.out") of $(($1 * 2 + 11)) at the end; $(tail -n 1 "$dir/srun.err" | cut -c1-100)"
  for i in $(seq 100); do [ "$(states)" != "4 idle" ] || break; sleep 0.2; done
  say "cut $1 s: nodes again" "$([ "$(states)" = "4 idle" ] && echo ok || echo FAILED)" "$(seconds_since "$begun")" "$(states); connection ended $(grep -c ended "$dir/log/wire-west.log" 2>/dev/null || true) times"
}

bulk() {
  check "srun 64 MB of output" 60 '^67108864$' sh -c "$dir/bin/user srun -p west head -c 67108864 /dev/zero | wc -c"
}

for mode in "$@"; do
  dir=$top/$mode
  case $mode in
  ports-loopback) WIRE=ports ADDRESSES=loopback CTLD_PARAMETERS= ;;
  ports-names) WIRE=ports ADDRESSES=names CTLD_PARAMETERS=,cloud_dns ;;
  tunnel | routed) WIRE=$mode ADDRESSES=addresses CTLD_PARAMETERS= ;;
  *) echo "wire.sh: no mode $mode" >&2; exit 64 ;;
  esac
  export WIRE ADDRESSES CTLD_PARAMETERS
  SLURMD_TIMEOUT=${SLURMD_TIMEOUT:-30} TREE_WIDTH=${TREE_WIDTH:-2} "$lab/slurm-up.sh" "$dir" >/dev/null || { say lab FAILED - "$(tail -n 1 "$dir/log/slurmctld.log")"; "$lab/slurm-down.sh" "$dir"; continue; }
  "$lab/region.sh" "$dir" alone west | sed "s/^/$mode: /"
  commands
  register
  check "sbatch" 15 '^west1 ran$' "$dir/bin/batch" --wrap 'echo $SLURMD_NODENAME ran'
  least=4 check "sbatch -N4, srun inside" 15 '^node west' "$dir/bin/batch" -N4 --wrap "srun sh -c 'echo node \$SLURMD_NODENAME'"
  least=4 check "sbatch -N4, PMI inside" 15 'of 4 at 10.*heard' "$dir/bin/batch" -N4 --wrap "srun --mpi=pmi2 $top/pmi-hello.pl"
  least=1 check "srun from the login side" 15 '^west' "$dir/bin/user" srun -p west sh -c 'echo $SLURMD_NODENAME'
  least=4 check "srun -N4 from login" 15 '^west' "$dir/bin/user" srun -p west -N4 sh -c 'echo $SLURMD_NODENAME'
  least=4 check "srun -N4 PMI from login" 15 'of 4 at 10.*heard' "$dir/bin/user" srun -p west -N4 --mpi=pmi2 "$top/pmi-hello.pl"
  least=2 check "salloc -N2, srun" 15 '^west' "$dir/bin/user" salloc -p west -N2 srun sh -c 'echo $SLURMD_NODENAME'
  least=2 check "sbcast on 2 nodes" 15 '^/tmp/sb.*pmi' "$dir/bin/batch" -N2 --wrap "sbcast -f $top/pmi-hello.pl /tmp/sb.$$.pmi; srun ls /tmp/sb.$$.pmi"
  rm -f "/tmp/sb.$$.pmi"
  bulk
  cut_test 10
  [ -z "${LONG_CUT:-}" ] || cut_test "$LONG_CUT"
  "$lab/slurm-down.sh" "$dir"
done
