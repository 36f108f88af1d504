#ifndef CLINUX_H
#define CLINUX_H

/* Kernel interfaces that Swift's Glibc module does not export, or not in a form that Swift can call. Swift files import
   LibC, which has them and the C library. */

#ifdef __linux__

#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <stddef.h>

/* Declared, not included: the declarations of a header that Glibc's module leaves out would belong to this module, and
   files that import Glibc alone would not see them any more. */
struct sigaction;
struct sockaddr;

/* The event loop whose thread this is, or NULL. Set by the loop's own thread and read by every check of confinement,
   hence inline: one load relative to the thread pointer. */
extern _Thread_local const void *_Nullable clinux_current_loop_storage;

static inline const void *_Nullable clinux_current_loop(void) { return clinux_current_loop_storage; }
static inline void clinux_set_current_loop(const void *_Nullable loop) { clinux_current_loop_storage = loop; }

/* The event loop that this thread has lent while it runs a job of it, and the number of that job, or NULL. The loop's own
   thread sets both, and only it reads them. */
struct clinux_lent_loop {
    const void *_Nullable loop;
    unsigned long long job;
};
extern _Thread_local struct clinux_lent_loop clinux_lent_loop_storage;

static inline const void *_Nullable clinux_lent_loop(void) { return clinux_lent_loop_storage.loop; }
static inline unsigned long long clinux_lent_job(void) { return clinux_lent_loop_storage.job; }
static inline void clinux_set_lent_loop(const void *_Nullable loop, unsigned long long job) {
    clinux_lent_loop_storage.loop = loop;
    clinux_lent_loop_storage.job = job;
}

/* Of this process's thread `thread`, in nanoseconds since it was made: how long it ran, and how long it could have run and
   had to wait for a processor, up to the last time that it got one. Returns 1 where it sleeps now, in a call that waits,
   2 where that is for a lock of Swift's or a page of memory, and 0 where it runs or could; both times are 0 where the
   kernel doesn't count them. */
int clinux_thread_times(int thread, unsigned long long *_Nonnull ran, unsigned long long *_Nonnull waited);

/* The kernel's number of the calling thread. */
int clinux_thread_id(void);

/* accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC. */
int clinux_accept(int listener, struct sockaddr *_Nullable address, unsigned int *_Nullable length);

/* The user of the process at the other end of a Unix socket when it connected: SO_PEERCRED, unix(7). Returns 0, or -1 with
   errno. */
int clinux_peer_user(int socket, unsigned int *_Nonnull user);

/* Two connected Unix sockets that don't block, each closed on exec: streams, or packets, which keep their bytes together. */
int clinux_socket_pair(int is_packets, int *_Nonnull ends);

/* Sends one packet on a Unix socket, and with it a descriptor, which the receiver gets a copy of. Doesn't wait. Returns 0, or -1
   with errno. */
int clinux_send_descriptor(int socket, const void *_Nonnull bytes, size_t count, int descriptor);

/* Receives such a packet, without waiting. Returns its length, 0 at the end, or -1 with errno; `descriptor` is -1 where none came
   with it. */
long clinux_receive_descriptor(int socket, void *_Nonnull bytes, size_t size, int *_Nonnull descriptor);

/* pipe2 with O_NONBLOCK and O_CLOEXEC: [0] is read from, [1] written to. */
int clinux_pipe(int *_Nonnull ends);

/* open with O_PATH and O_DIRECTORY: names files in the directory without the permission to list them. */
int clinux_open_directory(const char *_Nonnull path);

/* pidfd_open by its number: glibc has a function for it only since 2.36. */
int clinux_pidfd_open(int pid);

/* renameat2 with RENAME_NOREPLACE: fails with EEXIST when `to` exists. */
int clinux_rename_exclusively(int directory, const char *_Nonnull from, const char *_Nonnull to);

/* pthread_setname_np for the calling thread. */
void clinux_name_thread(const char *_Nonnull name);

/* Flushes C's stdout at each line's end. (Swift can't name `stdout`: it is a mutable global.) */
void clinux_buffer_stdout_by_line(void);

/* Writes what C's stdout still holds. Returns 0, or an errno where that failed, or did before: -1 where the cause isn't known
   any more. */
int clinux_flush_stdout(void);

/* Sets the descriptor to which the signal handler writes the number of each signal, as one byte; -1: none.
   After the call returns, no handler uses the descriptor from before any more, so it may be closed. */
void clinux_set_signal_descriptor(int descriptor);

/* Whether that handler, from the second signal on, has the process end as if nobody handled it: whatever the process's
   threads do. Counts anew. */
void clinux_end_at_second_signal(int ends);

/* Has the kernel kill this process when the thread that started it ends, or that thread's process, as long as the calling
   thread is there. Returns 0, or -1 where the kernel can't. */
int clinux_end_with_parent(void);

/* Installs that handler for a signal unless the signal is ignored (nohup, a shell's background job).
   Returns 1 when it is installed, with the disposition from before in `previous`; 0 when the signal stays ignored; -1
   with errno. */
int clinux_watch_signal(int signal, struct sigaction *_Nonnull previous);

/* A fatal signal of a thread of this process. */
enum { CLINUX_CRASH_FRAMES = 48, CLINUX_CRASH_STACK = 64 << 10 };
struct clinux_crash {
    int signal;
    /* Another process has sent it. */
    int is_sent;
    /* Another handler of the signal, such as Swift's own for backtraces, comes after ours, and has its own frames. */
    int is_traced;
    int frame_count;
    /* Of the thread that crashed, the innermost first; for the callers the last byte of the call. */
    const void *_Nullable frames[CLINUX_CRASH_FRAMES];
};

/* Has a fatal signal wait until what was printed is written, and the crash is reported. The thread that gets the signal puts
   each real descriptor in the place of the printed one, writes an eight-byte 1 to `wake`, waits until the text is drained,
   calls `note`, which may look at the thread's current task but take no lock and no memory, and waits for
   `clinux_did_report_crash`. It waits a second at most for each, and reports by itself where that isn't called. Then the
   handler from before has the signal. At most two descriptors; called once, on the main thread, which gets a crash stack. */
void clinux_report_crashes(const int *_Nonnull real, const int *_Nonnull printed, int count, int wake,
                           void (*_Nonnull note)(void));

/* Called by the thread that drains, once the text that was printed is written: NULL where the process ends without a crash.
   Where the thread that crashed doesn't come to an end with noting its work, this ends the process. */
const struct clinux_crash *_Nullable clinux_wait_for_crash(void);
void clinux_did_report_crash(void);

/* The stack on which this thread handles a fatal signal, so that it can when its own is full; freed by the same thread. */
void *_Nullable clinux_make_crash_stack(void);
void clinux_free_crash_stack(void *_Nullable stack);

/* The name of the function that has an instruction, as the linker knows it, the file that it is in, and the instruction's
   place in that file, for `addr2line`. Returns 0 where the function isn't known; `name` is empty then. */
int clinux_find_symbol(const void *_Nonnull address, char *_Nonnull name, size_t name_size,
                       const char *_Nullable *_Nonnull path, size_t *_Nonnull offset);

/* The same as text, without memory of malloc. */
void clinux_describe_frame(const void *_Nonnull address, char *_Nonnull text, size_t size);

/* A Swift function's name for people, to be freed; NULL for others. */
char *_Nullable clinux_demangle(const char *_Nonnull name);

/* The time of day, and its text in UTC: "2026-11-22T15:41:40.123Z". */
long long clinux_milliseconds_since_1970(void);
void clinux_format_time(long long milliseconds, char *_Nonnull text, size_t size);

/* The bytes that malloc has given out, and those that it keeps for later; 0 where the C library can't say. */
void clinux_count_memory(size_t *_Nonnull used, size_t *_Nonnull unused);

/* Has malloc take each block of so many bytes or more from the system, and give it back as soon as it is free. Without it
   glibc keeps blocks that are as large as those that were freed before. */
void clinux_map_blocks_from(size_t bytes);

/* Gives the memory that malloc keeps for later back to the system. Returns 0 where the C library can't. */
int clinux_trim_memory(void);

/* Does the work of Dispatch's main queue, by which Swift's main actor runs, on the calling thread, which is the main one.
   Returns only where the library lacks the two functions that Foundation's run loop calls for this. Other than `dispatch_main`
   it doesn't end the main thread: that unwinds its stack, for which a wholly static executable sorts all of its unwind
   tables. */
void clinux_run_main_queue(void);

/* Ignores SIGPIPE and SIGXFSZ (a file that has reached its limit), unless the program handles them itself. */
void clinux_ignore_failed_writes(void);

/* Stops ignoring SIGCHLD, which a parent may have set: the kernel would discard the children's statuses. */
void clinux_keep_child_statuses(void);

#endif
#endif
