# SPDX-License-Identifier: GPL-2.0
#
# The front door: every thing a person does is one target. `make` alone lists
# them.

# A recipe of qemu/kernels/, a source tree to build instead of the recipe's, or
# a built image instead of both.
KERNEL ?= 6.12
KSRC ?=
IMAGE ?=
# More words for the kernel's command line.
APPEND ?=
# A name in harness/scenarios/, or a path.
SCENARIO ?= camera-launch
SEEDS ?= 10
# Of them also with the baseline disturbed: the band of chance.
BAND ?= 3
# Labels, the first is the baseline; empty for the recipe's own choice.
ARMS ?=
# Guests at a time; empty for as many as there are processors.
JOBS ?=
# Names of kselftest programs; empty for all.
PROGRAMS ?=
# Of mutants: numbers, claims or their letters; empty for all.
MUTANTS ?=
# Of soak.
RUNS ?= 30
# Of kselftest-stress.
STRESS_S ?= 60
# Of fuzz: seconds for each, and their names; empty for all.
FUZZ_S ?= 60
TARGETS ?=
# Of kunit: um (a user-mode kernel), x86_64 or arm64 (under QEMU); 1: with KASAN
# and lockdep.
KUNIT_ARCH ?= um
KUNIT_CHECKS ?=
# Of native: a directory on a disk; 1: change settings of the machine, and
# restore them; toggle or reboot.
DIR ?=
GLOBAL ?=
BY ?= toggle
# 1: boot again what is known.
FRESH ?=
# Where results go.
OUT ?= out/$@
# 1: show commands.
V ?=

ifneq ($(V),1)
MAKEFLAGS += --silent --no-print-directory
endif
unexport MAKEFLAGS KERNEL KSRC IMAGE APPEND SCENARIO SEEDS BAND ARMS JOBS PROGRAMS MUTANTS RUNS STRESS_S \
	FUZZ_S TARGETS \
	KUNIT_ARCH KUNIT_CHECKS DIR GLOBAL BY FRESH OUT

BUILD := $(CURDIR)/build
HOST := $(BUILD)/host
GUEST := $(BUILD)/guest/x86_64
RECLAIMLAB := $(HOST)/reclaimlab
INITRAMFS := $(GUEST)/initramfs.cpio.gz
RECIPE = qemu/kernels/$(KERNEL).recipe
DEPS := deps/deps.sh
SUBMAKE := +$(MAKE) $(if $(filter 1,$(V)),,--silent) --no-print-directory

help: ## this list
	echo "Targets:"
	sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | \
		awk -F '\t' '{ printf "  %-19s%s\n", $$1, $$2 }'
	echo "Variables: KERNEL= KSRC= IMAGE= APPEND= SCENARIO= SEEDS= BAND= ARMS=" \
		"JOBS= PROGRAMS= MUTANTS= RUNS= STRESS_S= FUZZ_S= TARGETS=" \
		"KUNIT_ARCH= KUNIT_CHECKS=1 DIR= GLOBAL=1 BY= FRESH=1 OUT= V=1"
	echo "README.md tells what they mean."

measure: need-recipe need-scenario host guest deps-figures ## compare two arms of a kernel; results in OUT
	image=$$($(IMAGE_COMMAND)) && exec $(RECLAIMLAB) measure \
		--kernel "$$image" $(MEASURE_OPTIONS)

native: need-recipe need-scenario host guest ## compare two arms on this running machine, in DIR=
	exec $(RECLAIMLAB) native --runner $(GUEST)/reclaimlab-native \
		$(if $(DIR),--dir "$(DIR)") --by "$(BY)" $(PLAN_OPTIONS) \
		$(if $(filter 1,$(GLOBAL)),--allow-global)

kernel: need-recipe ## build the kernel of KERNEL= (or KSRC=) and print its image
	$(IMAGE_COMMAND)

host: deps-host ## build the program reclaimlab
	$(SUBMAKE) -C harness/host OUT=$(HOST)

guest: deps-guest ## build the guest's init and initramfs
	$(SUBMAKE) -C harness/guest OUT=$(GUEST)

filesystems: deps-kselftest guest ## disks with XFS and F2FS for the guest
	$(SUBMAKE) -C harness/guest OUT=$(GUEST) filesystems

test: deps-test host guest filesystems ## unit tests and checks in guests: proves the bench
	tests/run.sh $(BUILD)

fuzz: deps-host deps-fuzz ## libFuzzer on all that reads what others wrote, FUZZ_S= seconds each
	$(SUBMAKE) -C harness/host OUT=$(BUILD)/host-fuzz $(FUZZ_FLAGS) library
	$(SUBMAKE) -C tests/fuzz OUT=$(BUILD)/fuzz HOST=$(BUILD)/host-fuzz \
		$(FUZZ_FLAGS) ENGINE=-fsanitize=fuzzer
	tests/fuzz/fuzz.sh $(BUILD)/fuzz "$(OUT)" "$(FUZZ_S)" $(TARGETS)

check: deps-check ## style and static analysis, clean
	tests/check.sh

bench: deps-test host guest ## the figures that are promised, measured
	tests/bench.sh $(BUILD)

kselftest: need-recipe kselftest-programs guest filesystems ## the claims about the advice calls, in a guest
	image=$$($(IMAGE_COMMAND)) && exec harness/kselftest/guest.sh \
		"$(KSELFTESTS)" "$(OUT)" $(RECLAIMLAB) $(INITRAMFS) \
		--scenario "$(kselftest_scenario)" \
		$(if $(APPEND),--append "$(APPEND)") \
		$(if $(filter 1,$(FRESH)),--fresh) \
		$(if $(IMAGE),--arm "image=$$image",--recipe $(RECIPE) \
		--kernel "$$image" --arm $(or $(ARMS),$(KSELFTEST_ARM)))

kselftest-host: kselftest-programs ## the claims about the advice calls, on this kernel
	exec harness/kselftest/host.sh "$(KSELFTESTS)" "$(OUT)" $(RECLAIMLAB)

kselftest-stress: need-recipe kselftest-programs guest filesystems ## the races among them, for STRESS_S= seconds
	image=$$($(IMAGE_COMMAND)) && exec harness/kselftest/stress.sh \
		$(STRESS_S) "$(OUT)" harness/scenarios/kselftest-smp.scenario \
		"$(KSELFTEST_BUILD)/races" $(RECLAIMLAB) $(INITRAMFS) \
		--recipe $(RECIPE) --kernel "$$image" \
		--arm $(or $(ARMS),$(KSELFTEST_ARM))

soak: need-recipe kselftest-programs guest filesystems ## the same RUNS= times on a busy machine: flakes are counted
	image=$$($(IMAGE_COMMAND)) && exec harness/kselftest/soak.sh $(RUNS) \
		"$(OUT)" harness/scenarios/kselftest.scenario \
		harness/scenarios/kselftest-smp.scenario -- \
		"$(KSELFTESTS)" $(RECLAIMLAB) $(INITRAMFS) --recipe $(RECIPE) \
		--kernel "$$image" --arm $(or $(ARMS),$(KSELFTEST_ARM))

mutants: KERNEL = 6.12-mutants
mutants: kselftest-programs guest filesystems ## a kernel with a fault, again and again: which test notices
	image=$$($(IMAGE_COMMAND)) && MUTANTS="$(MUTANTS)" JOBS="$(JOBS)" \
		exec harness/mutants/mutants.sh qemu/mutants/6.12.list \
		"$(KSELFTESTS)" "$(OUT)" $(RECLAIMLAB) $(INITRAMFS) \
		--kernel "$$image" --recipe $(RECIPE) --arm $(KSELFTEST_ARM)

kselftest-install: deps-kernel ## put the kselftests into the kernel tree KSRC=
	harness/kselftest/install.sh "$(KSRC)"

kselftest-programs: deps-kernel host
	kernel=$(if $(KSRC),"$(KSRC)",$$(qemu/fetch-source.sh "$(KERNEL)")) && \
		$(MAKE) --silent --no-print-directory \
		-f harness/kselftest/programs.mk KSRC="$$kernel" \
		OUT=$(KSELFTEST_BUILD)

claims: ## which case shows which claim about the advice calls
	harness/kselftest/claims.sh

kunit: deps-kunit host need-recipe ## the KUnit suites, in a kernel of KUNIT_ARCH=
	exec kunit/run.sh $(KUNIT_OPTIONS) --out "$(OUT)" --pages $(RECLAIMLAB) \
		$(KERNEL) "$(KSRC)" "$(ARMS)"

kunit-removals: deps-kunit need-recipe ## half a change must be red: one call site less at a time
	tests/kunit/removals.sh $(KUNIT_ARCH) $(KERNEL)

kunit-install: ## put the KUnit suite into the kernel tree KSRC=
	kunit/install.sh "$(KSRC)"

kunit-remove: ## and take it out again, without a trace
	kunit/install.sh --remove "$(KSRC)"

deps: ## install what is missing (Debian 12 or 13, as root)
	$(DEPS) host figures guest kernel test check kunit

clean: ## remove build/ and out/, keep the cache
	rm -rf $(BUILD) out

distclean: distclean-cache clean ## remove the cache as well (asks; YES=1 does not)

distclean-cache:
	deps/remove-cache.sh $(YES)

deps-host deps-guest deps-kernel deps-kselftest deps-check deps-fuzz: deps-%:
	$(DEPS) $* $(if $(IMAGE),,kernel)

# A report is made without figures as well.
deps-figures:
	$(DEPS) figures || :

deps-kunit:
	$(DEPS) kunit $(if $(filter arm64,$(KUNIT_ARCH)),arm64)

deps-test:
	$(DEPS) host guest kernel test kunit arm64

# The image: what was given, or what the recipe builds.
ifneq ($(IMAGE),)
IMAGE_COMMAND = echo "$(IMAGE)"
else
IMAGE_COMMAND = qemu/build-kernel.sh "$(KERNEL)" $(if $(KSRC),"$(KSRC)")
endif

scenario_file = $(if $(findstring /,$(SCENARIO)),$(SCENARIO),$\
	harness/scenarios/$(SCENARIO).scenario)

PLAN_OPTIONS = --recipe $(RECIPE) --scenario "$(scenario_file)" \
	--seeds "$(SEEDS)" --out "$(OUT)" $(if $(ARMS),--arms "$(ARMS)") \
	$(if $(filter 1,$(FRESH)),--fresh)

MEASURE_OPTIONS = --initramfs $(INITRAMFS) $(PLAN_OPTIONS) \
	$(if $(filter-out 0,$(BAND)),--band "$(BAND)") \
	$(if $(JOBS),--jobs "$(JOBS)") $(if $(APPEND),--append "$(APPEND)")

FUZZ_FLAGS = CC=clang SANITIZE=fuzzer-no-link,address,undefined

KUNIT_OPTIONS = --arch $(KUNIT_ARCH) $(if $(filter 1,$(KUNIT_CHECKS)),--checks)

# A directory for each harness they are built with.
KSELFTEST_BUILD = $(BUILD)/kselftest/$(if $(KSRC),own,$(KERNEL))
KSELFTESTS = $(addprefix $(KSELFTEST_BUILD)/,$(or $(PROGRAMS),$\
	$(patsubst kselftest/%.c,%,$(wildcard kselftest/*.c))))
# Not measure's default.
kselftest_scenario = $(if $(filter file,$(origin SCENARIO)),$\
	harness/scenarios/kselftest.scenario,$(scenario_file))
# The first arm of the recipe, the kernel as it comes.
KSELFTEST_ARM = $(shell awk '$$1 == "arm" { print $$2; exit }' $(RECIPE))

need-recipe:
	[ -e "$(RECIPE)" ] || { echo "no recipe \"$(KERNEL)\"; there are:" \
		"$(patsubst qemu/kernels/%.recipe,%,$(wildcard qemu/kernels/*.recipe))" \
		>&2; exit 2; }

need-scenario:
	[ -e "$(scenario_file)" ] || { echo "no scenario \"$(SCENARIO)\";" \
		"there are: $(patsubst harness/scenarios/%.scenario,%,$\
		$(wildcard harness/scenarios/*.scenario))" >&2; exit 2; }

.PHONY: help measure native kernel host guest filesystems test check fuzz bench kselftest \
	kselftest-host kselftest-install kselftest-programs kselftest-stress mutants soak \
	claims kunit kunit-removals kunit-install kunit-remove deps clean distclean \
	distclean-cache need-recipe need-scenario deps-host deps-guest deps-kernel \
	deps-kselftest deps-check deps-fuzz deps-figures deps-kunit deps-test
.DEFAULT_GOAL := help
