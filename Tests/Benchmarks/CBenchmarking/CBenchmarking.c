#define _GNU_SOURCE
#include "CBenchmarking.h"

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* In the child, which shares this process's memory until it is the program: system calls and nothing else. */
static void become(const char *path, char *const *arguments, const int *streams, pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) return;
    for (int target = 0; target < 3; target++) {
        if (dup2(streams[target], target) < 0) return;
    }
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &action, NULL);
    execve(path, arguments, environ);
}

pid_t cbenchmarking_spawn(const char *path, char *const *arguments, const int *streams) {
    pid_t parent = getpid();
    volatile int failure = 0;
    /* vfork: a start is measured, and a copy of this process's tables is no part of it. */
    pid_t child = vfork();
    if (child == 0) {
        become(path, arguments, streams, parent);
        failure = errno;
        _exit(127);
    }
    if (child < 0) return -errno;
    return failure == 0 ? child : -failure;
}

static cpu_set_t allowed;

int cbenchmarking_pin(void) {
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -errno;
    int core = CPU_SETSIZE - 1;
    while (core > 0 && !CPU_ISSET(core, &allowed)) core--;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : -errno;
}

void cbenchmarking_unpin(void) { sched_setaffinity(0, sizeof allowed, &allowed); }

long long cbenchmarking_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

size_t cbenchmarking_allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
