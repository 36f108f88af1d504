import Synchronization

/// An `ObservableViewModel` as a `ViewModel`, so that it is hosted as any other is: sends each property first, and again each
/// time it is set.
///
/// It keeps the view model, which doesn't keep it.
package final class PropertyEvents<Model: ObservableViewModel>: ViewModel {
    package typealias ViewModelEvent = PropertyEvent
    package typealias ViewEvent = Model.ViewEvent

    private struct State {
        var properties: [HostedProperty] = []
        var subscriptions: [Subscription] = []
        /// What was sent last of each property.
        var newest: [PropertyEvent?] = []
    }

    package let output = Output<ViewModelEvent>()
    private let model: Model
    private let state = Mutex(State())

    package init(_ model: Model) {
        self.model = model
    }

    /// Returns when every property, and all that the view model's own `start()` set, has been sent.
    ///
    /// - Throws: `PropertyError`, and what the view model's own throws.
    package func start() async throws {
        try await follow(in: model as? any Actor ?? MainActor.shared)
        try await sendingChanges { try await model.start() }
    }

    /// Returns when all that the view model has set in it has been sent.
    package func handle(event: ViewEvent) async throws {
        try await sendingChanges { try await model.handle(event: event) }
    }

    /// Each property as it was sent last, which is where the Views are that know everything.
    package func snapshot() -> [ViewModelEvent] {
        state.withLock { $0.newest }.compactMap { $0 }
    }
}

extension PropertyEvents {
    /// In the view model's isolation, so that it sets none of them between the first and the last.
    private func follow(in isolation: isolated any Actor) throws {
        let properties = try HostedProperty.all(of: model)
        state.withLock { state in
            state.properties = properties
            state.newest = properties.map { _ in nil }
        }
        let subscriptions = properties.enumerated().map { index, property in
            property.events { [weak self] in self?.send($0, ofPropertyAt: index) }
        }
        state.withLock { $0.subscriptions = subscriptions }
    }

    private func send(_ event: PropertyEvent, ofPropertyAt index: Int) {
        let old = state.withLock { state in
            let old = state.newest[index]
            state.newest[index] = event
            // Together with what a snapshot says.
            output.enqueue(event)
            return old
        }
        output.deliverPending()
        // The old value is let go of outside the lock: its end may set a property.
        withExtendedLifetime(old) {}
    }

    private func sendingChanges(_ body: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // Where another thread sets a property too, it may be the one that has yet to send what was set here.
        for hosted in state.withLock({ $0.properties }) { await hosted.property.settle() }
        await output.settle()
        try result.get()
    }
}
