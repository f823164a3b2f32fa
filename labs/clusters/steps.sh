# shellcheck shell=sh
# The duties of a cluster on demand wherever it is, for scripts that have a head up ($SPILLWAY_SOCKET, $spillway, a working
# folder that anyone may enter): made, used by its owner, closed to others, deleted, and nothing left.
# cluster_steps SITE NODES: prints lines that begin with "| "; fails with a sentence.

cluster_fail() {
  echo "cluster: $*"
  return 1
}

# A user who is no administrator and not in the cluster: neither sees it nor may do anything with it.
cluster_stranger() {
  HOME=/nonexistent SPILLWAY_NO_BUILD=1 setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
    "$spillway" "$@" >stranger.out 2>&1
}

# cluster_does WHAT COMMAND...: shown only when it fails.
cluster_does() {
  what=$1
  shift
  "$spillway" "$@" >does.out 2>&1 || { cat does.out; cluster_fail "$what"; return 1; }
}

cluster_job() {
  echo 'echo "$(id -u) $(hostname)" >where.txt; echo done >>where.txt' >job.sh
  rm -f where.txt
  cluster_does 'a job did not run' cluster submit demo1 --wait --out where.txt job.sh || return 1
  sed 's/^/| /' where.txt
  [ "$(tail -n 1 where.txt)" = 'done' ] || cluster_fail 'the result is not what the job wrote'
}

cluster_steps() {
  site=$1 nodes=$2
  begun=$(date +%s)
  "$spillway" cluster create demo1 --site "$site" --nodes "$nodes" --ttl 1h --budget 5 >does.out 2>&1 \
    || { cat does.out; "$spillway" cluster show demo1; cluster_fail 'it was not made'; return 1; }
  sed 's/^/| /' does.out
  made=$(date +%s)
  cluster_job || return 1
  ran=$(date +%s)
  [ "$(id -u)" != 0 ] || cluster_refused || return 1
  cluster_does 'it did not grow' cluster scale demo1 --nodes $((nodes + 1)) || return 1
  "$spillway" cluster nodes demo1 | sed 's/^/| /'
  [ "$("$spillway" cluster nodes demo1 | grep -c ' node  *READY ')" -eq $((nodes + 1)) ] || { cluster_fail 'it has another size'; return 1; }
  grown=$(date +%s)
  cluster_does 'it did not stop' cluster stop demo1 || return 1
  "$spillway" cluster show demo1 | grep -q STOPPED || { cluster_fail 'it is not stopped'; return 1; }
  stopped=$(date +%s)
  cluster_does 'it did not start' cluster start demo1 || return 1
  cluster_job || return 1
  started=$(date +%s)
  cluster_does 'the bill of a living cluster is in disorder' audit || return 1
  cluster_does 'it was not removed' cluster delete demo1 || return 1
  sed 's/^/| /' does.out
  gone=$(date +%s)
  cluster_does 'something is left' audit || return 1
  tail -n 1 does.out | sed 's/^/| /'
  echo "| cluster in $site: made in $((made - begun)) s, first job after $((ran - begun)) s, one node more in $((grown - ran)) s," \
    "stopped in $((stopped - grown)) s, started with a job in $((started - stopped)) s, removed in $((gone - started)) s"
}

cluster_refused() {
  for question in 'show demo1' 'nodes demo1' 'queue demo1' 'delete demo1 --no-wait' 'submit demo1 job.sh'; do
    # shellcheck disable=SC2086
    ! cluster_stranger cluster $question || { cat stranger.out; cluster_fail "a stranger may '$question'"; return 1; }
    grep -q "no cluster 'demo1'" stranger.out || { cat stranger.out; cluster_fail "a stranger is told more than nothing by '$question'"; return 1; }
  done
  cluster_stranger cluster list || { cat stranger.out; cluster_fail 'a stranger cannot list'; return 1; }
  ! grep -q demo1 stranger.out || { cluster_fail 'a stranger sees it in the list'; return 1; }
  echo '| another user: refused, and told of nothing'
}
