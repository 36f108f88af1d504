/// The reason why a value could not be decoded or encoded, and where: the `data` of an invalid-params error.
package struct JSONCodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place in the JSON on the wire, not in Swift: `/event/value` for the associated value `_0` of an event.
    package let path: JSONPointer
    /// A phrase such as "expected an integer but found a string" or "missing".
    package let reason: String

    package init(path: JSONPointer, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { path == .root ? reason : "\(path): \(reason)" }
}

/// A step of a `codingPath`.
enum PathKey: CodingKey, Hashable {
    case member(String)
    case index(Int)

    init(stringValue: String) { self = .member(stringValue) }

    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .member(let name): name
        case .index(let index): "\(index)"
        }
    }

    var intValue: Int? {
        switch self {
        case .member: nil
        case .index(let index): index
        }
    }
}

extension EncodingError {
    /// Returns an error about a member of an event.
    static func invalid(_ value: Any, member: String, _ reason: String) -> EncodingError {
        .invalidValue(value, Context(codingPath: [PathKey.member(member)], debugDescription: reason))
    }
}

extension DecodingError {
    /// Returns an error about a member of an event.
    static func corrupted(member: String, _ reason: String) -> DecodingError {
        .dataCorrupted(Context(codingPath: [PathKey.member(member)], debugDescription: reason))
    }
}

extension JSONPointer {
    /// Appends a Swift coding path. Each key names a member by its `stringValue`: the `intValue` of an enum of integers isn't
    /// on the wire.
    func appending(_ path: [any CodingKey]) -> JSONPointer {
        path.reduce(self) { $0.appending($1.stringValue) }
    }
}

/// Bounds that keep a value that refers to itself, or a hostile text, from exhausting the stack.
enum CodingLimits {
    /// The maximum nesting of objects and arrays, when decoding and when encoding.
    static let depth = JSONReader.defaultMaximumDepth
    /// The maximum nesting of calls of `init(from:)` or `encode(to:)`. More than `depth`, as wrappers such as `Optional` add
    /// calls but no depth.
    static let calls = 2 * depth
}
