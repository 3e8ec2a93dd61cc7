#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stands for qemu-system-ARCH, by the name under which it is called, for kunit.py,
# which would take an accelerator where there is one: accessed bits are then of
# the machine at hand, and where that is virtual itself may not work at all.
set -euo pipefail
arguments=()
while [ $# -gt 0 ]; do
	case "$1 ${2-}" in
	"-accel kvm" | "-accel hvf")	shift ;;
	*)				arguments+=("$1") ;;
	esac
	shift
done
# The next of that name in the path.
name=$(basename "$0")
program=$(type -ap "$name" | grep -vxF "$0" | head -n 1)
exec "${program:-$name}" "${arguments[@]}"
