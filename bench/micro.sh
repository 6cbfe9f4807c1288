#!/usr/bin/env bash
# The micro-benchmarks of the hot paths, in ROUNDS rounds over all packages: a drift of the
# machine's speed then widens the intervals and does not pass for a change.
# docs/benchmarks.md tells how to read what comes of it.
#
#   bench/micro.sh print                 results of this tree, as go test -bench prints them
#   bench/micro.sh compare COMMIT FILE   this tree and COMMIT by turns, and benchstat of both; results go to
#                                        FILE.old and FILE.new
set -euo pipefail
cd "$(dirname "$0")/.."
GO=${GO:-go}
ROUNDS=${ROUNDS:-6} # benchstat wants six for an interval of 95 %
TIME=${TIME:-0.1s}  # a benchmark and round
ONLY=${ONLY:-}      # one package

# Each package with the benchmarks that decide what a page costs; what takes minutes, or
# only explains, is left to go test -bench.
hot='
weburl   Resolver|Parse|Segments
dedup    Multilayer|InMemory|Admit$|SeenTest|Hash$
frontier Push|NextDone|Depths
fetch    Get|Decode|ParseRobots|Allowed|RobotsLookup
parse    Page|Words
stats    WordsOf|DistinctAdd|SurpriseAdd|FormOfWords
crawl    Coordinator|Digest|Run$
report   RecordPage|Simhash|Cut
store    Lines|Commit|Block
bench    Machine
'

tmp=$(mktemp -d)
trap 'git worktree remove --force "$tmp/tree" 2>/dev/null || true; rm -rf "$tmp"' EXIT

packages() { awk -v only="$ONLY" 'NF && (only == "" || only == $1) {print $1}' <<<"$hot"; }
pattern() { awk -v p="$1" '$1 == p {print $2}' <<<"$hot"; }

# build TREE DIR compiles the benchmarks of a tree.
build() {
  mkdir -p "$2"
  for p in $(packages); do
    if [ -d "$1/$p" ]; then (cd "$1/$p" && "$GO" test -c -o "$2/$p.test" .); fi
  done
}

# once TREE DIR PACKAGE runs the benchmarks of one package once.
once() {
  [ -x "$2/$3.test" ] || return 0
  (cd "$1/$3" && "$2/$3.test" -test.run '^$' -test.bench "$(pattern "$3")" -test.benchmem -test.short \
    -test.benchtime "$TIME" -test.timeout 10m)
}

case "${1:-}" in
print)
  build "$PWD" "$tmp/new"
  echo "# $(date -u +%Y-%m-%d), $("$GO" env GOVERSION), $(git describe --always --dirty), $(getconf _NPROCESSORS_ONLN) processors"
  echo "# $ROUNDS rounds of $TIME; made by make bench-baseline, read by make bench"
  for round in $(seq "$ROUNDS"); do
    for p in $(packages); do once "$PWD" "$tmp/new" "$p"; done
    echo "round $round of $ROUNDS" >&2
  done
  ;;
compare)
  git worktree add --quiet --detach "$tmp/tree" "${2:?name a commit}"
  out=${3:?name a file}
  build "$PWD" "$tmp/new"
  build "$tmp/tree" "$tmp/old"
  : >"$out.old" >"$out.new"
  for round in $(seq "$ROUNDS"); do
    for p in $(packages); do
      if [ $((round % 2)) = 0 ]; then once "$tmp/tree" "$tmp/old" "$p" >>"$out.old"; fi
      once "$PWD" "$tmp/new" "$p" >>"$out.new"
      if [ $((round % 2)) = 1 ]; then once "$tmp/tree" "$tmp/old" "$p" >>"$out.old"; fi
    done
    echo "round $round of $ROUNDS" >&2
  done
  ;;
*)
  sed -n '2,9s/^# \?//p' "$0" >&2
  exit 2
  ;;
esac
