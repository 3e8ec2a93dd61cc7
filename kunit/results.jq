# SPDX-License-Identifier: GPL-2.0
#
# From the KTAP of the KUnit suites to results as the kselftests have them: each
# case of a parameter, or each test that has none, and a case "whole" of its own
# for each suite. Besides: the rule that the kernel follows.
#
# Input: lines (-R -n). --arg wrong: what went wrong with the run, or nothing.

def indent: capture("^(?<s> *)").s | length;

def result: capture("^ *(?<bad>not )?ok [0-9]+ (- )?(?<name>.*?)( # SKIP ?(?<reason>.*))?$") |
	{ name, status: (if .bad then "fail" elif .reason != null then "skip" else "pass" end),
	  reason: (.reason // "") };

# The results in their order, with what was said before each.
def results:
	reduce inputs as $line ({ said: [], all: [] };
		if $line | test("^ *(not )?ok [0-9]+ ") then
			.all += [($line | result) + { depth: (($line | indent) / 4),
						     said: .said }] |
			.said = []
		elif $line | test("^ *(KTAP version|# Subtest|1\\.\\.|#.*: pass:[0-9]|# Totals)") then .
		else .said += [$line | sub("^[ #]*"; "")] end) | .all;

# A test is the sum of its parameters, and then not counted itself.
def cases:
	reduce .[] as $result ({ cases: [], under: [], parameters: 0 };
		($result | if .status == "fail" then .reason = (.said | join("; ")) else . end) as $one |
		if $result.depth == 2 then
			.under += [$one | .test = null] | .parameters += 1
		elif $result.depth == 1 then
			(if .parameters == 0 then .under += [$one]
			 else .under |= map(if .test == null and .depth == 2
					    then .test = $result.name else . end) end) |
			.parameters = 0
		else
			.cases += [.under[] |
				{ name: ("\($result.name)." + (if .depth == 2
						then "\(.test)." else "" end) + .name),
				  family: $result.name, claim: "", seconds: 0,
				  status, reason }] +
				[{ name: "\($result.name).whole", family: $result.name,
				   claim: "", seconds: 0, status: $result.status,
				   reason: "" }] |
			.under = []
		end) | .cases;

[results] | first as $results | ($results | cases) as $found |
([$results[].said[] | capture("verdict: (?<v>(?<rule>.*): executable promotion:? (?<what>.*))$")] |
 last) as $verdict |
($found + (if $wrong == "" then [] else [{ name: "kunit.run", family: "kunit",
	claim: "", seconds: 0, status: "fail", reason: $wrong }] end)) as $cases |
{ rule: ($verdict.rule // null),
  executable_promotion: (if $verdict == null then null
	elif $verdict.rule == "classic" then "no-op by lineage"
	else $verdict.what end),
  verdict: ($verdict.v // null),
  cases: $cases,
  summary: { pass: ([$cases[] | select(.status == "pass")] | length),
	     fail: ([$cases[] | select(.status == "fail")] | length),
	     skip: ([$cases[] | select(.status == "skip")] | length),
	     unexpected_skips: 0 } }
