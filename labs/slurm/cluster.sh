#!/bin/bash
# cluster.sh: a cluster on demand with a Slurm of its own, on a local cloud whose instances are machines with addresses of
# their own (namespaces): made by its owner, used with sbatch by him and by a named user, refused to another, stopped and
# started with a job in its queue, deleted; then nothing is left. As root; takes some minutes.
set -euo pipefail
. "$(dirname "$0")/head.sh"
if [ -z "${SPILLWAY_LAB:-}" ]; then
  outside "$here/cluster.sh" "$@"
  exit
fi

site_files() {
  mkdir -p "$dir/clouds" "$dir/image/bin"
  printf 'ann:x:20816:20816::/home/ann:/bin/sh\nbob:x:20817:20817::/home/bob:/bin/sh\ncat:x:20818:20818::/home/cat:/bin/sh\n' >"$dir/passwd"
  printf 'ann:x:20816:\nbob:x:20817:\ncat:x:20818:\n' >"$dir/group"
  cat >"$dir/clouds/west.yaml" <<YAML
network: "@NETWORK@"
listen: "@LISTEN@"
zones: [a]
types:
  - { name: small, cpus: 1, memoryGiB: 2, pricePerHour: 0.06, bootSeconds: 0.3, machine: "@LAB@/director.sh" }
  - { name: large, cpus: 4, memoryGiB: 16, pricePerHour: 0.12, bootSeconds: 0.3, machine: "@LAB@/machine.sh" }
YAML
  cat >"$dir/spillway.yaml" <<YAML
cluster: lab
budget: { limit: 20.00, period: day }
directory: { source: file, passwd: ./passwd, group: ./group }
image: { tree: ./image }
queues: { west: { sites: [west] } }
sites:
  west:
    driver: local
    maxNodes: 4
    director: { type: small }
    prices: { small/stopped: 0.01 }
    options: { state: '$dir/clouds/west', config: '$dir/clouds/west.yaml', consistencySeconds: '1' }
YAML
}

site_files
WIRE=routed REGIONS=west LAUNCHER=$spillway "$here/site.sh" "$dir" network || fail 'no network'
(cd "$dir" && exec setsid "$spillway" serve --config spillway.yaml </dev/null >"$dir/head.log" 2>&1) &
head=$!
head_answers 240

of() { # USER COMMAND ARGUMENTS...
  local user=$1 command=$2
  shift 2
  (cd "/home/$user" && as "$user" "$spillway" cluster "$command" --socket "$dir/state/spillway.sock" "$@")
}

cat >/home/ann/job.sh <<'JOB'
#!/bin/sh
#SBATCH --nodes=2 --ntasks-per-node=1 --time=5
#SPILLWAY out!=where.txt
srun hostname >where.txt
id -un >>where.txt
echo done >>where.txt
JOB
cp /home/ann/job.sh /home/bob/job.sh
of ann create demo1 --site west --type large --nodes 2 --ttl 1h --budget 5 --users bob --workload slurm --results results || {
  of ann show demo1
  fail 'the cluster was not made'
}
of ann show demo1
of ann submit demo1 --wait job.sh
of ann ssh demo1 -- cat where.txt
of ann ssh demo1 -- sinfo
of bob submit demo1 --wait job.sh
of bob ssh demo1 -- tail -n 2 where.txt
! of cat show demo1 || fail 'another user sees it'
of ann queue demo1
of ann nodes demo1
key=$(find "$dir/clouds/west" -path '*/spillway-head/manager/munge.key')
[ "$(stat -c %a "$key")" = 600 ] || fail "$key is not its owner's only"
held=$(of ann ssh demo1 -- sbatch --parsable --hold job.sh)
of ann stop demo1
[ -z "$(pgrep -x slurmctld)" ] || fail 'slurmctld outlives the stop'
of ann start demo1
echo "after stop and start: $(of ann ssh demo1 -- squeue -h -j "$held" -o '%A %u %T')"
of ann ssh demo1 -- scontrol release "$held"
of ann ssh demo1 -- timeout 50 sh -c "until squeue -h -j $held -t CD -o %T | grep -q COMPLETED; do sleep 0.5; done; echo job $held ran"
of ann delete demo1
echo "results at home: $(find /home/ann/results /home/bob/results -name where.txt 2>/dev/null | wc -l)"
for program in slurmctld slurmd munged; do [ -z "$(pgrep -x "$program")" ] || fail "$program is left"; done
site_down || fail 'something is left'
