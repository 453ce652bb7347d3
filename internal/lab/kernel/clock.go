package kernel

// clock is what the virtual clock needs beyond what ARCH=um has.
var clock = []edit{fineClock, sharedClock, clockOfKernel, clockPage, clockLayout, clockRead}

// The clock counts steps of 256 ns, of which a tick of 1 ms is no whole number.
// The kernel makes up for the remainder by running the clock now a little
// faster and now slower, so that the same second is never of the same length
// twice. In steps of 1 ns it is.
var fineClock = edit{"clock of 1 ns", "arch/um/include/linux/time-internal.h", []change{{
	old: "#define TIMER_MULTIPLIER 256\n",
	new: "#define TIMER_MULTIPLIER 1\n",
}}}

// A system call is what virtual time costs, and half of a Go program's read the
// clock. So the clock is in a page that each program has in its memory, where its
// vDSO reads it, and moves it on, as the kernel would. What is due next is there
// as well: only a read that goes beyond it is a system call.
//
// Under time-travel=inf-cpu, time passes while a program runs only as it reads
// the clock, by 256 ns. A program that waits by reading the clock, as iperf3's
// client does for a round trip at its start, so takes minutes for a second. Here
// reading costs more the longer the machine has not been idle: double after
// every 256 reads, up to 16 us, and so never more than 1/256 of the wait.
//
// A program that never waits so can have that many reads for nothing as it
// writes to /sys/module/time/parameters/free_reads, each time that the machine
// was idle: then it leaves the time as it is however often it or the kernel
// reads the clock on its behalf.
var sharedClock = edit{"shared clock", "arch/um/include/shared/timetravel.h", []change{{
	old: "void _time_travel_print_bc_msg(void);\n",
	new: `/* In a page of each program: arch/x86/um/vdso. */
struct time_travel_clock {
	unsigned long long time;	/* in ns since the machine's start */
	unsigned long long next;	/* event */
	unsigned long long offset[2];	/* from time to CLOCK_REALTIME and CLOCK_MONOTONIC */
	unsigned int reads;		/* since the machine was idle */
	unsigned int free_reads;
	int exact;			/* the offsets are all that there is to it */
};

/* Also of drivers/char/random.c. */
extern struct time_travel_clock *time_travel_clock;

void time_travel_share_clock(struct time_travel_clock *c);

static inline unsigned int time_travel_read_cost(unsigned int reads, unsigned int free_reads)
{
	unsigned int doubled;

	if (reads < free_reads)
		return 0;
	doubled = (reads - free_reads) / 256;
	return 256U << (doubled < 6 ? doubled : 6);
}

void _time_travel_print_bc_msg(void);
`,
}}}

// While a program runs, an interrupt may set an event for a time that the program
// passes in the same moment: such an event is late, and no reason to stop.
var clockOfKernel = edit{"clock of the kernel", "arch/um/kernel/time.c", []change{{
	old: "#include <linux/init.h>\n",
	new: "#include <linux/init.h>\n#include <linux/moduleparam.h>\n#include <linux/pvclock_gtod.h>\n#include <linux/timekeeper_internal.h>\n",
}, {
	old: "static unsigned long long time_travel_time;\n",
	new: `static struct time_travel_clock time_travel_early_clock;
struct time_travel_clock *time_travel_clock = &time_travel_early_clock;
#define time_travel_time time_travel_clock->time
static unsigned int time_travel_free_reads;
`,
}, {
	old: `	time_travel_next_event = tmp->time;
	local_irq_restore(flags);
`,
	new: `	time_travel_next_event = tmp->time;
	time_travel_clock->next = tmp->time;
	local_irq_restore(flags);
`,
}, {
	old: `	list_del(&e->list);
	e->pending = false;
	local_irq_restore(flags);
	return true;
`,
	new: `	list_del(&e->list);
	e->pending = false;
	e = time_travel_first_event();
	time_travel_clock->next = e ? e->time : S64_MAX;
	local_irq_restore(flags);
	return true;
`,
}, {
	old: `		__time_travel_update_time(e->time, idle);
`,
	new: `		__time_travel_update_time(max(e->time, time_travel_time), idle);
`,
}, {
	old: `			BUG_ON(time_travel_time != e->time);
`,
	new: `			BUG_ON(time_travel_time < e->time);
`,
}, {
	old: `void time_travel_sleep(void)
{
`,
	new: `static int time_travel_set_free_reads(const char *val, const struct kernel_param *kp)
{
	int err = param_set_uint(val, kp);

	if (!err)
		time_travel_clock->free_reads = time_travel_free_reads;
	return err;
}

static const struct kernel_param_ops time_travel_free_reads_ops = {
	.set = time_travel_set_free_reads,
	.get = param_get_uint,
};
module_param_cb(free_reads, &time_travel_free_reads_ops, &time_travel_free_reads, 0600);

void time_travel_sleep(void)
{
	time_travel_clock->reads = 0;

`,
}, {
	old: `		if (!irqs_disabled() && !in_interrupt() && !in_softirq() &&
		    !time_travel_ext_waiting)
			time_travel_update_time_rel(TIMER_MULTIPLIER);
`,
	new: `		if (!irqs_disabled() && !in_interrupt() && !in_softirq() &&
		    !time_travel_ext_waiting) {
			unsigned int cost = time_travel_read_cost(time_travel_clock->reads++,
								  time_travel_clock->free_reads);

			if (cost)
				time_travel_update_time_rel(cost);
		}
`,
}, {
	old: `static void __init um_timer_setup(void)
{
`,
	new: `static int time_travel_clock_set(struct notifier_block *nb, unsigned long was_set, void *data)
{
	struct timekeeper *tk = data;
	struct tk_read_base *base = &tk->tkr_mono;
	u64 ns = (base->xtime_nsec >> base->shift) - base->cycle_last;

	time_travel_clock->offset[CLOCK_REALTIME] = tk->xtime_sec * NSEC_PER_SEC + ns;
	time_travel_clock->offset[CLOCK_MONOTONIC] = base->base + ns;
	time_travel_clock->exact = time_travel_mode == TT_MODE_INFCPU &&
		base->clock == &timer_clocksource && base->mult == 1U << base->shift;
	return NOTIFY_OK;
}

static struct notifier_block time_travel_clock_notifier = {
	.notifier_call = time_travel_clock_set,
};

/* From here on the clock is at c, in a page that programs have as well. */
void __init time_travel_share_clock(struct time_travel_clock *c)
{
	unsigned long flags;

	local_irq_save(flags);
	*c = *time_travel_clock;
	time_travel_clock = c;
	local_irq_restore(flags);
	pvclock_gtod_register_notifier(&time_travel_clock_notifier);
}

static void __init um_timer_setup(void)
{
`,
}}}

var clockPage = edit{"clock page", "arch/x86/um/vdso/vma.c", []change{{
	old: "#include <linux/init.h>\n",
	new: "#include <linux/init.h>\n#include <shared/timetravel.h>\n",
}, {
	old: "static struct page **vdsop;\n",
	new: `static struct page **vdsop;

static struct page *clock_page;

/* Its programs move the clock: the page is the same for all of them, and writable. */
static vm_fault_t clock_fault(const struct vm_special_mapping *sm,
			      struct vm_area_struct *vma, struct vm_fault *vmf)
{
	return vmf_insert_pfn(vma, vmf->address, page_to_pfn(clock_page));
}
`,
}, {
	old: `	copy_page(page_address(um_vdso), vdso_start);
	*vdsop = um_vdso;
`,
	new: `	copy_page(page_address(um_vdso), vdso_start);
	*vdsop = um_vdso;

	clock_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!clock_page)
		goto oom;
	time_travel_share_clock(page_address(clock_page));
`,
}, {
	old: `		.name = "[vdso]",
	};
`,
	new: `		.name = "[vdso]",
	};
	static struct vm_special_mapping clock_mapping = {
		.name = "[vvar]",
		.fault = clock_fault,
	};
`,
}, {
	old: `		&vdso_mapping);

	mmap_write_unlock(mm);
`,
	new: `		&vdso_mapping);
	if (!IS_ERR(vma))
		vma = _install_special_mapping(mm, um_vdso_addr - PAGE_SIZE, PAGE_SIZE,
			VM_READ|VM_WRITE|VM_SHARED|
			VM_MAYREAD|VM_MAYWRITE|VM_MAYSHARE|
			VM_IO|VM_DONTDUMP|VM_PFNMAP,
			&clock_mapping);

	mmap_write_unlock(mm);
`,
}}}

var clockLayout = edit{"clock beside the vDSO", "arch/x86/um/vdso/vdso-layout.lds.S", []change{{
	old: "	. = VDSO_PRELINK + SIZEOF_HEADERS;\n",
	new: "	vdso_clock = VDSO_PRELINK - 0x1000;\n	. = VDSO_PRELINK + SIZEOF_HEADERS;\n",
}}}

var clockRead = edit{"clock without a system call", "arch/x86/um/vdso/um_vdso.c", []change{{
	old: "#include <asm/unistd.h>\n",
	new: "#include <asm/unistd.h>\n#include <shared/timetravel.h>\n",
}, {
	old: `int __vdso_clock_gettime(clockid_t clock, struct __kernel_old_timespec *ts)
{
	long ret;
`,
	new: `extern volatile struct time_travel_clock vdso_clock __attribute__((visibility("hidden")));

/*
 * Reads CLOCK_REALTIME or CLOCK_MONOTONIC in ns as the kernel would, unless it has
 * to do something before. One instruction moves the clock, since another program
 * may come in between.
 */
static int read_clock(clockid_t clock, unsigned long long *ns)
{
	unsigned int reads = vdso_clock.reads;
	unsigned long long cost = time_travel_read_cost(reads, vdso_clock.free_reads), time = cost;

	if (!vdso_clock.exact || (cost && vdso_clock.time + cost >= vdso_clock.next))
		return 0;
	vdso_clock.reads = reads + 1;
	asm volatile("xaddq %0, %1" : "+r" (time), "+m" (vdso_clock.time) : : "cc");
	*ns = time + cost + vdso_clock.offset[clock];
	return 1;
}

int __vdso_clock_gettime(clockid_t clock, struct __kernel_old_timespec *ts)
{
	unsigned long long ns;
	long ret;

	if ((clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && read_clock(clock, &ns)) {
		ts->tv_sec = ns / 1000000000;
		ts->tv_nsec = ns % 1000000000;
		return 0;
	}
`,
}, {
	old: `int __vdso_gettimeofday(struct __kernel_old_timeval *tv, struct timezone *tz)
{
	long ret;
`,
	new: `int __vdso_gettimeofday(struct __kernel_old_timeval *tv, struct timezone *tz)
{
	unsigned long long ns;
	long ret;

	if (tv && !tz && read_clock(CLOCK_REALTIME, &ns)) {
		tv->tv_sec = ns / 1000000000;
		tv->tv_usec = ns % 1000000000 / 1000;
		return 0;
	}
`,
}}}
