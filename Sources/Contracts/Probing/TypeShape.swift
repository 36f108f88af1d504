import JSON
import ViewModels

/// The structure that a type's own `init(from:)` asked for.
enum TypeShape {
    case object([Member])
    /// An enum whose cases may have associated values.
    case cases([Case])
    /// An enum's raw values, strings or integers.
    case rawValues([(name: String, value: JSONTree)])
    /// A single value of another type.
    case value(any Decodable.Type)

    struct Member {
        /// The member's name on the wire, outside of events.
        let name: String
        /// The member's name in an event: `value` for a value without a label.
        let eventName: String
        /// The property's name in Swift.
        let property: String
        let type: any Decodable.Type
        /// Whether the member may be missing or null.
        var isOptional: Bool
        /// Why the member can't be in an event; nil if it can.
        let clash: String?
    }

    struct Case {
        /// The case's name on the wire.
        let kind: String
        /// The case's name in Swift.
        let name: String
        let members: [Member]
        /// Why the case's members can't be determined; nil if they are.
        var problem: ProbeError?
        /// How a view event is scheduled; nil if the case doesn't say.
        var schedule: EventSchedule?
    }
}

extension TypeShape {
    /// Returns a type's shape. Runs the type's `init(from:)`, once for each case of an enum.
    ///
    /// - Parameter isEvent: whether a case whose members can't be determined gets a `problem`, instead of making the whole type
    ///   fail.
    /// - Throws: if the conformance isn't the compiler's, since what it asks for may depend on the values that it gets.
    static func of<T: Decodable>(_ type: T.Type, isEvent: Bool = false) throws(ProbeError) -> TypeShape {
        if let rawValues = RawValues.all(of: type) { return .rawValues(rawValues) }
        guard let names = CaseNames.names(of: type) else { return try object(type) }
        guard !names.isEmpty else { return .cases([]) }
        var cases: [Case] = []
        var index = 0
        repeat {
            let probe = Probe(caseIndex: index, Samples())
            let (value, problem) = run(type, probe)
            // A run that never asks for the case, or decodes it in another way, isn't the compiler's code.
            if let problem, !isEvent || probe.cases == nil || problem.isOfCoding { throw problem }
            if let value = probe.value { return .value(value) }
            guard let found = probe.cases else { throw .custom("it doesn't ask which case it is") }
            let schedule = (value as? any ScheduledEvent)?.schedule
            cases.append(
                Case(
                    kind: found.kind, name: found.name, members: probe.members, problem: problem, schedule: schedule))
            index += 1
            if index == found.count { break }
        } while true
        return .cases(cases)
    }

    private static func object<T: Decodable>(_ type: T.Type) throws(ProbeError) -> TypeShape {
        let probe = Probe(caseIndex: nil, Samples())
        if let problem = run(type, probe).problem { throw problem }
        if let value = probe.value {
            guard type is any RawRepresentable.Type else { throw .custom("it reads a single \(value)") }
            return .value(value)
        }
        if let unread = probe.keys.first(where: { key in !probe.members.contains { $0.property == key } }) {
            throw .custom("'\(unread)' is written, but not read")
        }
        guard let properties = StoredProperties.of(type) else { return .object(probe.members) }
        if let other = probe.members.first(where: { !StoredProperties.agree(properties, with: $0) }) {
            throw .custom("'\(other.property)' isn't read as the property that it is")
        }
        return .object(probe.members)
    }

    /// Runs `init(from:)`, and returns the value, or the reason why the run didn't come to its end.
    static func run<T: Decodable>(_ type: T.Type, _ probe: Probe) -> (value: T?, problem: ProbeError?) {
        do {
            return (try T(from: ProbeDecoder(probe: probe)), nil)
        } catch let error as ProbeError {
            return (nil, error)
        } catch {
            // A made-up raw value may be rejected, but by then everything was asked for.
            if probe.value != nil, type is any RawRepresentable.Type { return (nil, nil) }
            return (nil, .custom("it throws \(error)"))
        }
    }
}

@_spi(Reflection) import Swift

/// The stored properties of a struct or class, from the compiler's metadata for `Mirror`.
enum StoredProperties {
    /// Returns the types of the properties by name; nil for a type that is neither a struct nor a class.
    static func of(_ type: any Any.Type) -> [String: any Any.Type]? {
        var properties: [String: any Any.Type] = [:]
        let note = { (label: UnsafePointer<CChar>, type: any Any.Type) in
            properties[CaseNames.plain(String(cString: label))] = type
            return true
        }
        let isStruct = _forEachField(of: type) { label, _, type, _ in note(label, type) }
        guard !isStruct || properties.isEmpty else { return properties }
        let isClass = _forEachField(of: type, options: _EachFieldOptions(rawValue: classes)) { label, _, type, _ in
            note(label, type)
        }
        return isStruct || isClass ? properties : nil
    }

    /// The value of `_EachFieldOptions.classType`. That is a `var`, which Swift 6 lets nobody use.
    private static let classes: UInt32 = 1

    /// Whether the compiler's `init(from:)` would ask for this member.
    static func agree(_ properties: [String: any Any.Type], with member: TypeShape.Member) -> Bool {
        // A property wrapper is stored under the property's name with an underscore, and decoded as the wrapper.
        if let wrapper = properties["_" + member.property], wrapper == member.type { return true }
        guard let type = properties[member.property] else { return false }
        guard member.isOptional else { return type == member.type }
        return (type as? any ContainerForm.Type).map { wrapped($0) == member.type } ?? false
    }

    private static func wrapped<C: ContainerForm>(_ type: C.Type) -> (any Any.Type)? { C.contents?.types.first }
}

/// The raw values of an enum, strings or integers.
enum RawValues {
    /// Returns the raw values in order of declaration; nil for a type that has none.
    static func all(of type: any Any.Type) -> [(name: String, value: JSONTree)]? {
        guard let type = type as? any RawRepresentable.Type else { return nil }
        return cases(of: type)?.map { ($0.name, $0.json) }
    }

    /// Returns the schedules of an enum of view events, by case name.
    static func schedules<E>(of type: E.Type) -> [String: EventSchedule] {
        let cases = (PlainCases.all(of: type) ?? []).map { ($0.name, ($0.value as? any ScheduledEvent)?.schedule) }
        return Dictionary(cases, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }
    }

    static func first<T>(of type: T.Type) -> T? {
        guard let type = type as? any RawRepresentable.Type else { return nil }
        return cases(of: type)?.first?.value as? T
    }

    private static func cases<E: RawRepresentable>(of type: E.Type) -> [(name: String, value: E, json: JSONTree)]? {
        guard let cases = PlainCases.all(of: type) else { return nil }
        var found: [(name: String, value: E, json: JSONTree)] = []
        for (name, value) in cases {
            // The type's own initializer must return the same case for the raw value.
            guard let json = json(value.rawValue), let again = E(rawValue: value.rawValue),
                Self.json(again.rawValue) == json, !found.contains(where: { $0.json == json })
            else { return nil }
            found.append((name, value, json))
        }
        return found
    }

    private static func json(_ rawValue: Any) -> JSONTree? {
        switch rawValue {
        case let text as String: .string(text)
        case let number as any FixedWidthInteger: .number("\(number)")
        default: nil
        }
    }
}
