/// What a stored property is called by who wrote it, and on the wire, from what reflection calls it.
enum PropertyName {
    /// `_orders` of a wrapper is `orders`. A raw identifier (SE-0451) stands there in quotes, and its blanks, the only white
    /// space that it may have, as U+00A0.
    static func of(label: String, _ property: any HostableProperty.Type) -> String {
        var name = label[...]
        let isQuoted = name.first == "`"
        if isQuoted { name = name.dropFirst().dropLast() }
        if property.isWrapper, name.first == "_" { name = name.dropFirst() }
        return isQuoted ? String(name.map { $0 == "\u{A0}" ? " " : $0 }) : String(name)
    }
}
