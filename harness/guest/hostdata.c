// SPDX-License-Identifier: GPL-2.0
#include "hostdata.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "guest.h"

static size_t from_command_line(const char *word, char *buffer, size_t size)
{
	char *found = buffer;
	size_t len = strlen(word);

	if (read_text("/proc/cmdline", buffer, size) < 0)
		fail("cannot read the kernel's command line: %s",
		     strerror(errno));
	while ((found = strstr(found, word))) {
		if (found == buffer || found[-1] == ' ')
			break;
		found += len;
	}
	if (!found) {
		buffer[0] = '\0';
		return 0;
	}
	found += len;
	len = strcspn(found, " \n");
	memmove(buffer, found, len);
	buffer[len] = '\0';
	for (char *c = buffer; *c; c++) {
		if (*c == ',')
			*c = '\n';
		else if (*c == '=')
			*c = ' ';
	}
	return len;
}

static struct {
	const char *fw_cfg, *text;
} given[2];

void hostdata_give(const char *fw_cfg, const char *text)
{
	size_t i = given[0].fw_cfg != NULL;

	given[i].fw_cfg = fw_cfg;
	given[i].text = text;
}

static const char *find_given(const char *fw_cfg)
{
	for (size_t i = 0; i < ARRAY_SIZE(given) && given[i].fw_cfg; i++)
		if (!strcmp(given[i].fw_cfg, fw_cfg))
			return given[i].text;
	return NULL;
}

size_t hostdata_read(const char *fw_cfg, const char *word, char *buffer,
		     size_t size)
{
	const char *text = find_given(fw_cfg);
	char path[128];
	long len;

	if (text) {
		snprintf(buffer, size, "%s", text);
		return strlen(buffer);
	}
	snprintf(path, sizeof(path), "/sys/firmware/qemu_fw_cfg/by_name/%s/raw",
		 fw_cfg);
	len = read_text(path, buffer, size);
	if (len < 0 && errno == ENOENT)
		return from_command_line(word, buffer, size);
	if (len < 0)
		fail("cannot read fw_cfg's %s: %s", fw_cfg, strerror(errno));
	return (size_t)len;
}
