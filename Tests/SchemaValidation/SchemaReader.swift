import JSON

/// One schema of a document: an object of keywords, or `true` or `false`.
struct SchemaNode: Sendable {
    /// `#` and a JSON Pointer.
    let place: String
    /// Each with the keyword that a violation names.
    var rules: [(keyword: String, rule: Rule)] = []
}

/// The requirement of one keyword, or of keywords that belong together. Schemas are indices into the list of all nodes,
/// since they may refer to each other in circles.
enum Rule: Sendable {
    /// The schema `false`.
    case never
    case types([InstanceType])
    /// The values of `enum`, or the one of `const`.
    case values([ExactJSON])
    case minimum(ExactNumber)
    case maximum(ExactNumber)
    case pattern(Pattern)
    case minLength(Int)
    case maxLength(Int)
    case required([ExactString])
    case properties([ExactString: Int], others: Int?)
    case propertyNames(Int)
    case items(Int)
    case prefixItems([Int])
    case minItems(Int)
    case maxItems(Int)
    case reference(Int)
    case all([Int])
    case any([Int])
    case one([Int])
    case not(Int)
    case condition(Int, then: Int?, otherwise: Int?)
}

/// Reads a document into a list of nodes. Unusable after an error.
struct SchemaReader {
    private let document: ExactJSON
    private var nodes: [SchemaNode] = []
    private var indices: [String: Int] = [:]
    /// The `$ref`s whose schema may not have been read yet.
    private var references: [(node: Int, rule: Int, pointer: String)] = []

    init(document: ExactJSON) {
        self.document = document
    }

    mutating func read() throws(SchemaError) -> (nodes: [SchemaNode], indices: [String: Int]) {
        _ = try schema(document, at: "")
        for (node, rule, pointer) in references {
            guard let index = indices[pointer] else {
                throw SchemaError(place: "\(nodes[node].place)/$ref", reason: "there is no schema #\(pointer)")
            }
            nodes[node].rules[rule].rule = .reference(index)
        }
        try refuseCircles()
        return (nodes, indices)
    }

    private mutating func schema(_ tree: ExactJSON, at pointer: String) throws(SchemaError) -> Int {
        let index = nodes.count
        nodes.append(SchemaNode(place: "#\(pointer)"))
        indices[pointer] = index
        switch tree {
        case .boolean(true): break
        case .boolean(false): nodes[index].rules = [("", .never)]
        case .object:
            for (keyword, value) in tree.members ?? [] {
                let place = "\(pointer)/\(keyword)"
                guard let rule = try rule(keyword, value, of: tree, at: place, node: index) else { continue }
                nodes[index].rules.append((keyword, rule))
            }
        default: throw SchemaError(place: "#\(pointer)", reason: "\(tree) is no schema")
        }
        return index
    }

    /// Nil for an annotation, and for a keyword whose rule another one beside it has.
    private mutating func rule(
        _ keyword: String, _ value: ExactJSON, of schema: ExactJSON, at place: String, node: Int
    ) throws(SchemaError) -> Rule? {
        switch keyword {
        case "type": return .types(try types(value, at: place))
        case "const": return .values([value])
        case "enum": return .values(try elements(value, at: place))
        case "minimum": return .minimum(try number(value, at: place))
        case "maximum": return .maximum(try number(value, at: place))
        case "pattern": return .pattern(try pattern(value, at: place))
        case "minLength": return .minLength(try count(value, at: place))
        case "maxLength": return .maxLength(try count(value, at: place))
        case "required": return .required(try strings(value, at: place).map { ExactString($0) })
        case "propertyNames": return .propertyNames(try self.schema(value, at: place))
        case "items": return .items(try self.schema(value, at: place))
        case "prefixItems": return .prefixItems(try schemas(value, at: place))
        case "minItems": return .minItems(try count(value, at: place))
        case "maxItems": return .maxItems(try count(value, at: place))
        case "allOf": return .all(try schemas(value, at: place))
        case "anyOf": return .any(try schemas(value, at: place))
        case "oneOf": return .one(try schemas(value, at: place))
        case "not": return .not(try self.schema(value, at: place))
        case "$ref":
            references.append((node, nodes[node].rules.count, try pointer(value, at: place)))
            return .all([])
        case "$defs":
            _ = try namedSchemas(value, at: place)
            return nil
        case "properties": return try properties(of: schema, at: place.dropLast(keyword.utf8.count + 1))
        case "additionalProperties" where schema["properties"] == nil:
            return try properties(of: schema, at: place.dropLast(keyword.utf8.count + 1))
        case "if": return try condition(value, of: schema, at: place.dropLast(keyword.utf8.count + 1))
        case "additionalProperties",
            "then" where schema["if"] != nil, "else" where schema["if"] != nil:
            return nil
        default:
            try readAnnotation(keyword, value, at: place)
            return nil
        }
    }

    /// Accepts annotations, which say nothing on validity. Every other keyword is an error.
    private mutating func readAnnotation(
        _ keyword: String, _ value: ExactJSON, at place: String
    ) throws(SchemaError) {
        let isAtRoot = place.utf8.count == keyword.utf8.count + 1
        switch keyword {
        case "default", "deprecated", "examples": return
        case "title", "description", "format", "contentEncoding":
            if value.string != nil { return }
        case "$schema":
            if value.string == "https://json-schema.org/draft/2020-12/schema" { return }
        case "$id", "name":
            if isAtRoot, value.string != nil { return }
        case "scope":
            if isAtRoot, ["person", "everyone"].contains(value.string) { return }
        // Of a contract.
        case "x-supersedes", "x-debounceMs", "x-waits", "x-savedStateVersion", "x-savedAs": return
        case "arguments" where isAtRoot, "viewEvent" where isAtRoot, "viewModelEvent" where isAtRoot,
            "state" where isAtRoot, "savedArguments" where isAtRoot:
            _ = try schema(value, at: place)
            return
        case "shared" where isAtRoot:
            for (name, object) in value.members ?? [] { _ = try schema(object, at: "\(place)/\(Self.token(name))") }
            if value.members != nil { return }
        case "lists" where isAtRoot:
            try readLists(value, at: place)
            return
        default: break
        }
        throw SchemaError(
            place: "#\(place)", reason: "is no keyword that is supported here, or \(value) is no value of it")
    }

    private mutating func readLists(_ lists: ExactJSON, at place: String) throws(SchemaError) {
        guard let members = lists.members else { throw SchemaError(place: "#\(place)", reason: "is no object") }
        for (name, list) in members {
            let listPlace = "\(place)/\(Self.token(name))"
            guard let row = list["row"], list.members?.allSatisfy({ ["row", "id"].contains($0.0) }) == true else {
                throw SchemaError(place: "#\(listPlace)", reason: "\(list) is no list")
            }
            _ = try schema(row, at: "\(listPlace)/row")
            if let identity = list["id"] { _ = try string(identity, at: "\(listPlace)/id") }
        }
    }

    /// A name as a part of a JSON Pointer.
    private static func token(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    private mutating func properties(of schema: ExactJSON, at pointer: Substring) throws(SchemaError) -> Rule {
        var named: [ExactString: Int] = [:]
        if let tree = schema["properties"] { named = try namedSchemas(tree, at: "\(pointer)/properties") }
        var others: Int?
        if let tree = schema["additionalProperties"] {
            others = try self.schema(tree, at: "\(pointer)/additionalProperties")
        }
        return .properties(named, others: others)
    }

    private mutating func condition(
        _ value: ExactJSON, of schema: ExactJSON, at pointer: Substring
    ) throws(SchemaError) -> Rule {
        let condition = try self.schema(value, at: "\(pointer)/if")
        var (then, otherwise): (Int?, Int?)
        if let tree = schema["then"] { then = try self.schema(tree, at: "\(pointer)/then") }
        if let tree = schema["else"] { otherwise = try self.schema(tree, at: "\(pointer)/else") }
        return .condition(condition, then: then, otherwise: otherwise)
    }

    /// A schema that asks itself about the same value would never answer.
    private func refuseCircles() throws(SchemaError) {
        var isDone = [Bool](repeating: false, count: nodes.count)
        var isOnPath = isDone
        for index in nodes.indices { try refuseCircles(through: index, &isDone, &isOnPath) }
    }

    private func refuseCircles(
        through index: Int, _ isDone: inout [Bool], _ isOnPath: inout [Bool]
    ) throws(SchemaError) {
        guard !isDone[index] else { return }
        guard !isOnPath[index] else { throw SchemaError(place: nodes[index].place, reason: "refers to itself") }
        isOnPath[index] = true
        for other in nodes[index].rules.flatMap(\.rule.schemasInPlace) {
            try refuseCircles(through: other, &isDone, &isOnPath)
        }
        isDone[index] = true
    }
}

extension Rule {
    /// The schemas that judge the same value as this rule.
    fileprivate var schemasInPlace: [Int] {
        switch self {
        case .reference(let schema), .not(let schema): [schema]
        case .all(let schemas), .any(let schemas), .one(let schemas): schemas
        case .condition(let condition, let then, let otherwise): [condition] + [then, otherwise].compactMap { $0 }
        default: []
        }
    }
}

// The values of keywords.
extension SchemaReader {
    private func number(_ value: ExactJSON, at place: String) throws(SchemaError) -> ExactNumber {
        guard case .number(let number) = value else { throw SchemaError(place: "#\(place)", reason: "is no number") }
        return number
    }

    private func count(_ value: ExactJSON, at place: String) throws(SchemaError) -> Int {
        guard let count = try number(value, at: place).count else {
            throw SchemaError(place: "#\(place)", reason: "is no count: \(value)")
        }
        return count
    }

    private func elements(_ value: ExactJSON, at place: String) throws(SchemaError) -> [ExactJSON] {
        guard let elements = value.elements else { throw SchemaError(place: "#\(place)", reason: "is no array") }
        return elements
    }

    private func string(_ value: ExactJSON, at place: String) throws(SchemaError) -> String {
        guard let string = value.string else { throw SchemaError(place: "#\(place)", reason: "\(value) is no string") }
        return string
    }

    private func strings(_ value: ExactJSON, at place: String) throws(SchemaError) -> [String] {
        try elements(value, at: place).map { element throws(SchemaError) in try string(element, at: place) }
    }

    private func types(_ value: ExactJSON, at place: String) throws(SchemaError) -> [InstanceType] {
        let names = if let name = value.string { [name] } else { try strings(value, at: place) }
        return try names.map { name throws(SchemaError) in
            guard let type = InstanceType(rawValue: name) else {
                throw SchemaError(place: "#\(place)", reason: "is no type: \"\(name)\"")
            }
            return type
        }
    }

    private func pattern(_ value: ExactJSON, at place: String) throws(SchemaError) -> Pattern {
        let text = try string(value, at: place)
        do {
            return try Pattern(text)
        } catch {
            throw SchemaError(place: "#\(place)", reason: "is no regular expression that Swift knows: \(error)")
        }
    }

    /// `#/$defs/name` without the `#`. References to other documents, anchors and percent escapes aren't supported.
    private func pointer(_ value: ExactJSON, at place: String) throws(SchemaError) -> String {
        let reference = try string(value, at: place)
        guard reference == "#" || reference.hasPrefix("#/"), !reference.contains("%") else {
            throw SchemaError(place: "#\(place)", reason: "\"\(reference)\" is no pointer into this document")
        }
        return String(reference.dropFirst())
    }

    private mutating func schemas(_ value: ExactJSON, at place: String) throws(SchemaError) -> [Int] {
        var schemas: [Int] = []
        for (index, tree) in try elements(value, at: place).enumerated() {
            schemas.append(try schema(tree, at: "\(place)/\(index)"))
        }
        return schemas
    }

    private mutating func namedSchemas(_ value: ExactJSON, at place: String) throws(SchemaError) -> [ExactString: Int] {
        guard let members = value.members else { throw SchemaError(place: "#\(place)", reason: "is no object") }
        var schemas: [ExactString: Int] = [:]
        for (name, tree) in members {
            schemas[ExactString(name)] = try schema(tree, at: "\(place)/\(Self.token(name))")
        }
        return schemas
    }
}
