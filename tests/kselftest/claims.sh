#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claims and cases belong together, and whatever does not is found.
. "$(dirname "$0")/../guest/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
claims=$top/harness/kselftest/claims.sh

# made_up CLAIMS-LIST SOURCE: what claims.sh says of them
made_up()
{
	rm -rf "$scratch/made-up"
	mkdir "$scratch/made-up"
	printf '%b' "$1" >"$scratch/made-up/claims.list"
	printf '%b' "$2" >"$scratch/made-up/p.c"
	"$claims" "$scratch/made-up" 2>&1
}

# finds TEXT CLAIMS-LIST SOURCE
finds()
{
	local said

	said=$(made_up "$2" "$3") && { echo "found nothing: $said"; return 1; }
	grep -qxF "$1" <<<"$said" || { echo "$said"; return 1; }
}

# knows NAME CLAIMS SOURCE: the case with its claims, as results get them
knows()
{
	printf '%b' "$3" >"$scratch/p.c"
	awk -f "$top/harness/kselftest/claims.awk" "$scratch/p.c" |
		cut -f 2,3 | grep -qxF "$1	$2"
}

plan 9
check every-claim-has-a-case "$claims"
check finds-a-claim-without-a-case finds "no case: A2 two" \
	"A1 one\nA2 two\n" "/* A1: x. */\nTEST(one)\n{\n}\n"
check finds-a-case-without-a-claim finds "no claim: p global.two" \
	"A1 one\n" "/* A1: x. */\nTEST(one)\n{\n}\n\n/* y. */\nTEST(two)\n{\n}\n"
check finds-a-claim-that-is-not-there finds "no such claim: p global.one A7" \
	"A1 one\n" "/* A1, A7: x. */\nTEST(one)\n{\n}\n"
check knows-a-fixture knows f.x "A1, X2" "/* A1, X2: y. */\nTEST_F(f, x)\n"
check knows-a-time-limit knows f.x A1 "/* A1: y. */\nTEST_F_TIMEOUT(f, x, 60)\n"
check knows-long-comments knows f.x A1 "/*\n * A1: y\n * z.\n */\nTEST_F(f, x)\n"
check knows-long-names knows f.x A1 "/* A1: y. */\nTEST_F(f,\n       x)\n"
check takes-no-other-comment knows f.x "" "/* A1: y. */\nint z;\nTEST_F(f, x)\n"
