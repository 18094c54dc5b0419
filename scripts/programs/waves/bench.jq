# What the figures of scripts/bench mpi say: verdicts, and tables in Markdown.

def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;

# Three digits, or two places.
def short: if fabs >= 100 then round elif fabs >= 10 then . * 10 | round / 10 else . * 100 | round / 100 end;

def spread: "\(median | short) (\(min | short)-\(max | short))";

# Where their median is with a probability of 95 % whatever their distribution: the order of six values says so, fewer do
# not.
def interval:
  sort | . as $values | length as $n
  | reduce range(0; $n) as $i ({term: 1, sum: 0, cut: -1};
      .sum += .term | .term *= ($n - $i) / ($i + 1) | if .sum <= 0.025 * pow(2; $n) then .cut = $i else . end)
  | [.cut, 0] | {median: ($values | median), low: $values[max], high: $values[$n - 1 - max], sure: (min == 0)};

# The spread allows a verdict where the whole interval is on one side of what is wanted.
def verdict:
  if .wanted == null then ""
  elif .sure and .high <= .wanted then "holds"
  elif .sure and .low > .wanted then "missed"
  else "no verdict (spread \(.high - .low | short) \(.unit)\(if .sure then "" else "; rounds: \(.rounds)" end))" end;

# What a figure is compared with: the kind `base` of its round, or nothing. More ranks than the papers' and ours have
# cores for measure scheduling: no target.
def compared:
  if .part == "wrapper" then
    {what: .kind, kind: .layer, value: .best_ns, unit: "ns"}
    + if .kind == "spot" then {wanted: (if .layer == "none" then 2 else null end)} else {base: "none", wanted: 50} end
  elif .part == "pingpong" then
    {at: .bytes, what: "\(.bytes) bytes", kind, base: "plain", value: .microseconds, unit: "%", wanted: 10}
  elif .part == "slices" then
    {at: .bytes, what: "\(.bytes) bytes", kind, base: "direct", value: .microseconds, unit: "%", wanted: 10}
  elif .part == "npb" then
    {what: "\(.kernel), \(.ranks) ranks", kind: (.kind + if .every then ", every \(.every)" else "" end), base: "plain",
     value: .seconds, unit: "%", wanted: 10}
  elif .part == "waves" then
    {at: .ranks, what: "heat, \(.ranks) ranks", base: "none", value: .seconds, unit: "%",
     kind: (if .kind == "none" then "none" else "\(.kind), every \(.interval) s" end),
     wanted: (if .ranks > 4 or .kind == "stop" then null else 10 end)}
  else empty end
  + {part, mpi, turn: "\(.run // "") \(.round)"};

def more($base): if .unit == "ns" then .value - ($base // 0) else (.value / $base - 1) * 100 end;

# Of each kind, what it took more than another in the same round.
def verdicts:
  [.[] | compared] | group_by([.part, .mpi, .at, .what])[]
  | (map(select(.kind == .base) | {(.turn): .value}) | add) as $bases
  | group_by(.kind)[] | map(select(.kind != .base and (.base == null or $bases[.turn])))
  | select(length > 0)
  | .[0] as $any
  | ($any | {part, mpi, what, kind, unit, wanted})
    + (map(more($bases[.turn])) | interval + {rounds: length})
    + {with: (map(.value) | spread), without: (if $any.base then map($bases[.turn]) | spread else "" end)}
  | .verdict = verdict;

def row: "| \(join(" | ")) |";
def heading: row, (map("---") | row);
def title($what): if length > 0 then "", $what, "" else empty end;

def verdict_table:
  [verdicts]
  | title("What it takes more in the same round: its median, and where that is with 95 %."),
    if length > 0 then ["", "without", "with", "more", "wanted", "verdict"] | heading else empty end,
    (.[] | ["\(.part) \(.what), \(.kind)", .without, .with,
        "\(.median | short) \(.unit) (\(.low | short) to \(.high | short))",
        if .wanted then "<= \(.wanted) \(.unit)" else "" end, .verdict] | row);

# Seconds that a job took, its checkpoints, and how long each held it up.
def interval_table:
  map(select(.part == "waves"))
  | (map(.interval) | unique - [0]) as $intervals
  | title("Seconds to completion, checkpoints, and milliseconds that each held the ranks up, by seconds between them."),
    if length > 0 then ["ranks, kind", "undisturbed", "every \($intervals[]) s"] | heading else empty end,
    (group_by(.ranks)[] | map(select(.kind == "none").seconds) as $none
      | group_by(.kind)[] | select(.[0].kind != "none") | . as $some
      | ["\(.[0].ranks), \(.[0].kind)", (if $none == [] then "" else $none | spread end),
          ($intervals[] as $each | $some | map(select(.interval == $each))
            | if . == [] then "" else
                "\(map(.seconds) | spread), \(map(.checkpoints) | median), \(map(.held_seconds * 1000) | spread)" end)]
      | row);

def percents: map("\(.what) \(.median | short) %") | join(", ");

# What programs take more by a protocol, for each number of waves.
def over_waves($verdicts; $kind; parts):
  [map(select(.kind == $kind and any(.part == parts; .))) | group_by(compared | [.part, .mpi, .what, .kind])[]
    | (.[0] | compared | {part, mpi, what, kind}) as $same | (map(.checkpoints) | median) as $waves
    | $verdicts[] | select({part, mpi, what, kind} == $same) | "\(.what), \($waves) waves \(.median | short) %"]
  | join("; ");

# What of ours stands beside a word of the papers.
def ours($verdicts; $name):
  if $name == "layer" then $verdicts | map(select(.part == "npb" and .kind == "layer")) | percents
  elif $name == "c3" then over_waves($verdicts; "c3"; "npb")
  elif $name == "bytes" then
    [map(select(.part == "npb")) | group_by(.kernel)[] | .[0].kernel as $kernel
      | map(.resident_bytes // empty) as $all | map(.bytes // empty | select(. > 0)) as $images
      | select($all != [] and $images != []) | "\($kernel) \(($images | median) * 100 / ($all | median) | short) %"] | join(", ")
  elif $name | endswith("-shortest") then
    ($name | rtrimstr("-shortest")) as $kind
    | (map(select(.part == "waves" and .kind == $kind).interval) | min) as $shortest
    | $verdicts | map(select(.part == "waves" and .kind == "\($kind), every \($shortest) s"))
      | map("\(.what), every \($shortest) s \(.median | short) %") | join("; ")
  elif $name == "ranks" then
    $verdicts | map(select(.part == "waves" and (.kind | test("^(c3|pcl), every 10 s")))
      | "\(.what), \(.kind / "," | first) \(.median | short) %") | join("; ")
  else over_waves($verdicts; $name | rtrimstr("-waves"); "npb", "waves") end;

def paper_table($papers):
  [verdicts] as $verdicts | . as $figures
  | [$papers.said[] | .ours as $name | ($figures | ours($verdicts; $name)) as $ours
      | select($ours | test("[0-9]")) | [.paper, .what, .said, $ours]]
  | title("What the papers say, whose plots are lost to us, and what is seen here:"),
    if length > 0 then ["paper", "what", "there", "here"] | heading else empty end,
    (.[] | row),
    if length > 0 then "", ($papers.sources | to_entries[] | "\(.key): \(.value)") else empty end;

# The best turn of a call has no wave in it. The mean of all turns has.
def wrapper_table:
  map(select(.part == "wrapper"))
  | title("Nanoseconds of a call on the mean, with waves and all else that disturbs it, and its instructions:"),
    if length > 0 then ["call, layer", "ns on the mean", "instructions"] | heading else empty end,
    (group_by([.mpi, .kind, .layer])[]
      | ["\(.[0].mpi), \(.[0].kind), \(.[0].layer)", (map(.mean_ns) | spread),
          (map(.instructions // empty) | if . == [] then "" else spread end)] | row);

def restart_lines:
  map(select(.part == "restart")) | group_by(.kind)
  | title("Seconds from the kill of a rank to the program:"), (.[] | "- \(.[0].kind): \(map(.seconds) | spread)");

def tenth_table:
  map(select(.part == "tenth")) | group_by([.snapshot, .images])
  | title("Images of a program that changes a tenth of its memory:"),
    if length > 0 then ["snapshot, images", "waves", "% written", "ms held up", "ms to durable"] | heading else empty end,
    (.[] | ["\(.[0].snapshot), \(.[0].images)", length, (map(.written_bytes * 100 / .bytes) | spread),
        (map(.held_seconds * 1000) | spread), (map(.durable_seconds * 1000) | spread)] | row);

def changed_table:
  map(select(.part == "changed")) | group_by(.way)
  | title("Milliseconds to find what changed of \(.[0][0].mib // 0) MiB, and for the program to change it:"),
    if length > 0 then ["way", "to find", "to change"] | heading else empty end,
    (.[] | [.[0].way, (map(.look_ms) | spread), (map(.program_ms) | spread)] | row);

def report($papers):
  verdict_table, wrapper_table, interval_table, restart_lines, tenth_table, changed_table, paper_table($papers);
