package import Contracts
import JSON

/// The form of the members of an event, or of a view model's arguments.
package struct MembersForm {
    package struct Member {
        let name: String
        let value: ValueSchema
        let isRequired: Bool

        init(name: String, value: ValueSchema, isRequired: Bool) {
            self.name = name
            self.value = value
            self.isRequired = isRequired
        }

        /// Makes an optional member with a JSON Schema.
        package init(optional name: String, schema: JSONTree) {
            self.init(name: name, value: ValueSchema(schema: schema, document: .null), isRequired: false)
        }
    }

    package internal(set) var members: [Member] = []
    var description: String?
    /// Whether the form takes any members.
    var isOpen = false

    static let unknown = MembersForm(isOpen: true)

    package init(members: [Member] = [], isOpen: Bool = false) {
        self.members = members
        self.isOpen = isOpen
    }

    /// Reads the members of a schema.
    ///
    /// - Parameter schema: the schema of an object. Any other schema gives a form that takes any members.
    init(_ schema: ValueSchema) {
        let forms = schema.alternatives.filter { $0.types?.contains("object") == true }
        guard let form = forms.first, forms.count == 1 else {
            isOpen = true
            return
        }
        description = schema.description
        let required = form.schema["required"]?.elements?.compactMap(\.string) ?? []
        members = (form.schema["properties"]?.members ?? []).map { member in
            Member(name: member.name, value: form.part(member.value), isRequired: required.contains(member.name))
        }
    }

    /// Reads typed words as members. Words without a name are the members in the order of the form.
    ///
    /// - Parameter subject: what the members belong to, for messages.
    package func read(_ words: [TypedWord], for subject: String) throws(TypedLineError) -> [JSONTree.Member] {
        let result = try readSome(words, for: subject)
        let missing = members.filter { member in member.isRequired && !result.contains { $0.name == member.name } }
        guard missing.isEmpty else {
            let names = missing.map { "\($0.name)=\($0.value.placeholder)" }.joined(separator: " ")
            throw TypedLineError("\(subject) needs \(names)")
        }
        return result
    }

    /// Reads typed words as `read` does, but any member may be left out.
    func readSome(_ words: [TypedWord], for subject: String) throws(TypedLineError) -> [JSONTree.Member] {
        var result: [JSONTree.Member] = []
        for word in words {
            let name = try name(of: word, after: result, for: subject)
            guard !result.contains(where: { $0.name == name }) else {
                throw TypedLineError("\(name) is given twice")
            }
            result.append(.init(name, try read(word.value, of: name, for: subject)))
        }
        return result
    }

    private func read(_ value: TypedWord.Value, of name: String, for subject: String) throws(TypedLineError) -> JSONTree
    {
        if let member = members.first(where: { $0.name == name }) { return try member.value.read(value, of: name) }
        guard isOpen else { throw TypedLineError("\(subject) has no member \"\(name)\"; it takes \(usage)") }
        return try ValueSchema(schema: .object([]), document: .null).read(value, of: name)
    }

    private func name(
        of word: TypedWord, after given: [JSONTree.Member], for subject: String
    ) throws(TypedLineError) -> String {
        if let name = word.name { return name }
        if let next = members.first(where: { member in !given.contains { $0.name == member.name } }) {
            return next.name
        }
        // A single member without a label is called `value`.
        if isOpen, given.isEmpty { return "value" }
        throw TypedLineError("\(word.text) is too much: \(subject) takes \(usage)")
    }

    /// The members as a person types them, optional ones in brackets.
    var usage: String {
        if isOpen { return "any members, as name=value" }
        guard !members.isEmpty else { return "nothing" }
        return members.map { member in
            let text = "\(member.name)=\(member.value.placeholder)"
            return member.isRequired ? text : "[\(text)]"
        }.joined(separator: " ")
    }
}
