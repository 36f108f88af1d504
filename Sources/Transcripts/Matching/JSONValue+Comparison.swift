package import JSON

extension JSONValue {
    package var elements: [JSONValue] {
        var elements: [JSONValue] = []
        forEachElement { elements.append($0) }
        return elements
    }

    /// Whether both are strings of the same Unicode scalars, however they are escaped.
    package func isSameString(as other: JSONValue) -> Bool {
        guard kind == .string, other.kind == .string else { return false }
        if text.elementsEqual(other.text) { return true }
        let backslash = UInt8(ascii: "\\")
        guard text.contains(backslash) || other.text.contains(backslash) else { return false }
        guard let left = string(), let right = other.string() else { return false }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// Whether this is an integer or null, as `processId` must be.
    var isProcessID: Bool { kind == .null || integer(as: Int64.self) != nil }
}

/// A string that is equal to another only if both have the same Unicode scalars.
///
/// That is JSON's equality; `String` takes "é" and "e" with a combining accent for the same.
struct ScalarString: Hashable, Sendable {
    let string: String

    init(_ string: String) {
        self.string = string
    }

    static func == (left: ScalarString, right: ScalarString) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The members of an object, for many look-ups by name. Of duplicate names the last counts.
package struct ObjectMembers {
    /// The number of members up to which a linear search is faster than a dictionary.
    private static let maximumScanned = 8

    package private(set) var all: [(name: JSONKey, value: JSONValue)] = []
    /// The index of the last member of each name.
    private var places: [ScalarString: Int] = [:]

    package init(_ object: JSONValue) {
        object.forEachMember { all.append(($0, $1)) }
        guard all.count > Self.maximumScanned else { return }
        for (place, member) in all.enumerated() { places[ScalarString(member.name.string())] = place }
    }

    /// Returns the index in `all` of the last member with this name; nil if there is none.
    ///
    /// - Parameter hint: a likely index, which is tried first.
    package func place(of name: JSONKey, hint: Int) -> Int? {
        guard all.count > Self.maximumScanned else { return all.lastIndex { $0.name == name } }
        if places.count == all.count, hint < all.count, all[hint].name == name { return hint }
        return places[ScalarString(name.string())]
    }
}
