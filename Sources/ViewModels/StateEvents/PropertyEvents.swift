import Synchronization

/// An adapter that makes a `ViewModel` of an `ObservableViewModel`. It sends each property first, and again each time it is
/// set.
///
/// It retains the view model, which doesn't retain it.
package final class PropertyEvents<Model: ObservableViewModel>: ViewModel, ResumableEvents {
    package typealias ViewModelEvent = PropertyEvent
    package typealias ViewEvent = Model.ViewEvent

    private struct State {
        var properties: [NamedProperty] = []
        var subscriptions: [Subscription] = []
        /// The last event of each property.
        var newest: [PropertyEvent?] = []
    }

    package let output = Output<ViewModelEvent>()
    private let model: Model
    private let state = Mutex(State())

    package init(_ model: Model) {
        self.model = model
    }

    /// Starts the view model. Returns when every property has been sent, and every value that the view model's own `start()`
    /// has set.
    ///
    /// - Throws: `PropertyError`, or the error of the view model's own `start()`.
    package func start() async throws {
        try await follow(in: model as? any Actor ?? MainActor.shared)
        try await sendingChanges { try await model.start() }
    }

    /// Sends each property before anybody has subscribed, so that `snapshot()` has it and later changes count from it.
    ///
    /// - Throws: `PropertyError`.
    package func prepareToResume() async throws {
        try await follow(in: model as? any Actor ?? MainActor.shared)
        await output.settle()
    }

    /// Resumes the view model. Returns when every value that its own `resume()` has set has been sent.
    ///
    /// - Throws: the error of the view model's own `resume()`.
    package func resume() async throws {
        guard let model = model as? any DurableViewModel else { return }
        try await sendingChanges { try await model.resume() }
    }

    /// Calls the view model's own hook. Returns when every value that it sets has been sent.
    package func viewsDidAppear() async { await sendingChanges { await model.viewsDidAppear() } }

    /// Calls the view model's own hook. Returns when every value that it sets has been sent.
    package func viewsDidDisappear() async { await sendingChanges { await model.viewsDidDisappear() } }

    package func stop() async { await model.stop() }

    /// Has the view model handle an event. Returns when every value that its handler has set has been sent.
    ///
    /// - Throws: the error of the view model's own `handle(event:)`.
    package func handle(event: ViewEvent) async throws {
        try await sendingChanges { try await model.handle(event: event) }
    }

    /// Returns the last event of each property: what up-to-date Views show.
    package func snapshot() -> [ViewModelEvent] {
        state.withLock { $0.newest }.compactMap { $0 }
    }
}

extension PropertyEvents: PresenceViewModel where Model: PresenceViewModel {
    /// Calls the view model's own hook. Returns when every value that it sets has been sent.
    package func viewersDidChange(_ viewers: [Client]) async {
        await sendingChanges { await model.viewersDidChange(viewers) }
    }
}

extension PropertyEvents {
    /// Subscribes to all properties, in the view model's isolation, so that none of them is set in between.
    private func follow(in isolation: isolated any Actor) throws {
        let properties = try NamedProperty.all(of: model)
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
            // Under the lock, so that a snapshot agrees with the order of events.
            output.enqueue(event)
            return old
        }
        output.deliverPending()
        // The old value is released with no lock held: its end may set a property.
        withExtendedLifetime(old) {}
    }

    private func sendingChanges<Failure: Error>(_ body: () async throws(Failure) -> Void) async throws(Failure) {
        let result: Result<Void, Failure>
        do throws(Failure) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // Where another thread sets a property at the same time, it may be the one that still delivers this
        // handler's values.
        for named in state.withLock({ $0.properties }) { await named.property.settle() }
        await output.settle()
        try result.get()
    }
}
