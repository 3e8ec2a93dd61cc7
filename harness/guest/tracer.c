// SPDX-License-Identifier: GPL-2.0
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "guest.h"
#include "ringbuffer.h"
#include "stalls.h"
#include "symbols.h"

#define TRACING "/sys/kernel/tracing"
#define BUFFER_KIB \
	8192 /* of the kernel, for what happens between two samples */
#define PAGE_MAX 65536

/* Where a function finds its return address when it begins. */
#if defined(__x86_64__)
#define RETURN_ADDRESS "$stack0"
#elif defined(__aarch64__)
#define RETURN_ADDRESS "%lr"
#else
#error "the return address of this architecture is not known"
#endif

enum kind {
	STALL_ENTER,
	STALL_LEAVE,
	WAIT_BEGIN,
	WAIT_END,
};

/* A kprobe. What a kernel does not have as a function of its own is left out. */
static struct probe {
	const char *name;
	const char *definition; /* as kprobe_events wants it */
	enum kind kind;
	enum wait wait;
	bool required;
	uint16_t id; /* in the ring buffer, 0 when it is not there */
} probes[] = {
	{ .name = "enter",
	  .definition = "p:rl/enter psi_memstall_enter caller=" RETURN_ADDRESS
			":x64",
	  .kind = STALL_ENTER,
	  .required = true },
	{ .name = "leave",
	  .definition = "p:rl/leave psi_memstall_leave",
	  .kind = STALL_LEAVE,
	  .required = true },
#define WAIT(function, what)                                     \
	{ .name = "b_" function,                                 \
	  .definition = "p:rl/b_" function " " function,         \
	  .kind = WAIT_BEGIN,                                    \
	  .wait = what },                                        \
	{                                                        \
		.name = "e_" function,                           \
		.definition = "r64:rl/e_" function " " function, \
		.kind = WAIT_END, .wait = what                   \
	}
	WAIT("filemap_read_folio", WAIT_TEXT),
	WAIT("folio_wait_bit_common", WAIT_TEXT),
	WAIT("read_pages", WAIT_READAHEAD),
	WAIT("swap_read_folio", WAIT_SWAP_IN),
};

/* Who calls psi_memstall_enter(); a part of a file is told by who reads it. */
static const struct symbol callers[] = {
	{ "__alloc_pages_slowpath", SITE_DIRECT_RECLAIM },
	{ "__alloc_pages_direct_reclaim", SITE_DIRECT_RECLAIM },
	{ "__perform_reclaim", SITE_DIRECT_RECLAIM },
	{ "__node_reclaim", SITE_DIRECT_RECLAIM },
	{ "balance_pgdat", SITE_KSWAPD },
	{ "kswapd", SITE_KSWAPD },
	{ "__alloc_pages_direct_compact", SITE_COMPACTION },
	{ "kcompactd", SITE_COMPACTION },
	{ "try_charge_memcg", SITE_MEMCG },
	{ "reclaim_high", SITE_MEMCG },
	{ "mem_cgroup_handle_over_high", SITE_MEMCG },
	{ "__mem_cgroup_handle_over_high", SITE_MEMCG },
	{ "read_pages", SITE_READAHEAD },
	{ "readahead_expand", SITE_READAHEAD },
	{ "page_cache_ra_unbounded", SITE_READAHEAD },
	{ "page_cache_ra_order", SITE_READAHEAD },
	{ "swap_read_folio", SITE_SWAP_IN },
	{ "filemap_read_folio", SITE_TEXT },
	{ "folio_wait_bit_common", SITE_TEXT },
	{ NULL, 0 },
};

static int raw = -1;
static uint64_t events, lost;

static void add_probe(struct probe *probe)
{
	char path[128], text[16];

	if (write_text(TRACING "/kprobe_events", "%s\n", probe->definition)) {
		if (probe->required)
			fail("kprobe %s: %s (is KPROBE_EVENTS in the kernel?)",
			     probe->name, strerror(errno));
		return;
	}
	snprintf(path, sizeof(path), TRACING "/events/rl/%s/id", probe->name);
	if (read_text(path, text, sizeof(text)) <= 0)
		fail("cannot read %s: %s", path, strerror(errno));
	probe->id = (uint16_t)strtoul(text, NULL, 10);
}

static const struct probe *probe_by_id(uint16_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].id == id)
			return &probes[i];
	return NULL;
}

/*
 * What all events begin with: id (2 bytes), flags (1), preemption count (1), pid
 * (4); behind it the address of the probe, and then its arguments.
 */
#define AT_PID 4
#define AT_CALLER 16

static void take_event(uint64_t ns, const unsigned char *data, size_t size)
{
	const struct probe *probe;
	uint64_t caller = 0;
	uint16_t id;
	pid_t pid;

	memcpy(&id, data, sizeof(id));
	probe = probe_by_id(id);
	if (!probe || size < AT_PID + sizeof(pid))
		return;
	events++;
	memcpy(&pid, data + AT_PID, sizeof(pid));
	switch (probe->kind) {
	case STALL_ENTER:
		if (size >= AT_CALLER + sizeof(caller))
			memcpy(&caller, data + AT_CALLER, sizeof(caller));
		stalls_enter(ns, pid,
			     (enum site)symbols_value(caller, SITE_OTHER));
		break;
	case STALL_LEAVE:
		stalls_leave(ns, pid);
		break;
	case WAIT_BEGIN:
		stalls_wait_begin(ns, pid, probe->wait);
		break;
	case WAIT_END:
		stalls_wait_end(ns, pid);
		break;
	}
}

/* A counter reader: everything up to now. */
static void tracer_read(void)
{
	static unsigned char page[PAGE_MAX];
	ssize_t n;

	while ((n = read(raw, page, page_size())) > 0)
		lost += !ringbuffer_page(page, (size_t)n, take_event);
	stalls_report(now_ns());
	counter_set("trace.events", (int64_t)events);
	counter_set("trace.lost", (int64_t)lost);
}

void tracer_start(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) != 1)
		fail("stalls can be attributed on one processor only");
	/* CLOCK_MONOTONIC, so that samples and events have one time. */
	if (write_text(TRACING "/trace_clock", "mono"))
		fail("cannot write " TRACING "/trace_clock: %s "
		     "(is FTRACE in the kernel?)",
		     strerror(errno));
	must_write_text(TRACING "/buffer_size_kb", "%d", BUFFER_KIB);
	symbols_load(callers);
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		add_probe(&probes[i]);
	raw = open(TRACING "/per_cpu/cpu0/trace_pipe_raw",
		   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (raw < 0)
		fail("cannot open trace_pipe_raw: %s", strerror(errno));
	must_write_text(TRACING "/events/rl/enable", "1");
	counters_add_reader(tracer_read);
}
