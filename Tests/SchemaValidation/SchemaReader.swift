import JSON

/// Reads schemas, and those that they refer to, into one list. After an error it is of no further use.
struct SchemaReader {
    /// Where a schema stands.
    struct Place: Hashable {
        let document: String
        var pointer: JSONPointer

        func appending(_ name: String) -> Place {
            Place(document: document, pointer: pointer.appending(name))
        }

        var text: String { "\(document)#\(pointer)" }
    }

    /// What a `$ref` says, whose schema may not have been read yet.
    struct Reference {
        let node: Int
        let rule: Int
        let place: Place
        let target: String
    }

    /// By file name; the one to be read has the empty one.
    let documents: [String: ExactJSON]
    var nodes: [SchemaNode] = []
    var indices: [String: Int] = [:]
    var anchors: [String: Int] = [:]
    var references: [Reference] = []

    init(documents: [String: ExactJSON]) {
        self.documents = documents
    }

    mutating func read() throws(SchemaError) -> (nodes: [SchemaNode], indices: [String: Int]) {
        for (name, tree) in documents.sorted(by: { $0.key < $1.key }) {
            _ = try schema(tree, at: Place(document: name, pointer: .root))
        }
        // What is referred to may stand where no keyword has a schema, and refer to more.
        while let reference = references.popLast() { try resolve(reference) }
        try refuseCircles()
        return (nodes, indices)
    }

    /// The index of the schema at a place, which is read unless it was.
    mutating func schema(_ tree: ExactJSON, at place: Place) throws(SchemaError) -> Int {
        if let known = indices[place.text] { return known }
        let index = nodes.count
        nodes.append(SchemaNode(place: place.text))
        indices[place.text] = index
        switch tree {
        case .boolean(true): break
        case .boolean(false): nodes[index].rules = [("", .never)]
        case .object: try readKeywords(of: tree, at: place, index)
        default: throw SchemaError(place: place.text, reason: "\(tree) is no schema")
        }
        return index
    }

    private mutating func readKeywords(of tree: ExactJSON, at place: Place, _ index: Int) throws(SchemaError) {
        for (keyword, value) in tree.members ?? [] {
            let here = place.appending(keyword)
            if try isAnnotation(keyword, value, at: place) { continue }
            if keyword == "$ref" {
                guard let target = value.string else { throw SchemaError(place: here.text, reason: "is no string") }
                references.append(Reference(node: index, rule: nodes[index].rules.count, place: here, target: target))
                nodes[index].rules.append((keyword, .all([])))
            } else if keyword == "$anchor" {
                guard let name = value.string else { throw SchemaError(place: here.text, reason: "is no string") }
                let previous = anchors.updateValue(index, forKey: "\(place.document)#\(name)")
                guard previous == nil else { throw SchemaError(place: here.text, reason: "is the anchor of two") }
            } else if keyword == "$defs" || isDescription(keyword, at: place) {
                _ = try keyword == "$defs" ? namedSchemas(value, at: here).count : schema(value, at: here)
            } else if let rule = try rule(keyword, value, of: tree, at: place) {
                nodes[index].rules.append((keyword, rule))
            }
        }
    }

    /// The parts of a view model's description, which are schemas beside each other in one document.
    private func isDescription(_ keyword: String, at place: Place) -> Bool {
        place.pointer == .root && ["arguments", "viewEvent", "viewModelEvent"].contains(keyword)
    }

    /// Whether a keyword says nothing about what is valid.
    private func isAnnotation(_ keyword: String, _ value: ExactJSON, at place: Place) throws(SchemaError) -> Bool {
        switch keyword {
        case "title", "description", "$comment", "format", "contentEncoding", "contentMediaType":
            guard value.string != nil else {
                throw SchemaError(place: place.appending(keyword).text, reason: "is no string")
            }
            return true
        case "deprecated", "readOnly", "writeOnly", "default", "examples", "contentSchema": return true
        case "$schema":
            guard value.string?.hasPrefix("https://json-schema.org/draft/2020-12/schema") == true else {
                throw SchemaError(place: place.appending(keyword).text, reason: "is another dialect: \(value)")
            }
            return true
        case "$id", "name":
            // Elsewhere `$id` changes what references mean, which isn't supported.
            return place.pointer == .root && value.string != nil
        default: return false
        }
    }
}
