# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# A Slurm beside the head of a cluster on demand: munged and slurmctld, on its machine and by its head's program (head.sh).
environment=SLURM_CONF=$manager/etc/slurm.conf

manager_can() {
  for program in slurmctld munged sbatch scontrol squeue sinfo curl; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || {
      echo "$program is not installed: the image of the head's machine needs the packages slurmctld, slurm-client, slurm-wlm-basic-plugins, munge and curl" >&2
      exit 69
    }
  done
  if [ "$(id -u)" -ne 0 ]; then echo 'a Slurm needs a head that is root on its machine' >&2; exit 77; fi
}

# The key is made here and known nowhere else.
manager_prepare() {
  mkdir -p manager/state "$manager/etc"
  chmod 755 "$manager/etc"
  if [ ! -s manager/munge.key ]; then
    head -c 128 /dev/urandom >manager/munge.key.new
    mv manager/munge.key.new manager/munge.key
  fi
}

manager_runs() { beside munged && beside slurmctld; }

manager_bring() {
  etc=$manager/etc
  tries=0
  until [ -s "$etc/spillway.conf" ] || ./spillway slurm config --config spillway.yaml --spillway "$here/spillway" --out "$etc"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 20 ]; then exit 1; fi
    sleep 0.5
  done
  sed -e "s#@HOST@#$(hostname)#" -e "s#@HERE@#$here#" slurm.conf >"$etc/slurm.conf.new"
  chmod 644 "$etc/slurm.conf.new"
  mv -f "$etc/slurm.conf.new" "$etc/slurm.conf"
  if ! beside munged; then
    (umask 022 && mkdir -p /run/munge && chmod 755 /run/munge)
    aside munged munged --foreground --force --num-threads=4 --socket=/run/munge/munge.socket.2 --key-file="$here/manager/munge.key" \
      --log-file="$here/manager/munged.log" --pid-file="$here/manager/munged.own" --seed-file="$here/manager/munged.seed"
    tries=0
    until munge -n >/dev/null 2>&1; do
      tries=$((tries + 1))
      if [ "$tries" -gt 100 ] || ! beside munged; then tail -n 5 manager/munged.log; echo 'munged does not answer'; exit 1; fi
      sleep 0.1
    done
  fi
  export SLURM_CONF="$etc/slurm.conf"
  if ! beside slurmctld; then (umask 022 && aside slurmctld slurmctld -D -f "$SLURM_CONF"); fi
  tries=0
  until scontrol ping 2>/dev/null | grep -q 'is UP'; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ] || ! beside slurmctld; then tail -n 10 manager/slurmctld.log; echo 'slurmctld does not answer'; exit 1; fi
    sleep 0.1
  done
}

# In order: slurmctld writes down what it knows, and finds it again when the cluster is started.
manager_end() {
  end_beside slurmctld
  end_beside munged
}
