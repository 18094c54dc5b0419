# A GlusterFS of three bricks on this machine, for benchmarks, and what slows it down. The script that sources it has
# namespaces of its own, of which the network `servers` is one, and says $server, $delay, $rate and, by $inside, where
# all files of it are.

on_servers() { nsenter --net=/run/netns/servers "$@"; }

# choose_delay DEVICE: how what lies far away is slow.
choose_delay() {
  by=netem
  if [ "$delay" = 0 ]; then
    by=none
  elif ! tc qdisc add dev "$1" root netem delay 1us 2>/dev/null; then
    by=servers
  else
    tc qdisc del dev "$1" root
  fi
}

# slow_down DEVICE COMMAND...: what leaves by a device, whose network COMMAND... enters.
slow_down() {
  local device=$1 parent=root
  shift
  if [ "$by" = netem ]; then
    "$@" tc qdisc add dev "$device" root handle 1: netem delay "${delay}us" limit 100000
    parent='parent 1:'
  fi
  # shellcheck disable=SC2086
  [ "$rate" = none ] || "$@" tc qdisc add dev "$device" $parent tbf rate "$rate" burst 2mb latency 50ms ||
    usage "--rate $rate: tc does not take it"
}

# wait_for COMMAND...: until it succeeds.
wait_for() {
  local tries=200
  until "$@" >/dev/null 2>&1; do
    [ $((tries -= 1)) -gt 0 ] || { echo "$(basename "$0"): waited in vain for: $*" >&2; exit 1; }
    sleep 0.1
  done
}

volume_command() { gluster --mode=script volume "$@" >>"$inside/gluster.log"; }

start_gluster() {
  mkdir "$inside"/{state,log}
  mount --bind "$inside/state" /var/lib/glusterd
  mount --bind "$inside/log" /var/log/glusterfs
  on_servers glusterd
  wait_for gluster --mode=script volume list
}

# start_volume NAME: distribute or replica.
start_volume() {
  local name=$1 bricks=() kind=()
  [ "$name" = distribute ] || kind=(replica 3)
  pidof glusterd >/dev/null || start_gluster
  mkdir -p "$inside/data"/{1,2,3}
  bricks=("$server:$inside/data"/{1,2,3})
  volume_command create "$name" "${kind[@]}" "${bricks[@]}" force
  if [ "$by" = servers ]; then
    volume_command set "$name" debug.delay-gen posix
    volume_command set "$name" delay-gen.delay-percentage 100
    volume_command set "$name" delay-gen.delay-duration $((2 * delay))
  fi
  volume_command start "$name"
}

# slowness NAME: what slows a volume down.
slowness() {
  case $by-$1 in
    netem-*) echo "tc: delay $delay us each way, rate $rate" ;;
    servers-ceph-fuse) echo "no delay (no netem in this kernel), tc: rate $rate" ;;
    servers-*) echo "servers wait $((2 * delay)) us before each operation (no netem in this kernel), tc: rate $rate" ;;
    *) echo "no delay, tc: rate $rate" ;;
  esac
}
