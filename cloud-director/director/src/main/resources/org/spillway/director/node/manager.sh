# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# A node of a workload manager that has a daemon on it. This part is every manager's; its own is behind it and has
# manager_serve (a loop of its own, for as long as the node lives), manager_stop GRACE_SECONDS, manager_order (an order of
# its job JOB.ATTEMPT has come, by number $foreign) and manager_job (prepares, waits for its end, collects).
# F is its folder; of what it keeps there, *.pid and booted are gone after a boot of the machine.
F=$S/manager

# The grant as lines, and its files with their modes. The director gives none before it has heard that the gate has passed.
fetch_grant() {
  call -f --max-time 10 -o "$F/grant.new" "$URL/manager" 2>/dev/null || return 1
  while read -r key name mode; do
    [ "$key" = file ] || continue
    case $name in '' | .* | */*) return 1 ;; esac
    rm -f "$F/$name.new"
    call -f --max-time 10 -o "$F/$name.new" "$URL/manager/file/$name" 2>/dev/null && chmod "$mode" "$F/$name.new" &&
      mv -f "$F/$name.new" "$F/$name" || return 1
  done <"$F/grant.new"
  mv "$F/grant.new" "$F/grant"
}

# RESULT DETAIL: a check of the gate that is made after it. One that failed makes the node unready.
manager_gate() {
  line=$(frame gate "$manager" "$1" "$(printf '%.300s' "$2")")
  grep -qxF "$line" "$S/gate" && return 0
  { grep -v "^[0-9]*:gate $manager " "$S/gate"; printf '%s\n' "$line"; } >"$S/gate.manager"
  mv "$S/gate.manager" "$S/gate"
  if [ "$1" = ok ]; then echo yes >"$S/ready"; else echo no >"$S/ready"; fi
  say "$line"
  renew
}

# NAME COMMAND...: again and again, ever slower while it dies young. Without the one called DAEMON the node is not ready.
keep() {
  name=$1 tenths=5
  shift
  while ! off; do
    now
    began=$NOW
    # Of a manager's jobs none is to be spared as the agent is, when memory is short. The command may be a function.
    ({ echo 0 >/proc/self/oom_score_adj; } 2>/dev/null; "$@") >"$F/$name.out" 2>&1 &
    echo "$!" >"$F/$name.pid"
    wait "$!"
    off && return 0
    now
    [ "$((NOW - began))" -lt 6000 ] || tenths=5
    last="$name has ended: $(grep -v '^$' "$F/$name.out" | tail -n 1 | head -c 200 | tr -c '[:print:]' ' ')"
    say "$last"
    [ "$tenths" -lt 40 ] || [ "$name" != "$DAEMON" ] || manager_gate failed "$last"
    pause "$tenths"
    [ "$tenths" -ge 300 ] || tenths=$((tenths * 2))
  done
}

