import JSON

/// An enum whose cases stand for strings or integers.
enum RawValues {
    /// In order of declaration; nil for what is no such enum.
    static func all(of type: any Any.Type) -> [(name: String, value: JSONTree)]? {
        guard let type = type as? any RawRepresentable.Type else { return nil }
        return cases(of: type)?.map { ($0.name, $0.json) }
    }

    static func first<T>(of type: T.Type) -> T? {
        guard let type = type as? any RawRepresentable.Type else { return nil }
        return cases(of: type)?.first?.value as? T
    }

    private static func cases<E: RawRepresentable>(of type: E.Type) -> [(name: String, value: E, json: JSONTree)]? {
        guard let cases = PlainCases.all(of: type) else { return nil }
        var found: [(name: String, value: E, json: JSONTree)] = []
        for (name, value) in cases {
            // The type itself must agree.
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
