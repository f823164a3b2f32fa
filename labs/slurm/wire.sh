#!/bin/sh
# wire.sh DIR up|down [REGION]: what crosses the cable when only the director's port 22 is open. As root.
#   WIRE=ports   one SSH connection with a forward to each slurmd and one back to slurmctld and to each port of SrunPortRange
#   WIRE=tunnel  one SSH connection that carries a tun device on each side; the director routes
#   WIRE=routed  nothing to do
# The connection is made again one second after it broke. `down` ends what `up` started, by its pid.
set -eu
dir=${1:?usage: wire.sh DIR up|down [REGION]}
action=${2:?up or down}
region=${3:-west}
. "$dir/lab.env"
case $region in
west) cable=20 lan=21 unit=$unit_west ;;
*) cable=30 lan=31 unit=$unit_east ;;
esac
space=$tag-$region
ssh=$dir/ssh
export PATH="$PATH:/usr/sbin:/sbin"

director_sshd() {
  mkdir -p "$ssh" /run/sshd
  [ -e "$ssh/host" ] || ssh-keygen -q -t ed25519 -N '' -f "$ssh/host"
  [ -e "$ssh/head" ] || ssh-keygen -q -t ed25519 -N '' -f "$ssh/head"
  cp "$ssh/head.pub" "$ssh/authorized_keys"
  echo "10.$net.$cable.1 $(cut -d' ' -f1,2 "$ssh/host.pub")" >"$ssh/known_hosts-$region"
  cat >"$ssh/sshd-$region.conf" <<CONF
ListenAddress 10.$net.$cable.1:22
HostKey $ssh/host
AuthorizedKeysFile $ssh/authorized_keys
PidFile $dir/run/sshd-$region.pid
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
AllowTcpForwarding yes
GatewayPorts clientspecified
PermitTunnel point-to-point
ClientAliveInterval 5
ClientAliveCountMax 3
CONF
  nsenter --net="/run/netns/$space" /usr/sbin/sshd -f "$ssh/sshd-$region.conf" -E "$dir/log/sshd-$region.log"
}

# The device outlives its connection, so that routes and open connections do.
device() {
  ip tuntap add dev "tun$unit" mode tun
  ip addr add "10.$net.$((lan + 1)).1" peer "10.$net.$((lan + 1)).2" dev "tun$unit"
  ip link set "tun$unit" up
  # With more than one region slurmctld has one address that all lead to: that of this machine.
  ip route add "10.$net.$lan.0/24" dev "tun$unit" src "${home:-10.$net.$((lan + 1)).1}"
  ip -n "$space" tuntap add dev "tun$unit" mode tun
  ip -n "$space" addr add "10.$net.$((lan + 1)).2" peer "10.$net.$((lan + 1)).1" dev "tun$unit"
  ip -n "$space" link set "tun$unit" up
  [ -z "${home:-}" ] || ip -n "$space" route add "$home" dev "tun$unit"
}

forwards() {
  i=1
  while [ "$i" -le "$nodes" ]; do
    echo "-L 127.$net.$lan.$i:$((base + 2)):10.$net.$lan.$i:$((base + 2))"
    i=$((i + 1))
  done
  echo "-R 10.$net.$lan.254:$((base + 1)):127.0.0.1:$((base + 1))"
  port=$srun_first
  while [ "$port" -le "$srun_last" ]; do
    echo "-R 10.$net.$lan.254:$port:127.0.0.1:$port"
    port=$((port + 1))
  done
}

up() {
  [ "$wire" != routed ] || return 0
  director_sshd
  case $wire in
  tunnel)
    device
    forwards="-w $unit:$unit -o Tunnel=point-to-point"
    ;;
  ports) forwards=$(forwards) ;;
  esac
  cat >"$dir/bin/wire-$region" <<PROGRAM
#!/bin/sh
# keeps the connection: made by wire.sh
trap 'kill "\$child" 2>/dev/null; exit 0' TERM
while :; do
  ssh -N -i $ssh/head -o UserKnownHostsFile=$ssh/known_hosts-$region -o ExitOnForwardFailure=yes -o BatchMode=yes \\
    -o ConnectTimeout=3 -o ServerAliveInterval=5 -o ServerAliveCountMax=3 $(echo $forwards) root@10.$net.$cable.1 &
  child=\$!
  wait \$child
  echo "\$(date +%s.%N) the connection ended with \$?"
  sleep 1
done
PROGRAM
  chmod 755 "$dir/bin/wire-$region"
  setsid "$dir/bin/wire-$region" </dev/null >>"$dir/log/wire-$region.log" 2>&1 &
  echo $! >"$dir/run/wire-$region.pid"
  tries=0
  until ready; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || { echo "wire.sh: no connection: $(tail -n 3 "$dir/log/wire-$region.log")" >&2; exit 1; }
    sleep 0.05
  done
}

ready() {
  case $wire in
  tunnel) ping -c 1 -W 1 -q "10.$net.$((lan + 1)).2" >/dev/null 2>&1 || nsenter --net="/run/netns/$space" ip link show "tun$unit" | grep -q LOWER_UP && ip link show "tun$unit" | grep -q LOWER_UP ;;
  *) nsenter --net="/run/netns/$space" ss -ltn | grep -q ":$srun_last " ;;
  esac
}

down() {
  for name in wire-"$region" sshd-"$region"; do
    pid=$(cat "$dir/run/$name.pid" 2>/dev/null) || continue
    cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ' | grep -q "$dir" && kill "$pid"
    rm -f "$dir/run/$name.pid"
  done
  [ "$wire" != tunnel ] || ip link del "tun$unit" 2>/dev/null || true
}

"$action"
