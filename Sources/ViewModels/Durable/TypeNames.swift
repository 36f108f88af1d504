/// The names of types as text: the same in each build and each process.
package enum TypeNames {
    /// Returns the type with its module and the types around it, such as "Examples.OrdersViewModel". A generic type has its
    /// arguments behind it: "Finder.Page<Finder.File>".
    ///
    /// The marks of private and local scopes, which have addresses in them, are left out, and so are those of extensions in
    /// other modules.
    package static func qualified(_ type: any Any.Type) -> String {
        // What `String(reflecting:)` makes, which first looks for how the type would print itself: eight times the work, and
        // every client is told the names of all view models.
        var name = _typeName(type, qualified: true)[...]
        var clean = ""
        while let mark = name.firstIndex(of: "(") {
            clean += String(name[..<mark])
            name = name[mark...]
            let end = name.hasPrefix("(unknown context at ") ? ")." : name.hasPrefix("(extension in ") ? "):" : nil
            if let end, let found = name.firstRange(of: end) {
                name = name[found.upperBound...]
            } else {
                clean.append(name.removeFirst())
            }
        }
        return clean + String(name)
    }

    /// Returns a qualified name without its modules, which stays the same when a type moves to another one: "Page<File>" of
    /// "Finder.Page<Finder.File>".
    package static func withoutModules(_ name: some StringProtocol) -> String {
        var clean = ""
        // The first name of a path is a module's where another one follows.
        var (first, isFirst, isQuoted) = ("", true, false)
        for character in name {
            if character == "`" { isQuoted.toggle() }
            if !isQuoted, character == ".", isFirst, !first.isEmpty {
                (first, isFirst) = ("", false)
            } else if !isQuoted, " <>,()&:?".contains(character) {
                clean += first
                clean.append(character)
                // After generic arguments the path goes on, and the name that follows is no module's.
                (first, isFirst) = ("", character != ">")
            } else if isFirst {
                first.append(character)
            } else {
                clean.append(character)
            }
        }
        return clean + first
    }
}
