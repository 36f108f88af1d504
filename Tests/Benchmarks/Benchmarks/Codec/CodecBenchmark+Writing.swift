import Foundation
import JSON
import JSONRPC

extension CodecBenchmark {
    private typealias Messages = CodecMessages

    /// Messages of the server.
    static func writing() throws -> [CodecBenchmark] {
        let encoder = JSONEncoder()
        let output = OutputText()
        let event = try JSONText { try EventEncoder().encode(Messages.count, into: &$0) }
        return [
            CodecBenchmark(
                name: "encode a view model's event",
                ours: { try output.write { try EventEncoder().encode(Messages.count, into: &$0) } },
                foundation: { keep(try encoder.encode(Messages.count)) }),
            CodecBenchmark(
                name: "encode 100 rows",
                ours: { try output.write { try EventEncoder().encode(Messages.loaded, into: &$0) } },
                foundation: { keep(try encoder.encode(Messages.loaded)) }),
            CodecBenchmark(
                name: "write a notification, its event included",
                ours: {
                    try output.write { writer in
                        var failure: (any Error)?
                        writeNotification(into: &writer) { writer in
                            do { try EventEncoder().encode(Messages.count, into: &writer) } catch { failure = error }
                        }
                        if let failure { throw failure }
                    }
                },
                foundation: { keep(try encoder.encode(Messages.Notification())) }),
            CodecBenchmark(
                name: "write a notification around an encoded event",
                ours: { output.write { writeNotification(into: &$0) { $0.raw(event.bytes) } } },
                foundation: nil),
        ]
    }

    private static func writeNotification(into writer: inout JSONWriter, event: (inout JSONWriter) -> Void) {
        MessageEncoder.notification("viewModel/event", into: &writer) { writer in
            writer.key("session")
            writer.integer(1)
            writer.key("seq")
            writer.integer(123_456)
            writer.key("event")
            event(&writer)
        }
    }
}
