/// A decoder of `Decodable` values from JSON, each type in its own `Codable` form.
///
/// `Date` is RFC 3339, `Data` base64, `URL` and `UUID` are strings, `Decimal` is a number with all its digits. Unknown members
/// are ignored, and of duplicate ones the last counts.
package struct ValueDecoder {
    package init() {}

    /// Decodes a value.
    ///
    /// - Parameter path: the place of `value` in the message; errors begin with it.
    /// - Throws: if the value doesn't have the form that `type` asks for.
    package func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: JSONPointer = .root
    ) throws(JSONCodingError) -> T {
        try DecodingState.decode(value, at: path) { state in try state.decode(type, at: state.tape.root) }
    }

    /// Decodes a value, and throws for a member that no type knows. A type knows the members that its coding keys can name, in
    /// every object of which it opens a keyed container. A type that reads an object as a whole knows all members.
    package func decodeStrictly<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: JSONPointer = .root
    ) throws(JSONCodingError) -> T {
        try DecodingState.decode(value, at: path) { state in try state.decodeStrictly(type) }
    }

    /// Decodes a value, ignores each member that no type knows, and appends the member's path to `unknown`. In objects of one
    /// type, a name is reported only once, where it comes first.
    package func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, unknown: inout [JSONPointer]
    ) throws(JSONCodingError) -> T {
        try decodeNotingObjects(type, from: value, unknown: &unknown).value
    }

    /// Decodes a value as `decode(_:from:unknown:)` does, and returns whether it contains an instance of a class. Such a value
    /// may change without anybody setting it.
    package func decodeNotingObjects<T: Decodable>(
        _ type: T.Type, from value: JSONValue, unknown: inout [JSONPointer]
    ) throws(JSONCodingError) -> (value: T, hasObjects: Bool) {
        try DecodingState.decode(value, at: .root) { state in try state.decode(type, unknown: &unknown) }
    }
}

/// The `Decoder` of one value of a tape, as that value's own `init(from:)` gets it, and its single value container.
struct ValueTreeDecoder: Decoder, SingleValueDecodingContainer {
    let state: DecodingState
    let index: Int
    /// Whether the value is an event as a whole.
    var isEvent = false

    var codingPath: [any CodingKey] { state.tape.codingPath(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard isEvent else { return try state.valueContainer(at: index) }
        _ = try state.findKind()
        return state.container(.event, at: index)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedValueDecoder(state: state, index: index)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        _ = try state.tape.entry(index)
        return self
    }

    /// Whether the value is null. Once decoding has ended this is false, and every other call throws.
    func decodeNil() -> Bool { (try? state.tape.isNull(at: index)) ?? false }

    /// Decodes a value of any type. Serves every overload of the protocol.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard isEvent, !EventShape.isScalar(type) else { return try state.decode(type, at: index) }
        // An event type that wraps another one decodes the same event, and an enum of strings the event's kind.
        guard T.self == String.self else { return try state.initialize(type, at: index, isEvent: true) }
        return unsafeBitCast(try state.kindOfRawValue(), to: T.self)
    }
}

struct UnkeyedValueDecoder: UnkeyedDecodingContainer {
    private let state: DecodingState
    private let index: Int
    private let end: Int
    /// The entry of the next element.
    private var next: Int
    private(set) var currentIndex = 0

    init(state: DecodingState, index: Int) throws {
        let tape = state.tape
        guard try tape.kind(at: index) == .array else {
            throw tape.mismatch([Any].self, at: index, expected: "an array")
        }
        self.state = state
        self.index = index
        end = try tape.entry(index).length
        next = index + 1
    }

    private var tape: DecodingTape { state.tape }

    var codingPath: [any CodingKey] { tape.codingPath(to: index) }

    /// The number of elements, counted when asked for, since most callers go by `isAtEnd`.
    var count: Int? {
        var count = currentIndex
        var element = next
        while element < end, let following = try? tape.index(after: element) {
            count += 1
            element = following
        }
        return count
    }

    /// Whether no element is left; true once decoding has ended.
    var isAtEnd: Bool { next >= end || !tape.isValid }

    mutating func decodeNil() throws -> Bool {
        guard try tape.isNull(at: element(Never?.self)) else { return false }
        return try take(Never?.self) { _, _ in true }
    }

    /// Decodes the next element. Serves every overload of the protocol.
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try take(type) { state, element in try state.decode(type, at: element) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try take([String: Any].self) { state, element in try state.valueContainer(at: element) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take([Any].self) { state, element in try UnkeyedValueDecoder(state: state, index: element) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try take((any Decoder).self) { state, element in ValueTreeDecoder(state: state, index: element) }
    }

    /// Reads the next element and passes it. An element that can't be read stays the next one.
    @inline(__always)
    private mutating func take<R>(_ type: any Any.Type, _ read: (DecodingState, Int) throws -> R) throws -> R {
        let result = try read(state, element(type))
        next = try tape.index(after: next)
        currentIndex += 1
        return result
    }

    private func element(_ type: any Any.Type) throws -> Int {
        guard tape.isValid else { throw DecodingTape.outlived }
        guard next < end else {
            let path = codingPath + [PathKey.index(currentIndex)]
            let reason = "missing: the array has no more elements"
            throw DecodingError.valueNotFound(
                type, DecodingError.Context(codingPath: path, debugDescription: reason))
        }
        return next
    }
}
