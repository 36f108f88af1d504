import Glibc

/// Where the figures were taken.
package struct Machine {
    package let cores: Int
    package let processor: String
    package let kernel: String
    /// How much else it did in the minute before.
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
        var load = 0.0
        busy = getloadavg(&load, 1) == 1 ? load : 0
    }

    private static func processorName() -> String? {
        guard let file = fopen("/proc/cpuinfo", "re") else { return nil }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4096)
        let count = fread(&text, 1, text.count, file)
        let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }

    /// One line for the head of the table.
    package var text: String {
        "\(cores) × \(processor), Linux \(kernel), load \(busy.text(decimals: 2)) before, \(descriptors) descriptors"
    }
}
