#define _GNU_SOURCE
#include "CLinux.h"

#ifdef __linux__

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* What the process prints goes through pipes that a thread drains. A process that crashes must not lose what is in them,
   which is the reason for the crash as a rule, and says what crashed. The thread that crashes may hold any lock, that of
   malloc too, so it leaves all that needs one to the thread that drains, and waits for that for a bounded time. All that the
   handler uses is set before it is installed, and each call in it is async-signal-safe or bounded by that thread. */

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
enum { signal_count = sizeof signals / sizeof *signals };

static struct sigaction previous_actions[signal_count];
static int real_descriptors[2];
static int printed_descriptors[2];
static int printed_count = 0;
static int wake_descriptor = -1;
static int error_descriptor = -1;
static void (*note_work)(void) = NULL;
static struct clinux_crash crash;
static uintptr_t crash_address;

/* The steps in their order; the thread that crashes makes `is_noted`, the one that drains makes the others. */
enum { not_crashed, text_is_drained, is_noted, is_reported };
static atomic_int step = not_crashed;
static atomic_flag has_crashed = ATOMIC_FLAG_INIT;
static atomic_int crashed_thread = 0;
static atomic_int crash_signal = 0;

/* The longest time that one thread waits for a step of the other. */
static const int step_milliseconds = 1000;

/* With fewer the unwinder hasn't come to the thread's beginning. */
enum { few_frames = 16 };

/* Never back: a thread that was waited for too long may come late. */
static void advance(int next) {
    int now = atomic_load(&step);
    while (now < next && !atomic_compare_exchange_weak(&step, &now, next)) {
    }
}

static int wait_for(int expected) {
    struct timespec millisecond = {0, 1000000};
    for (int waited = 0; waited < step_milliseconds; waited++) {
        if (atomic_load(&step) >= expected) return 1;
        nanosleep(&millisecond, NULL);
    }
    return atomic_load(&step) >= expected;
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *unused) {
    (void)unused;
    uintptr_t address = _Unwind_GetIP(context);
    /* Those of the handler come before the one that crashed. */
    if (crash.frame_count == 0 && address != crash_address) return _URC_NO_REASON;
    if (address == 0 || crash.frame_count == CLINUX_CRASH_FRAMES) return _URC_END_OF_STACK;
    /* A return address is behind its call, which may be the last instruction of its function. */
    crash.frames[crash.frame_count] = (const void *)(crash.frame_count == 0 ? address : address - 1);
    crash.frame_count++;
    return _URC_NO_REASON;
}

/* The rest of the stack by its frame pointers, which Swift keeps: the unwinder ends at a function without unwind tables, and some
   that compilers make have none. */
static void add_frames_by_pointers(uintptr_t pointer) {
    const void *found[CLINUX_CRASH_FRAMES * 2];
    int count = 0;
    int known = 0;
    while (count < (int)(sizeof found / sizeof *found)) {
        uintptr_t frame[2];
        struct iovec here = {frame, sizeof frame};
        struct iovec there = {(void *)pointer, sizeof frame};
        /* Where the register has something else, this fails, and nothing traps. */
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != sizeof frame || frame[1] == 0) break;
        const void *address = (const void *)(frame[1] - 1);
        found[count++] = address;
        /* Both go from the same place: what is behind the last common frame is new. */
        for (int index = 0; index < crash.frame_count; index++)
            if (crash.frames[index] == address) known = count;
        /* Swift marks the frames of async functions with a bit. */
        uintptr_t next = frame[0] & ~((uintptr_t)1 << 60);
        if (next <= pointer) break;
        pointer = next;
    }
    for (int index = known; index < count && crash.frame_count < CLINUX_CRASH_FRAMES; index++)
        crash.frames[crash.frame_count++] = found[index];
}

#if defined(__x86_64__)
static uintptr_t address_of(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.gregs[REG_RIP]; }
static uintptr_t frame_pointer_of(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.gregs[REG_RBP]; }
#elif defined(__aarch64__)
static uintptr_t address_of(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.pc; }
static uintptr_t frame_pointer_of(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.regs[29]; }
#else
static uintptr_t address_of(const ucontext_t *context) { return context ? 0 : 0; }
static uintptr_t frame_pointer_of(const ucontext_t *context) { return context ? 0 : 0; }
#endif

static void collect_frames(const ucontext_t *context) {
    crash_address = address_of(context);
    _Unwind_Backtrace(add_frame, NULL);
    if (crash.frame_count < few_frames) add_frames_by_pointers(frame_pointer_of(context));
}

/* Without the thread that drains: no memory, no locks, no names of Swift. */
static void report_alone(void) {
    char line[512];
    int length = snprintf(line, sizeof line, "error: the process crashed with signal %d\n", crash.signal);
    ssize_t ignored = write(error_descriptor, line, (size_t)length);
    for (int index = 0; index < crash.frame_count; index++) {
        char frame[384];
        clinux_describe_frame(crash.frames[index], frame, sizeof frame);
        length = snprintf(line, sizeof line, "    at %s\n", frame);
        ignored = write(error_descriptor, line, (size_t)length);
    }
    (void)ignored;
}

static void report(int signal, const siginfo_t *info, const void *context) {
    if (atomic_flag_test_and_set(&has_crashed)) {
        /* Another thread's crash is reported first; one in the report itself ends the process. */
        if (atomic_load(&crashed_thread) != clinux_thread_id()) wait_for(is_reported);
        return;
    }
    atomic_store(&crashed_thread, clinux_thread_id());
    /* What is printed from here on, by the handlers that come next, goes out directly. */
    for (int index = 0; index < printed_count; index++) dup2(real_descriptors[index], printed_descriptors[index]);
    crash.signal = signal;
    crash.is_sent = info->si_code <= 0 && info->si_pid != getpid();
    atomic_store(&crash_signal, signal);
    uint64_t one = 1;
    ssize_t ignored = write(wake_descriptor, &one, sizeof one);
    (void)ignored;
    wait_for(text_is_drained);
    /* Another handler comes next: Swift's own backtraces are on, and say more. */
    if (!crash.is_traced) collect_frames(context);
    if (note_work) note_work();
    advance(is_noted);
    if (!wait_for(is_reported)) report_alone();
}

static void handle_crash(int signal, siginfo_t *info, void *context) {
    int saved_errno = errno;
    struct sigaction previous = {.sa_handler = SIG_DFL};
    for (int index = 0; index < signal_count; index++)
        if (signals[index] == signal) previous = previous_actions[index];
    int has_previous = previous.sa_flags & SA_SIGINFO
                           ? previous.sa_sigaction != NULL
                           : previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN;
    if (has_previous) crash.is_traced = 1;
    report(signal, info, context);
    errno = saved_errno;
    sigaction(signal, &previous, NULL);
    /* As the system would have called it: Swift's reads memory that may not be there, and a fault that is blocked would end the
       process in the midst of its backtrace. */
    if (has_previous && previous.sa_flags & SA_NODEFER) {
        sigset_t own;
        sigemptyset(&own);
        sigaddset(&own, signal);
        pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    }
    if (has_previous && previous.sa_flags & SA_SIGINFO) previous.sa_sigaction(signal, info, context);
    else if (has_previous) previous.sa_handler(signal);
    /* A fault comes again when the instruction does; a signal that somebody sent has to be sent again. So it has where a
       previous handler came back that has made way for the default, as Swift's does. */
    struct sigaction now;
    if (info->si_code <= 0 && sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_DFL) raise(signal);
}

void *clinux_make_crash_stack(void) {
    stack_t old;
    if (sigaltstack(NULL, &old) != 0 || !(old.ss_flags & SS_DISABLE)) return NULL;
    void *memory = mmap(NULL, CLINUX_CRASH_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    stack_t stack = {.ss_sp = memory, .ss_size = CLINUX_CRASH_STACK};
    if (sigaltstack(&stack, NULL) == 0) return memory;
    munmap(memory, CLINUX_CRASH_STACK);
    return NULL;
}

void clinux_free_crash_stack(void *memory) {
    if (!memory) return;
    stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(&none, NULL) == 0) munmap(memory, CLINUX_CRASH_STACK);
}

void clinux_report_crashes(const int *real, const int *printed, int count, int wake, void (*note)(void)) {
    for (int index = 0; index < count && index < 2; index++) {
        real_descriptors[index] = real[index];
        printed_descriptors[index] = printed[index];
        if (printed[index] == STDERR_FILENO) error_descriptor = real[index];
    }
    printed_count = count < 2 ? count : 2;
    wake_descriptor = wake;
    note_work = note;
    clinux_make_crash_stack();
    struct sigaction action = {.sa_sigaction = handle_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < signal_count; index++) sigaction(signals[index], &action, &previous_actions[index]);
}

const struct clinux_crash *clinux_wait_for_crash(void) {
    int signal = atomic_load(&crash_signal);
    if (signal == 0) return NULL;
    advance(text_is_drained);
    if (wait_for(is_noted)) return &crash;
    /* The thread that crashed stands in its handler. Ends the process as the signal would have. */
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    kill(getpid(), signal);
    return NULL;
}

void clinux_did_report_crash(void) { advance(is_reported); }

#endif
