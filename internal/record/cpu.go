package record

// CPU is what this host's processors did during a transfer. Shares are of one
// core: a program that keeps two cores busy has 2.
type CPU struct {
	// From is when the counters were read first, since the transfer began, and
	// Time how long later the last time: the start of a stream is left out.
	From  float64 `json:"from_s"`
	Time  float64 `json:"time_s"`
	Cores []Core  `json:"cores"`
	// Programs are the tunnel's program, this one, and the others that took most.
	Programs []ProgramUse `json:"programs"`
	// Groups are the control groups around the tunnel's program and this one
	// that bound their time.
	Groups []GroupUse `json:"cgroups,omitempty"`
	// Unknown says what could not be read, and why.
	Unknown []string `json:"unknown,omitempty"`
}

// Core is one core's time.
type Core struct {
	Core    int     `json:"core"`
	Busy    float64 `json:"busy_ratio"`    // all but idle and stolen
	SoftIRQ float64 `json:"softirq_ratio"` // of that, packets that the kernel passes on
	// Kernel is programs' time in the kernel: what they ask of it, and packets that
	// it passes on for them meanwhile outside of SoftIRQ. 0 in records of before.
	Kernel float64 `json:"kernel_ratio,omitempty"`
	Stolen float64 `json:"stolen_ratio,omitempty"` // by other guests of a hypervisor
	// By is who else kept it busy, the most first. A program's threads move: each
	// is counted where it was seen.
	By []CoreUse `json:"by"`
}

// CoreUse is what of a core one program or kernel thread took.
type CoreUse struct {
	Name  string  `json:"name"`
	Role  Role    `json:"role"`
	Share float64 `json:"ratio"`
}

// Role is what a program has to do with the transfer.
type Role string

const (
	TunnelProgram Role = "tunnel" // carries the tunnel's packets
	Measuring     Role = "self"   // unchoke
	KernelThread  Role = "kernel-thread"
	OtherProgram  Role = "other"
)

// ProgramUse is a program's time.
type ProgramUse struct {
	Name  string  `json:"name"`
	PID   int     `json:"pid"`
	Role  Role    `json:"role"`
	Cores float64 `json:"cores"` // that it kept busy
	// Thread is the share of its busiest thread, and Waited for how many of its
	// threads at once, on average, a core was lacking while they could have run.
	// Both are of the tunnel's program and this one alone.
	Thread float64 `json:"busiest_thread_ratio,omitempty"`
	Waited float64 `json:"waited_ratio,omitempty"`
}

// GroupUse is what a control group with a limit did.
type GroupUse struct {
	Path      string  `json:"path"`
	Version   int     `json:"version"`
	Role      Role    `json:"role"`        // whose group it is
	Cores     float64 `json:"limit_cores"` // that it may keep busy
	Used      float64 `json:"used_cores,omitempty"`
	Periods   int64   `json:"periods"`
	Throttled int64   `json:"throttled_periods"`
}
