/// Finds the types of the values that an object keeps.
package enum KeptTypes {
    /// Returns the classes, actors and structs that a view model keeps, and those that these keep, each once, also those in
    /// containers of the standard library. Other view models and what they keep are left out. What a protocol or a closure
    /// hides isn't found.
    ///
    /// Only types of certain modules are looked into: of those that declare the view model, or a type that its container makes.
    package static func all(keptBy type: any Any.Type) -> [any Any.Type] {
        var found: [any Any.Type] = []
        var (known, modules): (Set<ObjectIdentifier>, Set<Substring>) = ([ObjectIdentifier(type)], [module(of: type)])
        var next = PropertyField.all(of: type).map(\.type)
        // A generic type may hold itself with ever larger arguments.
        while let type = next.popLast(), known.count < maximumCount {
            if let inside = elements(of: type) {
                next += inside
                continue
            }
            guard known.insert(ObjectIdentifier(type)).inserted, !(type is any HostableViewModel.Type) else { continue }
            if type is any Resolvable.Type { modules.insert(module(of: type)) }
            guard modules.contains(module(of: type)) else { continue }
            found.append(type)
            next += PropertyField.all(of: type).map(\.type).reversed()
        }
        return found
    }

    /// Returns the element types of a container of the standard library; nil for other types.
    package static func elements(of type: any Any.Type) -> [any Any.Type]? {
        (type as? any ElementHolder.Type)?.elements
    }

    /// Returns the first wanted type in a container of the standard library, at any depth; nil where there is none.
    package static func contained(in type: any Any.Type, where isWanted: (any Any.Type) -> Bool) -> (any Any.Type)? {
        var next = elements(of: type) ?? []
        while let type = next.popLast() {
            if isWanted(type) { return type }
            next += elements(of: type) ?? []
        }
        return nil
    }

    private static func module(of type: any Any.Type) -> Substring {
        TypeNames.qualified(type).prefix { $0 != "." }
    }

    private static let maximumCount = 300
}

private protocol ElementHolder {
    static var elements: [any Any.Type] { get }
}

extension Optional: ElementHolder { fileprivate static var elements: [any Any.Type] { [Wrapped.self] } }
extension Array: ElementHolder { fileprivate static var elements: [any Any.Type] { [Element.self] } }
extension Set: ElementHolder { fileprivate static var elements: [any Any.Type] { [Element.self] } }
extension Dictionary: ElementHolder { fileprivate static var elements: [any Any.Type] { [Value.self, Key.self] } }
