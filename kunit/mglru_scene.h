/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scene for the tests: a file with two mappings in a process of its own, one
 * executable next to one that is not, and what can happen to them. The files are
 * of a file system of their own, since those that are always there do not do:
 * pages of ramfs are never reclaimed, those of tmpfs are not of the file LRU.
 */
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/psi.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

/* The whole of it in one page table, or, of huge pages, in one table of these. */
#define SCENE_START 0x40000000UL

struct scene {
	struct file *file;
	struct mm_struct *mm;
	unsigned int order, nr; /* of the folios; how many in each mapping */
	bool exec_first; /* the lower mapping is the executable one */
};

/* What the file system saw when it was last asked to read. */
static struct {
	unsigned int folios;
	bool workingset, stalled;
} scene_read;

static bool is_stalled(void)
{
#ifdef CONFIG_PSI
	return current->in_memstall;
#else
	return false;
#endif
}

static int scene_read_folio(struct file *file, struct folio *folio)
{
	scene_read.folios++;
	scene_read.workingset = folio_test_workingset(folio);
	scene_read.stalled = is_stalled();
	folio_zero_range(folio, 0, folio_size(folio));
	folio_mark_uptodate(folio);
	folio_unlock(folio);
	return 0;
}

static void scene_readahead(struct readahead_control *rac)
{
	struct folio *folio;

	while ((folio = readahead_folio(rac)))
		scene_read_folio(rac->file, folio);
}

static const struct address_space_operations scene_aops = {
	.read_folio = scene_read_folio,
	.readahead = scene_readahead,
};

/* Without map_pages: a fault maps the page that was used and no other. */
static const struct vm_operations_struct scene_vm_ops = {
	.fault = filemap_fault,
};

static int scene_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &scene_vm_ops;
	return 0;
}

static const struct file_operations scene_fops = {
	.read_iter = generic_file_read_iter,
	.mmap = scene_mmap,
};

static int scene_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, 0x6d676c72) ? 0 : -ENOMEM;
}

static struct file_system_type scene_fs = {
	.name = "mglru_scene",
	.init_fs_context = scene_fs_context,
	.kill_sb = kill_anon_super,
};

static struct vfsmount *scene_mnt;

/* The suites' init and exit. */
static int scene_suite_init(struct kunit_suite *suite)
{
	scene_mnt = kern_mount(&scene_fs);
	if (IS_ERR(scene_mnt))
		return PTR_ERR(scene_mnt);
	scene_mnt->mnt_sb->s_iflags &= ~SB_I_NOEXEC;
	return 0;
}

static void scene_suite_exit(struct kunit_suite *suite)
{
	if (!IS_ERR_OR_NULL(scene_mnt))
		kern_unmount(scene_mnt);
}

static struct file *scene_file(struct kunit *test, loff_t size)
{
	struct inode *inode = new_inode(scene_mnt->mnt_sb);
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, inode);
	inode->i_mode = S_IFREG | 0500;
	inode->i_size = size;
	inode->i_mapping->a_ops = &scene_aops;
	mapping_set_gfp_mask(inode->i_mapping, GFP_HIGHUSER_MOVABLE);
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		mapping_set_large_folios(inode->i_mapping);
	file = alloc_file_pseudo(inode, scene_mnt, "scene", O_RDONLY,
				 &scene_fops);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	return file;
}

static size_t folio_bytes(const struct scene *scene)
{
	return PAGE_SIZE << scene->order;
}

/* Where the folio of this number is, of 2 * nr. */
static unsigned long address_of(const struct scene *scene, unsigned int number)
{
	return SCENE_START + number * folio_bytes(scene);
}

/* The number of the folio at this place of the mapping that is executable or not. */
static unsigned int number_in(const struct scene *scene, bool exec,
			      unsigned int place)
{
	return exec == scene->exec_first ? place : scene->nr + place;
}

/* The folio of this number if it is in the page cache, else NULL. */
static struct folio *folio_of(const struct scene *scene, unsigned int number)
{
	void *entry = xa_load(&scene->file->f_mapping->i_pages,
			      number << scene->order);

	return xa_is_value(entry) ? NULL : entry;
}

/* In the page cache, as by a read: not within a fault, and not yet used. */
static void cache_folio(struct kunit *test, struct scene *scene,
			unsigned int number)
{
	struct address_space *mapping = scene->file->f_mapping;
	struct folio *folio = folio_alloc(GFP_HIGHUSER_MOVABLE, scene->order);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	KUNIT_ASSERT_EQ(test, 0,
			filemap_add_folio(mapping, folio, number << scene->order,
					  GFP_KERNEL));
	scene_read_folio(scene->file, folio);
	folio_put(folio);
}

static void cache_all(struct kunit *test, struct scene *scene)
{
	for (unsigned int i = 0; i < 2 * scene->nr; i++)
		cache_folio(test, scene, i);
	/* Out of the batches, onto the LRU. */
	lru_add_drain();
}

static void map_half(struct kunit *test, struct scene *scene, bool exec)
{
	unsigned long start = address_of(scene, number_in(scene, exec, 0));
	unsigned long got;

	got = vm_mmap(scene->file, start, scene->nr * folio_bytes(scene),
		      PROT_READ | (exec ? PROT_EXEC : 0),
		      MAP_PRIVATE | MAP_FIXED, start - SCENE_START);
	KUNIT_ASSERT_EQ(test, got, start);
}

static void scene_open(struct kunit *test, struct scene *scene)
{
	scene->file = scene_file(test, 2 * scene->nr * folio_bytes(scene));
	scene->mm = mm_alloc();
	KUNIT_ASSERT_NOT_NULL(test, scene->mm);
	scene->mm->task_size = TASK_SIZE;
	arch_pick_mmap_layout(scene->mm, &current->signal->rlim[RLIMIT_STACK]);
	kthread_use_mm(scene->mm);
	map_half(test, scene, true);
	map_half(test, scene, false);
}

static void scene_close(struct scene *scene)
{
	kthread_unuse_mm(scene->mm);
	mmput(scene->mm);
	fput(scene->file);
	/* A kernel thread's are otherwise put some time later. */
	flush_delayed_fput();
}

/* As a program would: the page is mapped if it was not, and young. */
static void touch(struct kunit *test, const struct scene *scene,
		  unsigned int number)
{
	unsigned long address = address_of(scene, number);
	char byte;

	/* Walks do not: what is still in there would not be marked again. */
	mmap_read_lock(scene->mm);
	flush_tlb_mm(scene->mm);
	mmap_read_unlock(scene->mm);
	KUNIT_ASSERT_EQ(test, 0, get_user(byte, (char __user *)address));
	/* Where the processor does not mark what is used, a fault does. */
	if (!arch_has_hw_pte_young()) {
		mmap_read_lock(scene->mm);
		KUNIT_EXPECT_EQ(test, 0, fixup_user_fault(scene->mm, address, 0,
							  NULL));
		mmap_read_unlock(scene->mm);
	}
}

static void touch_all(struct kunit *test, const struct scene *scene)
{
	for (unsigned int i = 0; i < 2 * scene->nr; i++)
		touch(test, scene, i);
}

/* The aging walks page tables only where the processor marks what is used. */
static int walk_page_table(pmd_t *pmd, unsigned long start, unsigned long end,
			   struct mm_walk *args)
{
	walk_pte_range(pmd, start, end, args);
	return 0;
}

static void walk_without_hardware(struct mm_struct *mm,
				  struct lru_gen_mm_walk *walk)
{
	static const struct mm_walk_ops ops = {
		.test_walk = should_skip_vma,
		.pmd_entry = walk_page_table,
	};

	mmap_read_lock(mm);
	rcu_read_lock();
	walk_page_range(mm, SCENE_START, SCENE_START + PMD_SIZE, &ops, walk);
	rcu_read_unlock();
	mmap_read_unlock(mm);
	lineage_reset_batch(walk);
}

/* In the middle of reclaim, which in kswapd always has a walk under way. */
static struct lru_gen_mm_walk *begin_reclaim(struct reclaim_state *state,
					     struct lruvec *lruvec, bool in_walk)
{
	struct lru_gen_mm_walk *walk = NULL;

	set_task_reclaim_state(current, state);
	if (in_walk) {
		walk = lineage_set_mm_walk();
		walk->lruvec = lruvec;
		walk->force_scan = true;
		lineage_walk_seq(walk) = READ_ONCE(lruvec->lrugen.max_seq);
	}
	return walk;
}

static void end_reclaim(struct lru_gen_mm_walk *walk)
{
	if (walk) {
		lineage_reset_batch(walk);
		/* The aging would have added them up for the lruvec. */
		memset(walk->mm_stats, 0, sizeof(walk->mm_stats));
		clear_mm_walk();
	}
	set_task_reclaim_state(current, NULL);
	/* What was activated is still in a batch. */
	lru_add_drain();
}

/* The aging's walk of the process. */
static void walk_scene(struct scene *scene, struct lruvec *lruvec)
{
	struct reclaim_state state = {};
	struct lru_gen_mm_walk *walk = begin_reclaim(&state, lruvec, true);

	if (IS_ENABLED(CONFIG_LRU_GEN_WALKS_MMU))
		lineage_walk_mm(scene->mm, walk);
	else
		walk_without_hardware(scene->mm, walk);
	end_reclaim(walk);
}

/* How many generations are younger than that of the folio; -1 if it is in none. */
static int age_of(struct folio *folio)
{
	struct lineage_lru_gen *lrugen = &folio_lruvec(folio)->lrugen;
	int gen = folio_lru_gen(folio);

	for (int age = 0; gen >= 0 && age < MAX_NR_GENS; age++)
		if (lru_gen_from_seq(lrugen->max_seq - age) == gen)
			return age;
	return -1;
}

/* Is it in one of the two generations that are out of reach of eviction? */
static bool is_young(struct folio *folio)
{
	int age = age_of(folio);

	return age >= 0 && age < MIN_NR_GENS;
}
