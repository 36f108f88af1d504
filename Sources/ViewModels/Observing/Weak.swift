/// A reference that doesn't keep its object, and stays equal to itself after the object is gone.
///
/// ```swift
/// var owners: [Weak<Owner>: Int] = [:]
/// owners[Weak(owner)] = 1
/// ```
///
/// Two are equal when they were made of the same object. A later object is never taken for one that is gone: as long as
/// any copy of a `Weak` exists, the memory of its object isn't used for another.
public struct Weak<T: AnyObject>: Hashable {
    /// The object; nil once it is gone. The reader may hold the last reference, so that the object's `deinit` runs
    /// here: read it with no lock held.
    public private(set) weak var value: T?

    /// Never read, which would trap after the object's end. A weak reference gives up the object's memory, and with it
    /// its address; an unowned reference keeps both, though not the object's properties.
    private unowned let memory: T
    let id: ObjectIdentifier

    /// Refers to `value` without keeping it.
    public init(_ value: T) {
        self.value = value
        memory = value
        id = ObjectIdentifier(value)
    }

    /// False once the object is gone. The object's `deinit` may run here, as in `value`.
    public var isAlive: Bool { value != nil }

    /// Whether both were made of the same object, even if it is gone.
    public static func == (left: Weak, right: Weak) -> Bool { left.id == right.id }

    /// Hashes the object's identity, which stays the same when the object is gone.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension Weak: Sendable where T: Sendable {}

extension Weak: CustomReflectable {
    /// Shows the value alone: reflecting the unowned reference would read it.
    public var customMirror: Mirror { Mirror(self, children: ["value": value as Any], displayStyle: .struct) }
}
