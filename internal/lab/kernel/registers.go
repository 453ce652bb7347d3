package kernel

// A processor with AMX has 11,008 bytes of floating point and vector registers. ARCH=um
// keeps room for 2,696, and ptrace sets all of them or none (xstateregs_set), so that
// the machine's init dies as it starts. Linux 6.13 asks how many there are. The room for
// a second copy goes: userspace() saves the registers whenever a program stops, and sets
// them before it goes on. Signal handlers keep a copy on their stack, which is larger
// for it (KERNEL_STACK_ORDER in lab.config).
//
// Setting them takes memory from the host's kernel each time, a seventh of all time that
// a machine takes. They are set only where the process that runs a program does not have
// them any more (fp_of, fp_changed): after its stub or another thread has run in it, and
// where a signal, a clone or an exec changed them.
var registers = []edit{
	{"wide registers", "arch/x86/um/user-offsets.c", []change{{
		old: "	DEFINE_LONGS(HOST_FP_SIZE, 2696);\n",
		new: "	DEFINE_LONGS(HOST_FP_SIZE, 16384);\n",
	}}},
	{"whose registers", "arch/um/include/shared/skas/mm_id.h", []change{{
		old: "	int syscall_data_len;\n",
		new: "	int syscall_data_len;\n	struct uml_pt_regs *fp_of;\n",
	}}},
	{"nobody's registers", "arch/um/kernel/skas/mmu.c", []change{{
		old: "	new_id->stack = stack;\n",
		new: "	new_id->stack = stack;\n	new_id->fp_of = NULL;\n",
	}}},
	{"the stub's registers", "arch/um/os-Linux/skas/mem.c", []change{{
		old: "	n = ptrace_setregs(pid, syscall_regs);\n",
		new: "	mm_idp->fp_of = NULL;\n	n = ptrace_setregs(pid, syscall_regs);\n",
	}}},
	{"changed registers", "arch/x86/um/shared/sysdep/ptrace.h", []change{{
		old: "	int is_user;\n",
		new: "	int is_user;\n	int fp_changed;\n",
	}}},
	{"registers of an exec", "arch/um/kernel/exec.c", []change{{
		old: "			   current_pt_regs()->regs.fp);\n",
		new: "			   current_pt_regs()->regs.fp);\n	current_pt_regs()->regs.fp_changed = 1;\n",
	}}},
	{"registers of a signal", "arch/x86/um/signal.c", []change{{
		old: "		err = copy_from_user(regs->regs.fp, (void *)sc.fpstate,\n",
		new: "		regs->regs.fp_changed = 1;\n		err = copy_from_user(regs->regs.fp, (void *)sc.fpstate,\n",
	}}},
	{"registers of a clone", "arch/um/kernel/process.c", []change{{
		old: "	new_thread(task_stack_page(p), &p->thread.switch_buf, handler);\n",
		new: "	p->thread.regs.regs.fp_changed = 1;\n	new_thread(task_stack_page(p), &p->thread.switch_buf, handler);\n",
	}, {
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
	{"registers of a program", "arch/um/os-Linux/skas/process.c", []change{{
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

	current_mm_id()->fp_of = NULL;
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
		old: "		if (put_fp_registers(pid, regs->fp)) {\n",
		new: `		if ((current_mm_id()->fp_of != regs || regs->fp_changed) &&
		    put_fp_registers(pid, regs->fp)) {
`,
	}, {
		old: "		UPT_SYSCALL_NR(regs) = -1; /* Assume: It's not a syscall */\n",
		new: `		current_mm_id()->fp_of = regs;
		regs->fp_changed = 0;

		UPT_SYSCALL_NR(regs) = -1; /* Assume: It's not a syscall */
`,
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
	{"no second copy of registers", "arch/um/include/asm/thread_info.h", []change{{
		old: `	unsigned long aux_fp_regs[FP_SIZE];	/* auxiliary fp_regs to save/restore
						   them out-of-band */
`,
	}}},
	{"no second copy in a call", "arch/um/include/shared/os.h", []change{{
		old: "extern void userspace(struct uml_pt_regs *regs, unsigned long *aux_fp_regs);\n",
		new: "extern void userspace(struct uml_pt_regs *regs);\n",
	}}},
	// A timer's interrupt clears a copy that has none of them.
	{"a timer's registers", "arch/um/os-Linux/signal.c", []change{{
		old: "		memset(&regs, 0, sizeof(regs));\n",
		new: "		memset(regs.gp, 0, sizeof(regs.gp));\n",
	}, {
		old: "	timer_handler(SIGALRM, NULL, &regs);\n",
		new: "	regs.is_user = 0;\n	timer_handler(SIGALRM, NULL, &regs);\n",
	}}},
}
