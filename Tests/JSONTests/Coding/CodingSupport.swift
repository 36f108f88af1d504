import JSON
import Testing

func decoded<T: Decodable>(_ type: T.Type, _ text: String, at path: JSONPointer = .root) throws -> T {
    try read(text) { try ValueDecoder().decode(type, from: $0, at: path) }
}

func encoded(_ value: some Encodable) throws -> String {
    try written { try ValueEncoder().encode(value, into: &$0) }
}

/// Decodes the event by itself, and as a part of a larger text that was parsed and is gone, which has to do the same.
func decodedEvent<T: Decodable>(
    _ type: T.Type, _ text: String, at path: JSONPointer = .root, sourceLocation: SourceLocation = #_sourceLocation
) throws -> T {
    let alone = Result { try read(text) { try EventDecoder().decode(type, from: $0, at: path) } }
    // What is around it has members of events, too.
    let kept = try read(#"{"kind":"other","index":"","rows":[{}],"event": \#(text) ,"value":[]}"#) { message in
        message.parse { message in
            var kept: KeptValue?
            message.forEachMember { name, value in
                if name.string() == "event" { kept = KeptValue(value) }
            }
            return kept
        }
    }
    // Again, as one that failed leaves nothing behind.
    let parts = (1...2).map { _ in
        Result {
            let kept = try #require(kept)
            return try EventDecoder().decode(type, from: kept, at: path)
        }
    }
    #expect(parts.map { "\($0)" } == ["\(alone)", "\(alone)"], sourceLocation: sourceLocation)
    return try alone.get()
}

func encodedEvent(_ event: some Encodable) throws -> String {
    try written { try EventEncoder().encode(event, into: &$0) }
}

/// Expects `body` to fail like this.
func expectFailure(
    _ path: JSONPointer, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    #expect(throws: JSONCodingError(path: path, reason: reason), sourceLocation: sourceLocation) { try body() }
}
