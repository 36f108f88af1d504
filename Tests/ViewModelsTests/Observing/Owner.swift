import TestSupport

/// A subscriber in these tests.
final class Owner: Sendable {
    let name: String
    let seen: Recorder<String>

    init(_ name: String, _ seen: Recorder<String>) {
        self.name = name
        self.seen = seen
    }

    func record(_ args: some Sendable) {
        seen.record("\(name) \(args)")
    }
}

/// Captured by a handler, so that a test sees when the handler goes.
final class Held: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void = {}) {
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }
}
