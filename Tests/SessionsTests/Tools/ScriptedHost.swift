import JSON
import TestSupport
import ViewModels

@testable import Sessions

/// A host without a view model: what it does when it is opened is the test's.
final class ScriptedHost: ModelHost {
    private let onOpen: @Sendable (Session) async throws -> Void
    private let onSnapshot: @Sendable (@escaping @Sendable (ModelSnapshot) -> Void) async -> Void
    private let onPending: @Sendable (@Sendable () -> Void) -> Void

    init(
        onOpen: @escaping @Sendable (Session) async throws -> Void = { $0.modelIsReady() },
        onSnapshot: @escaping @Sendable (@escaping @Sendable (ModelSnapshot) -> Void) async -> Void = {
            $0(.none(reason: nil))
        },
        onPending: @escaping @Sendable (@Sendable () -> Void) -> Void = { $0() }
    ) {
        self.onOpen = onOpen
        self.onSnapshot = onSnapshot
        self.onPending = onPending
    }

    var backHandling: (any BackHandling)? { nil }

    func open(for session: Session) async throws {
        try await onOpen(session)
    }

    func decode(_ event: JSONValue, at path: JSONPointer) throws(JSONCodingError) -> @Sendable () async throws -> Void {
        throw JSONCodingError(path: path, reason: "not scripted")
    }

    func placeSnapshot(_ place: @escaping @Sendable (ModelSnapshot) -> Void) async {
        await onSnapshot(place)
    }

    func afterPending(_ action: @escaping @Sendable () -> Void) {
        onPending(action)
    }
}
