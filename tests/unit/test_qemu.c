// SPDX-License-Identifier: GPL-2.0
/* The command line of QEMU, word for word. */
#include "synthetic.h"

#include "qemu.h"

static char *joined(const struct qemu_setup *setup,
		    const struct qemu_files *files)
{
	char **argv = qemu_command(setup, files);
	char *text = xasprintf("%s", argv[0]);

	for (char **word = argv + 1; *word; word++) {
		char *longer = xasprintf("%s|%s", text, *word);

		free(text);
		text = longer;
	}
	qemu_command_free(argv);
	return text;
}

static void expect(const struct qemu_setup *setup,
		   const struct qemu_files *files, const char *want)
{
	char *is = joined(setup, files);

	assert_string_equal(is, want);
	free(is);
}

/* Without the nos and offs two boots of one kernel are not alike. */
#define COMMON                                                       \
	"panic=-1 oops=panic softlockup_panic=1 nokaslr norandmaps " \
	"random.trust_cpu=off random.trust_bootloader=off "          \
	"null_blk.nr_devices=0"
#define X86 "console=ttyS0 no_timer_check " COMMON

static const struct qemu_files all = {
	.kernel = "/k",
	.initramfs = "/i",
	.job = "/job",
	.arm = "/arm",
	.console = "/console",
	.stream = "/stream",
};

static void test_deterministic_x86_64(void **state)
{
	struct qemu_setup setup = {
		.machine = machine_find("x86_64"),
		.accel = ACCEL_TCG,
		.deterministic = true,
		.memory_mib = 380,
		.cpus = 1,
		.seed = 7,
		.recipe_append = "of-recipe",
		.user_append = "a b",
	};

	(void)state;
	expect(&setup, &all,
	       "qemu-system-x86_64|-nodefaults|-no-user-config|-no-reboot"
	       "|-display|none|-machine|pc|-accel|tcg"
	       "|-cpu|max,-rdrand,-rdseed|-smp|1|-m|380"
	       "|-rtc|base=2000-01-01,clock=vm|-seed|7"
	       "|-icount|shift=1,sleep=off,rr=record,rrfile=/dev/null"
	       "|-kernel|/k|-initrd|/i|-append|" X86
	       " noapictimer of-recipe a b"
	       "|-chardev|file,id=console,path=/console|-serial|chardev:console"
	       "|-chardev|file,id=record,path=/stream|-serial|chardev:record"
	       "|-fw_cfg|name=opt/reclaimlab/job,file=/job"
	       "|-fw_cfg|name=opt/reclaimlab/arm,file=/arm");
}

/* What is not given is not spoken of; real time has no icount. */
static void test_kvm_and_no_files(void **state)
{
	static const struct qemu_files few = { .kernel = "/k",
					       .console = "/console" };
	struct qemu_setup setup = {
		.machine = machine_find("x86_64"),
		.accel = ACCEL_KVM,
		.memory_mib = 64,
		.cpus = 2,
		.seed = 1,
		.recipe_append = "",
		.user_append = "",
	};

	(void)state;
	expect(&setup, &few,
	       "qemu-system-x86_64|-nodefaults|-no-user-config|-no-reboot"
	       "|-display|none|-machine|pc|-accel|kvm|-cpu|host|-smp|2|-m|64"
	       "|-rtc|base=2000-01-01,clock=vm|-seed|1|-kernel|/k|-append|" X86
	       "|-chardev|file,id=console,path=/console"
	       "|-serial|chardev:console");
}

static void test_arm64(void **state)
{
	struct qemu_setup setup = {
		.machine = machine_find("arm64"),
		.accel = ACCEL_TCG,
		.deterministic = true,
		.memory_mib = 64,
		.cpus = 1,
		.seed = 1,
		.recipe_append = "",
		.user_append = "x",
	};
	char *is = joined(&setup, &all);

	(void)state;
	assert_int_equal(strncmp(is, "qemu-system-aarch64|", 20), 0);
	assert_non_null(strstr(is, "|-machine|virt|"));
	assert_non_null(strstr(is, "|-device|pci-serial,chardev=record|"));
	assert_null(strstr(is, "chardev:record"));
	assert_non_null(strstr(is, "|-append|console=ttyAMA0 " COMMON " x|"));
	free(is);
}

/* A comma in a path does not begin another option of QEMU. */
static void test_commas(void **state)
{
	static const struct qemu_files files = { .kernel = "/a,b",
						 .job = "/j,x=y",
						 .console = "/c,,d",
						 .stream = "/s," };
	struct qemu_setup setup = { .machine = machine_find("x86_64"),
				    .recipe_append = "",
				    .user_append = "a,b" };
	char *is = joined(&setup, &files);

	(void)state;
	assert_non_null(strstr(is, "|-kernel|/a,b|"));
	assert_non_null(strstr(is, " a,b|-chardev"));
	assert_non_null(strstr(is, "file,id=console,path=/c,,,,d|"));
	assert_non_null(strstr(is, "file,id=record,path=/s,,|"));
	assert_non_null(strstr(is, "name=opt/reclaimlab/job,file=/j,,x=y"));
	free(is);
}

static void test_machines(void **state)
{
	char *archs = machine_archs();

	(void)state;
	assert_string_equal(archs, "x86_64 arm64");
	assert_null(machine_find("riscv64"));
	assert_null(machine_find(""));
	free(archs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deterministic_x86_64),
		cmocka_unit_test(test_kvm_and_no_files),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_commas),
		cmocka_unit_test(test_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
