import Glibc

/// Where the figures were taken.
package struct Machine {
    package let cores: Int
    package let processor: String
    package let kernel: String
    /// How many files a process may have open.
    package let descriptors: Int
    /// How much of all cores other programs used meanwhile, from 0 to 1.
    package let otherWork: Double

    /// - Parameter descriptors: see `Descriptors`.
    package init(descriptors: Int, otherWork: Double) {
        self.descriptors = descriptors
        self.otherWork = otherWork
        cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        var name = utsname()
        uname(&name)
        kernel = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let line = TextFile.lines("/proc/cpuinfo").first { $0.hasPrefix("model name") }
        let words = line?.split(separator: ":", maxSplits: 1).last ?? "unknown"
        processor = String(words.drop { $0 == " " })
    }

    /// For the head of the table.
    package var text: String {
        let share = (otherWork * 100).text(decimals: 0)
        let machine = "\(cores) × \(processor), Linux \(kernel), \(descriptors) descriptors; other work took \(share) %"
        return otherWork < 0.05 ? machine : machine + ": on an idle machine the figures are others"
    }
}

/// A file of the kernel's, which has no length before it is read.
enum TextFile {
    /// The lines at its beginning; none when it can't be read.
    static func lines(_ path: String) -> [Substring] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4096)
        let count = fread(&text, 1, text.count, file)
        return String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
    }
}

/// The work of other programs since this was made: figures mean something only on an idle machine.
package struct OtherWork {
    private let start = Times()

    package init() {}

    /// The share of all cores' time that went to other programs, from 0 to 1. Children count once they have ended.
    package var share: Double {
        let end = Times()
        let all = end.all - start.all
        guard all > 0 else { return 0 }
        return min(1, max(0, ((end.busy - start.busy) - (end.own - start.own)) / all))
    }
}

/// In seconds, since some moment.
private struct Times {
    let all: Double
    let busy: Double
    /// This process's and its children's.
    let own: Double

    init() {
        // user, nice, system, idle, waiting for disks, …, of all cores.
        let line = TextFile.lines("/proc/stat").first
        let ticks = line?.split(separator: " ").dropFirst().compactMap { Double($0) } ?? []
        let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        all = ticks.reduce(0, +) / perSecond
        busy = all - ticks.dropFirst(3).prefix(2).reduce(0, +) / perSecond
        own = Times.used(RUSAGE_SELF) + Times.used(RUSAGE_CHILDREN)
    }

    private static func used(_ who: __rusage_who) -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(who.rawValue), &usage)
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        return Double(user.tv_sec + system.tv_sec) + Double(user.tv_usec + system.tv_usec) / 1e6
    }
}
