# shellcheck shell=bash
# An NFSv4 server in user space (nfs-ganesha) on 127.0.0.1, without rpcbind, D-Bus and the kernel's server; to be sourced.
# $dir is the folder of a run; $dir/served is exported as /home.
port=${NFS_PORT:-22049}

server_up() {
  mkdir -p "$dir/recovery"
  cat >"$dir/ganesha.conf" <<C
NFS_CORE_PARAM { Protocols = 4; NFS_Port = $port; Bind_addr = 127.0.0.1; Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; mount_path_pseudo = true; }
NFSv4 { RecoveryBackend = fs; RecoveryRoot = $dir/recovery; Grace_Period = 5; Lease_Lifetime = 4; Only_Numeric_Owners = true; Minor_Versions = 1, 2; }
NFS_KRB5 { Active_krb5 = false; }
EXPORT { Export_Id = 1; Path = $dir/served; Pseudo = /home; Access_Type = RW; Squash = Root_Squash; SecType = sys; Protocols = 4; Transports = TCP; FSAL { Name = VFS; } }
C
  ganesha.nfsd -F -f "$dir/ganesha.conf" -L "$dir/ganesha.log" -p "$dir/ganesha.pid" -N EVENT >>"$dir/ganesha.out" 2>&1 &
  server=$!
  within 20 listening || { tail -n 5 "$dir/ganesha.log" >&2; return 1; }
}

listening() { (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

# SIGNAL: and, if that ends it, its end is waited for.
server_down() {
  kill "-${1:-TERM}" "$server" 2>/dev/null || return 0
  wait "$server" 2>/dev/null
  server=
}
