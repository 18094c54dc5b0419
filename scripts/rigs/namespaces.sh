# Sourced by what needs root and namespaces of its own: it says who it is in $called, and where in $root and $self.

usage() {
  echo "$called: $1; see scripts/${help_of:-$called} --help" >&2
  exit 2
}

skip() {
  echo "$called: skipped: $1" >&2
  exit 77
}

# The comment that the script begins with.
help() {
  sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$self"
  exit
}

# needs COMMAND:PACKAGE...: root, namespaces, and these.
needs() {
  local need
  [ "$(id -u)" = 0 ] || skip "only root can mount file systems and start servers"
  for need; do
    command -v "${need%:*}" >/dev/null || skip "there is no ${need%:*}; install ${need#*:}"
  done
  unshare --net --mount --pid --fork true 2>/dev/null || skip "this machine allows no namespaces"
}

# with_folder PREFIX: $work is a folder in $directory that goes with this script.
with_folder() {
  work=$(mktemp -d "$(readlink -f "$directory")/$1.XXXXXX")
  trap cleanup EXIT
  trap 'exit 1' HUP INT TERM
}

cleanup() {
  [ -z "${namespaces:-}" ] || kill -KILL "$namespaces" 2>/dev/null || true # and with it all that is inside
  wait || true
  ! type clean_up_more >/dev/null 2>&1 || clean_up_more
  rm -rf "$work"
}

# run_inside OPTION...: this script itself with --inside $work, in namespaces. Its status is this one's. The first process of a
# namespace of processes takes all others with it, and the last one its mounts.
run_inside() {
  local status=0
  setpriv --pdeathsig KILL unshare --mount --net --uts --pid --fork --kill-child --mount-proc \
    "$self" --inside "$work" "$@" &
  namespaces=$!
  wait "$namespaces" || status=$?
  namespaces=
  return $status
}

# What is inside has mounts and a loopback of its own.
begin_inside() {
  mount --make-rprivate /
  mount -t tmpfs none /run
  mount -t tmpfs none /dev/shm # goes with the namespace, whatever a killed process leaves there
  mkdir /run/gluster
  ip link set lo up
}
