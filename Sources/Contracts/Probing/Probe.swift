/// What one run of a type's `init(from:)` is answered with, and what it asked for.
///
/// The run is what the server does with a client's message, so names that `CodingKeys` change, raw values, wrappers and
/// generic types come out as they are on the wire, and not as a reader of the source would guess them. Each member is
/// answered with the simplest value of its type, so that the run comes to its end.
final class Probe {
    /// Which of an enum's cases the message is.
    let caseIndex: Int?
    let samples: Samples
    private(set) var cases: (count: Int, kind: String, name: String)?
    private(set) var members: [TypeShape.Member] = []
    private(set) var value: (any Decodable.Type)?
    private(set) var isKeyed = false
    /// The names of an object's keys that the compiler would have made.
    private(set) var keys: [String] = []

    init(caseIndex: Int?, _ samples: Samples) {
        self.caseIndex = caseIndex
        self.samples = samples
    }

    func begin<Key: CodingKey>(_ keys: [(name: String, key: Key)]) throws(ProbeError) {
        guard !isKeyed, value == nil else { throw .custom("it asks for more than one container") }
        isKeyed = true
        self.keys = keys.map(\.name)
    }

    func choose(_ name: String, _ kind: String, of count: Int) {
        cases = (count, kind, name)
    }

    func note(_ member: TypeShape.Member) throws(ProbeError) {
        guard !members.contains(where: { $0.name == member.name }) else {
            throw .custom("it asks twice for '\(member.name)'")
        }
        members.append(member)
    }

    func note(value type: any Decodable.Type) throws(ProbeError) {
        guard !isKeyed, value == nil else { throw .custom("it asks for more than one value") }
        value = type
    }
}
