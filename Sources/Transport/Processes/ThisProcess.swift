import LibC

/// The process that this code runs in.
package enum ThisProcess {
    package static var id: Int32 { getpid() }

    /// The id of the user who runs it.
    package static var userID: UInt32 { getuid() }

    /// The time in seconds since 1970, by the system's clock, which may be set at any time.
    package static var secondsSince1970: Int64 { Int64(time(nil)) }

    /// The environment, as entries of the form `NAME=VALUE`.
    package static var environment: [String] {
        var variables: [String] = []
        var place = environ
        while let variable = place.pointee {
            variables.append(String(cString: variable))
            place += 1
        }
        return variables
    }

    /// Has the kernel end this process when the process that started it as a `WorkerProcess` ends, whatever becomes of its
    /// loops and descriptors. Called on the main thread, which lasts as long as the process.
    package static func endWithParent() {
        _ = clinux_end_with_parent()
    }

    /// Runs the main actor on the calling thread, which is the main one, until the process ends.
    package static func runMainActor() -> Never {
        clinux_run_main_queue()
        drainMainQueue()
    }

    /// Flushes the buffers of C's streams, and ends the process.
    package static func exit(_ status: Int32) -> Never {
        LibC.exit(status)
    }
}

/// The limit on the descriptors of the process.
package enum DescriptorLimit {
    /// Raises the limit as far as the process may. Most processes start with 1,024, for programs that use `select`, and each
    /// connection takes one descriptor.
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

    /// The number of descriptors that connections leave to the rest of the process. Swift's pool needs one every second, to
    /// look at its threads in /proc, and ends the process where it gets none. A store and a client's process need some to
    /// reconnect.
    private static let kept = 16

    /// Returns whether a new descriptor is one of the last, which aren't for connections. The kernel assigns the lowest free
    /// number.
    static func isKept(_ descriptor: Int32) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        return UInt(descriptor) + UInt(kept) >= UInt(limit.rlim_cur)
    }
}

/// The resources that this process uses.
package struct ProcessUsage: Sendable {
    /// The processor time of user and system together, in seconds since the process began.
    package var processorSeconds: Double
    package var residentBytes: Int
    package var descriptors: Int

    /// The usage now, read from the kernel; 0 for what /proc doesn't have.
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

    /// Returns the memory of a process in bytes: the second number of statm counts pages, see proc(5).
    ///
    /// - Parameter process: the process ID, or "self".
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
        // Not counted: the entries "." and "..", and the descriptor of this reading.
        return max(0, count - 3)
    }
}

extension ThisProcess {
    /// Makes the runtime open the descriptors of its clocks. Otherwise the runtime opens them at the first sleep, and stops
    /// the process when clients have taken all descriptors.
    package static func openClocks() async {
        // A cancelled sleep has opened its descriptor, too.
        async let first: Void? = try? Task.sleep(nanoseconds: 1)
        async let second: Void? = try? Task.sleep(for: .nanoseconds(1), clock: .continuous)
        async let third: Void? = try? Task.sleep(for: .nanoseconds(1), clock: .suspending)
        _ = await (first, second, third)
    }
}

/// What Swift's concurrency library calls where `main` is asynchronous.
@_silgen_name("swift_task_asyncMainDrainQueue") private func drainMainQueue() -> Never
