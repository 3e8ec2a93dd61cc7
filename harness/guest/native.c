// SPDX-License-Identifier: GPL-2.0
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../record/kv.h"
#include "../record/stream.h"
#include "cgroup.h"
#include "globals.h"
#include "guest.h"
#include "hostdata.h"
#include "job.h"
#include "procs.h"
#include "record.h"
#include "room.h"
#include "run.h"
#include "step.h"
#include "switches.h"
#include "workload.h"

#define RESERVE_MIB 256 /* that must be available beside the limit */

static const char usage[] =
	"Usage: reclaimlab-native --job FILE --out STREAM --dir DIR [OPTION]...\n"
	"\n"
	"Does the work of a reclaimlab scenario on this machine, in a cgroup of "
	"its own,\nand writes the record stream of it.\n"
	"\n"
	"  --job FILE      what to do, as `reclaimlab native --export` writes it\n"
	"  --out STREAM    the file of the records\n"
	"  --dir DIR       on a disk; files are made in a directory there\n"
	"  --arm \"K=V ...\" switches of the kernel to set; needs --allow-global\n"
	"  --allow-global  change settings of the whole machine, and restore "
	"them\n"
	"  --no-limit      do also what has no memcg limit\n"
	"\n"
	"Exit status: 0 complete, 1 the run failed, 2 refused, nothing was done.\n";

static struct {
	const char *job, *out, *dir, *arm;
	int allow_global, no_limit, help;
} options = { .arm = "" };

static bool native;

bool is_native(void)
{
	return native;
}

const char *my_name(void)
{
	return native ? "reclaimlab-native" : "init";
}

#define LEFT_OUT_MAX 16

static char left_out[LEFT_OUT_MAX][RECORD_NOTE_MAX];
static size_t nr_left_out;

void native_leave_out(const char *fmt, ...)
{
	va_list ap;

	if (nr_left_out == LEFT_OUT_MAX)
		fail("more than %d things are left out", LEFT_OUT_MAX);
	va_start(ap, fmt);
	vsnprintf(left_out[nr_left_out++], RECORD_NOTE_MAX, fmt, ap);
	va_end(ap);
}

void native_notes(void)
{
	for (size_t i = 0; i < nr_left_out; i++)
		record_note("left out: %s", left_out[i]);
}

/* Of the guardian: before the run there is nothing but the room to clear. */
__attribute__((noreturn)) static void refuse(const char *reason)
{
	say("%s: %s", my_name(), reason);
	room_clear();
	_exit(2);
}

static void take_options(int argc, char **argv)
{
	static const struct option list[] = {
		{ "job", required_argument, NULL, 'j' },
		{ "out", required_argument, NULL, 'o' },
		{ "dir", required_argument, NULL, 'd' },
		{ "arm", required_argument, NULL, 'a' },
		{ "allow-global", no_argument, &options.allow_global, 1 },
		{ "no-limit", no_argument, &options.no_limit, 1 },
		{ "help", no_argument, &options.help, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "", list, NULL)) != -1) {
		switch (option) {
		case 'j':
			options.job = optarg;
			break;
		case 'o':
			options.out = optarg;
			break;
		case 'd':
			options.dir = optarg;
			break;
		case 'a':
			options.arm = optarg;
			break;
		case '?':
			fail("%s is not understood; see --help",
			     argv[optind - 1]);
		}
	}
	if (options.help)
		return;
	if (optind < argc)
		fail("%s is not understood; see --help", argv[optind]);
	if (!options.job || !options.out || !options.dir)
		fail("--job, --out and --dir are needed; see --help");
}

/* "key=value ..." as the arm's file has it. */
static const char *arm_text(void)
{
	static char text[1024];

	if (snprintf(text, sizeof(text), "%s\n", options.arm) >=
	    (int)sizeof(text))
		fail("--arm is too long");
	for (char *c = text; *c; c++)
		*c = *c == ' ' ? '\n' : *c == '=' ? ' ' : *c;
	return text;
}

static uint32_t crc_of_file(const char *path)
{
	const size_t room = 4 * MIB;
	char *text = malloc(room);
	long len = text ? read_text(path, text, room) : -1;
	uint32_t crc = len > 0 ? rl_crc32(text, (size_t)len) : 0;

	free(text);
	return crc;
}

/* The kernel's configuration where it can be had, else 0. */
static uint32_t crc_of_config(const char *release)
{
	uint32_t crc = crc_of_file("/proc/config.gz");
	char path[128];

	snprintf(path, sizeof(path), "/boot/config-%s", release);
	return crc ? crc : crc_of_file(path);
}

/* What tells this machine and this job from others, without any name. */
static const char *identity(void)
{
	static char text[256];
	struct sysinfo info;
	struct utsname name;

	uname(&name);
	sysinfo(&info);
	snprintf(text, sizeof(text),
		 "native=1 version=%08x config=%08x swap_kib=%lu job=%08x "
		 "arm=%08x",
		 rl_crc32(name.version, strlen(name.version)),
		 crc_of_config(name.release),
		 info.totalswap * info.mem_unit / 1024,
		 crc_of_file(options.job),
		 rl_crc32(options.arm, strlen(options.arm)));
	return text;
}

static void check_memory(const struct machine *machine)
{
	long long available = mem_available_kib() / 1024;
	long long needed = machine->memcg_max_mib + RESERVE_MIB;

	if (!machine->memcg_max_mib && !options.no_limit)
		fail("the scenario has no limit (memcg_max_mib 0): take one "
		     "that has, or --no-limit");
	if (available < needed)
		fail("%lld MiB are available, and %lld needed: the limit and "
		     "%d for everybody else",
		     available, needed, RESERVE_MIB);
}

static void check_machine(const struct machine *machine)
{
	check_memory(machine);
	if (machine->zram_mib)
		native_leave_out("zram_mib %lld (the machine's own swap)",
				 machine->zram_mib);
	native_leave_out("disk_delay_us %lld and readahead_kib %lld (the "
			 "machine's own disk)",
			 machine->disk_delay_us, machine->readahead_kib);
	if (!globals_allowed())
		native_leave_out("swappiness %lld (needs --allow-global)",
				 machine->swappiness);
}

static const struct job *prepare(void)
{
	static char text[8192];
	const struct job *job;

	if (read_text(options.job, text, sizeof(text)) < 0)
		fail("--job %s: %s", options.job, strerror(errno));
	hostdata_give(RL_FWCFG_JOB, text);
	hostdata_give(RL_FWCFG_ARM, arm_text());
	if (options.allow_global)
		globals_allow();
	job = job_read();
	if (!job->workload->check_native)
		fail("workload %s is for guests only", job->workload->name);
	if (switches_given() && !globals_allowed())
		fail("--arm %s sets switches of the whole machine: that needs "
		     "--allow-global",
		     options.arm);
	check_machine(&job->machine);
	job->workload->check_native();
	return job;
}

/* As far as the caller's rights go. */
static void settle(void)
{
	const struct sched_param param = { .sched_priority = 1 };
	const struct sched_param usual = { .sched_priority = 0 };

	signal(SIGPIPE, SIG_IGN);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		native_leave_out("locked memory of the sampler (not "
				 "permitted)");
	/* Tried here, where it can still be noted. */
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		native_leave_out("real time of the sampler (not permitted)");
	else
		sched_setscheduler(0, SCHED_OTHER, &usual);
	/* If the machine runs out of memory after all, it is our fault. */
	write_text("/proc/self/oom_score_adj", "1000");
}

__attribute__((noreturn)) static void init(const struct job *job)
{
	const struct machine *machine = &job->machine;

	const char *who = identity();

	fail_setup(record_end_fail);
	/* Ctrl-C is for the guardian alone. */
	setpgid(0, 0);
	settle();
	procs_setup();
	record_begin(job->workload->name, job->seed, who);
	if (globals_allowed() && globals_write("/proc/sys/vm/swappiness",
					       "%lld", machine->swappiness))
		fail("cannot set swappiness: %s", strerror(errno));
	cgroup_start(machine->memcg_max_mib);
	run_job(job);
}

/* Return: when none of the run is left, whatever signal came, 0 if none did. */
static int wait_for(pid_t pid, const sigset_t *signals, int *status)
{
	int came = 0, any;
	pid_t ended;

	for (;;) {
		ended = waitpid(-1, &any, WNOHANG);
		if (ended == pid)
			*status = any;
		if (ended > 0)
			continue;
		if (ended < 0)
			return came;
		any = sigwaitinfo(signals, NULL);
		if (any == SIGCHLD || any < 0)
			continue;
		came = any;
		kill(pid, SIGKILL);
	}
}

static int open_stream(void)
{
	int fd = open(options.out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0666);

	if (fd < 0)
		fail("--out %s: %s", options.out, strerror(errno));
	return fd;
}

static int guard(const struct job *job)
{
	const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	int came, status = 0, left;
	sigset_t signals, former;
	pid_t pid;

	sigemptyset(&signals);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, &former);
	signal(SIGCHLD, SIG_DFL);
	/* Whose parent is gone becomes our child. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	room_make(options.dir);
	record_open(open_stream());
	pid = fork_child();
	if (pid < 0)
		fail("cannot start a process: %s", strerror(errno));
	if (!pid) {
		sigprocmask(SIG_SETMASK, &former, NULL);
		init(job);
	}
	came = wait_for(pid, &signals, &status);
	left = room_clear();
	if (came) {
		signal(came, SIG_DFL);
		raise(came);
		sigprocmask(SIG_SETMASK, &former, NULL);
	}
	if (WIFSIGNALED(status))
		say("%s: init was killed by signal %d", my_name(),
		    WTERMSIG(status));
	return status || left ? 1 : 0;
}

int native_main(int argc, char **argv)
{
	const struct job *job;

	native = true;
	fail_setup(refuse);
	take_options(argc, argv);
	if (options.help)
		return write(STDOUT_FILENO, usage, strlen(usage)) < 0;
	job = prepare();
	room_claim();
	return guard(job);
}
