#define _GNU_SOURCE
#include "CLinux.h"

#ifdef __linux__

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What the process prints goes through pipes that a thread drains. A process that crashes must not lose what is in them,
   which is the reason for the crash as a rule. All that the handler uses is set before it is installed, and each call in it
   is async-signal-safe. */

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
enum { signal_count = sizeof signals / sizeof *signals };

static struct sigaction previous_actions[signal_count];
static int real_descriptors[2];
static int printed_descriptors[2];
static int printed_count = 0;
static int wake_descriptor = -1;
static atomic_flag has_crashed = ATOMIC_FLAG_INIT;
static atomic_int has_drained = 0;

/* The longest time that the thread has to write what was printed. */
static const int drain_milliseconds = 1000;

static void drain(void) {
    if (atomic_flag_test_and_set(&has_crashed)) return;
    /* What is printed from here on, by the handlers that come next, goes out directly. */
    for (int index = 0; index < printed_count; index++) dup2(real_descriptors[index], printed_descriptors[index]);
    uint64_t one = 1;
    ssize_t ignored = write(wake_descriptor, &one, sizeof one);
    (void)ignored;
    struct timespec millisecond = {0, 1000000};
    for (int waited = 0; waited < drain_milliseconds && !atomic_load(&has_drained); waited++)
        nanosleep(&millisecond, NULL);
}

static void handle_crash(int signal, siginfo_t *info, void *context) {
    int saved_errno = errno;
    drain();
    errno = saved_errno;
    for (int index = 0; index < signal_count; index++) {
        if (signals[index] != signal) continue;
        struct sigaction previous = previous_actions[index];
        sigaction(signal, &previous, NULL);
        if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(signal, info, context);
        if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
    }
    /* A fault comes again when the instruction does; a signal that somebody sent has to be sent again. */
    if (info->si_code <= 0) raise(signal);
}

void clinux_drain_at_crash(const int *real, const int *printed, int count, int wake) {
    for (int index = 0; index < count && index < 2; index++) {
        real_descriptors[index] = real[index];
        printed_descriptors[index] = printed[index];
    }
    printed_count = count < 2 ? count : 2;
    wake_descriptor = wake;
    struct sigaction action = {.sa_sigaction = handle_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < signal_count; index++) sigaction(signals[index], &action, &previous_actions[index]);
}

void clinux_did_drain(void) { atomic_store(&has_drained, 1); }

#endif
