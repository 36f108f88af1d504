import LibC

/// The process that this code runs in.
package enum ThisProcess {
    package static var id: Int32 { getpid() }

    /// By the system's clock, which may be set at any time.
    package static var secondsSince1970: Int64 { Int64(time(nil)) }

    /// `NAME=VALUE`.
    package static var environment: [String] {
        var variables: [String] = []
        var place = environ
        while let variable = place.pointee {
            variables.append(String(cString: variable))
            place += 1
        }
        return variables
    }

    /// Has the kernel end this process with the one that started it as a `WorkerProcess`, whatever becomes of its loops and
    /// descriptors. On the main thread, which the process has to its end.
    package static func endWithParent() {
        _ = clinux_end_with_parent()
    }

    /// Ends the process, and flushes what C's streams still hold.
    package static func exit(_ status: Int32) -> Never {
        LibC.exit(status)
    }
}

/// How many descriptors the process may have.
package enum DescriptorLimit {
    /// Raises the limit as far as the process may: most start with 1,024, for the sake of programs that use `select`,
    /// and each connection takes one.
    ///
    /// - Returns: the limit before and now; nil when nothing changed.
    package static func raise() -> (before: UInt, now: UInt)? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return nil }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(resource, &limit) == 0 else { return nil }
        return (UInt(before), UInt(limit.rlim_cur))
    }

    /// So many descriptors connections leave to the rest of the process. Swift's pool needs one each second, to look at its
    /// threads in /proc, and ends the process where it gets none; a store and a client's process need some to come back.
    private static let kept = 16

    /// Whether a new descriptor is one of the last, which aren't for connections. The kernel gives the lowest that is free.
    static func isKept(_ descriptor: Int32) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        return UInt(descriptor) + UInt(kept) >= UInt(limit.rlim_cur)
    }
}

/// The resources that this process uses.
package struct ProcessUsage: Sendable {
    /// Processor time of user and system together, since the process began.
    package var processorSeconds: Double
    package var residentBytes: Int
    package var descriptors: Int

    /// Reads it from the kernel; 0 for what /proc doesn't have.
    package static var now: ProcessUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessUsage(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            residentBytes: residentBytes(of: "self"),
            descriptors: descriptors)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// proc(5): the second number of statm counts pages.
    ///
    /// - Parameter process: its number, or "self".
    static func residentBytes(of process: String) -> Int {
        guard let file = fopen("/proc/\(process)/statm", "re") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let words = line.prefix { $0 != 0 }.split(separator: 0x20)
        let pages = words.dropFirst().first.map { String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self) }
        return (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    private static var descriptors: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without the entries "." and "..", and the descriptor of this reading.
        return max(0, count - 3)
    }
}

extension ThisProcess {
    /// Makes the runtime open the descriptors of its clocks. Without this it opens them at the first sleep, and stops the process
    /// when none is left because clients have them all.
    package static func openClocks() async {
        // A cancelled sleep has opened its descriptor, too.
        async let first: Void? = try? Task.sleep(nanoseconds: 1)
        async let second: Void? = try? Task.sleep(for: .nanoseconds(1), clock: .continuous)
        async let third: Void? = try? Task.sleep(for: .nanoseconds(1), clock: .suspending)
        _ = await (first, second, third)
    }
}
