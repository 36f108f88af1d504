import Benchmarking
import JSON

/// A client of a finder in a folder, over standard streams.
final class FinderClient {
    let child: Child
    private var dialogue: Dialogue
    private var news = News()

    /// What it was told.
    private struct News {
        var files = 0
        var isScanned = false
        var matches = 0
        /// When the first rows came since a query was sent.
        var rowsArrival: Int?

        mutating func take(_ message: JSONValue, _ arrival: Int) {
            guard let event = message.member("params")?.member("event"), let kind = event.member("kind") else { return }
            if kind.isString("results") {
                if rowsArrival == nil, event.member("rows") != nil { rowsArrival = arrival }
            } else if kind.isString("matches") {
                matches = event.member("count")?.integer(as: Int.self) ?? 0
            } else if kind.isString("scanning") {
                files = event.member("files")?.integer(as: Int.self) ?? 0
                isScanned = event.member("isDone")?.boolean() ?? false
            }
        }
    }

    /// Starts a server in the folder.
    init(_ subject: Subject, in folder: String) throws {
        child = try subject.run(by: ["/usr/bin/env", "-C", folder], options: []).stdio()
        dialogue = Dialogue(Connection(child))
        try dialogue.initialize()
    }

    /// Opens a finder, and returns how long it took until all files were found, in milliseconds.
    func open(files: Int) throws -> Double {
        let start = Clock.now()
        try dialogue.openAnother("finder") { news.take($0, $1) }
        while !news.isScanned { try dialogue.takeNotification { news.take($0, $1) } }
        let time = Double(Clock.now() - start) / 1e6
        guard news.files == files else { throw Dialogue.Broken("the finder has \(news.files) files, and not \(files)") }
        return time
    }

    /// Searches, and returns how long it took until the first rows were there, and until all was searched, in
    /// nanoseconds. Where the best rows stay what they are, no rows come before the answer.
    @discardableResult
    func search(_ text: String) throws -> (rows: Int, all: Int) {
        news.rowsArrival = nil
        let start = Clock.now()
        _ = try dialogue.event(#"{"kind":"query","text":"\#(text)"}"#) { news.take($0, $1) }
        let end = Clock.now()
        return ((news.rowsArrival ?? end) - start, end - start)
    }

    /// Searches in files from now on, for nothing yet.
    func searchLines(_ mode: String) throws {
        try search("")
        _ = try dialogue.event(#"{"kind":"mode","value":"\#(mode)"}"#) { news.take($0, $1) }
    }

    /// How many matches the last search has found.
    var matches: Int { news.matches }
}
