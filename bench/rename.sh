#!/bin/sh
# Renames the module of this tree to the path in $1, in go.mod files, imports and the docs.
set -eu

old=$(sed -n 's/^module //p' go.mod)
if [ $# != 1 ]; then
	echo "the new path is missing: make module PATH=example.org/you/crawler" >&2
	exit 1
fi
new=$1
case $new in
'' | *[!A-Za-z0-9._~/-]* | /* | */ | *//* | -*)
	echo "$new is no module path: write one like example.org/you/crawler" >&2
	exit 1
	;;
esac
if [ "$old" = "$new" ]; then
	echo "the module is $new already"
	exit 0
fi

# An import, in code, templates of code or docs, is the old path in quotation marks, with or without a
# folder behind it; go.mod files name it bare. Nothing else is touched: the program is called
# crawler under any path.
escaped=$(printf %s "$old" | sed 's/[.]/[.]/g')
folders=$(for f in */; do ls "$f"*.go >/dev/null 2>&1 && echo "${f%/}"; done; echo cmd; echo internal; echo bench)
any=$(echo $folders | tr ' ' '|')
find . -name '*.go' -not -path './.git/*' -exec sed -i.renamed -E "s#([\"\`])$escaped(/($any)[\"/])#\1$new\2#g" {} +
find . -name 'go.mod' -not -path './.git/*' -exec sed -i.renamed -E "s#(^module |^replace |^	)$escaped( |/|\$)#\1$new\2#" {} +
sed -i.renamed -E "s#\`$escaped/(crawl|frontier|gate)\`#\`$new/\1\`#g" README.md docs/*.md
find . -name '*.renamed' -not -path './.git/*' -exec rm {} +
find . -name '*.go' -not -path './.git/*' -not -path '*/testdata/*' -exec gofmt -w {} + # imports are sorted by path
echo "the module is $new, and was $old; make test says whether all is well"
