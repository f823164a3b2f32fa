#!/bin/sh
# Powers this machine off when its head was not heard for too long: who is gone cannot end what it pays for.
# Only time that the machine runs counts, whatever its clock is set to. cloud-init starts it at each boot.
limit=@SECONDS@
sign=$(getent passwd spillway | cut -d : -f 6)/spillway-director/state/heard
if [ "${1:-}" != stay ]; then
  setsid "$0" stay </dev/null >/dev/null 2>&1 &
  exit 0
fi
pause=60
[ "$limit" -ge 600 ] || pause=1
now() { read -r up _ </proc/uptime && now=${up%%.*}; }
now
since=$now
before=
while sleep "$pause"; do
  now
  sign_is=$(stat -c %y "$sign" 2>/dev/null)
  if [ "$sign_is" != "$before" ]; then
    before=$sign_is
    since=$now
  elif [ "$((now - since))" -ge "$limit" ]; then
    echo "spillway: no word from the head for $limit s, powering off" >/dev/console
    poweroff || systemctl poweroff || poweroff -ff
  fi
done
