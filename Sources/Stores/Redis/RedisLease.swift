import LibC
import Sessions

/// The identity of a server's process, as written in its key `vms:server:ID`.
package struct RedisLease {
    package let text: String
    /// The name of this opening of the store by this process; no other opening has it.
    let id: String
    /// The address where other servers reach the server; nil where it advertises none.
    let address: String?
    private let processID: Int32
    private let startTime: String
    /// The system's boot ID and the process ID namespace, as containers have their own.
    private let system: String
    private let host: String

    /// Makes the identity of this process.
    ///
    /// - Parameters:
    ///   - name: the server's id, which no other server has.
    ///   - address: where other servers reach this one.
    package static func make(_ name: String, advertising address: String? = nil) -> RedisLease {
        let id = getpid()
        let (boot, space) = (firstLine("/proc/sys/kernel/random/boot_id"), link("/proc/self/ns/pid"))
        // Either of them alone may be the same on other machines.
        let system = boot.isEmpty || space.isEmpty ? unknownSystem : boot + space
        let words = [name, "\(id)", start(of: id), system, hostName, address ?? "-"]
        return RedisLease(words.map { $0.split(separator: " ").joined(separator: "_") }.joined(separator: " "))
    }

    /// - Parameter text: may be that of another program.
    package init(_ text: String) {
        self.text = text
        let parts = text.split(separator: " ").map(String.init)
        let isWhole = parts.count == 6
        id = parts.first ?? ""
        processID = isWhole ? Int32(parts[1]) ?? 0 : 0
        startTime = isWhole ? parts[2] : ""
        system = isWhole ? parts[3] : ""
        host = isWhole ? parts[4] : "?"
        address = isWhole && parts[5] != "-" ? parts[5] : nil
    }

    /// Returns whether the process still runs; nil where that can't be seen from here.
    package func isRunning(seenFrom own: RedisLease) -> Bool? {
        guard processID > 0, system == own.system, system != Self.unknownSystem, !startTime.isEmpty else { return nil }
        let start = Self.start(of: processID)
        if start == startTime { return true }
        if Self.isZombie(processID) { return false }
        return Self.hasEnded(start, signal: kill(processID, 0) == 0 ? 0 : errno).map { !$0 }
    }

    /// The process in words: "process 1234 on host".
    package var description: String { processID > 0 ? "process \(processID) on \(host)" : "'\(text.prefix(100))'" }

    /// The server as others know it.
    var holder: SceneHolder { SceneHolder(server: id, address: address, description: description) }

    /// Returns true where a process whose expected start time isn't found has certainly ended: its ID belongs to another
    /// process, or to none. Nil where that isn't known, as `/proc` may hide another user's process. A signal tells even then
    /// whether an ID is in use.
    ///
    /// - Parameters:
    ///   - start: the start time that is seen; "-" for none.
    ///   - signal: the error of sending signal 0; 0 where there was none.
    package static func hasEnded(_ start: String, signal: Int32) -> Bool? {
        start != noStart || signal == ESRCH ? true : nil
    }

    private static let unknownSystem = "?"
    private static let noStart = "-"

    /// Returns the start time of a process: the 22nd word of stat, see proc(5); "-" for a process that has ended, a zombie
    /// included, or is hidden.
    private static func start(of process: Int32) -> String {
        let words = status(of: process)
        guard words.count > 19, !hasEnded(words[0]) else { return noStart }
        return String(words[19])
    }

    private static func isZombie(_ process: Int32) -> Bool { status(of: process).first.map(hasEnded) ?? false }

    private static func hasEnded(_ state: Substring) -> Bool { state == "Z" || state == "X" }

    /// Returns the words of stat from the third on. The name before them is in parentheses, and may be anything.
    private static func status(of process: Int32) -> [Substring] {
        let line = firstLine("/proc/\(process)/stat")
        guard let end = line.lastIndex(of: ")") else { return [] }
        return line[line.index(after: end)...].split(separator: " ")
    }

    private static func firstLine(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 2_048)
        guard fgets(&line, Int32(line.count), file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 0x0A }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func link(_ path: String) -> String {
        var target = [CChar](repeating: 0, count: 256)
        let count = readlink(path, &target, target.count)
        return String(decoding: target.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "?" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
