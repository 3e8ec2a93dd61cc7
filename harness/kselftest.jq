# SPDX-License-Identifier: GPL-2.0
#
# From the record of a kselftest guest to its results: every case with its
# status, and a case of its own for each program that did not do what it planned,
# ended badly or made the kernel complain.

# "out PROGRAM LINE" and its like: what, which program, the rest.
def note: capture("^(?<what>[a-z]+) (?<program>[^ ]+) ?(?<rest>.*)$");

def case: capture("^(?<bad>not )?ok [0-9]+ (- )?(?<name>[^ #]+)( # (?<skip>SKIP)? ?(?<reason>.*))?$");

# The last diagnostic that says what was expected, for a failure's reason.
def reason($lines; $at):
	[$lines[:$at][] | capture("^# (?<text>.*:Expected .*)$").text] | last // "";

[.notes[] | ltrimstr(" ") | note] |
[group_by(.program)[] | .[0].program as $program |
 [.[] | select(.what == "out").rest] as $lines |
 [range($lines | length) as $i | ($lines[$i] | case) |
  { name: "\($program).\(.name)", family: $program,
    status: (if .bad then "fail" elif .skip then "skip" else "pass" end),
    reason: (if .bad then reason($lines; $i) else .reason // "" end) }] as $cases |
 ([$lines[] | capture("^1\\.\\.(?<n>[0-9]+)").n | tonumber] | first // -1)
	as $plan |
 ([.[] | select(.what == "exit").rest | tonumber] | first) as $status |
 ([$cases[] | select(.status == "fail")] | length) as $failed |
 [ (.[] | select(.what == "timeout") | "not done after \(.rest) s"),
   (.[] | select(.what == "kernel") | "the kernel says: \(.rest)"),
   (select($plan != ($cases | length)) |
    "planned \($plan) cases and showed \($cases | length)"),
   (select($status != null and $failed == 0 and $status != 0 and
	   $status != 4) | "ended with status \($status)") ] as $wrong |
 $cases[],
 { name: "\($program).program", family: $program,
   status: (if $wrong == [] then "pass" else "fail" end),
   reason: ($wrong | join("; ")) }] |
{ cases: .,
  summary: (map(.status) | { pass: (map(select(. == "pass")) | length),
			     fail: (map(select(. == "fail")) | length),
			     skip: (map(select(. == "skip")) | length) }) }
