// SPDX-License-Identifier: GPL-2.0
/* The process gnuplot: scripts in, SVG out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "plot.h"
#include "svg.h"
#include "util.h"

#define CPU_SECONDS_MAX 20 /* never needed: a limit for the unforeseen */
#define NOT_FOUND 127

/* Small enough to be read on a phone without enlarging. */
static const char terminal[] =
	"set terminal svg size 400,220 dynamic noenhanced font ',11'\n";

/* Files in memory: no pipe on which two programs could wait for each other. */
struct plumbing {
	int in, out, errors;
};

static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		die("cannot make a file in memory: %s", strerror(errno));
	return fd;
}

/* What gnuplot says may depend on nothing but the script. */
__attribute__((noreturn)) static void become_gnuplot(struct plumbing *files)
{
	static const char *const not_ours[] = { "GNUTERM", "GNUPLOT_LIB",
						"GNUPLOT_DRIVER_DIR" };
	struct rlimit cpu = { CPU_SECONDS_MAX, CPU_SECONDS_MAX };

	interrupt_reset();
	setrlimit(RLIMIT_CPU, &cpu);
	setenv("LC_ALL", "C", 1);
	for (size_t i = 0; i < ARRAY_SIZE(not_ours); i++)
		unsetenv(not_ours[i]);
	dup2(files->in, STDIN_FILENO);
	dup2(files->out, STDOUT_FILENO);
	dup2(files->errors, STDERR_FILENO);
	/* Without the user's own settings. */
	execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
	_exit(NOT_FOUND);
}

/* Return: as of waitpid(2). */
static int run_gnuplot(struct plumbing *files)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("cannot start gnuplot: %s", strerror(errno));
	if (!pid)
		become_gnuplot(files);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void write_scripts(int fd, struct figure *const *figures, size_t n)
{
	FILE *out = fdopen(dup(fd), "w");

	if (!out)
		die("cannot write to gnuplot: %s", strerror(errno));
	fputs(terminal, out);
	for (size_t i = 0; i < n; i++)
		fputs(figures[i]->script, out);
	if (fclose(out))
		die("cannot write to gnuplot: %s", strerror(errno));
	lseek(fd, 0, SEEK_SET);
}

static char *read_back(int fd)
{
	char *path = xasprintf("/proc/self/fd/%d", fd);
	char *text = read_file(path, NULL);

	free(path);
	if (!text)
		die("cannot read what gnuplot has made: %s", strerror(errno));
	return text;
}

/* One document after the other. */
static int take_documents(const char *text, struct figure *const *figures,
			  size_t n)
{
	static const char end[] = "</svg>";

	for (size_t i = 0; i < n; i++) {
		const char *close, *begin = strstr(text, "<?xml");

		close = begin ? strstr(begin, end) : NULL;
		if (!close)
			return -1;
		text = close + strlen(end);
		figures[i]->svg = svg_tidy(begin, (size_t)(text - begin), i + 1,
					   figures[i]->title,
					   figures[i]->summary);
		if (!figures[i]->svg)
			return -1;
	}
	return 0;
}

static char *complaint(int status, int errors)
{
	char *said, *line;

	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return xasprintf("gnuplot is not installed; Debian has it as "
				 "gnuplot-nox");
	said = read_back(errors);
	line = said + strspn(said, " \n");
	line = xasprintf("gnuplot failed%s%.*s", *line ? ": " : "",
			 (int)strcspn(line, "\n"), line);
	free(said);
	return line;
}

int plots_draw(struct figure *const *figures, size_t n, char **error)
{
	struct plumbing files = {
		.in = memory_file("script"),
		.out = memory_file("svg"),
		.errors = memory_file("errors"),
	};
	char *text;
	int status, err;

	write_scripts(files.in, figures, n);
	status = run_gnuplot(&files);
	text = read_back(files.out);
	err = status || take_documents(text, figures, n);
	if (err) {
		*error = complaint(status, files.errors);
		for (size_t i = 0; i < n; i++) {
			free(figures[i]->svg);
			figures[i]->svg = NULL;
		}
	}
	free(text);
	close(files.in);
	close(files.out);
	close(files.errors);
	return err ? -1 : 0;
}
