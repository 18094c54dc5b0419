# A job of Slurm on three nodes, for scripts/rigs/engines. Each node has a name, a boot, a network, mounts and processes of
# its own, as far as namespaces go, and its own mount of a GlusterFS volume at $inside/shared.

. "$root/scripts/rigs/slurm-conf.sh"

slurm_nodes=(n1 n2 n3)

start_slurm() {
  local node
  mkdir -p "$inside/shared"
  hostname head
  slurm_conf "$inside/slurm" "head($server)" SlurmdTimeout=10 KillWait=2 UnkillableStepTimeout=180 \
    "NodeName=n[1-3] NodeAddr=10.77.0.1[1-3] CPUs=2" "PartitionName=all Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP"
  create_volume jobs
  volume_command start jobs
  slurmctld
  for node in "${slurm_nodes[@]}"; do
    start_node "$node"
  done
  wait_for_nodes
}

all_are_idle() { [ "$(sinfo -h -t idle -o %D)" = 3 ]; }

# They are once all processes of the last job are gone. Without control groups Slurm does not find those whose parents
# it has killed: I/O processes, which wait for the lost node's parts for half a minute.
wait_for_nodes() {
  local tries=1200
  until all_are_idle; do
    [ $((tries -= 1)) -gt 0 ] || {
      sinfo -N -o '%N %T %E' >&2
      tail -n 20 "$inside"/slurm/*.{log,out} >&2
      return 1
    }
    sleep 0.1
  done
}

# start_node NAME: boots it, as it were.
start_node() {
  local name=$1 address=10.77.0.1${1#n}
  ip netns add "$name"
  ip link add "$name" type veth peer name net netns "$name"
  ip link set "$name" master bridge up
  ip -n "$name" link set lo up
  ip -n "$name" link set net up
  ip -n "$name" addr add "$address/24" dev net
  cat /proc/sys/kernel/random/uuid >"$inside/slurm/$name.boot"
  nsenter --net="/run/netns/$name" unshare --mount --uts --pid --fork --kill-child --mount-proc \
    bash -c 'set -e
      hostname "$1"
      mount -t tmpfs none /dev/shm
      mount --bind "$2/slurm/$1.boot" /proc/sys/kernel/random/boot_id
      umount "$2/shared" 2>/dev/null || true # the mount of who boots it
      mount -t glusterfs "$3:/jobs" "$2/shared"
      exec slurmd -D -N "$1"' bash "$name" "$inside" "$server" >"$inside/slurm/$name.out" 2>&1 &
  echo $! >"$inside/slurm/$name.unshare"
  disown $! # nobody has to be told that it was killed
}

# lose_node NAME: at once, with all its processes.
lose_node() {
  kill -KILL "$(<"$inside/slurm/$1.unshare")"
  ip netns del "$1"
}

# A rank: goes on from the newest checkpoint in FROM, if there is one, to step LAST. Each step's state follows from the
# one before, and is a checkpoint.
write_rank() {
  cat >"$inside/slurm/rank" <<'END'
#!/usr/bin/env python3
import hashlib, os, re, sys, time
capture, restored, last = sys.argv[1], sys.argv[2], int(sys.argv[3])
rank = os.environ["SLURM_PROCID"]

def path(directory, step):
    return "%s/ckpt-%d/rank-%s.dat" % (directory, step, rank)

names = os.listdir(restored) if os.path.isdir(restored) else []
step = max([int(name[5:]) for name in names if re.match(r"ckpt-\d+$", name)], default=0)
state = open(path(restored, step), "rb").read() if step else b""
while step < last:
    step += 1
    state = hashlib.shake_256(state + b"%d %s" % (step, rank.encode())).digest(1 << 20)
    os.makedirs(os.path.dirname(path(capture, step)), exist_ok=True)
    with open(path(capture, step), "wb") as file:
        file.write(state)
    time.sleep(0.5)
END
  chmod +x "$inside/slurm/rank"
}

# job CAPTURE FROM OPTION...: six ranks on three nodes, with Sluice; how far, $steps says.
job() {
  srun -Q -N3 --ntasks-per-node=2 --kill-on-bad-exit=1 "${@:3}" "$root/scripts/sluice" run \
    --store "$inside/shared/store" --capture "$inside/shared/$1" --layout container --buffer 64M \
    --group 'ckpt-(\d+)/rank-(?<rank>\d+)\.dat$' -- "$inside/slurm/rank" "$inside/shared/$1" "$inside/shared/$2" $steps
}

# counted: the number of the newest checkpoint that counts, as the head sees it by a mount of its own.
counted() { "$root/scripts/sluice" ls --store "$inside/shared/store" --json | jq '[0, .checkpoints[].number] | max'; }

counts_beyond() { [ "$(counted 2>/dev/null || echo 0)" -gt "$1" ]; }

# restored NAME: the newest checkpoint comes back, restored on a node.
restored() {
  srun -Q -N1 -n1 -w n3 "$root/scripts/sluice" restore --store "$inside/shared/store" --to "$inside/shared/$1" \
    >"$inside/slurm/$1"
}

run_slurm() {
  local steps=100 running before
  start_slurm
  write_rank
  mount -t glusterfs "$server:/jobs" "$inside/shared"
  mkdir "$inside"/shared/{plain,first,second,third}

  job first none >"$inside/slurm/first" 2>&1 &
  running=$!
  wait_for counts_beyond 1
  lose_node n2
  wait $running || true # what srun says of a lost node
  before=$(counted)
  [ "$before" -lt $steps ] || failed_job first "ended well without node n2"
  echo "   a node is lost: the job ends, checkpoint $before counts"

  start_node n2
  wait_for_nodes
  restored from-first
  job second from-first >"$inside/slurm/second" 2>&1 &
  running=$!
  wait_for counts_beyond "$before"
  scancel -u root
  ! wait $running || failed_job second "ended well, though it was cancelled"
  before=$(counted)
  echo "   a job is cancelled: checkpoint $before counts"

  wait_for_nodes
  restored from-second
  steps=$((before + 4))
  job third from-second --distribution=cyclic >"$inside/slurm/third" 2>&1 || failed_job third "failed"
  [ "$(counted)" = $steps ] || failed_job third "committed $(counted), not $steps"
  restored end
  srun -Q -N3 --ntasks-per-node=2 "$inside/slurm/rank" "$inside/shared/plain" none $steps
  diff -r "$inside/shared/end/ckpt-$steps" "$inside/shared/plain/ckpt-$steps"
  "$root/scripts/sluice" verify --store "$inside/shared/store" >"$inside/slurm/verified"
  echo "   a third job ends: checkpoint $steps has, of six ranks, the bytes of a plain run"
  stop_slurm
}

failed_job() {
  echo "engines: job $1 $2:" >&2
  cat "$inside/slurm/$1" >&2
  "$root/scripts/sluice" ls --store "$inside/shared/store" >&2
  exit 1
}

stop_slurm() {
  local node
  for node in "${slurm_nodes[@]}"; do
    lose_node "$node"
  done
  scontrol shutdown slurmctld
  umount "$inside/shared"
  volume_command stop jobs force
}
