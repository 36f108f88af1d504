package import Commands

/// A property that declares an option: an `Option` or a `Flag`.
package protocol DeclaredOption: Sendable {
    /// Returns the option as the command line takes it.
    ///
    /// - Parameter property: the property's name. The option's name is made from it, unless the declaration has a name.
    func own(property: String) -> OwnOption
}

/// The options that the properties of a server declare.
package enum DeclaredOptions {
    /// Returns the options in the order of the properties.
    package static func of<S: Server>(_ server: S) -> OwnOptions {
        // Most servers have none, and reflection would delay the start of the process.
        guard MemoryLayout<S>.size > 0 else { return OwnOptions([]) }
        let options = Mirror(reflecting: server).children.compactMap { label, value -> OwnOption? in
            guard let option = value as? any DeclaredOption else { return nil }
            // A wrapped property is stored under its name with an underscore.
            return option.own(property: String((label ?? "").drop { $0 == "_" }))
        }
        return OwnOptions(options)
    }
}
