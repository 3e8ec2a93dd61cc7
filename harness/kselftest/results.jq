# SPDX-License-Identifier: GPL-2.0
#
# From what a run of kselftests noted to its results: every case with its status,
# and a case of its own for each program that did not do what it planned, ended
# badly or made the kernel complain.
#
# Input: the notes, a line each (-R -n). --arg tags: words that are true of the
# target. --rawfile claims: what claims.awk prints. --rawfile skips: skips.list.
#
#	run PROGRAM			it begins
#	out PROGRAM MS LINE		a line of its output, and when
#	timeout PROGRAM SECONDS		it was ended because it took longer
#	exit PROGRAM STATUS		it ended; 128 + signal if by one
#	kernel PROGRAM LINE		the kernel complained
#	died PROGRAM WHY		the guest ended before it did

def fields($n): split(" ") | .[:$n - 1] + [.[$n - 1:] | join(" ")];

# The notes of one program: { program, lines: [{ ms, text }], timeout: [], ... }
def programs:
	[inputs | fields(3) | { what: .[0], program: .[1], rest: .[2] }] |
	[group_by(.program)[] | . as $notes | {
		program: .[0].program,
		lines: [.[] | select(.what == "out") | .rest | fields(2) |
			{ ms: (.[0] | tonumber), text: .[1] }]
	} + ([.[] | select(.what != "out") | { (.what): .rest }] | add)
	  + { kernel: [$notes[] | select(.what == "kernel").rest] }];

# fixture.variant.test or fixture.test -> its claims, by fixture and test.
def claims($program): ($claims | split("\n") | map(split("\t")) |
	map(select(.[0] == $program) | { (.[1]): .[2] }) | add // {});

def glob: gsub("(?<c>[.+^$(){}|\\[\\]\\\\?])"; "\\\(.c)") | gsub("\\*"; ".*") |
	"^\(.)$";

# [tags, case, reason] of every line of the list whose tags are all true here.
def expected_skips: ($tags | split(" ")) as $here |
	[$skips | split("\n")[] | sub("#.*"; "") | select(test("[^ \t]")) |
	 [scan("[^ \t]+")] |
	 { tags: (.[0] | split(",") | map(select(. != "*"))),
	   name: (.[1] | glob), reason: (.[2:] | join(" ") | glob) } |
	 select(.tags - $here == [])];

# The cases as the output has them; one that began last and has no result, too.
def cases: claims(.program) as $claims | .program as $program |
	reduce .lines[] as $line ({ cases: [], said: [], begun: 0, open: null };
		$line.text as $text |
		if $text | test("^# +RUN  ") then
			.open = ($text | capture("RUN +(?<n>[^ ]+)").n) |
			.begun = $line.ms | .said = []
		elif $text | test("^(not )?ok [0-9]+ ") then
			($text | capture("^(?<bad>not )?ok [0-9]+ (- )?(?<name>[^ #]+)( # (?<skip>SKIP)? ?(?<reason>.*))?$")) as $r |
			.cases += [{ name: $r.name, ms: ($line.ms - .begun),
				status: (if $r.bad then "fail" elif $r.skip then "skip" else "pass" end),
				reason: (if $r.bad then .said | join("; ") else $r.reason // "" end) }] |
			.said = [] | .open = null | .begun = $line.ms
		elif $text | test("^# +(OK|FAIL|SKIP)  ") then .
		elif $text | test("^# ") then .said += [$text[2:]]
		else . end) |
	.cases + [select(.open) | { name: .open, ms: 0, status: "fail",
				    reason: "it did not end" }] |
	map({ name: "\($program).\(.name)", family: $program,
	      claim: ($claims[.name | split(".") | "\(.[0]).\(.[-1])"] // ""),
	      status, reason, seconds: (.ms / 1000) });

# What is wrong with a program whatever its cases say.
def wrong($cases):
	([.lines[].text | capture("^1\\.\\.(?<n>[0-9]+)").n | tonumber] | first // -1) as $plan |
	([$cases[] | select(.status == "fail")] | length) as $failed |
	(.exit // "0" | tonumber) as $status |
	[ (select(.timeout) | "not done after \(.timeout) s"),
	  (select(.died) | "the guest ended: \(.died)"),
	  (.kernel[] | "the kernel says: \(.)"),
	  (select($plan != ($cases | length)) |
	   "planned \($plan) cases and showed \($cases | length)"),
	  (select($failed == 0 and $status != 0 and $status != 4) |
	   "ended with status \($status)") ] | join("; ");

expected_skips as $expected |
[programs[] | cases as $cases | wrong($cases) as $wrong | $cases[],
 { name: "\(.program).program", family: .program, claim: "",
   status: (if $wrong == "" then "pass" else "fail" end), reason: $wrong,
   seconds: (([.lines[].ms] | (max // 0) - (min // 0)) / 1000) }] |
map(. as $case | if .status == "skip" then .expected = any($expected[];
	. as $e | ($case.name | test($e.name)) and ($case.reason | test($e.reason)))
    else . end) |
{ tags: ($tags | split(" ")), cases: .,
  summary: { pass: (map(select(.status == "pass")) | length),
	     fail: (map(select(.status == "fail")) | length),
	     skip: (map(select(.status == "skip")) | length),
	     unexpected_skips: (map(select(.expected == false)) | length) } }
