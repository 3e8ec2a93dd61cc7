/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_HOSTDATA_H
#define RECLAIMLAB_GUEST_HOSTDATA_H

#include <stddef.h>

/**
 * hostdata_give() - have such a text read from @text instead; not copied.
 */
void hostdata_give(const char *fw_cfg, const char *text);

/**
 * hostdata_read() - a text that the host hands to this guest.
 * @fw_cfg: its name in QEMU's fw_cfg.
 * @word: the kernel command line word that carries it where there is no fw_cfg,
 *	  "=" included. Its commas and equal signs become newlines and blanks,
 *	  so that both forms are the same kv text.
 *
 * Return: length; 0 for a text that is empty or was not given.
 */
size_t hostdata_read(const char *fw_cfg, const char *word, char *buffer,
		     size_t size);

#endif
