/// A reference that doesn't keep its object, and stays equal to itself after the object is gone: a key for owners.
///
/// Two are equal when they were made of the same object. An object made later is never taken for one that is gone: as long
/// as any copy of a `Weak` exists, the memory of its object isn't given to another.
public struct Weak<T: AnyObject>: Hashable {
    /// The object, or nil once it is gone. Whoever reads it may be the last to hold the object, so its `deinit` may run
    /// here: read it with no lock held.
    public private(set) weak var value: T?

    /// Never read, which would trap after the object's end. A weak reference lets go of the object's memory, and with it
    /// of its address; an unowned one keeps both, though not what the object held.
    private unowned let memory: T
    let id: ObjectIdentifier

    /// Refers to `value` without keeping it.
    public init(_ value: T) {
        self.value = value
        memory = value
        id = ObjectIdentifier(value)
    }

    /// False once the object is gone. As with `value`, the object's `deinit` may run here.
    public var isAlive: Bool { value != nil }

    /// The same object, there or gone.
    public static func == (left: Weak, right: Weak) -> Bool { left.id == right.id }

    /// Hashes the object's identity, which doesn't change when it goes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension Weak: Sendable where T: Sendable {}

extension Weak: CustomReflectable {
    /// The value alone: reflecting the unowned reference would read it.
    public var customMirror: Mirror { Mirror(self, children: ["value": value as Any], displayStyle: .struct) }
}
