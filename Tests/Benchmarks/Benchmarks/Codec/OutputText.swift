import JSON

/// What is written again and again into the same memory, as a connection does.
final class OutputText {
    private var writer = JSONWriter()

    func write(_ body: (inout JSONWriter) throws -> Void) rethrows {
        writer.truncate(to: 0)
        try body(&writer)
    }
}
