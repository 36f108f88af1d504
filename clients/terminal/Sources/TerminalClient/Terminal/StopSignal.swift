import LibC

/// Stops this process as SIGTSTP does when nobody handles it.
enum StopSignal {
    /// Returns when the process goes on; at once where nobody could make it go on (an orphaned process group).
    static func stop() {
        var byDefault = sigaction()
        var previous = sigaction()
        sigaction(SIGTSTP, &byDefault, &previous)
        // The threads that tasks run on take no signals, unless they are told to.
        var signals = sigset_t()
        var mask = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        // To this thread, so that nothing runs on here before the process has stopped.
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(SIGTSTP, &previous, nil)
    }
}
