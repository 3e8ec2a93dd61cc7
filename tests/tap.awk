# SPDX-License-Identifier: GPL-2.0
#
# Reads one TAP stream, shows it with the suite's name, and leaves "passed failed
# skipped" in the file out. A stream that breaks off, has no plan, numbers its
# results wrongly or repeats a name, or a program that ends badly without saying
# why, is a failure of its own. The last line is "# exit status N".

function complain(text)
{
	print "not ok " suite ": " text
	failed++
}

/^1\.\.[0-9]+/ {
	plan = substr($1, 4) + 0
	planned++
	if (plan == 0 && /# *SKIP/)
		skipped++
	next
}

/^(not )?ok / {
	bad = $1 == "not"
	number = $(bad ? 3 : 2) + 0
	name = $0
	sub(/^(not )?ok [0-9]+ *(- )?/, "", name)
	skip = name ~ /# *SKIP/
	key = name
	sub(/ *#.*/, "", key)
	results++
	if (number != results)
		complain("result " number " stands where " results " should")
	if (key in seen)
		complain("two results are named " key)
	seen[key]
	if (bad)
		failed++
	else if (skip)
		skipped++
	else
		passed++
	print (bad ? "not ok " : "ok ") suite ": " name
	fflush()
	next
}

/^# exit status [0-9]+$/ {
	status = $4 + 0
	next
}

/^#/ {
	print
	fflush()
}

END {
	if (planned != 1)
		complain("has " planned + 0 " plans")
	else if (plan != results)
		complain("planned " plan " results and gave " results + 0)
	# 4 is how a kselftest says that nothing could be run.
	if (status && !failed && !(status == 4 && !passed && skipped))
		complain("ended with status " status)
	print passed + 0, failed + 0, skipped + 0 >out
}
