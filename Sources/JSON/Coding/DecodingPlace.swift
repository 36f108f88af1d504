/// The object on the tape that a keyed container reads.
///
/// Members are found by what is not generic: in code that is, each use of a type that depends on the key asks the
/// runtime for it.
final class DecodingPlace: ContainerPlace {
    private(set) var tape = DecodingTape.nowhere
    private(set) var index = 0
    /// Counted only by `keeper`: otherwise the shelf that this place stands on is the state's own, which makes it leave
    /// before the state can go. Nil where the decoding has ended.
    private var uncountedState: Unmanaged<DecodingState>?
    private var keeper: DecodingState?
    let cases = CaseKeys()
    /// Of an event's container: the entry of its kind.
    private(set) var kindMember: Int?

    /// Nowhere.
    override init() {}

    init(_ state: DecodingState, _ index: Int) {
        tape = state.tape
        self.index = index
        uncountedState = .passUnretained(state)
    }

    func move(to index: Int) {
        self.index = index
    }

    /// For an event's container, whenever it is given out.
    func findKind() {
        kindMember = tape.kindMember
    }

    /// For a place that is on no shelf: what is kept of it then keeps the state from being used again.
    func keepState() {
        keeper = try? state
    }

    override func leave() {
        tape = .nowhere
        uncountedState = nil
    }

    /// - Throws: when the decoding has ended.
    var state: DecodingState {
        get throws {
            guard let uncountedState else { throw DecodingTape.outlived }
            return uncountedState.takeUnretainedValue()
        }
    }

    var codingPath: [any CodingKey] { tape.codingPath(to: index) }
}

extension DecodingPlace {
    /// The entry of a member's value; nil where there is none.
    func find(_ name: String) throws -> Int? {
        try tape.member(name, inObject: index)
    }

    @inline(__always)
    func member<Key: CodingKey>(_ key: Key) throws -> Int {
        guard let member = try find(key.stringValue) else { throw tape.missing(key, inObject: index) }
        return member
    }

    /// Nil where there is none, or null.
    @inline(__always)
    func memberIfPresent(_ name: String) throws -> Int? {
        guard let member = try find(name), try !tape.isNull(at: member) else { return nil }
        return member
    }

    func decode<T: Decodable>(_ type: T.Type, at member: Int) throws -> T {
        try state.decode(type, at: member)
    }

    func nestedContainer<Key: CodingKey>(at member: Int) throws -> KeyedDecodingContainer<Key> {
        try state.valueContainer(at: member)
    }

    func nestedUnkeyedContainer(at member: Int) throws -> any UnkeyedDecodingContainer {
        try UnkeyedValueDecoder(state: state, index: member)
    }

    func decoder(at member: Int) throws -> any Decoder {
        ValueTreeDecoder(state: try state, index: member)
    }
}
