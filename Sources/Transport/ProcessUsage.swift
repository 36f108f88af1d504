#if canImport(Glibc)
import Glibc
#endif

/// What this process takes of its machine.
package struct ProcessUsage: Sendable {
    /// User's and system's, since it began.
    package var processorSeconds: Double
    package var residentBytes: Int
    package var descriptors: Int

    package static var now: ProcessUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessUsage(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), residentBytes: residentBytes,
            descriptors: descriptors)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// proc(5): the second number of statm counts pages.
    private static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "re") else { return 0 }
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
        // Not itself and its parent, nor the one that it is read by.
        return max(0, count - 3)
    }
}
