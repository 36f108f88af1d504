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
