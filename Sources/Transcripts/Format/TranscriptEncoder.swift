import JSON

/// An encoder of the lines of a transcript, each with its final `\n`.
///
/// The order of members is fixed, so that two files can be compared line by line.
package enum TranscriptEncoder {
    package static func encode(_ header: TranscriptHeader) -> [UInt8] {
        line { writer in
            writer.key("transcript")
            writer.integer(TranscriptHeader.version)
            writer.key("title")
            writer.string(header.title)
            if let server = header.server {
                writer.key("server")
                writer.string(server)
            }
            if let version = header.protocolVersion {
                writer.key("protocolVersion")
                writer.string(version)
            }
        }
    }

    package static func encode(_ entry: TranscriptEntry) -> [UInt8] {
        line { writer in
            writer.key("from")
            writer.string(entry.from.rawValue)
            writer.key("connection")
            writer.integer(entry.connection)
            writer.key("at")
            writer.integer(entry.at)
            switch entry.content {
            case .message(let message):
                writer.key("message")
                writer.raw(message.bytes)
            case .text(let text):
                writer.key("text")
                writer.string(text)
            case .unframed(let text):
                writer.key("unframed")
                writer.string(text)
            case .end:
                writer.key("end")
                writer.boolean(true)
            }
        }
    }

    private static func line(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        writer.literal("\n")
        return writer.takeBytes()
    }
}
