package kernel

// A processor with AMX has 11,008 bytes of floating point and vector registers. ARCH=um
// keeps room for 2,696, and ptrace sets all of them or none (xstateregs_set), so that
// the machine's init dies as it starts. Linux 6.13 asks how many there are. The room for
// a second copy goes: userspace() saves the registers whenever a program stops, and sets
// them before it goes on. Signal handlers keep a copy on their stack, which is larger
// for it (KERNEL_STACK_ORDER in lab.config).
var wideRegisters = []edit{
	{"wide registers", "arch/x86/um/user-offsets.c", []change{{
		old: "	DEFINE_LONGS(HOST_FP_SIZE, 2696);\n",
		new: "	DEFINE_LONGS(HOST_FP_SIZE, 16384);\n",
	}}},
	{"wide registers: no second copy", "arch/um/os-Linux/skas/process.c", []change{{
		old: `static void get_skas_faultinfo(int pid, struct faultinfo *fi, unsigned long *aux_fp_regs)
{
	int err;

	err = get_fp_registers(pid, aux_fp_regs);
	if (err < 0) {
		printk(UM_KERN_ERR "save_fp_registers returned %d\n",
		       err);
		fatal_sigsegv();
	}
`,
		new: `static void get_skas_faultinfo(int pid, struct faultinfo *fi)
{
	int err;

`,
	}, {
		old: `	memcpy(fi, (void *)current_stub_stack(), sizeof(*fi));

	err = put_fp_registers(pid, aux_fp_regs);
	if (err < 0) {
		printk(UM_KERN_ERR "put_fp_registers returned %d\n",
		       err);
		fatal_sigsegv();
	}
}

static void handle_segv(int pid, struct uml_pt_regs *regs, unsigned long *aux_fp_regs)
{
	get_skas_faultinfo(pid, &regs->faultinfo, aux_fp_regs);
`,
		new: `	memcpy(fi, (void *)current_stub_stack(), sizeof(*fi));
}

static void handle_segv(int pid, struct uml_pt_regs *regs)
{
	get_skas_faultinfo(pid, &regs->faultinfo);
`,
	}, {
		old: "void userspace(struct uml_pt_regs *regs, unsigned long *aux_fp_regs)\n",
		new: "void userspace(struct uml_pt_regs *regs)\n",
	}, {
		old: `					get_skas_faultinfo(pid,
							   &regs->faultinfo, aux_fp_regs);
`,
		new: `					get_skas_faultinfo(pid, &regs->faultinfo);
`,
	}, {
		old: "handle_segv(pid, regs, aux_fp_regs);",
		new: "handle_segv(pid, regs);",
	}}},
	{"wide registers: no second copy's room", "arch/um/include/asm/thread_info.h", []change{{
		old: `	unsigned long aux_fp_regs[FP_SIZE];	/* auxiliary fp_regs to save/restore
						   them out-of-band */
`,
	}}},
	{"wide registers: no second copy's name", "arch/um/include/shared/os.h", []change{{
		old: "extern void userspace(struct uml_pt_regs *regs, unsigned long *aux_fp_regs);\n",
		new: "extern void userspace(struct uml_pt_regs *regs);\n",
	}}},
	{"wide registers: no second copy's use", "arch/um/kernel/process.c", []change{{
		old: `	fn(arg);
	userspace(&current->thread.regs.regs, current_thread_info()->aux_fp_regs);
`,
		new: `	fn(arg);
	userspace(&current->thread.regs.regs);
`,
	}, {
		old: `	current->thread.prev_sched = NULL;

	userspace(&current->thread.regs.regs, current_thread_info()->aux_fp_regs);
`,
		new: `	current->thread.prev_sched = NULL;

	userspace(&current->thread.regs.regs);
`,
	}}},
	// A timer's interrupt clears a copy that has none of them.
	{"wide registers: no empty copy", "arch/um/os-Linux/signal.c", []change{{
		old: "		memset(&regs, 0, sizeof(regs));\n",
		new: "		memset(regs.gp, 0, sizeof(regs.gp));\n",
	}, {
		old: "	timer_handler(SIGALRM, NULL, &regs);\n",
		new: "	regs.is_user = 0;\n	timer_handler(SIGALRM, NULL, &regs);\n",
	}}},
}
