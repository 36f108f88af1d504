import Glibc

/// How many files a process may have open: a connection takes one on each side.
package enum Descriptors {
    /// Asks for as many as this user may have, for this process and what it starts. Returns how many that are.
    package static func raiseLimit() throws(SystemFailure) -> Int {
        var limit = rlimit()
        try check(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), "getrlimit")
        limit.rlim_cur = limit.rlim_max
        try check(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), "setrlimit")
        return Int(clamping: limit.rlim_cur)
    }
}
