/*
 * Threads and children hold numbers in vector registers across system calls, page
 * faults and signals whose handlers overwrite them. Prints how many came back wrong.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 6
#define CHILDREN 10
#define ROUNDS 1500

static volatile int wrong;

static void overwrite(int sig)
{
	asm volatile("pxor %%xmm5,%%xmm5\n pxor %%xmm6,%%xmm6" ::: "xmm5", "xmm6");
}

/* Two system calls, after the second of which another thread may run. */
static void across_calls(const unsigned long *in)
{
	unsigned long five[2], six[2];

	asm volatile("movdqu (%2),%%xmm5\n movdqu (%2),%%xmm6\n"
		     "mov %3,%%eax\n syscall\n mov %4,%%eax\n syscall\n"
		     "movdqu %%xmm5,(%0)\n movdqu %%xmm6,(%1)\n"
		     :: "r"(five), "r"(six), "r"(in), "i"(SYS_getppid), "i"(SYS_sched_yield)
		     : "rax", "rcx", "r11", "memory", "xmm5", "xmm6");
	wrong += memcmp(in, five, sizeof(five)) || memcmp(in, six, sizeof(six));
}

static void across_faults(const unsigned long *in, char *fresh)
{
	unsigned long five[2];

	asm volatile("movdqu (%1),%%xmm5\n movb $1,(%2)\n movb $1,200000(%2)\n movdqu %%xmm5,(%0)\n"
		     :: "r"(five), "r"(in), "r"(fresh) : "memory", "xmm5");
	wrong += memcmp(in, five, sizeof(five)) != 0;
}

static void across_signal(const unsigned long *in)
{
	unsigned long five[2];
	long pid = getpid(), tid = syscall(SYS_gettid);

	asm volatile("movdqu (%1),%%xmm5\n mov %5,%%eax\n syscall\n movdqu %%xmm5,(%0)\n"
		     :: "r"(five), "r"(in), "D"(pid), "S"(tid), "d"((long)SIGUSR1), "i"(SYS_tgkill)
		     : "rax", "rcx", "r11", "memory", "xmm5");
	wrong += memcmp(in, five, sizeof(five)) != 0;
}

static void *hold(void *number)
{
	char *fresh;

	for (long i = 0; i < ROUNDS; i++) {
		unsigned long in[2] = { (long)number * 1000003 + i, i };

		across_calls(in);
		if (i % 20 == 0) {
			fresh = malloc(300000); /* mapped anew each time */
			across_faults(in, fresh);
			free(fresh);
		}
		if (i % 50 == 0)
			across_signal(in);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int status;

	signal(SIGUSR1, overwrite);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hold, (void *)(i + 1));
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() == 0) {
			wrong = 0;
			hold((void *)77);
			_exit(wrong != 0);
		}
		wait(&status);
		wrong += status != 0;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d wrong\n", wrong);
	return 0;
}
