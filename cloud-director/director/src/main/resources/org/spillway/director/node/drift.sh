# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# Whether the root that jobs have is the version that the gate attests, file by file (ADR 79). The version's manifest says what is to
# be there, and is known by its digest. In S/drift lie "pass", how far the looks have come, "found", what differs, and "repaired".
DRIFT_BYTES=33554432

# The head's wish as of now. POLICY empty: none; HOW empty: nobody asks for a look by that name.
drift_terms() {
  POLICY='' PERIOD=60 HOW=''
  call -f --max-time 10 -o "$D/terms" "$URL/drift${1:+?look=$1}" 2>/dev/null || return 1
  while read -r word value; do
    case $word=$value in
      policy=report | policy=drain | policy=repair) POLICY=$value ;;
      period=*[!0-9]* | period=) ;;
      period=*) PERIOD=$value ;;
      look=whole | look=quick) HOW=$value ;;
    esac
  done <"$D/terms"
}

# The root that jobs have now.
drift_root() {
  DETAIL='its jobs live in its own root'
  [ -s "$S/root" ] || return 1
  read -r sha version name <"$S/root"
  own=$S/roots/$sha
  mkdir -p "$D"
}

# Text that another digest has is no manifest of that version, here or at the director.
drift_manifest() {
  list=$own/manifest
  drift_is "$list" && return
  DETAIL="the manifest of $name@$version is not here"
  call -f --max-time 600 --speed-limit 1 --speed-time 60 --max-filesize 536870912 -o "$D/manifest" "$URL/image/$version" 2>/dev/null || return 1
  drift_is "$D/manifest" && mv "$D/manifest" "$list" && return
  rm -f "$D/manifest"
  DETAIL="what came as the manifest of $name@$version is another text"
  call -o /dev/null --max-time 600 -X POST "$URL/image/$version/suspect"
  return 1
}

drift_is() {
  [ -s "$1" ] && found=$(digest <"$1") && [ "${found%% *}" = "$version" ]
}

# HOW SEED FROM: what differs is in D/out. Under the lock nobody takes the mount away; what has begun in one goes on in it.
drift_look() {
  DETAIL='perl is not installed here'
  command -v perl >/dev/null && drift_manifest || return 1
  idle=
  ! command -v ionice >/dev/null || idle='ionice -c 3'
  (
    flock -s 7
    root_is_mounted || echo 'mounted .'
    [ -n "$(mounted_at "$own/at")" ] || {
      echo "seen 0 0 $3"
      exit 0
    }
    cd "$own/at" || exit
    # The disk is asked, and not what the kernel has kept of it.
    dd if="$own/file" of=/dev/null iflag=nocache count=0 2>/dev/null
    # shellcheck disable=SC2086
    exec nice -n 19 $idle timeout 7200 perl -e "$drift_program" -- "$list" "$1" "$2" "$3" "$DRIFT_BYTES" 2 "$D/progress" "$D/again" 7>&-
  ) 7>"$S/root.lock" >"$D/out.new" 2>"$D/said" || {
    DETAIL="the look was not ended: $(head -n 1 "$D/said" | head -c 200)"
    return 1
  }
  mv "$D/out.new" "$D/out"
}

# COUNT, FIRST and the paths to look at again.
drift_found() {
  awk '$1 == "is" { print $6 } $1 == "gone" || $1 == "broken" || $1 == "mounted" { print $2 }' "$D/out" >"$D/again.new"
  mv "$D/again.new" "$D/again"
  COUNT=$(wc -l <"$D/again")
  COUNT=$((COUNT))
  FIRST=/$(head -n 1 "$D/again" | sed 's/^\.$//')
}

watch_drift() {
  D=$S/drift
  mkdir -p "$D"
  now
  turn_at=$NOW
  while ! off; do
    now
    if [ "$NOW" -ge "$turn_at" ]; then
      turn_at=$((NOW + 6000))
      if drift_root && [ "$(cat "$S/ready")" = yes ] && drift_terms && [ -n "$POLICY" ]; then
        turn_at=$((NOW + PERIOD * 100))
        drift_part
      fi
    fi
    pause 50
  done
}

# The next part of the version; the whole is one pass.
drift_part() {
  of='' seed=1 from=0 whole=-
  read -r of seed from whole 2>/dev/null <"$D/pass"
  [ "$of" = "$version" ] || {
    seed=$(date +%s) from=0 whole=-
    rm -f "$D/again" "$D/repaired"
  }
  [ ! -e "$own/drifted" ] || { root_terms && root_renew; } || {
    tell_gate drift failed "unrepaired 1 /: $DETAIL"
    return
  }
  drift_look part "$seed" "$from" || {
    tell_gate drift failed "unknown $DETAIL"
    return
  }
  drift_found
  # The node may have become another meanwhile.
  read -r _ is _ <"$S/root" && [ "$is" = "$version" ] || return
  from=$(sed -n 's/^seen [0-9]* [0-9]* \([0-9]*\)$/\1/p' "$D/out")
  if [ "$COUNT" -gt 0 ]; then
    say "drift: $COUNT of $name@$version differ: $(head -n 5 "$D/again" | tr '\n' ' ')"
    if [ "$POLICY" = repair ]; then drift_repair; else tell_gate drift failed "differs $COUNT $FIRST"; fi
  else
    if [ "$from" -eq 0 ]; then
      # A small version is seen often; each other word of it costs the director a line.
      seed=$(date +%s)
      [ "$whole" != - ] && [ "$((seed - whole))" -lt 600 ] || whole=$seed
    fi
    drift_same
  fi
  printf '%s %s %s %s\n' "$version" "$seed" "${from:-0}" "$whole" | put "$D/pass"
}

drift_same() { tell_gate drift ok "same $whole $(cat "$D/repaired" 2>/dev/null)"; }

# The former file is mounted nowhere before the next one is proven. What differs is looked at once more behind it.
drift_repair() {
  was="$COUNT $FIRST"
  # From here on no job begins in it.
  : >"$own/drifted"
  tell_gate drift failed "repairing $was"
  if ! { root_terms && root_renew && drift_look part "$seed" 1000000000; }; then
    tell_gate drift failed "unrepaired $was: $DETAIL"
    return
  fi
  drift_found
  if [ "$COUNT" -gt 0 ]; then
    tell_gate drift failed "unrepaired $COUNT $FIRST"
  else
    say "drift: $name@$version is mounted anew, and what differed is as it is to be"
    echo "repaired $(date +%s) $was" | put "$D/repaired"
    drift_same
  fi
}

# ID, of a look that somebody waits for.
drift_asked() {
  D=$S/drift/look.$1
  mkdir -p "$S/drift" && mkdir "$D" 2>/dev/null || return 0
  if drift_terms "$1" && [ -n "$HOW" ]; then
    if drift_root; then
      (drift_look "$HOW" "$(date +%s)" 0 || printf '%s\n' "$DETAIL" >"$D/why") &
      while kill -0 "$!" 2>/dev/null; do
        pause 10
        { echo "running $(cat "$D/progress" 2>/dev/null || echo 0 0 0)" | drift_tell "$1"; } || { [ "$?" -ne 22 ] || break; }
      done
      wait
    else
      printf '%s\n' "$DETAIL" >"$D/why"
    fi
    { if [ -s "$D/why" ]; then printf 'unknown %s\n' "$(cat "$D/why")"; else echo "done $version" && cat "$D/out"; fi; } >"$D/answer"
    for _ in 1 2 3 4 5; do
      drift_tell "$1" <"$D/answer" && break
      pause 20
    done
  fi
  rm -rf "$D"
}

drift_tell() { call -f --max-time 30 --data-binary @- "$URL/drift?look=$1" >/dev/null 2>&1; }
