import TestSupport

/// Who subscribes in these tests.
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
