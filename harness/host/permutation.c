// SPDX-License-Identifier: GPL-2.0
#include "permutation.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "util.h"

/* Sums that are equal but for the order of summation are equal. */
#define ROUNDING 1e-9

/* Signs of eight pairs are a byte, whose sums are known beforehand. */
#define PATTERNS 256

struct flips {
	size_t rows;
	size_t blocks; /* of eight pairs */
	/* Sum of a block's scaled differences: [block][byte][row]. */
	double *sums;
	unsigned char *signs; /* a byte a block; a bit set is a sign changed */
	double *now;	      /* |sum| of each row under these signs */
	double *observed;     /* under none */
	size_t *order;	      /* rows by observed, ascending */
	size_t *alone, *together; /* patterns as extreme, of each row */
};

static double scale_of(const double *values, size_t n)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += values[i] * values[i];
	return squares > 0 ? 1 / sqrt(squares) : 0;
}

static void sum_blocks(struct flips *f, const double *differences, size_t pairs)
{
	for (size_t row = 0; row < f->rows; row++) {
		const double *values = &differences[row * pairs];
		double scale = scale_of(values, pairs);

		for (size_t i = 0; i < pairs; i++) {
			double *sums = &f->sums[i / 8 * PATTERNS * f->rows];

			for (size_t byte = 0; byte < PATTERNS; byte++)
				sums[byte * f->rows + row] +=
					byte >> i % 8 & 1 ? -values[i] * scale
							  : values[i] * scale;
		}
	}
}

static void flip(struct flips *f)
{
	for (size_t row = 0; row < f->rows; row++)
		f->now[row] = 0;
	for (size_t block = 0; block < f->blocks; block++) {
		const double *sums =
			&f->sums[(block * PATTERNS + f->signs[block]) * f->rows];

		for (size_t row = 0; row < f->rows; row++)
			f->now[row] += sums[row];
	}
	for (size_t row = 0; row < f->rows; row++)
		f->now[row] = fabs(f->now[row]);
}

/* Each row against itself, and against the largest of those not above it. */
static void count(struct flips *f)
{
	double largest = 0;

	for (size_t i = 0; i < f->rows; i++) {
		size_t row = f->order[i];
		double bar = f->observed[row] - ROUNDING;

		largest = fmax(largest, f->now[row]);
		f->alone[row] += f->now[row] >= bar;
		f->together[row] += largest >= bar;
	}
}

/* All signs changed is the same as none: the last pair keeps its own. */
static size_t try_all(struct flips *f, size_t pairs)
{
	size_t patterns = (size_t)1 << (pairs - 1);

	for (size_t pattern = 0; pattern < patterns; pattern++) {
		for (size_t block = 0; block < f->blocks; block++)
			f->signs[block] = pattern >> block * 8;
		flip(f);
		count(f);
	}
	return patterns;
}

static size_t try_some(struct flips *f)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (!rng)
		die("out of memory");
	gsl_rng_set(rng, 1);
	count(f);
	for (size_t i = 0; i < FLIPS_DRAWN; i++) {
		for (size_t block = 0; block < f->blocks; block++)
			f->signs[block] = gsl_rng_get(rng);
		flip(f);
		count(f);
	}
	gsl_rng_free(rng);
	return FLIPS_DRAWN + 1;
}

static void flips_free(struct flips *f)
{
	free(f->sums);
	free(f->signs);
	free(f->now);
	free(f->observed);
	free(f->order);
	free(f->alone);
	free(f->together);
}

void sign_flip_test(const double *differences, size_t rows, size_t pairs,
		    double *alone, double *together)
{
	size_t blocks = (pairs + 7) / 8, patterns;
	struct flips f = {
		.rows = rows,
		.blocks = blocks,
		.sums = xcalloc(blocks * PATTERNS * rows, sizeof(*f.sums)),
		.signs = xcalloc(blocks, 1),
		.now = xcalloc(rows, sizeof(*f.now)),
		.observed = xcalloc(rows, sizeof(*f.observed)),
		.order = xcalloc(rows, sizeof(*f.order)),
		.alone = xcalloc(rows, sizeof(*f.alone)),
		.together = xcalloc(rows, sizeof(*f.together)),
	};
	double least = 0;

	sum_blocks(&f, differences, pairs);
	flip(&f);
	for (size_t row = 0; row < rows; row++)
		f.observed[row] = f.now[row];
	gsl_sort_index(f.order, f.observed, 1, rows);
	patterns = pairs > FLIPS_EXACT ? try_some(&f) : try_all(&f, pairs);
	for (size_t i = rows; i-- > 0;) {
		size_t row = f.order[i];

		alone[row] = (double)f.alone[row] / patterns;
		least = fmax(least, (double)f.together[row] / patterns);
		if (together)
			together[row] = least;
	}
	flips_free(&f);
}
