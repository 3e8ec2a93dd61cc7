// SPDX-License-Identifier: GPL-2.0
/* The notes under the table: each only when the data give reason for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

#define RESTORE "vmstat.workingset_restore_file"

static void note(FILE *out, char *words)
{
	report_wrap(out, REPORT_COLUMNS, "- ", words);
	free(words);
}

static bool any_row(const struct comparison *c, const char *group_of,
		    bool (*is)(const struct row *row))
{
	const char *group = group_of ? metric_find(group_of)->group : NULL;

	for (size_t p = 0; p + 1 < c->n_arms; p++) {
		for (size_t i = 0; i < nr_metrics; i++) {
			const struct row *row = &c->pairings[p].rows[i];

			if ((!group || !strcmp(group, row->metric->group)) &&
			    is(row))
				return true;
		}
	}
	return false;
}

static bool is_present(const struct row *row)
{
	return row->n > 0;
}

static bool is_undecided_change(const struct row *row)
{
	return row->verdict == VERDICT_NOT_GIVEN && detected(row);
}

static bool is_absent(const struct row *row)
{
	return !row->n;
}

static void note_reading(FILE *out, const struct comparison *c)
{
	note(out, xasprintf("Means over boots. change (plus is more) and its "
			    "95%% interval low .. high are Hodges and "
			    "Lehmann's estimate of the paired difference, in "
			    "%% of the baseline's mean, each for itself."));
	note(out, xasprintf("p is of the sign-flip test of the mean, and a "
			    "verdict needs 5%%: the primary metric for itself, "
			    "all others that decide together (step down after "
			    "Westfall and Young), so that one false verdict in "
			    "20 tables is expected, not one in 20 rows."));
	if (any_row(c, NULL, is_absent))
		note(out, xasprintf("Metrics of other workloads or kernels, "
				    "which not both arms have, are left out."));
	if (any_row(c, NULL, is_undecided_change))
		note(out,
		     xasprintf("A p with \"-\" for its verdict: the change "
			       "was detected by that p alone, but is no "
			       "cost or gain by itself."));
	if (any_row(c, "psi.memory.some.avg10", is_present))
		note(out, xasprintf("avgN never decide: 2 s samples of PSI are "
				    "truncated to whole percents, and one of "
				    "1%% moves the average by the step shown. "
				    "The totals decide."));
}

/* Counters that only one of two kernels has. */
static void note_counters(FILE *out, const struct comparison *c,
			  const struct pairing *p)
{
	const struct record *sides[] = { c->arms->records, p->other->records };

	for (size_t side = 0; side < 2; side++) {
		const bool *here = sides[side]->counted;
		const bool *there = sides[!side]->counted;
		char *names = xasprintf("%s", "");

		for (size_t i = 0; i < nr_metrics; i++) {
			char *longer;

			if (!here[i] || there[i])
				continue;
			longer = xasprintf("%s%s%s", names, *names ? ", " : "",
					   metrics[i].key);
			free(names);
			names = longer;
		}
		if (*names)
			note(out, xasprintf("Only the kernel of %s has %s.",
					    sides[side]->label, names));
		free(names);
	}
}

static void note_pairs(FILE *out, const struct comparison *c,
		       const struct pairing *p)
{
	const char *label = p->other->records->label;
	char *named = NULL;

	if (p->n < PAIRS_TO_DECIDE)
		note(out,
		     xasprintf("n=%zu for %s is too small: all of %zu pairs "
			       "in one direction still have p=%.3g. %d "
			       "pairs or more can decide.",
			       p->n, label, p->n, ldexp(2, -(int)p->n),
			       PAIRS_TO_DECIDE));
	for (size_t i = 0; i < nr_metrics; i++) {
		const struct row *row = &p->rows[i];
		char *longer;

		if (!row->n || row->n == p->n)
			continue;
		longer = xasprintf("%s%s %s n=%zu", named ? named : "",
				   named ? "," : "", row->metric->name, row->n);
		free(named);
		named = longer;
	}
	if (named)
		note(out, xasprintf("Not in every record of %s and %s:%s.",
				    c->arms->records->label, label, named));
	free(named);
}

static void note_band(FILE *out, const struct comparison *c)
{
	if (c->band)
		note(out,
		     xasprintf("band: %s is %s with a history disturbed on "
			       "purpose, %zu pairs. So far from 0, in %% "
			       "of the mean, the interval of their "
			       "difference reaches: an effect that is "
			       "smaller is within what chance does.",
			       c->band->other->records->label,
			       c->arms->records->label, c->band->n));
}

static void note_scope(FILE *out, const struct comparison *c)
{
	bool new_kernel = false, old_kernel = false, mixed = false;

	for (size_t i = 0; i < c->n_arms; i++) {
		new_kernel |= c->arms[i].scope == SCOPE_WITH_MEMCG;
		old_kernel |= c->arms[i].scope == SCOPE_WITHOUT_MEMCG;
	}
	for (size_t i = 0; i + 1 < c->n_arms; i++)
		mixed |= c->pairings[i].scopes_differ;
	if (old_kernel)
		note(out, xasprintf("Up to 6.12 the machine's pg{scan,steal}_"
				    "{kswapd,direct} leave out reclaim for a "
				    "memcg's limit (the memcg's own rows and "
				    "pg{scan,steal}_{anon,file} count it)."));
	if (new_kernel && mixed)
		note(out, xasprintf("From 7.2 on pg{scan,steal}_{kswapd,"
				    "direct} count reclaim for a memcg's "
				    "limit."));
	if (mixed)
		note(out, xasprintf("These four count different things in the "
				    "arms and are shown, not compared."));
}

static int sign_of(const struct pairing *p, const char *name)
{
	return detected(find_row(p, name));
}

/* "name -17.3%, " for every row of @names whose change has this sign. */
static char *list_changes(const struct pairing *p, const char *const *names,
			  int sign)
{
	char *list = xasprintf("%s", "");

	for (; *names; names++) {
		const struct row *row = find_row(p, *names);
		char *longer;

		if (detected(row) != sign)
			continue;
		longer = xasprintf(
			"%s%s%s %s%s", list, *list ? ", " : "",
			row->metric->name,
			report_percent(row->effect.value * row->scale).text,
			isfinite(row->scale) ? "%" : "");
		free(list);
		list = longer;
	}
	return list;
}

/* What stands beside it: is it the counting or the waiting that grew? */
static void say_stall(FILE *out, const struct pairing *p, const char *stalled,
		      const char *fewer, const char *io)
{
	const char *const beside[] = { io, RESTORE, NULL };
	const char *const real[] = { io, "disk.sectors_read", "launch_ns.p50",
				     NULL };
	char *down = list_changes(p, beside, -1);
	char *up = list_changes(p, beside, 1);
	char *waits = list_changes(p, real, 1);
	const char *ending = "No change of I/O waits was detected.";

	if (*waits)
		ending = "But this rose, too, and is not counting: ";
	else if (sign_of(p, io) < 0)
		ending = "I/O waits fell, which speaks for more counting and "
			 "against more waiting.";
	note(out, xasprintf("%s: %s although less was scanned (%s), with "
			    "%s%s%s. A refault stalls in PSI's eyes only if "
			    "its folio comes back as part of the working set; "
			    "one that was waited for unseen is then counted. "
			    "%s%s%s",
			    p->other->records->label, stalled, fewer, down,
			    *down && *up ? ", " : "", up, ending, waits,
			    *waits ? "." : ""));
	free(waits);
	free(up);
	free(down);
}

/*
 * Memory PSI up while less is scanned: said only when the data show it, and
 * with what they show beside it. @prefix: "" for the machine, "apps/".
 */
static bool note_stall(FILE *out, const struct pairing *p, const char *prefix)
{
	static const char *const scans[] = {
		"vmstat.pgscan_kswapd",	   "vmstat.pgscan_direct",
		"vmstat.pgscan_anon",	   "vmstat.pgscan_file",
		"apps/memory.stat.pgscan", NULL
	};
	char *memory = xasprintf("%spsi.memory.some.total", prefix);
	char *io = xasprintf("%spsi.io.some.total", prefix);
	const char *const stall[] = { memory, NULL };
	char *stalled = list_changes(p, stall, 1);
	char *fewer = list_changes(p, scans, -1);
	char *more = list_changes(p, scans, 1);
	bool shown = *stalled && *fewer && !*more &&
		     (sign_of(p, io) < 0 || sign_of(p, RESTORE) > 0);

	if (shown)
		say_stall(out, p, stalled, fewer, io);
	free(more);
	free(fewer);
	free(stalled);
	free(io);
	free(memory);
	return shown;
}

void report_notes(FILE *out, const struct comparison *c)
{
	fputc('\n', out);
	note_reading(out, c);
	note_band(out, c);
	for (size_t i = 0; i + 1 < c->n_arms; i++)
		note_pairs(out, c, &c->pairings[i]);
	for (size_t i = 0; i + 1 < c->n_arms; i++)
		note_counters(out, c, &c->pairings[i]);
	for (size_t i = 0; i < c->n_left_out; i++)
		note(out, xasprintf("%s", c->left_out[i]));
	note_scope(out, c);
	for (size_t i = 0; i + 1 < c->n_arms; i++)
		if (!note_stall(out, &c->pairings[i], ""))
			note_stall(out, &c->pairings[i], "apps/");
}
