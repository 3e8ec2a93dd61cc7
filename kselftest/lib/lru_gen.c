// SPDX-License-Identifier: GPL-2.0
#include "lru_gen.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pages.h"

#define DEBUGFS "/sys/kernel/debug/lru_gen"
#define ENABLED "/sys/kernel/mm/lru_gen/enabled"

/* Bits of "enabled". */
#define CORE 1
#define MM_WALK 2

static unsigned int enabled(void)
{
	FILE *file = fopen(ENABLED, "re");
	unsigned int bits = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%x", &bits) != 1)
		bits = 0;
	fclose(file);
	return bits;
}

bool lru_gen_on(void)
{
	return enabled() & CORE;
}

bool lru_gen_walks(void)
{
	return enabled() & MM_WALK;
}

const char *lru_gen_missing(void)
{
	if (access(ENABLED, F_OK))
		return "kernel without lru_gen";
	if (!lru_gen_on())
		return "lru_gen is off";
	if (access(DEBUGFS, R_OK | W_OK))
		return "no " DEBUGFS " that can be read and written";
	return NULL;
}

int forget_translations(unsigned char *area, size_t nr, int prot)
{
	return mprotect(area, nr * page_size(), PROT_NONE) ||
	       mprotect(area, nr * page_size(), prot) ? -1 : 0;
}

/* mlock(2) does it on the way, on every kernel that has generations. */
static void drain(void)
{
	void *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	mlock(page, page_size());
	munmap(page, page_size());
}

/* Is it "memcg ID PATH", PATH ending with the name of the cgroup? */
static bool is_of(const char *line, const struct memcg *memcg,
		  struct lru_gen *lru)
{
	const char *name = strrchr(memcg->dir, '/'), *end;
	unsigned long long id;
	char path[1024];

	if (!name || sscanf(line, "memcg %llu %1023s", &id, path) != 2)
		return false;
	end = strrchr(path, '/');
	if (!end || strcmp(end, name))
		return false;
	lru->id = id;
	return true;
}

/* "SEQ AGE ANON FILE": one generation, with a mark behind each number. */
static bool add_row(const char *line, struct lru_gen *lru, int nr)
{
	unsigned long seq;
	long anon, file;

	if (nr == LRU_GENS ||
	    sscanf(line, "%lu %*u %ld%*c %ld", &seq, &anon, &file) != 3)
		return false;
	if (!nr)
		lru->min_seq = seq;
	lru->max_seq = seq;
	lru->pages[nr][LRU_ANON] = anon;
	lru->pages[nr][LRU_FILE] = file;
	return true;
}

int lru_gen_read(const struct memcg *memcg, struct lru_gen *lru)
{
	bool memcg_is_ours = false, ours = false;
	unsigned int cpu, node;
	char line[1200];
	FILE *file;
	int nr = 0;

	drain();
	memset(lru, 0, sizeof(*lru));
	file = fopen(DEBUGFS, "re");
	if (!file || getcpu(&cpu, &node))
		node = -1;
	lru->node = node;
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "memcg ", strlen("memcg ")))
			memcg_is_ours = is_of(line, memcg, lru);
		else if (sscanf(line, " node %u", &node) == 1)
			ours = memcg_is_ours && (int)node == lru->node;
		else if (ours)
			nr += add_row(line, lru, nr);
	}
	if (file)
		fclose(file);
	return nr ? 0 : -1;
}

long lru_gen_pages(const struct lru_gen *lru, enum lru_type type,
		   unsigned long from, unsigned long to)
{
	long sum = 0;

	for (unsigned long seq = lru->min_seq; seq <= lru->max_seq; seq++)
		if (seq >= from && seq <= to)
			sum += lru->pages[seq - lru->min_seq][type];
	return sum;
}

int lru_gen_command(const char *format, ...)
{
	char command[256];
	va_list args;
	ssize_t len;
	int fd, err;

	va_start(args, format);
	len = vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	fd = open(DEBUGFS, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = write(fd, command, len) == len ? 0 : errno;
	close(fd);
	errno = err;
	return err ? -1 : 0;
}

int lru_gen_age(const struct memcg *memcg, bool anon)
{
	struct lru_gen before, after;

	if (lru_gen_read(memcg, &before))
		return -1;
	/* The 1 is for page tables that nobody has looked into lately. */
	if (lru_gen_command("+ %llu %d %lu %d 1", before.id, before.node,
			    before.max_seq, anon ? 200 : 0))
		return -1;
	if (lru_gen_read(memcg, &after))
		return -1;
	return after.max_seq > before.max_seq ? 0 : -1;
}

int lru_gen_evict(const struct memcg *memcg, int swappiness)
{
	struct lru_gen lru;

	if (lru_gen_read(memcg, &lru))
		return -1;
	return lru_gen_command("- %llu %d %lu %d", lru.id, lru.node,
			       lru.max_seq - 2, swappiness);
}

int lru_gen_trim(const struct memcg *memcg)
{
	return lru_gen_evict(memcg, 0);
}
