import JSON
import Synchronization
import ViewModels

/// The View of a hosted view model: what the view model sends is encoded once and goes to the session's log, and what
/// clients ask goes to the view model.
///
/// It is bound like any other View, so a view model can't tell it from a local one.
final class HostedView<Model: HostableViewModel>: View
where Model.HostedEvent: Encodable, Model.HostedViewEvent: Decodable {
    typealias ViewModelEvent = Model.HostedEvent
    typealias ViewEvent = Model.HostedViewEvent

    let output = Output<ViewEvent>()
    private let make: @Sendable () async throws -> Model
    private let bound = Mutex(Bound())
    /// Nil where no event replaces another.
    private let coalescingKey: (@Sendable (ViewModelEvent) -> String?)?

    private struct Bound {
        weak var session: Session?
        /// The same as `viewModel`, at hand without a cast for each event.
        var model: AnyViewModel<ViewModelEvent, ViewEvent>?
        /// Asked before the user goes back from it.
        var backHandling: (any BackHandling)?
    }

    init(make: @escaping @Sendable () async throws -> Model) {
        self.make = make
        // Looked at once, not for each event.
        coalescingKey = (ViewModelEvent.self as? any ReplaceableEvent.Type).map { Self.coalescingKey(of: $0) }
    }

    private static func coalescingKey<Event: ReplaceableEvent>(
        of type: Event.Type
    ) -> @Sendable (ViewModelEvent) -> String? {
        { ($0 as? Event)?.coalescingKey }
    }

    func setupBindings() {
        let model = viewModel
        let session = bound.withLock { bound in
            bound.model = model
            return bound.session
        }
        session?.modelIsReady()
    }

    /// Takes events on the thread that sends them: the log is guarded, and a queue would only delay.
    func subscribe(to output: Output<ViewModelEvent>) -> Subscription {
        output.subscribe { [weak self] event in self?.handle(event: event) }
    }

    func handle(event: ViewModelEvent) {
        guard let session = bound.withLock({ $0.session }) else { return }
        do throws(JSONCodingError) {
            session.append(try Self.encode(event), key: coalescingKey?(event))
        } catch {
            session.report("\(session.viewModelName) sent an event that JSON can't express: \(error)")
        }
    }

    private static func encode(_ event: ViewModelEvent) throws(JSONCodingError) -> [UInt8] {
        var writer = JSONWriter()
        try EventEncoder().encode(event, into: &writer)
        return writer.takeBytes()
    }
}

extension HostedView: ModelHost {
    func open(for session: Session) async throws {
        bound.withLock { $0.session = session }
        let model = try await make()
        // Whoever opened it is told that it ended or was cancelled; nobody would see what it starts.
        guard !session.hasEnded, !Task.isCancelled else { return }
        bound.withLock { $0.backHandling = model as? any BackHandling }
        try await bind(with: model.hosted())
    }

    var backHandling: (any BackHandling)? { bound.withLock { $0.backHandling } }

    func decode(_ event: JSONValue, at path: JSONPointer) throws(JSONCodingError) -> @Sendable () async throws -> Void {
        let event = try EventDecoder().decode(ViewEvent.self, from: event, at: path)
        return { [self] in
            let model = bound.withLock { $0.model }
            try await model?.handle(event: event)
        }
    }

    func placeSnapshot(_ place: @escaping @Sendable (ModelSnapshot) -> Void) async {
        // Before it is bound, what the log has is all there is.
        guard let model = bound.withLock({ $0.model }) else { return place(.none(reason: nil)) }
        do {
            try await model.placeSnapshot { [self] in place(encoded($0)) }
        } catch is NoSnapshot {
            place(.none(reason: nil))
        } catch {
            place(.none(reason: "\(error)"))
        }
    }

    private func encoded(_ events: [ViewModelEvent]) -> ModelSnapshot {
        do throws(JSONCodingError) {
            var payloads: [[UInt8]] = []
            for event in events { payloads.append(try Self.encode(event)) }
            return .events(payloads)
        } catch {
            let reason = "a snapshot that JSON can't express: \(error)"
            if let session = bound.withLock({ $0.session }) {
                session.report("\(session.viewModelName) made \(reason)")
            }
            return .none(reason: "it made \(reason)")
        }
    }

    func afterPending(_ action: @escaping @Sendable () -> Void) {
        guard let model = bound.withLock({ $0.model }) else { return action() }
        model.output.afterPending(action)
    }
}
