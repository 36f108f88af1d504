#if canImport(Glibc)
import Glibc
#endif

/// How many descriptors the process may have.
package enum DescriptorLimit {
    /// Raises the limit as far as the process may: most start with 1,024, for the sake of programs that use `select`, and
    /// each connection takes one. Returns what it was and is, or nil when nothing changed.
    package static func raise() -> (before: UInt, now: UInt)? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return nil }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(resource, &limit) == 0 else { return nil }
        return (UInt(before), UInt(limit.rlim_cur))
    }
}
