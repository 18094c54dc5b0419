# Sourced behind lib.sh by tests of storage that is named by a URI.

# No answer of a machine's that is not this one is waited for, and no profile of the user's is read.
export AWS_EC2_METADATA_DISABLED=true AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3

credentials=(AWS_ACCESS_KEY_ID=somebody AWS_SECRET_ACCESS_KEY=secret)

# start_s3 [PORT]: a server with the bucket `bucket`, whose objects are files in ./objects. Its endpoint is in
# $endpoint, its process in $s3.
start_s3() {
  mkdir -p objects/bucket
  : >s3.out
  "$("$root/scripts/find-jdk")/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx64m \
    -cp "$root/s3-engine/target/test-classes" org.sluice.s3.ObjectServer objects "${1:-0}" >s3.out 2>s3.err &
  s3=$!
  wait_until 60 [ -s s3.out ]
  endpoint=$(cat s3.out)
}

stop_s3() {
  kill -9 "$s3"
  wait "$s3" || true
}

# with_bucket [PORT]: the same, which the commands find.
with_bucket() {
  start_s3 "$@"
  export "${credentials[@]}" AWS_ENDPOINT_URL_S3="$endpoint"
}
