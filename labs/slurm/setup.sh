#!/bin/bash
# setup.sh: an administrator's Slurm with a Prolog, an Epilog, a cli_filter, a power program and partitions of its own, before,
# with and after `spillway slurm setup --apply` and `undo`. Starts a site with a region and a head (head.sh) around it. As root.
# Exit code 0 only if: nothing is changed without --apply; with it a plain sbatch at home runs with the site's hooks, and a job
# to the cloud's partition end to end with the hooks of the site around it; neither a head that hangs nor files of ours that are
# deleted keep a plain sbatch at home from running; and after undo all files are byte for byte what they were, with mode and owner.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "$@"
  exit
fi

etc=$dir/etc
hooks=$dir/hooks
seen=$dir/seen
work=/home/ann/work
wrong=0
files='slurm.conf parts.conf gres.conf cli_filter.lua'

ok() { echo "ok $*"; }
judge() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@"; then ok "$what"; else echo "WRONG $what" && wrong=$((wrong + 1)); fi
}

# As an administrator has written it over the years: keys in any case, a line that goes on, CRLF, no end of the last line.
own_slurm() {
  mkdir -p "$hooks/prolog.d" "$hooks/rest" "$seen"
  chmod 1777 "$seen"
  printf '#!/bin/sh\necho "$SLURM_JOB_ID prolog ${SLURMD_NODENAME%%%%[0-9]*}" >>%s/hooks\n' "$seen" >"$hooks/prolog.d/10-mark"
  printf '#!/bin/sh\necho "$SLURM_JOB_ID second ${SLURMD_NODENAME%%%%[0-9]*}" >>%s/hooks\n' "$seen" >"$hooks/prolog.d/20-mark"
  printf '#!/bin/sh\necho "$SLURM_JOB_ID epilog ${SLURMD_NODENAME%%%%[0-9]*}" >>%s/hooks\n' "$seen" >"$hooks/epilog.sh"
  printf '#!/bin/sh\necho "%s $1" >>%s/power\n' on "$seen" >"$hooks/power-on"
  printf '#!/bin/sh\necho "%s $1" >>%s/power\n' off "$seen" >"$hooks/power-off"
  chmod 755 "$hooks"/prolog.d/* "$hooks"/*.sh "$hooks"/power-*
  sed -e "s#@HOST@#$(hostname)#" -e "s#@HOME@#10.$net.1.1#" -e "s#@CONTROLLER_PORT@#$((base + 1))#" \
    -e "s#@NODE_PORT@#$((base + 2))#" -e "s#@HOME_NODES@#10.$net.1.[11-12]#" \
    -e "s#@HOME_PORTS@#$((base + 101))-$((base + 102))#" -e "s#@DIR@#$dir#" -e '/^SuspendExcNodes/d; /^Include/d; /^NodeName/d; /^PartitionName/d' \
    "$here/../../head-node/proof/src/main/resources/org/spillway/proof/demo/slurm.conf" >"$etc/slurm.conf"
  cat >>"$etc/slurm.conf" <<CONF
SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0
# für alle
PROLOG = $hooks/prolog.d/*   # two of them
epilog=$hooks/epilog.sh
SlurmctldParameters=preempt_send_user_signal,\\
reboot_from_controller
CliFilterPlugins=cli_filter/lua
ResumeProgram=$hooks/power-on
SuspendProgram=$hooks/power-off
PrologFlags=Contain
include parts.conf
CONF
  sed -i 's/^PrologFlags=Contain$/PrologFlags=NoHold/' "$etc/slurm.conf"
  printf 'GresTypes=craynetwork\r\n# Debug=ON \\\r\nTreeWidth=40' >>"$etc/slurm.conf"
  cat >"$etc/parts.conf" <<CONF
NodeName=DEFAULT CPUs=2 RealMemory=8000 State=UNKNOWN
NodeName=home[1-2] NodeAddr=10.$net.1.[11-12] \\
  Port=[$((base + 101))-$((base + 102))] Feature=home
PartitionName=DEFAULT MaxTime=INFINITE State=UP
PartitionName=home Nodes=home[1-2] Default=YES
PartitionName=night Nodes=home2 PriorityTier=5
CONF
  echo '# nothing yet' >"$etc/gres.conf"
  cat >"$etc/cli_filter.lua" <<LUA
-- The site's own.
function slurm_cli_setup_defaults(options, early) return slurm.SUCCESS end
function slurm_cli_pre_submit(options, offset)
  local log = io.open("$seen/filter", "a")
  log:write("looked\n")
  log:close()
  if options["job-name"] == "forbidden" then return slurm.ERROR end
  return slurm.SUCCESS
end
function slurm_cli_post_submit(offset, job_id, step_id) return slurm.SUCCESS end
LUA
  : >"$seen/filter" && chmod 666 "$seen/filter"
  chown slurm:slurm "$etc/parts.conf" "$etc/gres.conf"
  chmod 664 "$etc/gres.conf"
}

# All of the folder: digests, modes, owners; but for what is no file of Slurm's.
state() { (cd "$etc" && find . -type f ! -name munge.key ! -name passwd ! -name group | sort | xargs stat -c '%n %a %U:%G' && find . -type f ! -name munge.key ! -name passwd ! -name group | sort | xargs sha256sum); }

restart() {
  local pid
  pid=$(cat "$dir/slurm/slurmctld.pid")
  kill "$pid"
  within 30 sh -c "! kill -0 $pid"
  "$here/site.sh" "$dir" slurmctld || return 1
  # Since 23.11 another slurmctld takes over at a reconfiguration, and nobody listens for a moment.
  up && scontrol reconfigure && up
}

up() { within 30 sh -c 'scontrol ping | grep -q "is UP"'; }

ended() { [ -z "$(squeue -h -r -j "$1" 2>/dev/null)" ]; }

# plain WHAT: a script that knows nothing of anybody, at home, with the site's hooks around it
plain() {
  local before after job begun
  before=$(wc -l <"$seen/filter")
  begun=$(date +%s)
  job=$(cd "$work" && as ann sbatch --parsable -t 1 -o plain-%j.out plain.sh 2>"$dir/sbatch.err") || { judge "$1: sbatch: $(head -n 1 "$dir/sbatch.err")" false; return; }
  after=$(($(date +%s) - begun))
  within 60 ended "$job"
  judge "$1: job $job at home, submitted in $after s: $(cat "$work/plain-$job.out" 2>&1)" grep -qx "at home" "$work/plain-$job.out"
  judge "$1: in at most 5 s" [ "$after" -le 5 ]
  within 10 grep -q "^$job epilog" "$seen/hooks"
  judge "$1: the site's hooks: $(grep "^$job " "$seen/hooks" | cut -d ' ' -f 2- | sort | tr '\n' ',')" \
    [ "$(grep "^$job " "$seen/hooks" | cut -d ' ' -f 2,3 | sort | tr '\n' ',')" = 'epilog home,prolog home,second home,' ]
  judge "$1: the site's filter looked" [ "$(wc -l <"$seen/filter")" -gt "$before" ]
}

site_files 3 1
sed -i '/nodes:/,/west:/s/west: .*/west: { large: 3 }/' "$dir/spillway.yaml"
REGIONS=west LAUNCHER=$spillway "$here/site.sh" "$dir" network || fail 'no network'
(cd "$dir" && exec setsid "$spillway" serve --config spillway.yaml </dev/null >"$dir/head.log" 2>&1) &
head=$!
own_slurm
export SLURM_CONF="$etc/slurm.conf" SLURM_TIME_FORMAT=%s
"$here/site.sh" "$dir" daemons || fail "the site's own Slurm does not come up"
install -d -o ann -g ann "$work"
printf '#!/bin/sh\necho at home\n' >"$work/plain.sh"
printf '#!/bin/sh\n#SPILLWAY in=in.txt out!=out.txt\ncat in.txt >out.txt && echo "$SLURMD_NODENAME" >>out.txt\n' >"$work/cloud.sh"
echo 'from home' >"$work/in.txt"
chown ann:ann "$work"/*
before=$(state)
plain before
head_answers 240

setup() { "$spillway" slurm "$@" --config "$dir/spillway.yaml"; }
within 120 setup setup || fail "$(setup setup 2>&1 | tail -n 3)"
setup setup >"$dir/shown"
judge "a look changes nothing, and shows $(grep -c '^--- ' "$dir/shown") differences" [ "$before" = "$(state)" ]
sed -n '/^--- .*slurm.conf/,/^--- /p' "$dir/shown" | grep -v '^--- /dev' | cut -c 1-150 | sed 's/^/  /'
grep '^note: ' "$dir/shown" | cut -c 1-200

setup setup --apply >"$dir/applied" || fail 'setup --apply'
cat "$dir/applied" | grep -v '^note'
judge 'the manifest is for nobody else' [ "$(stat -c %a "$dir/state/slurm-setup/manifest.json")" = 600 ]
restart || fail 'slurmctld does not come up with it'
# Until the head has looked at the new slurmctld its partition is closed, which is a difference.
checked() { setup check >"$dir/checked"; grep -q 'has all that the head needs' "$dir/checked"; }
within 60 checked
judge "slurm check: $(tail -n 1 "$dir/checked")" grep -q 'has all that the head needs' "$dir/checked"
cat "$dir/checked" | head -n 20 | grep -v 'has all'
plain applied
judge 'the site'"'"'s filter has its word' sh -c "! (cd '$work' && setpriv --reuid=ann --regid=ann --init-groups sbatch -J forbidden plain.sh)" 2>/dev/null
out=$(cd "$work" && as ann sbatch -p west --input=absent.txt cloud.sh 2>&1)
judge "and ours behind it: $out" grep -q 'is opened on the node' <<<"$out"
job=$(cd "$work" && as ann sbatch --parsable -p west -c 4 -t 5 -o cloud.log cloud.sh) || fail 'sbatch -p west'
within 240 ended "$job"
judge "cloud job $job: $(tr '\n' ' ' <"$work/out.txt") $(scontrol -o show job "$job" | grep -o 'JobState=[^ ]*')" grep -q '^from home' "$work/out.txt"
judge "with the site's hooks behind ours: $(grep "^$job " "$seen/hooks" | cut -d ' ' -f 2- | sort | tr '\n' ',')" \
  [ "$(grep "^$job " "$seen/hooks" | cut -d ' ' -f 2,3 | sort | tr '\n' ',')" = 'epilog west-large-,prolog west-large-,second west-large-,' ]
judge "the site's power program was not called for ours: $(cat "$seen/power" 2>&1 | tail -n 1)" sh -c "! grep -q west '$seen/power' 2>/dev/null"

kill -STOP "$head"
plain 'with a head that hangs'
begun=$(date +%s)
job=$(cd "$work" && as ann sbatch --parsable -p home -t 1 -o /dev/null cloud.sh 2>&1)
judge "a script with lines is taken in $(($(date +%s) - begun)) s then: job $job" [ "$(($(date +%s) - begun))" -le 5 ]
kill -CONT "$head"
within 120 ended "$job" || { judge "job $job: $(squeue -h -j "$job" -o '%T %r')" false; scancel --hurry "$job"; }
for file in $(sed -n 's/^changed //p' "$dir/applied"); do
  case " $files " in *" ${file##*/} "*) ;; *) rm "$file" ;; esac
done
judge "deleted: $(sed -n 's/^changed //p' "$dir/applied" | while read -r file; do [ -e "$file" ] || printf '%s ' "${file##*/}"; done)" [ ! -e "$etc/spillway-resume" ]
plain 'with our files deleted'
if restart; then
  plain 'with our files deleted and slurmctld started again'
  setup setup --apply | grep '^changed'
else
  # 22.05 starts without the file of its burst buffer; later ones say that they do not.
  refused=$(grep -o 'fatal: .*burst_buffer.*' "$dir/log/slurm/slurmctld.log" | tail -n 1)
  judge "slurmctld does not start without burst_buffer.lua: $refused" [ -n "$refused" ]
  judge 'which is none of 22.05' [ "$(sbatch --version | cut -d ' ' -f 2 | cut -d . -f 1)" -gt 22 ]
  setup setup --apply | grep '^changed'
  "$here/site.sh" "$dir" slurmctld && up || judge 'slurmctld comes up again with our files back' false
  plain 'with our files back'
fi
site_down || wrong=$((wrong + 1))
setup undo >"$dir/undone" || fail 'undo'
cat "$dir/undone"
judge 'after undo all files are what they were, with mode and owner' [ "$before" = "$(state)" ]
[ "$before" = "$(state)" ] || diff <(echo "$before") <(state)
restart || fail 'slurmctld does not come up again'
plain after
[ "$wrong" -eq 0 ] || { echo "$wrong wrong" && exit 1; }
