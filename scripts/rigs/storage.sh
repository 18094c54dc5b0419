# Servers of a GlusterFS and of a Ceph for one script, in namespaces of its own. It sets $inside, a directory
# of its own, $server, the address that they listen at, and on_servers, which runs a command where they run.

# wait_for COMMAND...: until it succeeds.
wait_for() {
  local tries=600
  until "$@" >/dev/null 2>&1; do
    [ $((tries -= 1)) -gt 0 ] || { echo "${0##*/}: waited in vain for: $*" >&2; return 1; }
    sleep 0.1
  done
}

volume_command() { gluster --mode=script volume "$@" >>"$inside/gluster.log"; }

start_gluster() {
  mkdir -p "$inside"/{state,log}
  mount --bind "$inside/state" /var/lib/glusterd
  mount --bind "$inside/log" /var/log/glusterfs
  on_servers glusterd
  wait_for gluster --mode=script volume list
}

# create_volume NAME: spread over three bricks, or copied to each; not started yet.
create_volume() {
  local kind=()
  [ "$1" != replica ] || kind=(replica 3)
  pidof glusterd >/dev/null || start_gluster
  mkdir -p "$inside/data"/{1,2,3}
  volume_command create "$1" "${kind[@]}" "$server:$inside/data"/{1,2,3}/"$1" force
}

# start_ceph: one monitor, and one server of objects with one copy of each.
start_ceph() {
  local id
  id=$(cat /proc/sys/kernel/random/uuid)
  mkdir -p "$inside/data"/{mon,osd,mds,rgw} "$inside/log"
  export CEPH_CONF=$inside/ceph.conf
  cat >"$CEPH_CONF" <<END
[global]
fsid = $id
mon host = $server
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
osd pool default size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
run dir = $inside/log
log file = $inside/log/\$name.log
mon data = $inside/data/mon
osd data = $inside/data/osd
mds data = $inside/data/mds
rgw data = $inside/data/rgw
rgw frontends = beast endpoint=$server:7480
bluestore block size = $((16 << 30))
bluestore block create = true
END
  monmaptool --create --fsid "$id" --add a $server:6789 "$inside/monmap"
  on_servers ceph-mon --mkfs -i a --monmap "$inside/monmap"
  on_servers ceph-mon -i a
  wait_for ceph -s
  ceph osd new "$id"
  on_servers ceph-osd -i 0 --mkfs --osd-uuid "$id"
  on_servers ceph-osd -i 0
}

# start_cephfs: a file system of one server of names.
start_cephfs() {
  ceph osd pool create names 8
  ceph osd pool create bytes 8
  ceph fs new files names bytes
  on_servers ceph-mds -i a
  wait_for ceph_is_active
}

ceph_is_active() { ceph mds stat | grep -q active; }

mount_cephfs() { ceph-fuse -m "$server:6789" "$1"; }

# start_gateway: S3, for the user somebody whose key is secret.
start_gateway() {
  radosgw-admin user create --uid=somebody --display-name=somebody --access-key=somebody --secret-key=secret
  on_servers radosgw -n client.gateway
  wait_for gateway_answers
}

gateway_answers() { (: <"/dev/tcp/$server/7480"); }
