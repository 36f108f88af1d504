/// The lines that a build prints, except those about its progress: the compiler's messages.
package struct BuildOutput {
    /// The maximum number of lines. Enough for the first errors, which are mostly the cause of the others.
    package static let maximumLines = 400

    private var unfinished: [UInt8] = []
    package private(set) var lines: [String] = []

    package init() {}

    /// Takes a part of the output, and returns its complete lines, except those about progress.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
        unfinished.append(contentsOf: bytes)
        var parts = unfinished.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        unfinished = parts.popLast().map(Array.init) ?? []
        return keep(parts.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Ends the output, and returns its last line if that has no line end.
    package mutating func end() -> [String] {
        defer { unfinished = [] }
        return unfinished.isEmpty ? [] : keep([String(decoding: unfinished, as: UTF8.self)])
    }

    private mutating func keep(_ all: [String]) -> [String] {
        let new = all.filter { !Self.isProgress($0) }
        lines += new.prefix(max(0, Self.maximumLines - lines.count))
        return new
    }

    /// Whether a line tells the progress, such as "[3/5] Compiling greeter Greeter.swift".
    private static func isProgress(_ line: String) -> Bool {
        if line.wholeMatch(of: /\[[0-9]+\/[0-9]+\] .*/) != nil { return true }
        return ["Building for ", "Build complete!", "Build of "].contains { line.hasPrefix($0) }
    }
}
