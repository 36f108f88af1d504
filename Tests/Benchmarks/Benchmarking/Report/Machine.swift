import Glibc

/// Where the figures were taken.
package struct Machine {
    package let cores: Int
    package let processor: String
    package let kernel: String
    /// How much of all cores something else used just before, from 0 to 1.
    package let busy: Double
    /// How many files a process may have open.
    package let descriptors: Int

    /// - Parameter descriptors: see `Descriptors`.
    package init(descriptors: Int) {
        self.descriptors = descriptors
        cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        var name = utsname()
        uname(&name)
        kernel = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        processor = Machine.processorName() ?? "unknown"
        busy = Machine.busyShare()
    }

    private static func processorName() -> String? {
        let line = lines(of: "/proc/cpuinfo").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }

    /// Looks on for half a second.
    private static func busyShare() -> Double {
        let before = ticks()
        usleep(500_000)
        let after = ticks()
        let all = after.all - before.all
        return all > 0 ? 1 - Double(after.idle - before.idle) / Double(all) : 0
    }

    /// The time of all cores since the start: user, nice, system, idle, waiting for disks, …
    private static func ticks() -> (all: Int, idle: Int) {
        let fields = lines(of: "/proc/stat").first?.split(separator: " ").dropFirst().compactMap { Int($0) } ?? []
        return (fields.reduce(0, +), fields.dropFirst(3).prefix(2).reduce(0, +))
    }

    private static func lines(of path: String) -> [Substring] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4096)
        let count = fread(&text, 1, text.count, file)
        return String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
    }

    /// One line for the head of the table.
    package var text: String {
        let share = (busy * 100).text(decimals: 0)
        return "\(cores) × \(processor), Linux \(kernel), \(share) % busy before, \(descriptors) descriptors"
    }
}
