#!/bin/sh
# region.sh DIR up|down|cut|heal|alone [REGION]: a region of the lab as network namespaces. As root.
#   up     one namespace for the director, one per node, a bridge between them, one cable to this machine. What the
#          cable lets through is decided by WIRE in DIR/lab.env: `routed` everything, otherwise only TCP to the director's port 22.
#   cut    nothing passes the cable any more, and nobody is told; heal takes it back
#   alone  proves what is open: tries every other way and prints what answered
# With `api` in DIR/lab.env the region has no nodes of its own: a local-cloud is started in its namespace, and makes a
# machine of each instance (machine.sh, director.sh). Its API stands for the provider's, which everybody reaches: the cable
# lets TCP to that port through, and to port 2222, where the local-cloud has the sshd of the director's machine.
# Namespaces are called $tag-REGION and $tag-REGION1, ...; addresses are 10.$net.20.0/24 (cable) and 10.$net.21.0/24 (nodes)
# for the first region, 30 and 31 for the second.
set -eu
dir=${1:?usage: region.sh DIR up|down|cut|heal|alone [REGION]}
action=${2:?up, down, cut, heal or alone}
region=${3:-west}
. "$dir/lab.env"
case $region in
west) cable=20 lan=21 ;;
east) cable=30 lan=31 ;;
*) echo "region.sh: no region $region: west or east" >&2; exit 64 ;;
esac
space=$tag-$region
device=$tag-$region
in_director() { nsenter --net="/run/netns/$space" "$@"; }

make() {
  ip netns add "$1"
  ip -n "$1" link set lo up
}

up() {
  [ ! -e "/run/netns/$space" ] || return 0
  # Without this an address of the lab without a route would be looked for beyond this machine.
  ip route replace unreachable "10.$net.0.0/16"
  make "$space"
  ip link add "$device" type veth peer name wan netns "$space"
  ip addr add "10.$net.$cable.254/24" dev "$device"
  ip link set "$device" up
  ip -n "$space" addr add "10.$net.$cable.1/24" dev wan
  ip -n "$space" link set wan up
  ip -n "$space" link add lan type bridge
  ip -n "$space" addr add "10.$net.$lan.254/24" dev lan
  ip -n "$space" link set lan up
  in_director sysctl -q -w net.ipv4.ip_forward=1
  # A local-cloud listens for SSH on the addresses of machines that are namespaces of their own.
  [ -z "${api:-}" ] || in_director sysctl -q -w net.ipv4.ip_nonlocal_bind=1
  i=1
  while [ "$i" -le "$nodes" ]; do
    make "$space$i"
    ip -n "$space" link add "n$i" type veth peer name eth0 netns "$space$i"
    ip -n "$space" link set "n$i" master lan up
    ip -n "$space$i" addr add "10.$net.$lan.$i/24" dev eth0
    ip -n "$space$i" link set eth0 up
    ip -n "$space$i" route add default via "10.$net.$lan.254"
    i=$((i + 1))
  done
  if [ "$wire" = routed ]; then
    ip -n "$space" route add default via "10.$net.$cable.254"
    ip route add "10.$net.$lan.0/24" via "10.$net.$cable.1" dev "$device" ${home:+src "$home"}
  else
    if [ -n "${api:-}" ]; then
      # The director's SSH port is called by the cable, and its nodes by whatever wire.sh makes.
      ip rule add to "10.$net.$lan.0/24" ipproto tcp dport 2222 lookup "$cable"
      ip route add "10.$net.$lan.0/24" via "10.$net.$cable.1" dev "$device" table "$cable"
    fi
    only_ssh
  fi
}

# Nothing of the region can call this machine, and of this machine only TCP to port 22 of the director is heard.
only_ssh() {
  open="22${api:+, 2222, $api}"
  in_director nft -f - <<NFT
table inet wire {
  chain in {
    type filter hook input priority 0; policy drop;
    iifname { "lo", "lan" } accept
    iifname "tun*" accept
    iifname "wan" tcp dport { $open } accept
  }
  chain out {
    type filter hook output priority 0; policy drop;
    oifname { "lo", "lan" } accept
    oifname "tun*" accept
    oifname "wan" tcp sport { $open } accept
  }
  chain forward {
    type filter hook forward priority 0; policy drop;
    iifname "lan" oifname "lan" accept
    iifname "tun*" oifname "lan" accept
    iifname "lan" oifname "tun*" accept
  }
}
NFT
}

cut_cable() {
  in_director nft -f - <<'NFT'
table inet cut {
  chain in { type filter hook prerouting priority -400; policy accept; iifname "wan" drop; }
  chain out { type filter hook postrouting priority 400; policy accept; oifname "wan" drop; }
}
NFT
}

heal() { in_director nft delete table inet cut; }

alone() {
  for where in "10.$net.$cable.1 22" "10.$net.$cable.1 $((base + 2))" "10.$net.$lan.1 $((base + 2))" "10.$net.$lan.1 22"; do
    if timeout 2 bash -c "exec 3<>/dev/tcp/${where% *}/${where#* }" 2>/dev/null; then answer=open; else answer=closed; fi
    echo "here -> ${where% *}:${where#* } $answer"
  done
  for from in "$space" "${space}1"; do
    if timeout 2 nsenter --net="/run/netns/$from" bash -c "exec 3<>/dev/tcp/10.$net.$cable.254/$((base + 1))" 2>/dev/null; then answer=open; else answer=closed; fi
    echo "${from#"$tag-"} -> slurmctld $answer"
  done
}

down() {
  ip link del "$device" 2>/dev/null || true
  for name in $(ip netns list | cut -d' ' -f1); do
    case $name in
    "$space" | "$space"[0-9]*)
      # A job's processes outlive their slurmd.
      for process in $(ip netns pids "$name"); do kill -KILL "$process" 2>/dev/null || true; done
      ip netns del "$name"
      ;;
    esac
  done
  [ -n "$(ip -br link | grep "^$tag-")" ] || ip route del unreachable "10.$net.0.0/16" 2>/dev/null || true
}

case $action in
cut) cut_cable ;;
up | down | heal | alone) "$action" ;;
*) echo "region.sh: no $action" >&2; exit 64 ;;
esac
