/// The Python class that holds one view model's types.
struct PythonNamespace {
    static let viewEventReader = "read_view_event"
    static let viewModelEventReader = "read_view_model_event"

    let contract: ViewModelContract
    let name: String
    private let types: PythonTypes
    /// By a definition's name, the name of the class that holds the definition's cases.
    private let caseScopes: [String: String]

    init(_ contract: ViewModelContract, name: String) {
        let own =
            [name, "ViewEvent", "ViewEvents", "ViewModelEvent", "ViewModelEvents", "view", "scope"]
            + (contract.lists.isEmpty ? [] : ["Lists"])
        var scope = SourceNames(reserved: PythonTypes.reserved.union(own))
        let types = PythonTypes(contract, namespace: name, scope: &scope)
        var caseScopes: [String: String] = [:]
        for definition in contract.definitions {
            guard case .cases = definition.schema.form, let name = types.names[definition.name] else { continue }
            caseScopes[definition.name] = scope.type("\(name)Cases")
        }
        self.contract = contract
        self.name = name
        self.types = types
        self.caseScopes = caseScopes
    }

    /// The parameter of `open` for the arguments; nil if there are none.
    var argumentsParameter: String? {
        guard contract.arguments.form != .object([]) else { return nil }
        let type = types.type(contract.arguments)
        return contract.takesEmptyArguments ? "arguments: Optional[\(type)] = None" : "arguments: \(type)"
    }

    func write(into source: inout SourceText) {
        source.line("class \(name):")
        source.indented { source in
            source.pythonComment(contract.description)
            if let scope = contract.scope {
                source.line()
                source.line("scope: Literal[\(SourceLiteral.quoted(scope))] = \(SourceLiteral.quoted(scope))")
                source.pythonComment("Who finds the same session again by opening it.")
            }
            for definition in contract.definitions {
                guard let own = types.names[definition.name] else { continue }
                let scope = caseScopes[definition.name] ?? ""
                write(definition.schema, own, cases: scope, reader: "read_\(own)", into: &source)
            }
            write(
                contract.viewEvent, "ViewEvent", cases: "ViewEvents", reader: Self.viewEventReader, into: &source)
            write(
                contract.viewModelEvent, "ViewModelEvent", cases: "ViewModelEvents",
                reader: Self.viewModelEventReader, into: &source)
            if !contract.lists.isEmpty { writeLists(into: &source) }
            writeView(into: &source)
        }
    }

    /// Writes the type `Lists` as a call of `TypedDict`, since not every list's name could be a member of a class.
    private func writeLists(into source: inout SourceText) {
        source.line()
        source.line("Lists = TypedDict(")
        source.indented { source in
            source.line("\"Lists\",")
            source.line("{")
            source.indented { source in
                for list in contract.lists {
                    let type = types.type(list.row, isQuoted: true)
                    source.line("\(SourceLiteral.quoted(list.name)): \(type),")
                }
            }
            source.line("},")
        }
        source.line(")")
        source.pythonComment("The rows of each list, by its name.")
    }

    /// Writes the function `view`, which returns a view with the types of this view model.
    private func writeView(into source: inout SourceText) {
        source.line()
        source.line("@staticmethod")
        source.line("def view(view: View[Any, Any]) -> View[\(name).ViewEvent, \(name).ViewModelEvent]:")
        source.indented { source in
            source.pythonComment("A view of this view model, with its types. Raises UnexpectedJSON for another one's.")
            source.line("return _view(view, \(SourceLiteral.quoted(contract.name)))")
        }
    }

    private func write(
        _ schema: Schema, _ own: String, cases scope: String, reader: String, into source: inout SourceText
    ) {
        source.gap()
        switch schema.plain.form {
        case .object(let members):
            let record = PythonRecord([name, own], members, schema.description, .object, types)
            record.write(into: &source)
        case .cases(let cases, let shape) where !cases.isEmpty:
            writeCases(cases, shape, own, scope, reader, schema.description, into: &source)
        default:
            writeAlias(schema, own, reader, into: &source)
        }
    }

    private func writeAlias(_ schema: Schema, _ own: String, _ reader: String, into source: inout SourceText) {
        if case .rawValues(let values) = schema.plain.form, !values.isEmpty {
            source.line("\(own) = Literal[")
            source.indented { source in
                for value in values {
                    for text in value.description.map({ SourceText.comment($0, width: source.room - 2) }) ?? [] {
                        source.line("# \(text)")
                    }
                    source.line("\(PythonTypes.literal(value.value)),")
                }
            }
            source.line("]")
        } else {
            let type = types.type(schema, isQuoted: true)
            // In a class, a plain name would define a variable and not a type alias.
            source.line("\(own) = \(type.hasSuffix("]") ? type : "Union[\(type)]")")
        }
        source.pythonComment(schema.description)
        writeReader(reader, own, into: &source) { source in
            guard types.type(schema) != "NoReturn" else { return source.line("\(types.reader(schema))(json)") }
            source.line("value: \(name).\(own) = \(types.reader(schema))(json)")
            source.line("return value")
        }
    }

    private func writeCases(
        _ cases: [Schema.Case], _ shape: Schema.CaseShape, _ own: String, _ scope: String, _ reader: String,
        _ description: String?, into source: inout SourceText
    ) {
        var names = SourceNames(reserved: PythonTypes.reserved)
        let cases = cases.map { (case: $0, name: names.type($0.kind)) }
        source.line("class \(scope):")
        source.indented { source in
            source.pythonComment(description)
            for (one, className) in cases {
                source.gap()
                let shape: PythonRecord.Shape = shape == .flat ? .flat(one.kind) : .keyed(one.kind)
                let record = PythonRecord([name, scope, className], one.members, one.comment, shape, types)
                record.write(into: &source)
            }
        }
        source.line()
        source.line("\(own) = Union[")
        source.indented { source in
            for (_, className) in cases { source.line("\(scope).\(className),") }
        }
        source.line("]")
        writeReader(reader, own, into: &source) { source in
            switch shape {
            case .flat: source.line("name = _kind(json)")
            case .keyed:
                let names = cases.map { SourceLiteral.quoted($0.case.kind) }
                source.line("name = _case(json, \(names.joined(separator: ", ")))")
            }
            for (one, className) in cases {
                source.line("if name == \(SourceLiteral.quoted(one.kind)):")
                source.indented { $0.line("return \(name).\(scope).\(className).from_json(json)") }
            }
            let path = shape == .flat ? ", \"kind\"" : ""
            source.line("raise UnknownCase(f\"is a case that is not known: {name!r}\"\(path))")
        }
    }

    private func writeReader(
        _ reader: String, _ own: String, into source: inout SourceText, body: (inout SourceText) -> Void
    ) {
        source.line()
        source.line("@staticmethod")
        source.line("def \(reader)(json: Any) -> \(name).\(own):")
        source.indented(body)
    }
}
