/*
 * Stands before the C library for Debian 12's user-mode-linux, whose kernel keeps room
 * for 2,696 bytes of floating point and vector registers. A processor with AMX has
 * 11,008, and ptrace sets all of them or none, so that the guest would end as its init
 * starts. What is beyond that room is never used there, and is set to nothing.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned char all[16384];

static long call(long request, pid_t pid, void *addr, void *data)
{
	return syscall(SYS_ptrace, request, pid, addr, data);
}

static long registers(long request, pid_t pid, struct iovec *some)
{
	struct iovec whole = { all, sizeof(all) };
	long err;

	if (request == PTRACE_SETREGSET) {
		memset(all, 0, sizeof(all));
		memcpy(all, some->iov_base, some->iov_len);
		return call(request, pid, (void *)NT_X86_XSTATE, &whole);
	}
	err = call(request, pid, (void *)NT_X86_XSTATE, &whole);
	if (err)
		return err;
	if (some->iov_len > whole.iov_len)
		some->iov_len = whole.iov_len;
	memcpy(some->iov_base, all, some->iov_len);
	return 0;
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list args;
	pid_t pid;
	void *addr, *data;
	long word;

	va_start(args, request);
	pid = va_arg(args, pid_t);
	addr = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);

	switch (request) {
	case PTRACE_GETREGSET:
	case PTRACE_SETREGSET:
		if (addr == (void *)NT_X86_XSTATE)
			return registers(request, pid, data);
		break;
	case PTRACE_PEEKTEXT:
	case PTRACE_PEEKDATA:
	case PTRACE_PEEKUSER: /* the kernel stores what the C library returns */
		if (call(request, pid, addr, &word) < 0)
			return -1;
		errno = 0;
		return word;
	default:
		break;
	}
	return call(request, pid, addr, data);
}
