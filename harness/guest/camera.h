/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The app that is watched: started cold, and scrolled.
 */
#ifndef RECLAIMLAB_GUEST_CAMERA_H
#define RECLAIMLAB_GUEST_CAMERA_H

#include "step.h"

/*
 * cold: the app is started anew and executes camera_text_percent of its text.
 * Observed: memavail_kib, cold_ns.
 */
extern const struct step cold_step;

/*
 * scroll:N: it draws N frames, each with a few pages of text and memory from
 * anywhere, one every frame_us. Observed: frame_ns of each, and missed_frames, 1
 * for each that took longer than frame_us.
 */
extern const struct step scroll_step;

#endif
