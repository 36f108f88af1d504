/// The stored part of an object that the view models of a session share.
package struct SharedObject: Sendable {
    let type: any Any.Type
    let name: String
    let version: Int
    let properties: [(name: String, type: any Any.Type)]

    /// Makes a description of an object's stored properties.
    ///
    /// - Parameter name: the name that the object's properties are stored under.
    package init(
        _ type: any Any.Type, name: String, version: Int = 1, _ properties: [(name: String, type: any Any.Type)]
    ) {
        self.type = type
        self.name = name
        self.version = version
        self.properties = properties
    }
}
