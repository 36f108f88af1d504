// Fails one system call of the program that it is preloaded into: the FAULT_NTH of the calls named FAULT_CALL, counted
// from 1, with the error FAULT_ERROR; "short" makes a read or write take one byte only. FAULT_EVERY=1: that call and all
// after it. The file FAULT_REPORT is made when it has happened, with one byte: P where the program itself made the call, R
// where a library did, such as Swift's runtime or libdispatch. Tests/Faults/run builds and uses it.
//
// Of a server with --isolate, FAULT_IN says whether a call of the server itself fails, or one of the processes of its clients
// ("process"). It is one call of one of them: where the file is there already, none fails any more.
//
// malloc, calloc and realloc fail only for the C library's own calls, those behind getaddrinfo, opendir and the like: Swift's
// allocator ends the process where it gets no memory, for a server in Swift as for any other program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *failing_call;
static long nth;
static int failure; // 0: short
static int every;
static const char *report;
static atomic_long calls;

// Where the code of the program and of the C library lies.
typedef struct {
    uintptr_t start, end;
} range;
static range program, c_library;

static int note_ranges(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    // The first is the program, which has no name.
    range *found = !program.end ? &program : strstr(object->dlpi_name, "/libc.so") ? &c_library : NULL;
    if (!found) return 0;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        if (!found->end || start < found->start) found->start = start;
        if (end > found->end) found->end = end;
    }
    return 0;
}

static int is_within(range range, const void *caller) {
    return (uintptr_t)caller >= range.start && (uintptr_t)caller < range.end;
}

static const struct {
    const char *name;
    int code;
} errors[] = {{"EINTR", EINTR}, {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC},
    {"EAGAIN", EAGAIN}, {"EIO", EIO}, {"ECONNABORTED", ECONNABORTED}, {"ECONNRESET", ECONNRESET}, {"EPIPE", EPIPE},
    {"EACCES", EACCES}, {"EINVAL", EINVAL}, {"EPERM", EPERM}, {"ENOBUFS", ENOBUFS}, {"short", 0}};

// glibc calls it with the arguments of `main`.
__attribute__((constructor)) static void configure(int count, char **arguments) {
    const char *number = getenv("FAULT_NTH"), *error = getenv("FAULT_ERROR"), *in = getenv("FAULT_IN");
    if (!number || !error) return;
    int is_process = 0;
    for (int index = 1; index < count; index++) is_process |= !strncmp(arguments[index], "--isolated=", 11);
    if (is_process != (in && !strcmp(in, "process"))) return;
    for (size_t index = 0; index < sizeof errors / sizeof *errors; index++)
        if (!strcmp(error, errors[index].name)) failure = errors[index].code;
    nth = atol(number);
    every = getenv("FAULT_EVERY") != NULL;
    report = getenv("FAULT_REPORT");
    dl_iterate_phdr(note_ranges, NULL);
    failing_call = getenv("FAULT_CALL");
}

#define CALLER __builtin_return_address(0)

// Whether no other process has done it, which is then noted.
static int is_first(const void *caller) {
    if (!report) return 1;
    long file = syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return 0;
    syscall(SYS_write, file, is_within(program, caller) || is_within(c_library, caller) ? "P" : "R", 1);
    syscall(SYS_close, file);
    return 1;
}

// Whether this call is the one.
static int fails(const char *name, const void *caller) {
    if (!failing_call || strcmp(name, failing_call)) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number != nth && !(every && number > nth)) return 0;
    int before = errno;
    if (number == nth && !is_first(caller)) {
        errno = before;
        return 0;
    }
    errno = failure;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
// A call that has no short form.
#define FAILING(result, name, parameters, arguments) \
    result name parameters { \
        if (fails(#name, CALLER)) { \
            if (failure) return -1; \
        } \
        return NEXT(name) arguments; \
    }
// One that reads or writes.
#define TRANSFERRING(name, parameters, arguments, arguments_of_one) \
    ssize_t name parameters { \
        if (!is_eventfd(fd) && fails(#name, CALLER)) { \
            if (failure) return -1; \
            if (count > 1) return NEXT(name) arguments_of_one; \
        } \
        return NEXT(name) arguments; \
    }

// An eventfd that doesn't block takes its eight bytes, or a signal comes before: nothing else fails there.
static atomic_int eventfds[1024];

static int is_eventfd(int fd) {
    return fd >= 0 && fd < 1024 && atomic_load(&eventfds[fd]) && failure != EINTR;
}

int eventfd(unsigned int value, int flags) {
    if (fails("eventfd", CALLER) && failure) return -1;
    int fd = NEXT(eventfd)(value, flags);
    if (fd >= 0 && fd < 1024) atomic_store(&eventfds[fd], 1);
    return fd;
}

TRANSFERRING(read, (int fd, void *to, size_t count), (fd, to, count), (fd, to, 1))
TRANSFERRING(write, (int fd, const void *from, size_t count), (fd, from, count), (fd, from, 1))
TRANSFERRING(recv, (int fd, void *to, size_t count, int flags), (fd, to, count, flags), (fd, to, 1, flags))
TRANSFERRING(send, (int fd, const void *from, size_t count, int flags), (fd, from, count, flags), (fd, from, 1, flags))

FAILING(int, accept4, (int fd, struct sockaddr *address, socklen_t *length, int flags), (fd, address, length, flags))
FAILING(int, epoll_create1, (int flags), (flags))
FAILING(int, epoll_ctl, (int fd, int operation, int other, struct epoll_event *event), (fd, operation, other, event))
FAILING(int, epoll_wait, (int fd, struct epoll_event *events, int count, int timeout), (fd, events, count, timeout))
FAILING(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
FAILING(int, bind, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
FAILING(int, listen, (int fd, int backlog), (fd, backlog))
FAILING(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t length),
    (fd, level, name, value, length))
FAILING(int, getsockname, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length))
FAILING(int, shutdown, (int fd, int how), (fd, how))
FAILING(int, pipe2, (int ends[2], int flags), (ends, flags))
FAILING(int, dup, (int fd), (fd))
FAILING(int, dup2, (int fd, int other), (fd, other))
FAILING(int, dup3, (int fd, int other, int flags), (fd, other, flags))
FAILING(int, fstat, (int fd, struct stat *status), (fd, status))
FAILING(int, fstatat, (int fd, const char *path, struct stat *status, int flags), (fd, path, status, flags))
FAILING(int, fchmod, (int fd, mode_t mode), (fd, mode))
FAILING(int, renameat, (int fd, const char *from, int other, const char *to), (fd, from, other, to))
FAILING(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))

// `close` has closed the descriptor, whatever it returns.
int close(int fd) {
    if (fd >= 0 && fd < 1024) atomic_store(&eventfds[fd], 0);
    int failing = fails("close", CALLER);
    int result = NEXT(close)(fd);
    if (!failing || !failure) return result;
    errno = failure;
    return -1;
}

int fcntl(int fd, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (fails("fcntl", CALLER) && failure) return -1;
    return NEXT(fcntl)(fd, command, argument);
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    if (fails("open", CALLER) && failure) return -1;
    return NEXT(open)(path, flags, mode);
}

// A rename that replaces nothing, which glibc has no function for on all systems.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long arguments[6];
    for (int index = 0; index < 6; index++) arguments[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_renameat2 && fails("syscall", CALLER) && failure) return -1;
    return NEXT(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (fails("pthread_create", CALLER)) return failure ? failure : EAGAIN;
    return NEXT(pthread_create)(thread, attributes, body, argument);
}

// The names by which glibc's allocator is found without asking the linker, which allocates.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) {
    return is_within(c_library, CALLER) && fails("malloc", CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return is_within(c_library, CALLER) && fails("calloc", CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return is_within(c_library, CALLER) && fails("realloc", CALLER) ? NULL : __libc_realloc(memory, size);
}
