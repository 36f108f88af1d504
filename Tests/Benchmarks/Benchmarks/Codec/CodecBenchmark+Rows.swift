import Foundation
import JSON
import JSONRPC

extension CodecBenchmark {
    private typealias Messages = CodecMessages

    /// Messages of a client.
    static func reading() throws -> [CodecBenchmark] {
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        let event = #"{"kind":"increment","by":1}"#
        let request = JSONText(
            #"{"jsonrpc":"2.0","id":123456,"method":"view/event","params":{"session":1,"event":\#(event)}}"#)
        let (theirRequest, theirEvent) = try (encoder.encode(Messages.Request()), encoder.encode(Messages.increment))
        let (ownEvent, rows) = (JSONText(event), try encoder.encode(Messages.rows))
        let ownRows = JSONText(String(decoding: rows, as: UTF8.self))
        return [
            CodecBenchmark(
                name: "read a request",
                ours: { try readRequest(request) },
                foundation: { keep(try decoder.decode(Messages.Request.self, from: theirRequest)) }),
            CodecBenchmark(
                name: "decode a View's event",
                ours: { keep(try ownEvent.read { try EventDecoder().decode(Messages.ViewEvent.self, from: $0) }) },
                foundation: { keep(try decoder.decode(Messages.ViewEvent.self, from: theirEvent)) }),
            CodecBenchmark(
                name: "decode 100 rows",
                ours: { keep(try ownRows.read { try ValueDecoder().decode([Messages.Row].self, from: $0) }) },
                foundation: { keep(try decoder.decode([Messages.Row].self, from: rows)) }),
        ]
    }

    /// Message, members, event: as the server does it.
    private static func readRequest(_ request: JSONText) throws {
        try request.bytes.withUnsafeBytes { bytes in
            guard case .message(.request(_, _, let params?)) = MessageDecoder().decode(bytes),
                let session = params.member("session")?.integer(as: Int.self), let event = params.member("event")
            else { throw UnexpectedMessage() }
            keep(session)
            keep(try EventDecoder().decode(Messages.ViewEvent.self, from: event))
        }
    }
}

/// The request wasn't read as one.
private struct UnexpectedMessage: Error {}

extension CodecBenchmark {
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
