import JSON
import ViewModels

/// One run of a type's `init(from:)`: the values that the initializer gets, and a record of the values that it asked for.
///
/// The server decodes a client's message in the same way, so the record has names that `CodingKeys` change, raw values,
/// wrappers and generic types as they are on the wire. Each member gets the simplest value of its type, so that the run comes
/// to its end.
final class Probe {
    /// The index of the enum's case that the message is for; nil for other types.
    let caseIndex: Int?
    let samples: Samples
    /// Whether a hand-written `init(from:)` is accepted. What such an initializer asks for is no reliable form.
    let isLenient: Bool
    private(set) var cases: (count: Int, kind: String, name: String)?
    private(set) var members: [TypeShape.Member] = []
    private(set) var value: (any Decodable.Type)?
    private(set) var isKeyed = false
    /// The property names for an object's keys, as compiler-made keys would name them.
    private(set) var keys: [String] = []
    /// The names of members for which the initializer first asks whether they are there.
    private(set) var optional: Set<String> = []

    init(caseIndex: Int?, _ samples: Samples, isLenient: Bool = false) {
        self.caseIndex = caseIndex
        self.samples = samples
        self.isLenient = isLenient
    }

    func begin<Key: CodingKey>(_ keys: [(name: String, key: Key)]) throws(ProbeError) {
        guard isLenient || !isKeyed && value == nil else { throw .custom("it asks for more than one container") }
        isKeyed = true
        self.keys = keys.map(\.name)
    }

    func choose(_ name: String, _ kind: String, of count: Int) {
        cases = (count, kind, name)
    }

    func note(_ member: TypeShape.Member) throws(ProbeError) {
        guard let index = members.firstIndex(where: { $0.name == member.name }) else { return members.append(member) }
        guard isLenient else { throw .custom("it asks twice for '\(member.name)'") }
        if member.isOptional { members[index].isOptional = true }
    }

    /// Notes that a member may be missing, whatever else is asked about it.
    func noteOptional(_ name: String) { optional.insert(name) }

    func note(value type: any Decodable.Type) throws(ProbeError) {
        guard isLenient || !isKeyed, value == nil else { throw .custom("it asks for more than one value") }
        value = type
    }
}

/// Why a type's shape can't be determined.
struct ProbeError: Error {
    let reason: String
    /// The type that causes the error; nil for the probed type itself.
    var type: TypeName?

    /// Whether the cause is how the probed type itself is decoded, and not a type inside of it.
    var isOfCoding: Bool { type == nil && reason != Self.endless.reason }

    /// Returns the error with `type` as its cause, unless a type further inside was named as the cause before.
    func blaming(_ type: any Any.Type) -> ProbeError {
        ProbeError(reason: reason, type: self.type ?? TypeName(type))
    }

    /// The error for a type that contains itself. In an enum, another case may not contain it.
    static let endless = ProbeError(reason: "a value of it would have no end")
    static let unknown = ProbeError(
        reason: """
            its form isn't known here; put what clients need of it into a type of your own, or one that conforms to \
            SchemaProviding
            """)
    static func custom(_ what: String) -> ProbeError {
        ProbeError(reason: "its Codable conformance isn't the compiler's: \(what)")
    }
}

/// Makes the simplest value of a type, with the type's own `init(from:)` unless the codec knows the type.
final class Samples {
    private var types: [ObjectIdentifier] = []
    /// The values that were made, each once: otherwise the work would double with each level of types that contain two of the
    /// next.
    private var made: [ObjectIdentifier: Any] = [:]

    /// Returns a type's simplest value.
    ///
    /// - Throws: `ProbeError` if the type contains itself in every case, is unknown, or rejects the values of its members.
    func sample<T: Decodable>(of type: T.Type) throws -> T {
        if let known = KnownForm.of(type)?.sample as? T { return known }
        if let container = type as? any ContainerForm.Type, let simple = try simplest(container) as? T { return simple }
        if let type = type as? any SchemaProviding.Type, let example = type.example as? T { return example }
        if let raw = RawValues.first(of: type) { return raw }
        let identifier = ObjectIdentifier(type)
        if let one = made[identifier] as? T { return one }
        guard !types.contains(identifier), TypeName(type).depth <= TypeName.greatestDepth else {
            throw ProbeError.endless
        }
        types.append(identifier)
        defer { types.removeLast() }
        do {
            guard !TypeName(type).isLibrarys else { throw ProbeError.unknown }
            let cases = CaseNames.names(of: type)?.count
            let one = try cases.map { try firstCase(of: type, among: $0) } ?? T(from: decoder(caseIndex: nil))
            made[identifier] = one
            return one
        } catch let error as ProbeError {
            throw error.reason == ProbeError.endless.reason ? error : error.blaming(type)
        } catch {
            throw ProbeError.custom("it throws \(error)").blaming(type)
        }
    }

    private func simplest<C: ContainerForm>(_ type: C.Type) throws -> Any? { try C.sample(self) }

    private func firstCase<T: Decodable>(of type: T.Type, among count: Int) throws -> T {
        var index = 0
        while true {
            do {
                return try T(from: decoder(caseIndex: index))
            } catch let error as ProbeError where error.reason == ProbeError.endless.reason {
                index += 1
                guard index < count else { throw error }
            }
        }
    }

    private func decoder(caseIndex: Int?) -> ProbeDecoder {
        // Lenient, as only a value is needed here: the type's form is determined by a probe of its own.
        ProbeDecoder(probe: Probe(caseIndex: caseIndex, self, isLenient: true))
    }
}
