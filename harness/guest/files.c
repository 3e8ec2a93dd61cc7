// SPDX-License-Identifier: GPL-2.0
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "anon.h"
#include "child.h"
#include "guest.h"
#include "textfile.h"
#include "where.h"

#define DATA_FILE data_path("data")
#define CAPTURE_FILE data_path("capture")
#define MIB_MAX 65536

static long long data_mib;

const struct job_key data_keys[] = {
	JOB_NUMBER("data_mib", &data_mib, 1, MIB_MAX),
	JOB_END,
};

void files_make_data(long long unused)
{
	(void)unused;
	if (access(DATA_FILE, F_OK))
		datafile_write(DATA_FILE, (size_t)data_mib * MIB);
}

void files_read(uint64_t at, uint64_t size)
{
	static char buffer[128 * 1024];
	const uint64_t end = (uint64_t)data_mib * MIB;
	int fd = open(DATA_FILE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("cannot open %s: %s", DATA_FILE, strerror(errno));
	/* All are multiples of the buffer, so it never crosses the end. */
	for (uint64_t done = 0; done < size; done += sizeof(buffer))
		if (pread(fd, buffer, sizeof(buffer),
			  (off_t)((at + done) % end)) != sizeof(buffer))
			fail("cannot read %s: %s", DATA_FILE, strerror(errno));
	close(fd);
}

/* Where the next one of this turn's size begins: all of them share the place. */
static uint64_t next_part(const struct turn *turn, uint64_t *size)
{
	static uint64_t place;
	uint64_t at = place;

	*size = (uint64_t)turn->amount * MIB;
	place += *size;
	return at;
}

struct part {
	uint64_t at, size;
};

static void read_part(const void *arg)
{
	const struct part *part = arg;

	files_read(part->at, part->size);
}

static void run_stream(const struct turn *turn)
{
	struct part part;

	part.at = next_part(turn, &part.size);
	child_run("the streaming reader", ROLE_FILES, read_part, &part);
}

static struct child server = { .name = "the file server" };
static bool serving;

static void serve(const struct child_link *link, const void *unused)
{
	struct part part;

	(void)unused;
	for (;;) {
		link_hear(link, &part, sizeof(part));
		files_read(part.at, part.size);
		link_tell(link, "", 1);
	}
}

static void start_server(uint64_t unused)
{
	(void)unused;
	child_start(&server, ROLE_FILES, serve, NULL);
}

static void run_serve(const struct turn *turn)
{
	struct part part;
	char done;

	if (serving)
		child_hear(&server, &done, 1);
	part.at = next_part(turn, &part.size);
	child_tell(&server, &part, sizeof(part));
	serving = true;
}

/* Its blocks are there already: the disk takes no more memory later. */
static void make_capture(long long mib)
{
	datafile_write(CAPTURE_FILE, (size_t)mib * MIB);
}

static void write_capture(const void *arg)
{
	static char buffer[128 * 1024];
	const struct turn *turn = arg;
	int fd = open(CAPTURE_FILE, O_WRONLY | O_CLOEXEC);

	memset(buffer, (int)turn->number, sizeof(buffer));
	for (uint64_t left = (uint64_t)turn->amount * MIB; fd >= 0 && left;
	     left -= sizeof(buffer))
		if (write(fd, buffer, sizeof(buffer)) != sizeof(buffer))
			fail("cannot write %s: %s", CAPTURE_FILE,
			     strerror(errno));
	if (fd < 0 || fdatasync(fd))
		fail("cannot write %s: %s", CAPTURE_FILE, strerror(errno));
}

static void run_write(const struct turn *turn)
{
	uint64_t start = now_ns();

	child_run("the camera's writer", ROLE_FILES, write_capture, turn);
	observe(turn, "write_ns", (int64_t)(now_ns() - start));
}

static void churn(const void *arg)
{
	const struct turn *turn = arg;
	struct rng rng = rng_stream(turn->seed, RNG_CHURN, 0, turn->number);

	anon_make((size_t)turn->amount * MIB, &rng);
}

static void run_churn(const struct turn *turn)
{
	child_run("the memory churner", ROLE_FILES, churn, turn);
}

const struct step stream_step = {
	.name = "stream",
	.unit = "MiB",
	.max = MIB_MAX,
	.keys = { data_keys },
	.make_files = files_make_data,
	.run = run_stream,
};

const struct step serve_step = {
	.name = "serve",
	.unit = "MiB",
	.max = MIB_MAX,
	.keys = { data_keys },
	.make_files = files_make_data,
	.start = start_server,
	.run = run_serve,
};

const struct step write_step = {
	.name = "write",
	.unit = "MiB",
	.max = MIB_MAX,
	.make_files = make_capture,
	.run = run_write,
};

const struct step churn_step = {
	.name = "churn",
	.unit = "MiB",
	.max = 4096,
	.keys = { anon_keys },
	.run = run_churn,
};
