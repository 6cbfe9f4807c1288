#!/usr/bin/env bash
# Texts that nobody made for the purpose: documentation, manual pages in many languages and word
# lists, from packages of this machine's Debian release that a seed chooses. make truth reads them.
#
#   bench/corpora.sh DIR SEED    fills DIR/tuned and DIR/held, half of the corpora in each: a change
#                                to an estimator may look at those in tuned only
#
# A corpus is a folder of .txt and .html files, docs-1, manual-3 and so on by its kind; DIR/packages
# says which package each is from. Packages are downloaded by apt-get and unpacked, not installed.
# A DIR that is there for the same seed is left as it is. Some 400 MB and five minutes.
set -euo pipefail
dir=${1:?bench/corpora.sh DIR SEED} seed=${2:?bench/corpora.sh DIR SEED}
texts=${TEXTS:-19} manuals=${MANUALS:-10} lists=${LISTS:-10}
most=${MOST:-20000000}  # bytes of a package
least=${LEAST:-300000} # bytes of text, or it is no corpus

if [ "$(cat "$dir/seed" 2>/dev/null)" = "$seed" ]; then exit 0; fi
for tool in apt-cache apt-get dpkg-deb sha256sum; do
  command -v "$tool" >/dev/null || { echo "corpora: no $tool: this needs a Debian machine" >&2; exit 3; }
done
if [ -e "$dir" ] && [ ! -e "$dir/packages" ]; then
  echo "corpora: $dir is there and no folder of corpora: name another" >&2
  exit 2
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
rm -rf "$dir"
mkdir -p "$dir/tuned" "$dir/held"
: >"$dir/packages"

# shuffled brings the names on standard input into the order of the seed.
shuffled() {
  sort -u | while read -r name; do
    printf '%s %s\n' "$(printf '%s %s' "$seed" "$name" | sha256sum | cut -c1-16)" "$name"
  done | sort | cut -d' ' -f2
}

# unpack PACKAGE TO makes a corpus, or says by its exit code that the package is none.
unpack() {
  local size
  size=$(apt-cache show --no-all-versions "$1" | awk '$1 == "Size:" {print $2; exit}')
  [ -n "$size" ] && [ "$size" -le "$most" ] || return 1
  rm -rf "$tmp/deb" && mkdir -p "$tmp/deb/tree"
  (cd "$tmp/deb" && apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20 download "$1" >/dev/null 2>"$tmp/error") || return 2
  dpkg-deb -x "$tmp"/deb/*.deb "$tmp/deb/tree"
  rm -rf "$2" && mkdir -p "$2"
  local n=0 name
  find "$tmp/deb/tree" -type f | sort | while read -r file; do
    n=$((n + 1))
    case "$file" in
    */copyright | */changelog* | */NEWS*) continue ;;
    *.html | *.htm) cp "$file" "$2/$(printf %05d $n).html" ;;
    *.html.gz) zcat "$file" >"$2/$(printf %05d $n).html" ;;
    *.txt | */usr/share/dict/*) cp "$file" "$2/$(printf %05d $n).txt" ;;
    *.txt.gz | */man/*.gz) zcat "$file" >"$2/$(printf %05d $n).txt" ;;
    esac
  done
  # What the laboratory's reader refuses is no text.
  find "$2" -type f -exec grep -lP '\x00' {} + 2>/dev/null | xargs -r rm -f
  [ "$(cat "$2"/* 2>/dev/null | wc -c)" -ge "$least" ]
}

# choose KIND NUMBER takes that many packages of the names on standard input, by turns for each half.
choose() {
  local kind=$1 number=$2 have=0 half to name code
  while read -r name && [ "$have" -lt "$number" ]; do
    half=tuned
    [ $((have % 2)) -eq 0 ] || half=held
    to=$dir/$half/$kind-$((have + 1))
    code=0
    unpack "$name" "$to" || code=$?
    if [ "$code" = 0 ]; then
      have=$((have + 1))
      echo "$half/$kind-$have $name" >>"$dir/packages"
    else
      rm -rf "$to"
      if [ "$code" = 2 ]; then failed=$((${failed:-0} + 1)); fi
      if [ "${failed:-0}" -ge 3 ]; then
        echo "corpora: apt-get cannot download packages ($(tail -1 "$tmp/error")): is there a network? make truth needs one the first time" >&2
        exit 3
      fi
    fi
  done
  [ "$have" -eq "$number" ] || { echo "corpora: only $have of $number $kind: has apt-get update been run?" >&2; exit 3; }
}

apt-cache search --names-only -- '-doc$' | cut -d' ' -f1 | shuffled >"$tmp/docs"
apt-cache search --names-only '^manpages-' | cut -d' ' -f1 | shuffled >"$tmp/manual"
apt-cache showpkg wordlist | sed '1,/^Reverse Provides/d' | cut -d' ' -f1 | shuffled >"$tmp/list"
choose docs "$texts" <"$tmp/docs"
choose manual "$manuals" <"$tmp/manual"
choose list "$lists" <"$tmp/list"
echo "$seed" >"$dir/seed"
