#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import TestSupport

/// A program that this project didn't write, run by the shell.
enum OutsideTool {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether the shell finds it.
    static func isInstalled(_ name: String) -> Bool { system("command -v \(name) >/dev/null 2>&1") == 0 }

    /// What a command writes to its standard output. Whatever its status is, where that is allowed.
    static func output(of command: String, failing: Bool = false) async throws -> [UInt8] {
        let output = Recorder<[UInt8]?>()
        await onThread { output.record(read(command, failing: failing)) }
        guard let bytes = output.elements.first ?? nil else { throw Failure(description: "\(command) failed") }
        return bytes
    }

    /// The lines of its standard output.
    static func lines(of command: String, failing: Bool = false) async throws -> [String] {
        try await output(of: command, failing: failing).split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static func read(_ command: String, failing: Bool) -> [UInt8]? {
        guard let stream = popen(command, "r") else { return nil }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&block, 1, block.count, stream)
            if count == 0 { break }
            bytes += block[..<count]
        }
        return pclose(stream) == 0 || failing ? bytes : nil
    }
}
