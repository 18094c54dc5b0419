# Ranks that go on while their I/O process fails again and again, sourced behind lib.sh.

# serve_until FAULT [OPTION...]: starts the I/O process, or goes on with one that failed.
serve_until() {
  rm -f server.out # what a former one said
  SLUICE_FAULT=$1 timeout -k 60 300 "$sluice" serve --resume --store store --layout "$layout" --buffer 4M --chunk 64K \
    --threshold "${threshold:-fixed:64K}" "${@:2}" >server.out 2>server.err &
  server=$!
}

start_ranks() {
  local rank
  ranks=()
  mkdir -p record
  for rank in 0 1; do
    "$native/test/rehearsing_rank" "$SLUICE_RUNTIME/default" $rank 2 record 2>rank-$rank.err &
    ranks+=($!)
  done
}

# The last checkpoint that ranks were told is durable.
durable() {
  sort -n record/durable-[01] | tail -1
}

end_ranks() {
  local rank
  echo $(($(durable) + 3)) >record/last
  for rank in "${!ranks[@]}"; do
    wait "${ranks[rank]}" || fail "rank $rank: $(cat rank-*.err)"
    [ ! -s rank-$rank.err ] || fail "rank $rank: $(cat rank-$rank.err)"
  done
}
