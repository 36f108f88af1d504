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
