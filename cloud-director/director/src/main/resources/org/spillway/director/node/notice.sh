# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# A provider's word that it takes this machine back, or soon may, in the forms that it publishes: "Spot Instance interruption
# notices" and "EC2 instance rebalance recommendations" (Amazon EC2 User Guide), "Scheduled Events for Linux VMs" (Azure).
hear_notices() {
  turns=0 noticed=
  for tries in 1 2 3 4 5; do
    way=$(notice_way) && break
    pause 20
  done
  while [ -n "$way" ] && ! off; do
    [ "${noticed%% *}" = reclaim ] || listen
    [ "${noticed%% *}" != reclaim ] || take_back
    turns=$((turns + 1))
    pause 10
  done
}

# How this machine would hear of it; nothing for one that nobody takes back. OpenStack has no such word.
notice_way() {
  if [ -z "${STOCK:-}${SPILLWAY_METADATA:-}" ]; then
    [ ! -e "$DISK/spot" ] || echo local
  elif aws_token; then
    life=$(aws_says instance-life-cycle) || return
    [ "$life" != spot ] || echo aws
  else
    priority=$(meta 'metadata/instance/compute/priority?api-version=2021-02-01&format=text' -H Metadata:true) || return
    [ "$priority" != Spot ] || echo azure
  fi
}

aws_token() {
  token=$(meta latest/api/token -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 21600') && [ -n "$token" ]
}

aws_says() { meta "latest/meta-data/$1" -H "X-aws-ec2-metadata-token: $token"; }

# NAME: a text of JSON.
text_of() { sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"; }

# KIND and, for what it does, WHEN. There is nothing (404) until there is a notice.
hear_aws() {
  [ "$((turns % 7200))" -ne 0 ] || aws_token
  if said=$(aws_says spot/instance-action); then
    kind=reclaim when=$(printf '%s' "$said" | text_of time)
  elif [ "$((turns % 5))" -eq 0 ] && said=$(aws_says events/recommendations/rebalance); then
    kind=rebalance when=$(printf '%s' "$said" | text_of noticeTime)
  fi
}

# The first answer may take two minutes. It names events of other machines, too, and this one's until it is taken.
hear_azure() {
  said=$(meta 'metadata/scheduledevents?api-version=2020-07-01' --max-time 130 -H Metadata:true | tr -d '\r\n' | sed 's/{/\n{/g' |
    grep '"EventType" *: *"Preempt"' | grep -iF "\"$ID\"" | head -n 1)
  [ -z "$said" ] || kind=reclaim when=$(printf '%s' "$said" | text_of NotBefore)
}

hear_local() {
  [ ! -s "$DISK/notice" ] || read -r kind when <"$DISK/notice"
}

# UNTIL: in seconds of the epoch. A time that nobody can read is now.
listen() {
  kind='' when=''
  "hear_$way"
  case $kind in reclaim | rebalance) ;; *) return ;; esac
  case $when in
    '' | *[!0-9]*) until=$(date -ud "${when:-now}" +%s 2>/dev/null || date +%s) ;;
    *) until=$when ;;
  esac
  [ "$noticed" != "$kind $until" ] || return 0
  noticed="$kind $until"
  frame notice "$kind" "$until" | put "$S/notice"
  say "the provider's notice: $noticed"
  renew
}

# Each attempt is told once. One of another manager is that manager's to stop.
take_back() {
  for J in "$S"/jobs/*/; do
    J=${J%/}
    [ -d "$J" ] && [ ! -e "$J/exit" ] && [ ! -e "$J/stop" ] && ! grep -qs '^foreign ' "$J/facts" || continue
    name=${J##*/}
    frame taken "${name%.*}" "${name##*.}" >>"$J/results"
    grace=$(grace_of "$WORK/$name")
    (stop_job "$J" "$grace" 'its machine is taken back' &)
  done
}

# FOLDER: seconds between signal and end, so that what lies there can be packed and sent at 20 MB/s; half of the time at least.
grace_of() {
  left=$((until - $(date +%s)))
  # A clock that is wrong by more than a notice is long says nothing.
  [ "$left" -ge 4 ] && [ "$left" -le 3600 ] || left=20
  bytes=$(timeout 2 du -sb -- "$1" 2>/dev/null | cut -f 1)
  need=$((${bytes:-0} / 20000000 + 5))
  [ "$need" -le "$((left / 2))" ] || need=$((left / 2))
  echo "$((left - need))"
}
