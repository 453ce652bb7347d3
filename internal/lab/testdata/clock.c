/*
 * Reads the clock by turns as libc does, in the program's own memory, and by a system
 * call: in threads and children, and again after the time was set. Prints how often
 * one was behind the other.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define CHILDREN 3
#define ROUNDS 2000

static int *behind; /* shared with the children */

static long ns(struct timespec t) { return t.tv_sec * 1000000000L + t.tv_nsec; }

static long by_memory(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return ns(t);
}

static long by_call(clockid_t clock)
{
	struct timespec t;

	syscall(SYS_clock_gettime, clock, &t);
	return ns(t);
}

static long by_timeval(clockid_t clock)
{
	struct timeval t;

	gettimeofday(&t, NULL);
	return t.tv_sec * 1000000000L + t.tv_usec * 1000;
}

static void in_order(clockid_t clock, long (*read)(clockid_t), long grain)
{
	long last = 0;

	for (int i = 0; i < ROUNDS; i++) {
		long before = read(clock), now = by_call(clock), after = read(clock);

		if (before < last || now < before || after < now - grain)
			__atomic_add_fetch(behind, 1, __ATOMIC_RELAXED);
		last = after;
		if (i % 100 == 0)
			usleep(i);
	}
}

static void *read_all(void *unused)
{
	in_order(CLOCK_MONOTONIC, by_memory, 0);
	in_order(CLOCK_REALTIME, by_memory, 0);
	in_order(CLOCK_REALTIME, by_timeval, 1000);
	return NULL;
}

static void read_everywhere(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < CHILDREN; i++)
		if (!fork()) {
			read_all(NULL);
			_exit(0);
		}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, read_all, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	struct timespec set = { .tv_sec = 2000000000 };

	behind = mmap(NULL, sizeof(*behind), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	read_everywhere();
	if (clock_settime(CLOCK_REALTIME, &set) || by_memory(CLOCK_REALTIME) / 1000000000 != set.tv_sec)
		++*behind;
	read_everywhere();
	printf("%d behind\n", *behind);
	return 0;
}
