#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# remove-cache.sh [1]: remove sources, kernels and finished runs. Asks, unless
# told 1; without a terminal to ask it refuses.
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/reclaimlab

[ -d "$cache" ] || exit 0
if [ "${1-}" != 1 ]; then
	if [ ! -t 0 ]; then
		echo "distclean: not a terminal to ask on; YES=1 removes $cache" >&2
		exit 2
	fi
	read -rp "remove $cache ($(du -sh "$cache" | cut -f 1))? [y/N] " answer
	[ "$answer" = y ] || exit 1
fi
rm -rf "$cache"
