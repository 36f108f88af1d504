import JSON
import Sessions
import TestSupport
import ViewModels

/// A session's model without a view model: the test says what it does.
final class ScriptedModel: SessionModel {
    private let onOpen: @Sendable (Session) async throws -> Void
    private let onSnapshot: @Sendable (@escaping @Sendable (ModelSnapshot) -> Void) async -> Void
    private let onPending: (@Sendable (@Sendable () -> Void) -> Void)?

    init(
        onOpen: @escaping @Sendable (Session) async throws -> Void = { $0.modelIsReady() },
        onSnapshot: @escaping @Sendable (@escaping @Sendable (ModelSnapshot) -> Void) async -> Void = {
            $0(.none(reason: nil))
        },
        onPending: (@Sendable (@Sendable () -> Void) -> Void)? = nil
    ) {
        self.onOpen = onOpen
        self.onSnapshot = onSnapshot
        self.onPending = onPending
    }

    var backHandling: (any BackHandling)? { nil }

    func open(for session: Session) async throws -> Bool {
        try await onOpen(session)
        return true
    }

    func viewsDidChange(_ change: ViewsChange) async {}
    func stop() async {}

    func job(of event: ParsedValue, for request: consuming ViewEventJob.Request) -> ViewEventJob {
        ClosureJob(for: request) { throw JSONCodingError(path: .root, reason: "not scripted") }
    }

    func placeSnapshot(for session: Session, _ place: @escaping @Sendable (ModelSnapshot) -> Void) async {
        await onSnapshot(place)
    }

    func afterPending(_ action: @escaping @Sendable () -> Void) {
        if let onPending { onPending(action) } else { action() }
    }

    var isSettled: Bool { onPending == nil }

    var isolation: (any Actor)? { nil }
    var isDurable: Bool { false }
    func savedChanges() async throws -> [SavedValue] { [] }
    func hasUnsavedChanges() async -> Bool { false }
    var savedVersion: Int? { nil }

    func close() {}
}
