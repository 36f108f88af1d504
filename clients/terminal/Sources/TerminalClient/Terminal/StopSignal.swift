import LibC

/// Stops this process as SIGTSTP does by default.
enum StopSignal {
    /// Stops the process, and returns when it is continued. Returns at once if nobody could continue it (an orphaned process
    /// group).
    static func stop() {
        var byDefault = sigaction()
        var previous = sigaction()
        sigaction(SIGTSTP, &byDefault, &previous)
        // The threads of Swift's pool block signals, so this one must be unblocked.
        var signals = sigset_t()
        var mask = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        // The signal goes to this thread, so that nothing runs on here before the process has stopped.
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(SIGTSTP, &previous, nil)
    }
}
