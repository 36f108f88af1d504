/// All that a client and a view model may say to each other: what `Schemas/view-models/<name>.schema.json` and the answer to
/// `viewModel/describe` hold.
package struct ViewModelContract: Equatable, Sendable {
    /// As it is registered.
    package var name: String
    /// What the view model is for.
    package var description: String?
    /// What it is opened with. `nothing` where only other view models can show it.
    package var arguments: Schema
    package var viewEvent: Schema
    package var viewModelEvent: Schema
    /// By the names that references use, in alphabetical order.
    package var definitions: [Definition]

    package struct Definition: Equatable, Sendable {
        package var name: String
        package var schema: Schema

        package init(_ name: String, _ schema: Schema) {
            self.name = name
            self.schema = schema
        }
    }

    package init(
        name: String, description: String? = nil, arguments: Schema, viewEvent: Schema, viewModelEvent: Schema,
        definitions: [Definition]
    ) {
        self.name = name
        self.description = description
        self.arguments = arguments
        self.viewEvent = viewEvent
        self.viewModelEvent = viewModelEvent
        self.definitions = definitions
    }

    package func definition(_ name: String) -> Schema? {
        definitions.first { $0.name == name }?.schema
    }

    /// One JSON document. References are to its own `$defs`.
    package var json: JSONTree {
        var members: [JSONTree.Member] = [
            .init("$schema", .string("https://json-schema.org/draft/2020-12/schema")), .init("name", .string(name)),
        ]
        if let description { members.append(.init("description", .string(description))) }
        members += [
            .init("arguments", arguments.json), .init("viewEvent", viewEvent.json),
            .init("viewModelEvent", viewModelEvent.json),
        ]
        if !definitions.isEmpty {
            members.append(.init("$defs", .object(definitions.map { .init($0.name, $0.schema.json) })))
        }
        return .object(members)
    }

    /// What its file is called, whatever the name has in it.
    package var fileName: String {
        let isPlain = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        let plain = name.utf8.map { byte in
            isPlain(byte)
                ? String(decoding: [byte], as: UTF8.self) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return plain.joined() + Self.fileSuffix
    }

    package static let fileSuffix = ".schema.json"
}
