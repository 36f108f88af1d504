import JSON
import TestSupport
import Testing

/// Decoders and encoders borrow memory; what a type keeps of them must not reach it afterwards.
@Suite(.inTurn) struct KeptCoderTests {
    struct Keeping: Codable {
        var decoder: (any Decoder)?
        var members: KeyedDecodingContainer<AnyKey>?
        var elements: (any UnkeyedDecodingContainer)?
        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            members = try decoder.container(keyedBy: AnyKey.self)
            elements = try members?.nestedUnkeyedContainer(forKey: AnyKey(stringValue: "a"))
        }
        func encode(to encoder: any Encoder) throws {}
    }

    @Test func `a kept decoder throws or is empty`() throws {
        var kept = try decoded(Keeping.self, #"{"a":[1,2]}"#)
        let key = AnyKey(stringValue: "a")
        #expect(throws: DecodingError.self) { try kept.decoder?.container(keyedBy: AnyKey.self) }
        #expect(throws: DecodingError.self) { try kept.decoder?.unkeyedContainer() }
        #expect(throws: DecodingError.self) { try kept.decoder?.singleValueContainer() }
        #expect(throws: DecodingError.self) { try kept.members?.decode([Int].self, forKey: key) }
        #expect(throws: DecodingError.self) { try kept.members?.decodeIfPresent([Int].self, forKey: key) }
        #expect(throws: DecodingError.self) { try kept.elements?.decode(Int.self) }
        #expect(throws: DecodingError.self) { try kept.elements?.decodeNil() }
        #expect(kept.members?.contains(key) == false)
        #expect(kept.members?.allKeys.isEmpty == true)
        #expect(kept.elements?.isAtEnd == true)
        #expect(kept.decoder?.codingPath.isEmpty == true)
    }

    /// Looks, while it is decoded, whether what another one kept can be read.
    struct Peeking: Decodable {
        // Read and written by one test only.
        nonisolated(unsafe) static var kept: Keeping?

        let throwsAll: Bool

        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: AnyKey.self)
            let key = AnyKey(stringValue: "a")
            var elements = Self.kept?.elements
            let reads: [() throws -> Void] = [
                { _ = try Self.kept?.decoder?.container(keyedBy: AnyKey.self) },
                { _ = try Self.kept?.members?.decode([Int].self, forKey: key) },
                { _ = try elements?.decode(Int.self) },
            ]
            throwsAll = Self.kept != nil && reads.allSatisfy { (try? $0()) == nil }
        }
    }

    @Test func `a kept decoder reads nothing of what is decoded later`() throws {
        Peeking.kept = try decoded(Keeping.self, #"{"a":[1,2]}"#)
        defer { Peeking.kept = nil }
        #expect(try decoded(Peeking.self, #"{"a":[3,4]}"#).throwsAll)
        #expect(try decodedEvent(Peeking.self, #"{"kind":"x","a":[3,4]}"#).throwsAll)
    }

    final class Box { var encoders: [any Encoder] = []; var members: KeyedEncodingContainer<AnyKey>? }

    struct Leaking: Encodable {
        let box: Box
        func encode(to encoder: any Encoder) throws {
            box.encoders.append(encoder)
            var members = encoder.container(keyedBy: AnyKey.self)
            box.encoders.append(members.superEncoder())
            box.members = members
        }
    }

    @Test func `a kept encoder writes nothing`() throws {
        let box = Box()
        #expect(try encoded(Leaking(box: box)) == #"{"super":{}}"#)
        for encoder in box.encoders {
            #expect(throws: EncodingError.self) { try [1].encode(to: encoder) }
            #expect(throws: EncodingError.self) { try "x".encode(to: encoder) }
        }
        #expect(throws: EncodingError.self) { try box.members?.encode(1, forKey: AnyKey(stringValue: "b")) }
    }

    @Test func `a container that a kept encoder gives writes nothing, and outlives it`() throws {
        let box = Box()
        _ = try encoded(Leaking(box: box))
        _ = try encodedEvent(WrappedEvent(value: Leaking(box: box)))
        // One of each encoding.
        var containers = [box.encoders[0], box.encoders[2]].map { $0.container(keyedBy: AnyKey.self) }
        box.encoders = []
        // Takes the memory of anything that went with the encoders.
        let others = (0..<4_000).map { [UInt8](repeating: 0xFF, count: $0 / 4) }
        for index in containers.indices {
            #expect(throws: EncodingError.self) { try containers[index].encode(1, forKey: AnyKey(stringValue: "b")) }
            #expect(throws: EncodingError.self) { try containers[index].encode([1], forKey: AnyKey(stringValue: "b")) }
        }
        withExtendedLifetime(others) {}
    }

    struct WrappedEvent: Encodable {
        let kind = "wrapped"
        let value: Leaking
    }

    @Test func `a container of a value that was encoded before is refused`() {
        struct Late: Encodable {
            let box: Box
            func encode(to encoder: any Encoder) throws {
                try box.members?.encode(1, forKey: AnyKey(stringValue: "late"))
            }
        }
        struct Pair: Encodable {
            let first: Leaking
            let second: Late
        }
        let box = Box()
        #expect { try encoded(Pair(first: Leaking(box: box), second: Late(box: box))) } throws: {
            ($0 as? JSONCodingError)?.reason == "this encoder was used after its value's encoding ended"
        }
    }
}
