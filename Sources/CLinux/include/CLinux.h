#ifndef CLINUX_H
#define CLINUX_H

/* Kernel interfaces that Swift's Glibc module does not export, or not in a form that Swift can call. */

#ifdef __linux__

#include <sys/epoll.h>
#include <sys/eventfd.h>

/* Declared, not included: what a header that Glibc's module leaves out declares would belong to this module, and the files
   that import Glibc alone would not see it any more. */
struct sigaction;
struct sockaddr;

/* The event loop whose thread this is, or NULL. Set by the loop's own thread, read by every check of
   confinement: hence inline, one load relative to the thread pointer. */
extern _Thread_local const void *_Nullable clinux_current_loop_storage;

static inline const void *_Nullable clinux_current_loop(void) { return clinux_current_loop_storage; }
static inline void clinux_set_current_loop(const void *_Nullable loop) { clinux_current_loop_storage = loop; }

/* accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC. */
int clinux_accept(int listener, struct sockaddr *_Nullable address, unsigned int *_Nullable length);

/* pipe2 with O_NONBLOCK and O_CLOEXEC: [0] is read from, [1] written to. */
int clinux_pipe(int *_Nonnull ends);

/* open with O_PATH and O_DIRECTORY: to name files in it, which asks for no permission to list them. */
int clinux_open_directory(const char *_Nonnull path);

/* pidfd_open by number: glibc has a name for it since 2.36 only. */
int clinux_pidfd_open(int pid);

/* renameat2 with RENAME_NOREPLACE: fails with EEXIST when `to` exists. */
int clinux_rename_exclusively(int directory, const char *_Nonnull from, const char *_Nonnull to);

/* pthread_setname_np for the calling thread. */
void clinux_name_thread(const char *_Nonnull name);

/* C's stdout is flushed at each line's end. (Swift can't name `stdout`: it is a mutable global.) */
void clinux_buffer_stdout_by_line(void);

/* The one signal handler writes the signal's number, one byte, to this descriptor; -1: to none.
   After a call returns, no handler still uses the descriptor that was set before, so it may be closed. */
void clinux_set_signal_descriptor(int descriptor);

/* Installs that handler for a signal unless the signal is ignored (nohup, a shell's background job).
   1: installed, and the disposition before is in `previous`; 0: left ignored; -1: errno. */
int clinux_watch_signal(int signal, struct sigaction *_Nonnull previous);

/* SIGPIPE and SIGXFSZ (a file that has reached its limit) are ignored, unless the program handles them in its own way. */
void clinux_ignore_failed_writes(void);

/* SIGCHLD is no longer ignored, if a parent had it so: the kernel would throw away how a child ended. */
void clinux_keep_child_statuses(void);

#endif
#endif
