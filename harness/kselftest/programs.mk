# SPDX-License-Identifier: GPL-2.0
#
# The kselftests outside of a kernel tree, static, with the harness of one that
# is only read:
#
#	make -f programs.mk KSRC=DIR OUT=DIR [CROSS_COMPILE=...]

here := $(dir $(lastword $(MAKEFILE_LIST)))
source := $(here)../../kselftest
SELFTESTS := $(KSRC)/tools/testing/selftests
PROGRAMS := $(patsubst $(source)/%.c,$(OUT)/%,$(wildcard $(source)/*.c))
LIBRARY := $(patsubst $(source)/lib/%.c,$(OUT)/lib/%.o,$(wildcard $(source)/lib/*.c))

# -isystem, so that "../kselftest_harness.h" and what it includes are found in
# the kernel tree: SELFTESTS/X/../kselftest_harness.h, and from 7.2 on
# "kselftest.h" in SELFTESTS itself.
COMPILE = $(CROSS_COMPILE)gcc -std=gnu17 -D_GNU_SOURCE -O2 -Wall -Wextra -pthread \
	-isystem $(SELFTESTS)/mm -isystem $(SELFTESTS) \
	-isystem $(KSRC)/tools/include/uapi $(CFLAGS)

all: $(PROGRAMS) $(OUT)/settings

$(OUT)/%: $(source)/%.c $(LIBRARY) $(wildcard $(source)/lib/*.h) $(MAKEFILE_LIST)
	$(COMPILE) -static -o $@ $< $(LIBRARY) $(LDFLAGS)

$(OUT)/lib/%.o: $(source)/lib/%.c $(wildcard $(source)/lib/*.h) $(MAKEFILE_LIST)
	mkdir -p $(OUT)/lib
	$(COMPILE) -c -o $@ $<

$(OUT)/settings: $(source)/settings
	cp $< $@

.PHONY: all
.SECONDARY: $(LIBRARY)
