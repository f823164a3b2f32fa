# shellcheck shell=sh
# shellcheck disable=SC2154,SC2030,SC2031
# This machine's words about itself go to its director while it lives: nobody can ask for them later. A source is a file that
# grows, or begins anew. TOLD counts all bytes of it ever, PLACE is where the file is to be read on.
SAID=$S/said
SAID_MOST=65536

say_on() {
  mkdir -p "$SAID"
  now
  # Every ten to fifteen seconds, and never all nodes at once.
  step=$((20 + NOW % 10))
  while tell_said && [ "$1" != once ]; do
    for _ in 1 2 3 4 5; do
      ! off || return 0
      pause "$step"
    done
  done
}

tell_said() {
  (
    flock 7
    [ -s "$S/boot" ] || {
      tr -d - </proc/sys/kernel/random/uuid | head -c 16 | put "$S/boot"
      rm -f "$SAID/kernel.last" "$SAID/gate"
    }
    read -r boot <"$S/boot" || [ -n "$boot" ] || exit
    hear_kernel
    hear_gate
    rm -f "$SAID"/*.next
    for source in agent kernel manager health; do gather; done >"$SAID/body"
    [ ! -s "$SAID/body" ] || send_said
  ) 7>"$SAID/lock"
  return 0
}

# A director that is another one than before has taken nothing: first it is told again what that one may not have handed on.
send_said() {
  known=$(cat "$SAID/director" 2>/dev/null)
  director=$(call -f --max-time 10 --data-binary @"$SAID/body" "$URL/said?boot=$boot&known=$known" 2>/dev/null) || return
  if [ -z "$known" ] || [ "$known" = "$director" ]; then
    for next in "$SAID"/*.next; do mv "$next" "${next%.next}.told"; done
  else
    for told in "$SAID"/*.told; do go_back; done
  fi
  printf '%s\n' "$director" >"$SAID/director"
}

go_back() {
  read -r all place <"$told" && back=$SAID_MOST || return
  [ "$back" -le "$place" ] || back=$place
  echo "$((all - back)) $((place - back))" >"$told"
}

# The next piece of a source, in whole lines: whoever looks for secrets in it must not be shown halves.
gather() {
  case $source in
    agent) file=$S/log ;;
    manager) file=$S/manager/daemon.log ;;
    *) file=$SAID/$source ;;
  esac
  [ -s "$file" ] || return
  all=0 place=0
  read -r all place 2>/dev/null <"$SAID/$source.told"
  size=$(wc -c <"$file")
  [ "$size" -ge "$place" ] || place=0
  [ "$size" -gt "$place" ] || return
  skip=$((size - place - SAID_MOST))
  piece=$SAID/piece
  if [ "$skip" -gt 0 ]; then
    tail -c "$SAID_MOST" "$file" >"$piece.whole"
    skip=$((skip + $(head -n 1 "$piece.whole" | wc -c)))
    sed 1d "$piece.whole" >"$piece"
    all=$((all + skip)) place=$((place + skip))
  else
    tail -c "+$((place + 1))" "$file" | head -c "$SAID_MOST" >"$piece"
  fi
  if [ "$(tail -c 1 "$piece" | wc -l)" -eq 0 ]; then
    sed '$d' "$piece" >"$piece.whole"
    # A line of a page without an end is told as it is.
    if [ -s "$piece.whole" ]; then mv "$piece.whole" "$piece"; elif [ "$(wc -c <"$piece")" -lt 4096 ]; then return; fi
  fi
  bytes=$(wc -c <"$piece")
  printf '%s %s %s\n' "$source" "$all" "$bytes"
  cat "$piece"
  echo "$((all + bytes)) $((place + bytes))" >"$SAID/$source.next"
}

# NAME: a file of our own does not grow for ever; what was told of it may go.
shorten() {
  [ -s "$SAID/$1" ] && size=$(wc -c <"$SAID/$1") && [ "$size" -gt 262144 ] || return 0
  all=0 place=0
  read -r all place 2>/dev/null <"$SAID/$1.told"
  [ "$place" -ge "$size" ] || return 0
  : >"$SAID/$1"
  echo "$all 0" >"$SAID/$1.told"
}

# A pretended machine has the kernel's log that its maker gave it: that of the machine below is not its own.
hear_kernel() {
  shorten kernel
  if [ -r "$DISK/kmsg" ]; then
    tail -c 262144 "$DISK/kmsg" >"$SAID/kernel.now"
  elif [ -n "$STOCK" ]; then
    dmesg 2>/dev/null | tail -c 262144 >"$SAID/kernel.now"
  else
    return 0
  fi
  LAST=$(cat "$SAID/kernel.last" 2>/dev/null) awk '{ line[NR] = $0; if ($0 != "" && $0 == ENVIRON["LAST"]) at = NR }
    END { while (at < NR) print line[++at] }' "$SAID/kernel.now" >>"$SAID/kernel"
  tail -n 1 "$SAID/kernel.now" >"$SAID/kernel.last"
}

# The gate's findings, whenever they are others than before.
hear_gate() {
  shorten health
  cmp -s "$S/gate" "$SAID/gate" && return
  cp "$S/gate" "$SAID/gate" && sed "s/^[0-9]*:gate /$(date -u +%FT%TZ) /" "$SAID/gate" >>"$SAID/health"
}
