import Synchronization

/// A value that one at a time has.
final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func with<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
        value.withLock { body(&$0) }
    }
}
