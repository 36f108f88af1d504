import JSON

extension TypeShape {
    /// Finds out what a type asks for, once for each case of an enum.
    ///
    /// - Throws: `ProbeError` where that isn't what the compiler's conformance asks for, and so may depend on what the type
    ///   is shown.
    static func of<T: Decodable>(_ type: T.Type) throws(ProbeError) -> TypeShape {
        if let rawValues = RawValues.all(of: type) { return .rawValues(rawValues) }
        guard let names = CaseNames.names(of: type) else { return try object(type) }
        guard !names.isEmpty else { return .cases([]) }
        var cases: [Case] = []
        var index = 0
        repeat {
            let probe = try run(type, caseIndex: index)
            if let value = probe.value { return .value(value) }
            guard let found = probe.cases else { throw .custom("it doesn't ask which case it is") }
            cases.append(Case(kind: found.kind, name: found.name, members: probe.members))
            index += 1
            if index == found.count { break }
        } while true
        return .cases(cases)
    }

    private static func object<T: Decodable>(_ type: T.Type) throws(ProbeError) -> TypeShape {
        let probe = try run(type, caseIndex: nil)
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

    private static func run<T: Decodable>(_ type: T.Type, caseIndex: Int?) throws(ProbeError) -> Probe {
        let probe = Probe(caseIndex: caseIndex, Samples())
        do {
            _ = try T(from: ProbeDecoder(probe: probe))
            return probe
        } catch let error as ProbeError {
            throw error
        } catch {
            // The shape is known where nothing was left to ask for, as with a raw value of a type of one's own.
            if probe.value != nil, type is any RawRepresentable.Type { return probe }
            throw .custom("it throws \(error)")
        }
    }
}
