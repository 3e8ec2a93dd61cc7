/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that may end the program: it is called in a process of its own.
 */
#ifndef RECLAIMLAB_TESTS_FORK_H
#define RECLAIMLAB_TESTS_FORK_H

#include "synthetic.h"

#include <sys/wait.h>

/*
 * Call @function(@data) in a child with stdout and stderr into one text.
 *
 * Return: the exit status, 0 when the function returns; @said is to be freed.
 */
SYNTHETIC int in_child(void (*function)(void *), void *data, char **said)
{
	FILE *file = tmpfile();
	int status;
	size_t n;
	pid_t pid;

	assert_non_null(file);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fileno(file), STDOUT_FILENO);
		dup2(fileno(file), STDERR_FILENO);
		function(data);
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	rewind(file);
	*said = xcalloc(1, 16384);
	n = fread(*said, 1, 16383, file);
	(*said)[n] = '\0';
	fclose(file);
	return WEXITSTATUS(status);
}

#endif
