# Nodes as namespaces, sourced after lib.sh. A node has a network, mounts, a name, processes, shared memory, a boot and
# clocks of its own. What nodes share is ./shared; the test's directory is on all of them for what tests need.
# Everything is in namespaces of the test, and ends with the test, however that ends.

nodes=(n1 n2 n3 n4)

# with_nodes: the calling test goes on where the nodes are booted.
with_nodes() {
  needs_own_mounts
  type ip nsenter >/dev/null 2>&1 || skip "there is no ip or no nsenter; install iproute2 and util-linux"
  unshare --net --pid --fork --time true 2>unshare.err || skip "no namespaces: $(cat unshare.err)"
  [[ ${FUNCNAME[*]} =~ (test|soak)_[a-z_]+ ]]
  [ -n "$SITE" ] || SITE=yes exec unshare --mount --net --uts --pid --fork --kill-child --mount-proc \
    bash "$0" "${BASH_REMATCH[0]}"
  local node
  mkdir shared nodes faults tmp
  # Processes of several tests have the same ids, by which mpirun calls its directories and shared memory.
  export TMPDIR=$PWD/tmp
  mount -t tmpfs none /dev/shm
  mkdir -p -m 700 "$SLUICE_RUNTIME"
  mount -t ramfs shared shared
  mkdir shared/capture
  connect_nodes
  make_agent
  make_jdk "$PWD/faults/\$(hostname)"
  once clock "$root/scripts/tests/clock.c" build_clock
  for node in "${nodes[@]}"; do
    boot "$node"
  done
}

build_clock() {
  gcc -shared -fPIC -O2 -Wall -Wextra -Werror -o clock.so "$root/scripts/tests/clock.c"
}

# A bridge that is given no address has the lowest of its ports', and another one when it loses that port with a node. What
# nodes send to the former one is lost, the ends of connections too, for which mpirun would wait for ever.
connect_nodes() {
  ip link set lo up
  ip link add wire address 02:00:00:00:00:64 type bridge 2>ip.err || skip "no bridge between networks: $(cat ip.err)"
  ip addr add 10.77.0.100/24 dev wire
  ip link set wire up
  echo "127.0.0.1 localhost" >hosts
  for node in "${nodes[@]}"; do
    echo "10.77.0.${node#n} $node" >>hosts
  done
  mount --bind hosts /etc/hosts
}

# boot NODE: each has other hours by its clocks. Its first process reaps, as that of any node. Other nodes have other
# kernels, so no guard may hear of what they open.
boot() {
  local since=$((${1#n} * 3600))
  cat /proc/sys/kernel/random/uuid >"nodes/$1.boot"
  rm -f "nodes/$1.up"
  # shellcheck disable=SC2016
  unshare --mount --net --uts --ipc --pid --time --monotonic $since --boottime $since --fork --kill-child \
    --mount-proc bash -ec 'hostname "$0"
      mount -t tmpfs none /dev/shm
      mount --bind "nodes/$0.boot" /proc/sys/kernel/random/boot_id
      mount --bind "$(type -P false)" "$1"
      ip link set lo up
      touch "nodes/$0.up"
      while :; do sleep 1000 & wait; done' "$1" "$native/sluice-guard" 2>"nodes/$1.err" &
  wait_until 60 test -e "nodes/$1.up"
  pgrep -P $! >"nodes/$1"
  disown # nothing is said when it ends
  ip link add "$1" type veth peer name eth0 netns "$(cat "nodes/$1")"
  ip link set "$1" master wire up
  at "$1" ip addr add "10.77.0.${1#n}/24" dev eth0
  at "$1" ip link set eth0 up
}

# at NODE CMD...: there, as a user who is logged in.
at() {
  nsenter --target "$(cat "nodes/$1")" --mount --net --uts --ipc --pid --time --wdns="$PWD" "${@:2}"
}

# What mpirun starts its daemons with: as through ssh, nothing of the environment comes along. No namespace has a
# real-time clock, so a library puts that ahead.
make_agent() {
  cat >agent <<END
#!/bin/bash
cd "$PWD"
exec nsenter --target "\$(cat "nodes/\$1")" --mount --net --uts --ipc --pid --time \
  env -i PATH="$PATH" HOME="$HOME" TMPDIR=/dev/shm LD_PRELOAD="$PWD/clock.so" CLOCK_AHEAD=\$((3600 * (\${1#n} - 3))) \
  sh -c "\${*:2}"
END
  chmod +x agent
}

# lose NODE: it is without power.
lose() {
  kill -9 "$(cat "nodes/$1")"
}

# What a scheduler does with a job that lost a node.
give_up() {
  pkill -TERM -x sluice-run
}

# Open MPI 5 takes the first of several hosts for all ranks, where it is told no more than --oversubscribe.
on_hosts=(--map-by slot --host)

# launch HOSTS CMD...: a job on nodes, as n1:1,n2:3 with so many ranks each.
launch() {
  OMPI_MCA_btl=tcp,self,vader OMPI_MCA_btl_tcp_if_include=eth0 timeout 300 "${mpi[@]}" "${on_hosts[@]}" "$1" \
    --mca plm_rsh_agent "$PWD/agent" --mca plm_rsh_no_tree_spawn 1 -x JAVA_HOME="$PWD/jdk" \
    -x SLUICE_RUNTIME -x XDG_CONFIG_HOME -x SLUICE_SMALL -x SLUICE_SHORT_LIVED -x SLUICE_START_PATIENCE "${@:2}"
}

# ---- jobs ----

# with_job: the calling test goes on with nodes, a program, and what it leaves and ends with where nothing fails.
with_job() {
  with_nodes
  heat_of 7
}

steps=(--size 256 --steps 600 --every 100)
everywhere=n1:1,n2:2,n3:3,n4:1

aggregated=("$sluice" run --store shared/store --capture shared/capture --layout container
  --group 'ckpt-(\d+)/rank-(?<rank>\d+)')

# two_stay [OPTION...]: the option by which two checkpoints stay, unless one says how many.
two_stay() {
  [[ " $* " == *' --keep '* ]] || echo --keep 2
}

# job HOSTS [OPTION...] -- CMD...
job() {
  # shellcheck disable=SC2046
  launch "$1" "${aggregated[@]}" $(two_stay "${@:2}") "${@:2}"
}

# heat_on HOSTS [OPTION...]: all of it, with options of sluice.
heat_on() {
  job "$@" -- ./heat "${steps[@]}" --checkpoints shared/capture --result result >"out-${1%%:*}" 2>"err-${1%%:*}"
}

# come_back NODE NUMBER...: these checkpoints, each byte, on a node that may have had no part in them.
come_back() {
  local number
  rm -rf restored
  export root
  export -f rehearse restore fail
  # shellcheck disable=SC2016
  at "$1" bash -c 'restore shared/store restored "$@"' bash "${@:2}"
  for number in "${@:2}"; do
    diff -r "plain/ckpt-000$number" "restored/ckpt-000$number" || fail "checkpoint $number is not what was written"
  done
  [ "$(ls restored | wc -l)" = $(($# - 1)) ] || fail "restored: $(ls restored)"
}

# restart_on HOSTS: from the newest checkpoint, to the end.
restart_on() {
  rm -rf shared/restored
  "$sluice" restore --store shared/store --to shared/restored
  job "$1" -- ./heat "${steps[@]}" --restart shared/restored --checkpoints shared/capture --result result \
    >out 2>err || fail "$(cat err)"
  cmp expected result
}

# ---- jobs whose ranks wait for each other without MPI, and without a processor ----

# with_expected STEP...: the calling test goes on with nodes, and with the files that ranks write in these steps.
with_expected() {
  with_nodes
  mkdir plain
  python3 "$root/scripts/tests/stepping_rank.py" plain one "$@"
  # FIRST LOCAL RANKS CMD...: the ranks of a node.
  cat >ranks <<'END'
#!/bin/bash
for ((n = 0; n < $2; n++)); do
  OMPI_COMM_WORLD_RANK=$(($1 + n)) OMPI_COMM_WORLD_SIZE=$3 OMPI_COMM_WORLD_LOCAL_SIZE=$2 "${@:4}" &
  ranks+=($!)
done
for rank in "${ranks[@]}"; do
  wait "$rank" || failed=yes
done
[ -z "$failed" ]
END
  chmod +x ranks
}

# steps_on RUN HOSTS STEPS [OPTION...]: a job of this name, with options of sluice. What each node says is in
# err-RUN-NODE. Ranks write to $capture what differs by $word.
steps_on() {
  local host pids=() first=0 status=0 ranks into=${capture:-shared/capture}
  ranks=$(($(sed 's/[^,]*://g; s/,/+/g' <<<"$2")))
  for host in ${2//,/ }; do
    at "${host%:*}" env SLUICE_RUN="$1" JAVA_HOME="$PWD/jdk" TMPDIR=/dev/shm LD_PRELOAD="$PWD/clock.so" \
      CLOCK_AHEAD=$((3600 * (${host:1:1} - 3))) ./ranks $first "${host#*:}" $ranks \
      "${aggregated[@]}" $(two_stay "${@:4}") --capture "$into" --name "$1" "${@:4}" -- \
      python3 "$root/scripts/tests/stepping_rank.py" "$into" "${word:-one}" $3 2>"err-$1-${host%:*}" &
    pids+=($!)
    first=$((first + ${host#*:}))
  done
  for host in "${pids[@]}"; do
    wait "$host" || status=1
  done
  return $status
}
