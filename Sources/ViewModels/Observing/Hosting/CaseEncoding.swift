/// Encodes a name and a value as the compiler encodes a case of that name with one value that has no label (SE-0295):
/// `{"elapsed":{"_0":1.5}}`, and without the value where that is nil.
struct CaseEncoding {
    let name: String

    func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var cases = encoder.container(keyedBy: CaseCodingKeys.self)
        var values = cases.nestedContainer(keyedBy: ValueCodingKeys.self, forKey: CaseCodingKeys(name))
        if (value as? any OptionalValue)?.isNil == true { return }
        try values.encode(value, forKey: ._0)
    }

    private struct CaseCodingKeys: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        /// An enum's keys are those of its cases alone; nothing is decoded by these.
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    private enum ValueCodingKeys: String, CodingKey {
        case _0
    }
}

private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    fileprivate var isNil: Bool { self == nil }
}
