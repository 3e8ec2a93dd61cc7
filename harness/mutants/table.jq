# SPDX-License-Identifier: GPL-2.0
#
# The table of a person: survivors first, then all in the order of the list.

def by: if .caught_by == [] then .argument // "-" else
	"`\(.caught_by[0])`" + (if (.caught_by | length) > 1 then
		" and \((.caught_by | length) - 1) more" else "" end) end;

"| no. | claim | where | what a user sees | status | by | red of cases |",
"| --- | --- | --- | --- | --- | --- | --- |",
((.mutants | sort_by(.status != "survived", .status != "mistaken", .id))[] |
	"| \(.id) | \(.claim) | `\(.place)` | \(.what) | \(.status) | \(by) | \(.caught_by | length) of \(.cases) |"),
"",
(.score | "\(.caught) of \(.mutants - .equivalent) mutants caught, \(.survived) survived, \(.equivalent) equivalent; \(.claims) claims")
