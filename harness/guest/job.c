// SPDX-License-Identifier: GPL-2.0
#include "job.h"

#include <stdio.h>
#include <string.h>

#include "../record/kv.h"
#include "guest.h"
#include "hostdata.h"
#include "workload.h"

static struct job job;
static long long seed;

static const struct job_key job_keys[] = {
	JOB_NUMBER("seed", &seed, 0, INT64_MAX),
	JOB_NUMBER("memcg_max_mib", &job.machine.memcg_max_mib, 0, 1 << 20),
	JOB_NUMBER("zram_mib", &job.machine.zram_mib, 0, 1 << 20),
	JOB_NUMBER("swappiness", &job.machine.swappiness, 0, 200),
	JOB_NUMBER("disk_delay_us", &job.machine.disk_delay_us, 1, 1000000),
	JOB_NUMBER("readahead_kib", &job.machine.readahead_kib, 0, 16384),
	JOB_NUMBER("sample_ms", &job.machine.sample_ms, 0, 3600000),
	JOB_END,
};

#define KEYS_MAX 64

struct given {
	struct kv pairs[KEYS_MAX];
	size_t n;
};

static const struct workload *workload_by_name(const char *name)
{
	for (size_t i = 0; workloads[i]; i++) {
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	}
	fail("job key workload: this guest has no workload %s", name);
}

/* The place of @value in the blank-separated @words, -1 when it is not there. */
static long long word_index(const char *words, const char *value)
{
	size_t len = strlen(value);

	for (long long i = 0; *words; i++) {
		size_t word = strcspn(words, " ");

		if (word == len && !memcmp(words, value, len))
			return i;
		words += word;
		words += strspn(words, " ");
	}
	return -1;
}

static void set_key(const struct job_key *key, const char *value)
{
	if (key->text) {
		*key->text = value;
	} else if (key->words) {
		long long index = word_index(key->words, value);

		if (index < 0)
			fail("job key %s: %s is not one of: %s", key->name,
			     value, key->words);
		*key->value = key->min + index;
	} else if (kv_number(value, key->min, key->max, key->value)) {
		fail("job key %s: %s is not a number from %lld to %lld",
		     key->name, value, key->min, key->max);
	}
}

static struct kv *find(struct given *given, const char *key)
{
	for (size_t i = 0; i < given->n; i++) {
		if (given->pairs[i].key && !strcmp(given->pairs[i].key, key))
			return &given->pairs[i];
	}
	return NULL;
}

static void split(struct given *given, char *text)
{
	struct kv pair = { .line = 0 };

	while (kv_next(&text, &pair)) {
		if (find(given, pair.key))
			fail("job key %s: given twice", pair.key);
		if (given->n == KEYS_MAX)
			fail("job: more than %d keys", KEYS_MAX);
		given->pairs[given->n++] = pair;
	}
}

/* What a table knows is taken out of @given; the rest is unknown. */
static void take(struct given *given, const struct job_key *keys, bool need)
{
	for (; keys->name; keys++) {
		struct kv *pair = find(given, keys->name);

		if (!pair && need)
			fail("job key %s: missing", keys->name);
		if (!pair)
			continue;
		set_key(keys, pair->value);
		pair->key = NULL;
	}
}

static void take_more(struct given *given, bool all)
{
	const struct job_key *const *table;

	if (!job.workload->more_keys)
		return;
	for (table = job.workload->more_keys(all); *table; table++)
		take(given, *table, !all);
}

const struct job *job_read(void)
{
	static char text[8192];
	static struct given given;
	struct kv *name;

	if (!hostdata_read(RL_FWCFG_JOB, RL_CMDLINE_JOB, text, sizeof(text)))
		fail("no job: give one as fw_cfg file " RL_FWCFG_JOB
		     " or as " RL_CMDLINE_JOB "... on the command line");
	split(&given, text);

	name = find(&given, "workload");
	if (!name)
		fail("job key workload: missing");
	job.workload = workload_by_name(name->value);
	name->key = NULL;
	take(&given, job_keys, true);
	take(&given, job.workload->keys, true);
	take_more(&given, false);
	take_more(&given, true);
	job.seed = (uint64_t)seed;

	for (size_t i = 0; i < given.n; i++) {
		if (given.pairs[i].key)
			fail("job key %s: unknown to workload %s",
			     given.pairs[i].key, job.workload->name);
	}
	return &job;
}
