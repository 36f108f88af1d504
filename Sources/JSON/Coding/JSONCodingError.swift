/// Why a value could not be decoded or encoded, and where: what an `InvalidParams` carries in its `data`.
package struct JSONCodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// On the wire, not in Swift: of an event `/event/value`, where the code says `_0`.
    package let path: JSONPointer
    /// A phrase such as "expected an integer but found a string" or "missing".
    package let reason: String

    package init(path: JSONPointer, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { path == .root ? reason : "\(path): \(reason)" }
}
