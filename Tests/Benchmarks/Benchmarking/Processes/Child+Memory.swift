import Glibc

/// What the kernel says of its memory, in KiB.
extension Child {
    /// Pages that it shares with no other process: what it would give back by ending.
    package func privateMemory() throws(SystemFailure) -> Int {
        let text = try text(of: "smaps_rollup")
        return Child.kibibytes("Private_Clean:", in: text) + Child.kibibytes("Private_Dirty:", in: text)
    }

    /// The most that it ever had in memory, shared pages included.
    package func peakMemory() throws(SystemFailure) -> Int {
        Child.kibibytes("VmHWM:", in: try text(of: "status"))
    }

    private func text(of file: String) throws(SystemFailure) -> String {
        let descriptor = Descriptor(try check(open("/proc/\(id)/\(file)", O_RDONLY | O_CLOEXEC), "opening \(file)"))
        var text = [UInt8](repeating: 0, count: 1 << 14)
        let capacity = text.count
        let count = Glibc.read(descriptor.number, &text, capacity)
        guard count > 0 else { throw SystemFailure("reading \(file)") }
        return String(decoding: text[..<count], as: UTF8.self)
    }

    private static func kibibytes(_ name: String, in text: String) -> Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
