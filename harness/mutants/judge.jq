# SPDX-License-Identifier: GPL-2.0
#
# From the results of the kselftests in a kernel with one fault to what became of
# the fault. Arguments: the columns of the list, seconds, and the argument why no
# test can notice, if there is one.

[.cases[] | select(.status == "fail" or .expected == false)] as $red |
[$red[] | select(.claim | split(", ") | index($claim))] as $own |
{
	id: ($id | tonumber), claim: $claim, scenario: $scenario, place: $place,
	fixed_by: (if $fixed_by == "" then null else $fixed_by end), what: $what,
	status: (if $red == [] then
			if $argument == "" then "survived" else "equivalent" end
		 elif $argument == "" then "caught" else "mistaken" end),
	argument: (if $argument == "" then null else $argument end),
	caught_by: [($own + ($red - $own))[].name],
	of_its_claim: ($own | length),
	cases: (.cases | length),
	$seconds
}
