import FoundationEssentials

/// The lines of a recorded file, without their times.
struct Transcript: Equatable {
    let header: String
    let lines: [String]

    init(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // Each line has an end, the last one too.
        if lines.popLast() != "" { throw CocoaError(.fileReadCorruptFile) }
        header = lines.first.map(String.init) ?? ""
        self.lines = lines.dropFirst().map { String($0.replacing(/"at":\d+,/, with: "")) }
    }

    /// As they stand in it, of one side.
    func messages(from side: String, connection: Int = 1) -> [String] {
        let start = "{\"from\":\"\(side)\",\"connection\":\(connection),\"message\":"
        return lines.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count).dropLast()) }
    }

    static func message(_ side: String, _ message: String, connection: Int = 1) -> String {
        "{\"from\":\"\(side)\",\"connection\":\(connection),\"message\":\(message)}"
    }

    static func end(_ side: String, connection: Int = 1) -> String {
        "{\"from\":\"\(side)\",\"connection\":\(connection),\"end\":true}"
    }
}
