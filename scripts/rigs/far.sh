# What makes storage on this machine as slow as if it were far away, for benchmarks. The script that sources it has
# namespaces of its own, of which the network `servers` is one. It sets $delay, $rate and what storage.sh needs.
. "$root/scripts/rigs/storage.sh"

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

# start_volume NAME: distribute or replica.
start_volume() {
  local name=$1
  create_volume "$name"
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
