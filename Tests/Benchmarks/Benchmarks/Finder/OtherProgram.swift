import Benchmarking
import Foundation

/// A program that others search with.
struct OtherProgram: Sendable {
    let name: String
    let package: String
    private let path: String?

    /// - Parameters:
    ///   - name: as it is known.
    ///   - executables: its names, of which Debian has the first.
    ///   - package: Debian's.
    private init(_ name: String, _ executables: [String], package: String) {
        self.name = name
        self.package = package
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        path = executables.flatMap { name in folders.map { "\($0)/\(name)" } }.first { access($0, X_OK) == 0 }
    }

    static let fd = OtherProgram("fd", ["fdfind", "fd"], package: "fd-find")
    static let fzf = OtherProgram("fzf", ["fzf"], package: "fzf")
    static let ripgrep = OtherProgram("ripgrep", ["rg"], package: "ripgrep")

    var isInstalled: Bool { path != nil }

    /// Runs it in a folder, and returns how long it took, in milliseconds.
    ///
    /// - Parameters:
    ///   - input: the path of its standard input.
    ///   - lines: how many it should write.
    func time(_ arguments: [String], in folder: String, input: String = "/dev/null", lines: Int) throws -> Double? {
        guard let path else { return nil }
        let start = Clock.now()
        // The shell becomes the program.
        let child = try Child(
            ["/bin/sh", "-c", #"cd "$0" && input="$1" && shift && exec "$@" <"$input""#, folder, input, path]
                + arguments)
        let count = try child.outputLines()
        let time = Double(Clock.now() - start) / 1e6
        guard count == lines else { throw Dialogue.Broken("\(name) wrote \(count) lines, and not \(lines)") }
        return time
    }
}
