// SPDX-License-Identifier: GPL-2.0
#include "step_list.h"

#include <stdio.h>
#include <string.h>

#include "../record/kv.h"
#include "guest.h"

static const struct step *step_by_name(const char *key, const char *name)
{
	for (size_t i = 0; steps[i]; i++)
		if (!strcmp(steps[i]->name, name))
			return steps[i];
	fail("job key %s: there is no step %s", key, name);
}

static void add(const char *key, char *word, struct step_list *list)
{
	char *amount = strchr(word, ':');
	const struct step *step;

	if (amount)
		*amount++ = '\0';
	step = step_by_name(key, word);
	if (!step->unit && amount)
		fail("job key %s: step %s takes no amount", key, word);
	if (step->unit && !amount)
		fail("job key %s: step %s needs an amount, %s:%s", key, word,
		     word, step->unit);
	if (list->n == LIST_MAX)
		fail("job key %s: more than %d steps", key, LIST_MAX);
	list->uses[list->n].step = step;
	if (amount &&
	    kv_number(amount, 1, step->max, &list->uses[list->n].amount))
		fail("job key %s: step %s takes 1 to %lld %s, not %s", key,
		     word, step->max, step->unit, amount);
	list->n++;
}

void step_list_parse(const char *key, const char *text, struct step_list *list)
{
	char copy[512], *rest = copy, *word;

	list->n = 0;
	if (!strcmp(text, "none"))
		return;
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		fail("job key %s: longer than %zu characters", key,
		     sizeof(copy) - 1);
	while ((word = strsep(&rest, "+")))
		add(key, word, list);
}

long long step_list_most(const struct step_list *list, const struct step *step)
{
	long long most = -1;

	for (size_t i = 0; i < list->n; i++)
		if (list->uses[i].step == step && list->uses[i].amount > most)
			most = list->uses[i].amount;
	return most;
}

void step_list_run(const struct step_list *list, struct turn *turn)
{
	for (size_t i = 0; i < list->n; i++) {
		turn->amount = list->uses[i].amount;
		list->uses[i].step->run(turn);
		turn->number++;
	}
}
