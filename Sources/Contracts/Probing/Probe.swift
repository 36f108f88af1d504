import JSON
import ViewModels

/// One run of a type's `init(from:)`: the values that it gets, and a record of those that it asked for.
///
/// The server decodes a client's message in the same way. So names that `CodingKeys` change, raw values, wrappers and
/// generic types come out as they are on the wire. Each member has the simplest value of its type, so that the run
/// comes to its end.
final class Probe {
    /// The case of an enum that the message is; nil for other types.
    let caseIndex: Int?
    let samples: Samples
    /// It takes what a hand-written `init(from:)` asks for, which is no form to rely on.
    let isLenient: Bool
    private(set) var cases: (count: Int, kind: String, name: String)?
    private(set) var members: [TypeShape.Member] = []
    private(set) var value: (any Decodable.Type)?
    private(set) var isKeyed = false
    /// The property names of an object's keys, as the compiler would have made them.
    private(set) var keys: [String] = []
    /// The names of members that it asks after first.
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

    /// It may be missing, whatever else is asked of it.
    func noteOptional(_ name: String) { optional.insert(name) }

    func note(value type: any Decodable.Type) throws(ProbeError) {
        guard isLenient || !isKeyed, value == nil else { throw .custom("it asks for more than one value") }
        value = type
    }
}

/// Why a type's shape can't be determined.
struct ProbeError: Error {
    let reason: String
    /// The type to blame, where that is a type inside of the probed one.
    var type: TypeName?

    /// The way in which the probed type itself is decoded is to blame, and no type inside of it.
    var isOfCoding: Bool { type == nil && reason != Self.endless.reason }

    /// With a type to blame, unless one further inside was blamed before.
    func blaming(_ type: any Any.Type) -> ProbeError {
        ProbeError(reason: reason, type: self.type ?? TypeName(type))
    }

    /// The type holds itself. Another case of an enum may not.
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
    /// Each value is made once: otherwise the work would double with each level of types that hold two of the next.
    private var made: [ObjectIdentifier: Any] = [:]

    /// - Throws: `ProbeError` where the type holds itself in every case, is unknown, or rejects the values of its
    ///   members.
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
        // Only a value is wanted: the type's form is looked at by itself.
        ProbeDecoder(probe: Probe(caseIndex: caseIndex, self, isLenient: true))
    }
}
