// SPDX-License-Identifier: GPL-2.0
#include "procs.h"

#include <stddef.h>
#include <sys/mman.h>

#include "guest.h"

static struct proc *procs;

void procs_setup(void)
{
	procs = mmap(NULL, PROCS_MAX * sizeof(*procs), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (procs == MAP_FAILED)
		fail("cannot map the table of processes");
}

static struct proc *find(pid_t pid, bool also_gone)
{
	for (size_t i = 0; i < PROCS_MAX; i++)
		if (procs[i].pid == pid && (also_gone || !procs[i].gone))
			return &procs[i];
	return NULL;
}

struct proc *procs_find(pid_t pid)
{
	return find(pid, false);
}

/* Slots are used in turn, so that who is gone stays readable for long. */
struct proc *procs_add(pid_t pid, enum role role)
{
	static size_t next;

	for (size_t i = 0; i < PROCS_MAX; i++) {
		struct proc *proc = &procs[next++ % PROCS_MAX];

		if (proc->pid && !proc->gone)
			continue;
		*proc = (struct proc){ .pid = pid, .role = role };
		return proc;
	}
	fail("more than %d processes", PROCS_MAX);
}

void procs_remove(pid_t pid)
{
	struct proc *proc = procs_find(pid);

	if (proc)
		proc->gone = true;
}

enum role procs_role(pid_t pid)
{
	const struct proc *proc = pid ? find(pid, true) : NULL;

	return proc ? proc->role : ROLE_NONE;
}

struct proc *procs_next(const struct proc *proc)
{
	size_t i = proc ? (size_t)(proc - procs) + 1 : 0;

	while (i < PROCS_MAX && (!procs[i].pid || procs[i].gone))
		i++;
	return i < PROCS_MAX ? &procs[i] : NULL;
}
