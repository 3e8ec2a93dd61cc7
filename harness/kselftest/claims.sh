#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# claims.sh [DIR]: every claim of DIR/claims.list with the cases that show it; the
# kselftests' own by default.
# Fails when a claim has no case, a case has no claim, or names one that is not
# there. A claim of the bench instead of a case says so: "(make bench)".
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
kselftest=${1:-$here/../../kselftest}

awk -f "$here/claims.awk" "$kselftest"/*.c | awk -F '\t' '
	NR == FNR {
		if ($0 !~ /^[A-Z][0-9]+ /)
			next
		id[++n] = $0
		sub(/ .*/, "", id[n])
		sentence[id[n]] = $0
		next
	}
	$3 == "" {
		print "no claim: " $1 " " $2 >"/dev/stderr"
		bad = 1
	}
	{
		total++
		split($3, list, ", ")
		for (i in list) {
			if (!(list[i] in sentence)) {
				print "no such claim: " $1 " " $2 " " \
					list[i] >"/dev/stderr"
				bad = 1
			}
			cases[list[i]] = cases[list[i]] "    " $1 "." $2 "\n"
		}
	}
	END {
		for (i = 1; i <= n; i++) {
			print sentence[id[i]]
			if (id[i] in cases) {
				printf "%s", cases[id[i]]
			} else if (sentence[id[i]] !~ /\(make bench\)$/) {
				print "no case: " sentence[id[i]] >"/dev/stderr"
				bad = 1
			}
		}
		print n " claims, " total " tests"
		exit bad
	}' "$kselftest/claims.list" -
