/// One schema of a document: an object with keywords, or `true` or `false`.
struct SchemaNode: Sendable {
    /// Its document, `#` and a JSON Pointer.
    let place: String
    /// By the keyword that a violation names.
    var rules: [(keyword: String, rule: Rule)] = []
}
