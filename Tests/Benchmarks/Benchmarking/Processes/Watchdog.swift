import CBenchmarking
import Glibc

/// Sees to it that nothing is waited for without end: a call that waits then fails with `EINTR`.
package enum Watchdog {
    /// Runs `body`, whose waits fail once it has taken that long.
    package static func within<Result>(seconds: Int, _ body: () throws -> Result) throws -> Result {
        var action = sigaction()
        // No SA_RESTART: that a wait is interrupted is all that this is for.
        action.__sigaction_handler.sa_handler = { _ in }
        try check(sigaction(SIGALRM, &action, nil), "sigaction")
        try set(seconds)
        defer { try? set(0) }
        return try body()
    }

    /// Once more each second after the first time, which may come just before a wait. 0 takes it back.
    private static func set(_ seconds: Int) throws(SystemFailure) {
        var timer = itimerval()
        timer.it_value.tv_sec = seconds
        timer.it_interval.tv_sec = seconds > 0 ? 1 : 0
        try check(setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil), "setitimer")
    }
}

/// One core for everybody: what goes to and fro between two processes is measured so, since on two it is the machine's
/// waking of an idle core.
package enum Core {
    /// Holds this process, and those that `body` starts, to one core.
    package static func withOne<Result>(_ body: () throws -> Result) throws -> Result {
        let code = cbenchmarking_pin()
        guard code == 0 else { throw SystemFailure("sched_setaffinity", -code) }
        defer { cbenchmarking_unpin() }
        return try body()
    }
}
