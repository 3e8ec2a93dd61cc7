# SPDX-License-Identifier: GPL-2.0
#
# From kselftest/*.c: a line "PROGRAM<tab>FIXTURE.TEST<tab>CLAIMS<tab>SENTENCE"
# for each case. The comment right above a case begins with its claims: "A1, X2:".

FNR == 1 {
	program = FILENAME
	sub(/.*\//, "", program)
	sub(/\.c$/, "", program)
}

/^\/\*/ { comment = ""; inside = 1 }

inside {
	text = $0
	inside = text !~ /\*\/$/
	sub(/ *\*\/$/, "", text)
	sub(/^\/?[ *]*/, "", text)
	comment = comment (comment == "" || text == "" ? "" : " ") text
	next
}

/^TEST/ {
	names = $0
	while (names !~ /\)/ && (getline line) > 0)
		names = names line
	gsub(/^[^(]*\(|\).*|[ \t]/, "", names)
	n = split(names, name, ",")
	# TEST(x), TEST_F(fixture, x), TEST_F_TIMEOUT(fixture, x, 60)
	test = $0 ~ /^TEST_F|^TEST_SIGNAL_F/ ? name[1] "." name[2] : "global." name[1]
	claims = comment
	if (!match(claims, /^[A-Z][0-9]+(, [A-Z][0-9]+)*: /)) {
		claims = ""
	} else {
		comment = substr(claims, RLENGTH + 1)
		claims = substr(claims, 1, RLENGTH - 2)
	}
	printf "%s\t%s\t%s\t%s\n", program, test, claims, comment
}

/^[^ \t]/ { comment = "" }
