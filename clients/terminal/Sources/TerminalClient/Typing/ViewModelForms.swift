package import Contracts
import ViewModels

/// A view model's contract as forms that can be filled in: its arguments and the kinds of its events.
package struct ViewModelForms {
    /// A kind of event, and the form of its members.
    package struct Kind {
        let name: String
        let form: MembersForm
        /// The schedule of the event, if it is a view event.
        let schedule: EventSchedule
    }

    let name: String
    let description: String?
    package let arguments: MembersForm
    /// The kinds of view events; nil if the contract has none, so that any may be tried.
    let viewEvents: [Kind]?
    let viewModelEvents: [Kind]?
    /// The names of the view model's lists.
    let lists: [String]

    /// Reads a contract.
    ///
    /// - Parameter contract: the answer to `viewModel/describe`.
    package init(name: String, contract: JSONTree) {
        self.name = name
        description = contract["description"]?.string
        func schema(_ member: String) -> ValueSchema {
            ValueSchema(schema: contract[member] ?? .object([]), document: contract)
        }
        arguments = MembersForm(schema("arguments"))
        viewEvents = Self.kinds(schema("viewEvent"))
        viewModelEvents = Self.kinds(schema("viewModelEvent"))
        lists = contract["lists"]?.members?.map(\.name) ?? []
    }

    /// Makes the forms of a view model without a contract, which take anything.
    package init(name: String) {
        self.name = name
        description = nil
        arguments = .unknown
        viewEvents = nil
        viewModelEvents = nil
        lists = []
    }

    package func viewEvent(_ kind: String) -> Kind? {
        viewEvents?.first { $0.name == kind }
    }

    func viewModelEvent(_ kind: String) -> Kind? {
        viewModelEvents?.first { $0.name == kind }
    }

    /// Returns the event of a typed line `kind member=value …`.
    ///
    /// - Throws: an error that names the expected form.
    package func event(_ kind: String, _ words: [TypedWord]) throws(TypedLineError) -> JSONTree {
        let form: MembersForm
        if let viewEvents {
            guard let known = viewEvent(kind) else {
                throw TypedLineError("\(name) has no event \"\(kind)\"; it takes \(Self.list(viewEvents))")
            }
            form = known.form
        } else {
            form = .unknown
        }
        return .object([.init("kind", .string(kind))] + (try form.read(words, for: kind)))
    }

    static func list(_ kinds: [Kind]) -> String {
        kinds.isEmpty ? "none" : kinds.map(\.name).joined(separator: ", ")
    }

    private static func kinds(_ schema: ValueSchema) -> [Kind]? {
        var kinds: [Kind] = []
        for alternative in schema.alternatives {
            // This is an enum without cases.
            if alternative.schema == .boolean(false) || alternative.schema["not"] == .object([]) { continue }
            let names = alternative.schema["properties"]?["kind"].map { alternative.part($0).choices } ?? []
            guard !names.isEmpty else { return nil }
            var form = MembersForm(alternative)
            form.members.removeAll { $0.name == "kind" }
            for case .string(let name) in names {
                kinds.append(Kind(name: name, form: form, schedule: alternative.schema.schedule))
            }
        }
        return kinds
    }
}
