// SPDX-License-Identifier: GPL-2.0
/*
 * Runs on the build host: split-disk IMAGE PREFIX
 *
 * Copies the parts of a disk image that are not zero to files, each named
 * PREFIX<offset in hexadecimal>. The guest's disk.c puts them together again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "split-disk: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int is_zero(const char *block)
{
	return !block[0] && !memcmp(block, block + 1, BLOCK - 1);
}

static FILE *piece_open(const char *prefix, off_t offset)
{
	char path[4096];
	FILE *piece;

	snprintf(path, sizeof(path), "%s%llx", prefix,
		 (unsigned long long)offset);
	piece = fopen(path, "wbx");
	if (!piece)
		die(path);
	return piece;
}

static void piece_close(FILE *piece)
{
	if (piece && fclose(piece))
		die("write");
}

static void split(int image, const char *prefix)
{
	char block[BLOCK];
	FILE *piece = NULL;
	off_t offset = 0, next = 0;

	/* Holes are skipped, which is for speed only: they read as zeros. */
	while ((offset = lseek(image, offset, SEEK_DATA)) >= 0) {
		ssize_t n;

		offset -= offset % BLOCK;
		n = pread(image, block, BLOCK, offset);
		if (n != BLOCK)
			die("image is not in whole blocks");
		if (offset != next || is_zero(block)) {
			piece_close(piece);
			piece = NULL;
		}
		if (!is_zero(block)) {
			if (!piece)
				piece = piece_open(prefix, offset);
			if (fwrite(block, BLOCK, 1, piece) != 1)
				die("write");
		}
		offset += BLOCK;
		next = offset;
	}
	if (errno != ENXIO)
		die("seek");
	piece_close(piece);
}

int main(int argc, char **argv)
{
	int image;

	if (argc != 3) {
		fprintf(stderr, "usage: split-disk IMAGE PREFIX\n");
		return 2;
	}
	image = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (image < 0)
		die(argv[1]);
	split(image, argv[2]);
	return 0;
}
