/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subcommands, each with main()'s arguments counted from its own name.
 * Return: an exit status of util.h.
 */
#ifndef RECLAIMLAB_HOST_COMMANDS_H
#define RECLAIMLAB_HOST_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_measure(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_native(int argc, char **argv);
int cmd_junit(int argc, char **argv);

/**
 * compare_directory() - compare the records in @dir/records, print the table,
 * leave @dir/report.txt, @dir/report.json, @dir/report.html and
 * @dir/changelog.txt.
 * @arms: labels in the order of the columns, the first is the baseline; NULL
 *	  ends the list. NULL for the order given by the records themselves.
 *
 * Return: an exit status of util.h.
 */
int compare_directory(const char *dir, const char *const *arms);

#endif
