# SPDX-License-Identifier: GPL-2.0
#
# How C for the host is compiled, for the program and for its unit tests.

CC := gcc
CFLAGS ?= -O2 -g
PACKAGES := jansson gsl libxml-2.0

FLAGS := -std=gnu17 -D_GNU_SOURCE \
	-Wall -Wextra -Wshadow -Wformat=2 -Werror \
	$(shell pkg-config --cflags $(PACKAGES))
LIBS := $(shell pkg-config --libs $(PACKAGES)) -lmd
LINK := -g

ifdef SANITIZE
FLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
LINK += -fsanitize=$(SANITIZE)
endif
