#define _GNU_SOURCE
#include "CLinux.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

_Thread_local const void *clinux_current_loop_storage = NULL;
_Thread_local struct clinux_lent_loop clinux_lent_loop_storage = {NULL, 0};

static int read_of_thread(int thread, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, name);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t count = read(descriptor, text, size - 1);
    close(descriptor);
    text[count > 0 ? count : 0] = 0;
    return count > 0;
}

/* Whether it sleeps in a call for a lock with priority inheritance, as Swift's Mutex is one: futex(2). Or in no call at
   all, which is for a page of memory: proc_pid_syscall(5). */
static int is_stalled(int thread) {
    char text[512];
    long call;
    unsigned long operation;
    if (!read_of_thread(thread, "syscall", text, sizeof text)) return 0;
    if (sscanf(text, "%ld", &call) == 1 && call == -1) return 1;
    return sscanf(text, "%ld %*x %lx", &call, &operation) == 2 && call == SYS_futex &&
           (operation & ~384ul) == 6 /* FUTEX_LOCK_PI, private or not */;
}

int clinux_thread_times(int thread, unsigned long long *ran, unsigned long long *waited) {
    char text[512];
    *ran = *waited = 0;
    if (read_of_thread(thread, "schedstat", text, sizeof text)) sscanf(text, "%llu %llu", ran, waited);
    if (!read_of_thread(thread, "stat", text, sizeof text)) return 1;
    /* The name may have spaces and parentheses of its own. */
    const char *end = strrchr(text, ')');
    if (end && end[1] == ' ' && end[2] == 'R') return 0;
    return is_stalled(thread) ? 2 : 1;
}

long long clinux_milliseconds_since_1970(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void clinux_format_time(long long milliseconds, char *text, size_t size) {
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm parts;
    char day[32];
    gmtime_r(&seconds, &parts);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, size, "%s.%03dZ", day, (int)(milliseconds % 1000));
}

int clinux_thread_id(void) { return (int)syscall(SYS_gettid); }

int clinux_accept(int listener, struct sockaddr *address, unsigned int *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_peer_user(int socket, unsigned int *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -1;
    *user = peer.uid;
    return 0;
}

int clinux_socket_pair(int is_packets, int *ends) {
    int kind = is_packets ? SOCK_SEQPACKET : SOCK_STREAM;
    return socketpair(AF_UNIX, kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
}

/* Room for one descriptor, aligned as a header has to be. */
union descriptor_control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int clinux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
    union descriptor_control control = {.bytes = {0}};
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

long clinux_receive_descriptor(int socket, void *bytes, size_t size, int *descriptor) {
    union descriptor_control control;
    struct iovec vector = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    ssize_t count;
    do {
        count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header))
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
            memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return count;
}

int clinux_pipe(int *ends) { return pipe2(ends, O_NONBLOCK | O_CLOEXEC); }

int clinux_open_directory(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

int clinux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int clinux_rename_exclusively(int directory, const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE);
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int clinux_flush_stdout(void) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    return errno ? errno : -1;
}

void clinux_buffer_stdout_by_line(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

/* Both are lock-free, so a handler may use them. `handlers_inside` counts the handlers that may use a descriptor that
   they have loaded: before a descriptor is closed, it must be zero. */
static atomic_int signal_descriptor = -1;
static atomic_int handlers_inside = 0;
static atomic_int second_ends = 0;
static atomic_int signals_seen = 0;

static void handle_signal(int signal) {
    int saved_errno = errno;
    if (atomic_load(&second_ends) && atomic_fetch_add(&signals_seen, 1) > 0) {
        /* It is blocked while its handler runs, and so ends the process when this one returns, or in another thread. */
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigemptyset(&action.sa_mask);
        sigaction(signal, &action, NULL);
        kill(getpid(), signal);
        errno = saved_errno;
        return;
    }
    atomic_fetch_add(&handlers_inside, 1);
    int descriptor = atomic_load(&signal_descriptor);
    if (descriptor >= 0) {
        unsigned char number = (unsigned char)signal;
        /* A full pipe holds thousands of signals that were not handled yet: one more makes no difference. */
        ssize_t ignored = write(descriptor, &number, 1);
        (void)ignored;
    }
    atomic_fetch_sub(&handlers_inside, 1);
    errno = saved_errno;
}

void clinux_set_signal_descriptor(int descriptor) {
    atomic_store(&signal_descriptor, descriptor);
    while (atomic_load(&handlers_inside) != 0) sched_yield();
}

void clinux_end_at_second_signal(int ends) {
    atomic_store(&signals_seen, 0);
    atomic_store(&second_ends, ends);
}

int clinux_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

int clinux_watch_signal(int signal, struct sigaction *previous) {
    if (sigaction(signal, NULL, previous) != 0) return -1;
    if (!(previous->sa_flags & SA_SIGINFO) && previous->sa_handler == SIG_IGN) return 0;
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, previous) == 0 ? 1 : -1;
}

static void ignore_unless_handled(int signal) {
    struct sigaction current;
    if (sigaction(signal, NULL, &current) != 0) return;
    if ((current.sa_flags & SA_SIGINFO) || current.sa_handler != SIG_DFL) return;
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void clinux_ignore_failed_writes(void) {
    ignore_unless_handled(SIGPIPE);
    ignore_unless_handled(SIGXFSZ);
}

void clinux_keep_child_statuses(void) {
    struct sigaction current;
    if (sigaction(SIGCHLD, NULL, &current) != 0) return;
    if ((current.sa_flags & SA_SIGINFO) || current.sa_handler != SIG_IGN) return;
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
}

/* mallinfo2 is of glibc 2.33. Large blocks have mappings of their own, which mallinfo2 counts apart. */
void clinux_count_memory(size_t *used, size_t *unused) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    *used = info.uordblks + info.hblkhd;
    *unused = info.fordblks;
#else
    *used = 0;
    *unused = 0;
#endif
}

void clinux_map_blocks_from(size_t bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, (int)bytes);
#else
    (void)bytes;
#endif
}

int clinux_trim_memory(void) {
#ifdef __GLIBC__
    return malloc_trim(0);
#else
    return 0;
#endif
}

/* Dispatch's functions for Foundation's run loop, in no header of either. The handle is an eventfd. */
extern int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));
extern void _dispatch_main_queue_callback_4CF(void *) __attribute__((weak));

void clinux_run_main_queue(void) {
    if (!_dispatch_get_main_queue_handle_4CF || !_dispatch_main_queue_callback_4CF) return;
    struct pollfd wake = {.fd = _dispatch_get_main_queue_handle_4CF(), .events = POLLIN};
    for (;;) {
        _dispatch_main_queue_callback_4CF(NULL);
        if (poll(&wake, 1, -1) < 0 && errno != EINTR) return;
        unsigned long long count;
        if (read(wake.fd, &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR) return;
    }
}

#endif
