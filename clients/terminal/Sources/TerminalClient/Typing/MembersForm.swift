package import Contracts
import JSON

/// The members of an event or of a view model's arguments.
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

        /// One that needn't be given, with its JSON Schema.
        package init(optional name: String, schema: JSONTree) {
            self.init(name: name, value: ValueSchema(schema: schema, document: .null), isRequired: false)
        }
    }

    package internal(set) var members: [Member] = []
    var description: String?
    /// A form that takes any members.
    var isOpen = false

    static let unknown = MembersForm(isOpen: true)

    package init(members: [Member] = [], isOpen: Bool = false) {
        self.members = members
        self.isOpen = isOpen
    }

    /// - Parameter schema: an object's. Any other gives a form that takes any members.
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

    /// Reads typed words as members. Words without a name are the members in their order.
    ///
    /// - Parameter subject: the owner of the members, for messages.
    package func read(_ words: [TypedWord], for subject: String) throws(TypedLineError) -> [JSONTree.Member] {
        let result = try readSome(words, for: subject)
        let missing = members.filter { member in member.isRequired && !result.contains { $0.name == member.name } }
        guard missing.isEmpty else {
            let names = missing.map { "\($0.name)=\($0.value.placeholder)" }.joined(separator: " ")
            throw TypedLineError("\(subject) needs \(names)")
        }
        return result
    }

    /// As `read`, but any member may be left out.
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
        // The name of a single member without a label.
        if isOpen, given.isEmpty { return "value" }
        throw TypedLineError("\(word.text) is too much: \(subject) takes \(usage)")
    }

    /// The members as one types them, optional ones in brackets.
    var usage: String {
        if isOpen { return "any members, as name=value" }
        guard !members.isEmpty else { return "nothing" }
        return members.map { member in
            let text = "\(member.name)=\(member.value.placeholder)"
            return member.isRequired ? text : "[\(text)]"
        }.joined(separator: " ")
    }
}
