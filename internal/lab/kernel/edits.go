package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An edit changes the kernel's source where no configuration option can: it
// replaces texts that stand in a file exactly once.
type edit struct {
	what    string
	file    string
	changes []change
}

type change struct{ old, new string }

var edits = slices.Concat([]edit{hertz, nearCode, seededRandom, reseededRandom, needlessAlarm, patientRing, stampedCompletions, endlessComputing, dyingDentries}, clock, registers)

// HZ has no prompt under ARCH=um. At the default of 100, CUBIC's clock and the
// retransmission timer step by 10 ms.
var hertz = edit{"HZ=1000", "arch/um/Kconfig", []change{{
	old: "config HZ\n\tint\n\tdefault 100\n",
	new: "config HZ\n\tint\n\tdefault 1000\n",
}}}

// ARCH=um compiles for modules that may be loaded anywhere: every call and every
// global's address is 64 bits wide and goes through a register. This kernel has
// no modules and is linked below 2 GiB.
var nearCode = edit{"small code model", "arch/um/Makefile", []change{{
	old: "	KBUILD_CFLAGS += -mcmodel=large\n",
	new: "	KBUILD_CFLAGS += -mcmodel=small\n",
}}}

// The kernel's random numbers come from the host, and with them ports, initial
// sequence numbers and the phase in which BBR starts probing. A machine booted
// with uml_seed=N draws them from generators instead (splitmix64: Steele, Lea
// and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
// here what the kernel would ask of the host, now and then on its own account.
var seededRandom = edit{"uml_seed=", "arch/um/os-Linux/util.c", []change{{
	old: `ssize_t os_getrandom(void *buf, size_t len, unsigned int flags)
{
`,
	new: `/* Also of drivers/char/random.c, and so not static. */
int uml_seeded;
unsigned long long uml_seed;
void uml_random(unsigned long long *state, unsigned char *buf, size_t len);

static unsigned long long uml_boot_seed;

static int __init uml_seed_param(char *str, int *add)
{
	uml_seed = uml_boot_seed = strtoull(str, NULL, 0);
	uml_seeded = 1;
	return 0;
}

__uml_setup("uml_seed=", uml_seed_param,
"uml_seed=<number>\n"
"    Draws random numbers from a generator with this seed, not from the host.\n\n");

void uml_random(unsigned long long *state, unsigned char *buf, size_t len)
{
	unsigned long long x = 0;
	size_t i;

	for (i = 0; i < len; i++, x >>= 8) {
		if (i % sizeof(x) == 0) {
			x = (*state += 0x9e3779b97f4a7c15ULL);
			x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
			x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
			x ^= x >> 31;
		}
		buf[i] = x;
	}
}

ssize_t os_getrandom(void *buf, size_t len, unsigned int flags)
{
	if (uml_seeded) {
		uml_random(&uml_boot_seed, buf, len);
		return len;
	}

`,
}}}

// And here what is asked of the kernel. Its own pool and batches would carry
// what one program drew over to the next. These numbers follow from the seed
// and the time since it was set, by writing to
// /sys/module/random/parameters/seed, alone: what else draws some, at other
// moments, changes nothing.
var reseededRandom = edit{"random.seed", "drivers/char/random.c", []change{{
	old: `static void _get_random_bytes(void *buf, size_t len)
{
`,
	new: `#include <linux/moduleparam.h>
#include <shared/timetravel.h>

extern int uml_seeded;
extern unsigned long long uml_seed;
extern void uml_random(unsigned long long *state, unsigned char *buf, size_t len);

static unsigned long long uml_seeded_at, uml_drawn_at, uml_state;

static int uml_seed_set(const char *val, const struct kernel_param *kp)
{
	int err = param_set_ullong(val, kp);

	if (!err) {
		uml_seeded_at = time_travel_clock->time;
		uml_drawn_at = -1;
	}
	return err;
}

static const struct kernel_param_ops uml_seed_ops = { .set = uml_seed_set, .get = param_get_ullong };
module_param_cb(seed, &uml_seed_ops, &uml_seed, 0600);

static void uml_draw(void *buf, size_t len)
{
	if (uml_drawn_at != time_travel_clock->time || !uml_state) {
		unsigned long long since = time_travel_clock->time - uml_seeded_at;

		uml_random(&since, (void *)&uml_state, sizeof(uml_state));
		uml_state ^= uml_seed;
		uml_drawn_at = time_travel_clock->time;
	}
	uml_random(&uml_state, buf, len);
}

static void _get_random_bytes(void *buf, size_t len)
{
`,
}, {
	old: `	if (!len)
		return;

	first_block_len = min_t(size_t, 32, len);
`,
	new: `	if (!len)
		return;

	if (uml_seeded) {
		uml_draw(buf, len);
		return;
	}

	first_block_len = min_t(size_t, 32, len);
`,
}, {
	old: "	if  (!crng_ready()) {							\\\n",
	new: "	if  (!crng_ready() || uml_seeded) {					\\\n",
}}}

// The timer's interrupt also stops the process that it met, so that its own
// timers work where time is the host's. In virtual time it costs two of the
// host's context switches and does nothing.
var needlessAlarm = edit{"needless alarm", "arch/um/kernel/time.c", []change{{
	old: `	if (get_current()->mm != NULL)
	{
`,
	new: `	if (get_current()->mm != NULL && time_travel_mode != TT_MODE_INFCPU)
	{
`,
}}}

// A task that waits for completions of an io_uring also wakes whenever one of
// its timeouts has expired, however many it waits for. So a chain of sleeps and
// writes would cost a system call a sleep, and those are what virtual time
// costs.
var patientRing = edit{"patient io_uring", "io_uring/io_uring.h", []change{{
	old: "return dist >= 0 || atomic_read(&ctx->cq_timeouts) != iowq->nr_timeouts;",
	new: "return dist >= 0;",
}}}

// A chain of reads tells how many bytes each had, and not when. Here a
// completion of 32 bytes says so, on the monotonic clock, in the place that
// NVMe's drivers have for their own results.
var stampedCompletions = edit{"stamped completions", "io_uring/io_uring.h", []change{{
	old: "#include <linux/poll.h>\n",
	new: "#include <linux/poll.h>\n#include <linux/timekeeping.h>\n",
}, {
	old: `		memset(&req->big_cqe, 0, sizeof(req->big_cqe));
	}
	return true;
`,
	new: `		memset(&req->big_cqe, 0, sizeof(req->big_cqe));
		cqe->big_cqe[0] = ktime_get_ns();
	}
	return true;
`,
}}}

// Under time-travel=inf-cpu a program that makes no system call is never
// interrupted, since no time passes. One that waits for another of its threads
// so, as Go's sweeper may (go.dev/issue/73499), waits for ever. Here a program
// that has computed for a second of the host's CPU time is charged a few ticks,
// and so the scheduler has its turn; before that second nothing is different.
var endlessComputing = edit{"endless computing", "arch/um/os-Linux/skas/process.c", []change{{
	old: "#include <sched.h>\n",
	new: "#include <sched.h>\n#include <signal.h>\n#include <time.h>\n",
}, {
	old: `void userspace(struct uml_pt_regs *regs, unsigned long *aux_fp_regs)
{
`,
	new: `#define COMPUTING_WATCH_NS	250000000
#define COMPUTING_LIMIT_NS	1000000000LL
#define COMPUTING_TICKS		8
#define COMPUTING_TICK_NS	1000000

extern void time_travel_ndelay(unsigned long nsec);

static volatile unsigned long computing_entries;
static volatile int computing_pid;
static volatile int computing_endless;

static long long computing_ns(int pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void computing_watch(int sig)
{
	static unsigned long entries;
	static long long since;
	int pid = computing_pid, saved = errno;

	if (!pid || entries != computing_entries + time_travel_clock->reads) {
		entries = computing_entries + time_travel_clock->reads;
		since = pid ? computing_ns(pid) : 0;
	} else if (computing_ns(pid) - since >= COMPUTING_LIMIT_NS) {
		since = computing_ns(pid);
		computing_endless = 1;
		os_alarm_process(pid);
	}
	errno = saved;
}

static void computing_watch_start(void)
{
	static int started;
	struct itimerspec its = {
		.it_value.tv_nsec = COMPUTING_WATCH_NS,
		.it_interval.tv_nsec = COMPUTING_WATCH_NS,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGVTALRM,
	};
	struct sigaction action = {
		.sa_handler = computing_watch,
		.sa_flags = SA_ONSTACK | SA_RESTART,
	};
	timer_t timer;

	if (started || time_travel_mode != TT_MODE_INFCPU)
		return;
	started = 1;
	sigfillset(&action.sa_mask);
	if (sigaction(SIGVTALRM, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &its, NULL))
		printk(UM_KERN_ERR "%s - errno = %d\n", __func__, errno);
}

static void computing_charge(void)
{
	int i;

	if (!computing_endless)
		return;
	computing_endless = 0;
	for (i = 0; i < COMPUTING_TICKS; i++)
		time_travel_ndelay(COMPUTING_TICK_NS);
}

void userspace(struct uml_pt_regs *regs, unsigned long *aux_fp_regs)
{
`,
}, {
	old: `	/* Handle any immediate reschedules or signals */
	interrupt_end();

	while (1) {
		time_travel_print_bc_msg();
`,
	new: `	computing_watch_start();

	/* Handle any immediate reschedules or signals */
	interrupt_end();

	while (1) {
		time_travel_print_bc_msg();
`,
}, {
	old: `		if (ptrace(op, pid, 0, 0)) {
			printk(UM_KERN_ERR "%s - ptrace continue failed, op = %d, errno = %d\n",
`,
	new: `		computing_entries++;
		computing_pid = pid;
		if (ptrace(op, pid, 0, 0)) {
			printk(UM_KERN_ERR "%s - ptrace continue failed, op = %d, errno = %d\n",
`,
}, {
	old: `		regs->is_user = 1;
		if (ptrace(PTRACE_GETREGS, pid, 0, regs->gp)) {
`,
	new: `		computing_pid = 0;
		regs->is_user = 1;
		if (ptrace(PTRACE_GETREGS, pid, 0, regs->gp)) {
`,
}, {
	old: `			case SIGALRM:
				break;
			case SIGIO:
`,
	new: `			case SIGALRM:
				computing_charge();
				break;
			case SIGIO:
`,
}}}

// A task that drops the dentries below /proc/PID, when a program's threads end
// while somebody reads their files, waits for another task to finish with one of
// them: in a loop, from which a timer's tick takes the processor sooner or later.
// In virtual time no tick comes while the kernel computes, and the loop never
// ends. Here it sleeps for one.
var dyingDentries = edit{"dying dentries", "fs/dcache.c", []change{{
	old: `			if (!lock_for_kill(data.victim)) {
				spin_unlock(&data.victim->d_lock);
				rcu_read_unlock();
			} else {
				shrink_kill(data.victim);
			}
		}
		if (!list_empty(&data.dispose))
			shrink_dentry_list(&data.dispose);
	}
}
EXPORT_SYMBOL(shrink_dcache_parent);
`,
	new: `			if (!lock_for_kill(data.victim)) {
				spin_unlock(&data.victim->d_lock);
				rcu_read_unlock();
				schedule_timeout_uninterruptible(1);
			} else {
				shrink_kill(data.victim);
			}
		} else if (list_empty(&data.dispose)) {
			schedule_timeout_uninterruptible(1);
		}
		if (!list_empty(&data.dispose))
			shrink_dentry_list(&data.dispose);
	}
}
EXPORT_SYMBOL(shrink_dcache_parent);
`,
}}}

// apply makes the edit in the source tree at dir.
func (e edit) apply(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(e.file))
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("edit for %s: %w", e.what, err)
	}
	text := string(data)
	for _, c := range e.changes {
		if strings.Count(text, c.old) != 1 {
			return fmt.Errorf("edit for %s: %s does not have %q once; this kernel version needs another edit", e.what, e.file, firstLine(c.old))
		}
		text = strings.Replace(text, c.old, c.new, 1)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("edit for %s: %w", e.what, err)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func editNames() []string {
	var names []string
	for _, e := range edits {
		names = append(names, e.what)
	}
	return names
}
