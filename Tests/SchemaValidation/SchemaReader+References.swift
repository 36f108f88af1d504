import JSON

extension SchemaReader {
    /// Gives a rule of the kind `reference` its schema.
    mutating func resolve(_ reference: Reference) throws(SchemaError) {
        let parts = reference.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 ? Self.decoded(parts[1]) : ""
        guard let file = parts.first, let fragment else { throw unresolved(reference, "isn't a reference") }
        let document = try document(String(file), reference)
        let index: Int
        if fragment.isEmpty || fragment.hasPrefix("/") {
            index = try schema(at: fragment, in: document, reference)
        } else {
            guard let anchor = anchors["\(document)#\(fragment)"] else {
                throw unresolved(reference, "there is no anchor \"\(fragment)\"")
            }
            index = anchor
        }
        nodes[reference.node].rules[reference.rule].rule = .reference(index)
    }

    /// The name of the document with this file name, or with this `$id`.
    private func document(_ file: String, _ reference: Reference) throws(SchemaError) -> String {
        if file.isEmpty { return reference.place.document }
        if documents[file] != nil { return file }
        guard let named = documents.first(where: { $0.value["$id"]?.string == file }) else {
            throw unresolved(reference, "there is no document \"\(file)\"")
        }
        return named.key
    }

    private mutating func schema(
        at pointer: String, in document: String, _ reference: Reference
    ) throws(SchemaError) -> Int {
        guard var tree = documents[document] else { throw unresolved(reference, "there is no such document") }
        var place = Place(document: document, pointer: .root)
        for token in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let name = String(token.replacing("~1", with: "/").replacing("~0", with: "~"))
            let element = tree.elements.flatMap { elements in
                Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            }
            guard let next = tree[name] ?? element else {
                throw unresolved(reference, "there is no \(place.text)/\(token)")
            }
            tree = next
            place = place.appending(name)
        }
        return try schema(tree, at: place)
    }

    private func unresolved(_ reference: Reference, _ reason: String) -> SchemaError {
        SchemaError(place: reference.place.text, reason: "\"\(reference.target)\": \(reason)")
    }

    /// What a URI's fragment says, `%22` being a quote; nil when it isn't one.
    private static func decoded(_ fragment: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = fragment.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let escaped = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A schema that asks itself about the same value would never answer.
    func refuseCircles() throws(SchemaError) {
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
