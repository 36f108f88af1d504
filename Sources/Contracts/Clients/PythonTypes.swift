/// The Python types and reader functions of one contract's values.
struct PythonTypes {
    /// The class that holds the types.
    let namespace: String
    /// The Python names of definitions that have a type of their own, by the contract's names.
    let names: [String: String]
    private let contract: ViewModelContract

    init(_ contract: ViewModelContract, namespace: String, scope: inout SourceNames) {
        var names: [String: String] = [:]
        for definition in contract.definitions where !definition.schema.form.isForeign {
            names[definition.name] = scope.type(definition.name)
        }
        self.contract = contract
        self.namespace = namespace
        self.names = names
    }

    /// Returns the type annotation for a value.
    ///
    /// - Parameter isQuoted: whether to quote the names of other types, which may come later in the file.
    func type(_ schema: Schema, isQuoted: Bool = false) -> String {
        func type(_ schema: Schema) -> String { self.type(schema, isQuoted: isQuoted) }
        switch schema.plain.form {
        case .anything, .custom, .object: return "Any"
        case .nothing: return "NoReturn"
        case .boolean: return "bool"
        case .integer: return "int"
        case .number: return "float"
        case .string: return "str"
        case .rawValues(let values): return Self.union(of: values)
        case .array(let element): return "Sequence[\(type(element))]"
        case .tuple(let elements): return "Tuple[\(elements.map(type).joined(separator: ", "))]"
        case .either(let forms): return "Union[\(forms.map(type).joined(separator: ", "))]"
        case .dictionary(let value, _): return "Mapping[str, \(type(value))]"
        case .nullable(let value): return "Optional[\(type(value))]"
        case .cases(let cases, _): return cases.isEmpty ? "NoReturn" : "Any"
        case .reference(let name):
            guard let own = names[name] else { return contract.definition(name).map(type) ?? "Any" }
            return isQuoted ? "\"\(namespace).\(own)\"" : "\(namespace).\(own)"
        }
    }

    /// Returns a Python expression for the function that reads a value from JSON.
    func reader(_ schema: Schema) -> String {
        switch schema.plain.form {
        case .anything, .custom, .object, .either: return "_anything"
        case .nothing: return "_nothing"
        case .boolean: return "_boolean"
        case .integer: return "_integer"
        case .number: return "_number"
        case .string: return "_string"
        case .rawValues(let values): return "_one_of(\(values.map { Self.literal($0.value) }.joined(separator: ", ")))"
        case .array(let element): return "_array(\(reader(element)))"
        case .tuple(let elements):
            // A lambda, so that each element has its own type.
            let reads = elements.enumerated().map { "_element(json, \($0), \(reader($1)))" }
            return "(lambda json: (\(reads.joined(separator: ", ")),))"
        case .dictionary(let value, _): return "_dictionary(\(reader(value)))"
        case .nullable(let value): return "_nullable(\(reader(value)))"
        case .cases(let cases, _): return cases.isEmpty ? "_nothing" : "_anything"
        case .reference(let name):
            guard let own = names[name], let schema = contract.definition(name) else {
                return contract.definition(name).map(reader) ?? "_anything"
            }
            if case .object = schema.form { return "\(namespace).\(own).from_json" }
            return "\(namespace).read_\(own)"
        }
    }

    /// Whether a value's form in Python is the same as in JSON.
    func isPlain(_ schema: Schema) -> Bool {
        switch schema.plain.form {
        case .anything, .custom, .nothing, .boolean, .integer, .number, .string, .rawValues: true
        case .nullable(let value): isPlain(value)
        case .reference(let name): names[name] == nil
        case .array, .tuple, .either, .dictionary, .object, .cases: false
        }
    }

    private static func union(of values: [Schema.RawValue]) -> String {
        values.isEmpty ? "NoReturn" : "Literal[\(values.map { literal($0.value) }.joined(separator: ", "))]"
    }

    static func literal(_ value: JSONTree) -> String {
        if case .string(let text) = value { SourceLiteral.quoted(text) } else { value.line }
    }

    /// Names with a meaning in Python or in the generated file.
    static let reserved: Set<String> = [
        // Keywords.
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
        // The names in annotations and decorators.
        "Any", "AsyncIterator", "Callable", "ClassVar", "Dict", "Literal", "Mapping", "NoReturn", "Optional",
        "Protocol", "Sequence", "Tuple", "TypedDict", "TypeVar", "Union", "bool", "dataclass", "float", "int",
        "overload", "staticmethod", "str",
        // The file's own names.
        "Child", "Client", "RowList", "UnexpectedJSON", "UnknownCase", "VIEW_MODEL_EVENTS", "ValueError", "View",
    ]
}
