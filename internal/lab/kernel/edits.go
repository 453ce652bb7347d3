package kernel

import (
	"fmt"
	"os"
	"path/filepath"
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

var edits = []edit{hertz, seededRandom, spinningClock}

// HZ has no prompt under ARCH=um. At the default of 100, CUBIC's clock and the
// retransmission timer step by 10 ms.
var hertz = edit{"HZ=1000", "arch/um/Kconfig", []change{{
	old: "config HZ\n\tint\n\tdefault 100\n",
	new: "config HZ\n\tint\n\tdefault 1000\n",
}}}

// The kernel's random numbers come from the host, and with them ports, initial
// sequence numbers and the phase in which BBR starts probing. A machine booted
// with uml_seed=N draws them from a generator instead (splitmix64: Steele, Lea
// and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
var seededRandom = edit{"uml_seed=", "arch/um/os-Linux/util.c", []change{{
	old: `ssize_t os_getrandom(void *buf, size_t len, unsigned int flags)
{
`,
	new: `static int uml_seeded;
static unsigned long long uml_seed;

static int __init uml_seed_param(char *str, int *add)
{
	uml_seed = strtoull(str, NULL, 0);
	uml_seeded = 1;
	return 0;
}

__uml_setup("uml_seed=", uml_seed_param,
"uml_seed=<number>\n"
"    Draws random numbers from a generator with this seed, not from the host.\n\n");

static void uml_seeded_random(unsigned char *buf, size_t len)
{
	unsigned long long x = 0;
	size_t i;

	for (i = 0; i < len; i++, x >>= 8) {
		if (i % sizeof(x) == 0) {
			x = (uml_seed += 0x9e3779b97f4a7c15ULL);
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
		uml_seeded_random(buf, len);
		return len;
	}

`,
}}}

// Under time-travel=inf-cpu, time passes while a program runs only as it reads
// the clock, by 256 ns. A program that waits by reading the clock, as iperf3's
// client does for a round trip at its start, so takes minutes for a second. Here
// reading costs more the longer the machine has not been idle: double after
// every 256 reads, up to 16 us, and so never more than 1/256 of the wait.
var spinningClock = edit{"spinning clock", "arch/um/kernel/time.c", []change{{
	old: `void time_travel_sleep(void)
{
`,
	new: `static unsigned int time_travel_reads;

static unsigned long long time_travel_read_cost(void)
{
	unsigned int doublings = time_travel_reads / 256;

	if (doublings >= 6)
		return TIMER_MULTIPLIER << 6;
	time_travel_reads++;
	return TIMER_MULTIPLIER << doublings;
}

void time_travel_sleep(void)
{
	time_travel_reads = 0;

`,
}, {
	old: "time_travel_update_time_rel(TIMER_MULTIPLIER);",
	new: "time_travel_update_time_rel(time_travel_read_cost());",
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
