import JSON

/// The state of a build as the web page shows it: a file that the supervisor writes and the server hands out.
struct BuildState: Equatable {
    enum Kind: String {
        case building, built, failed
    }

    var kind: Kind
    /// The compiler's messages if the build failed.
    var lines: [String] = []

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("state")
        writer.string(kind.rawValue)
        writer.key("log")
        writer.string(lines.joined(separator: "\n"))
        writer.endObject()
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}
