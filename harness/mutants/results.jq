# SPDX-License-Identifier: GPL-2.0
#
# All mutants in one, with the score. A mistaken one is listed as equivalent, but
# a test noticed it.

def number($status): [.[] | select(.status == $status)] | length;

{
	format: 1,
	score: {
		mutants: length, caught: number("caught"), survived: number("survived"),
		equivalent: number("equivalent"), mistaken: number("mistaken"),
		claims: ([.[].claim] | unique | length), $seconds
	},
	mutants: .
}
