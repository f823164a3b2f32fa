# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# Outputs of a job that runs, in rounds of what has changed since the last one: for checkpoints. P is the folder in which a
# bundle is made. Whole files only: one that changes while it is read is left for the next round.
sync_outputs() {
  [ "$sync" -gt 0 ] && [ -s "$J/collect" ] && P=$J/sync && mkdir -p "$P" || return 0
  : >"$P/sent"
  round=0
  while rest_between; do
    sync_round
    rm -f "$P/bundle"
  done
}

# From the end of a round on: a slow one puts the next one off.
rest_between() {
  now
  until=$((NOW + sync * 100))
  while [ "$NOW" -lt "$until" ]; do
    ! job_is_over || return 1
    pause 5
    now
  done
}

job_is_over() { [ -e "$J/exit" ] || [ ! -d "$J" ] || off; }

# A file is known by inode, size and times, of which nobody can set the last: sent once, it is not sent again.
sync_round() {
  began=$(date +%s)
  weigh "$D" '%i:%s:%.9Y:%.9Z %s %b %n\0' >"$P/found"
  LC_ALL=C awk -v sent="$P/sent" 'BEGIN { RS = "\0"; while ((getline line <sent) > 0) had[line] }
    { name = $0; sub(/^[^ ]* [^ ]* [^ ]* /, "", name) }
    !($0 in had) && name !~ /^\.spillway\// { printf "%s%c", $0, 0 }' "$P/found" >"$P/new"
  for passes in 1 2 3; do
    [ -s "$P/new" ] && ! job_is_over || return 0
    LC_ALL=C awk 'BEGIN { RS = "\0" } { sub(/^[^ ]* /, ""); printf "%s%c", $0, 0 }' "$P/new" >"$P/weighed"
    pack
    whole && [ -s "$P/chosen" ] || return 0
    # shellcheck disable=SC2016
    inside timeout -k 5 3600 sh -c 'cd -- "$0" && xargs -0 -r stat -L --printf "%i:%s:%.9Y:%.9Z %s %b %n\0" --' "$D" \
      <"$P/chosen" >"$P/after" 2>/dev/null
    unchanged "$P/new" "$P/after" >"$P/still"
    [ "$(tr -dc '\0' <"$P/still" | wc -c)" -ne "$(tr -dc '\0' <"$P/chosen" | wc -c)" ] || break
    mv "$P/still" "$P/new"
    [ "$passes" -lt 3 ] || return 0
  done
  round=$((round + 1))
  give "sync?round=$round" && rm -f "$P/bundle" && await_home && remember
}

# FILE OTHER: records that are in both.
unchanged() {
  LC_ALL=C awk -v other="$2" 'BEGIN { RS = "\0"; while ((getline line <other) > 0) both[line] }
    $0 in both { printf "%s%c", $0, 0 }' "$1"
}

# Until the head has dealt with it. Without a director nobody can, and the round waits.
await_home() {
  tenths=5
  asked=
  while ! job_is_over; do
    said=$(call --max-time 10 -w ' %{http_code}' -X POST \
      "$URL/jobs/$JOB/$ATTEMPT/synced?round=$round&bytes=$size&sha256=$sha" 2>/dev/null | tr '\n' ' ')
    case $said in
      *' again '*200) return 1 ;;
      *' whole '*200) return 0 ;;
      *200) [ -n "$asked" ] || renew ;;
      *403 | *404) return 1 ;;
    esac
    asked=yes
    pause "$tenths"
    [ "$tenths" -ge 20 ] || tenths=$((tenths + 5))
  done
  return 1
}

# File systems count time by the tick: what changed a moment before may change again without being seen to.
remember() {
  { unchanged "$P/found" "$P/sent" && LC_ALL=C awk -v before="$((began - 2))" 'BEGIN { RS = "\0" }
    { split($1, part, ":") } part[4] < before { printf "%s%c", $0, 0 }' "$P/still"; } >"$P/sent.new"
  mv "$P/sent.new" "$P/sent"
}

# PID: whatever it is about, the job's end comes first.
end_sync() {
  # shellcheck disable=SC2046
  set -- "$1" $(cat "/proc/$1/task/$1/children" 2>/dev/null)
  kill -TERM "$1" 2>/dev/null
  shift
  for below; do end_sync "$below"; done
}
