import JSON
import Synchronization
import ViewModels

/// A session's view model, for which it is the View: it encodes each event once for the session's log, and hands the view
/// model what clients send.
///
/// The view model can't tell it from a local View. It is bound before `start()`, and takes each event on the thread that
/// sends it, since the log is guarded and a queue would only delay.
final class HostedModel<Model: HostableViewModel>: Sendable
where Model.HostedEvent: Encodable, Model.HostedViewEvent: Decodable {
    private typealias ViewModelEvent = Model.HostedEvent
    private typealias ViewEvent = Model.HostedViewEvent

    /// Makes the view model. It is released when it is called, with the arguments that it holds.
    private let make: Mutex<(@Sendable () async throws -> Model)?>
    /// The bound view model, set once, by `bind`.
    private let bound = PublishedOnce<BoundModel>()
    private let lists = SessionLists()

    /// The class of this session's jobs. It is generic, so the runtime has to look it up: here that happens once, and not for
    /// each event.
    private let jobType = ViewEvent.self is any ScheduledEvent.Type ? ScheduledJob.self : EventJob.self

    /// - Parameter make: makes the view model; called once, when the session is opened.
    init(make: @escaping @Sendable () async throws -> Model) {
        self.make = Mutex(make)
    }

    /// Returns an event's coalescing key; nil where no event of the view model replaces another.
    private static var coalescingKey: (@Sendable (ViewModelEvent) -> String?)? {
        (ViewModelEvent.self as? any ReplaceableEvent.Type).map { coalescingKey(of: $0) }
    }

    private static func coalescingKey<Event: ReplaceableEvent>(
        of type: Event.Type
    ) -> @Sendable (ViewModelEvent) -> String? {
        { ($0 as? Event)?.coalescingKey }
    }

    /// Brings the view model's events to the session from now on.
    ///
    /// - Parameters:
    ///   - saver: saves the view model, where it is durable.
    ///   - hooks: what few view models have.
    ///   - isResumed: whether the view model is in a later life, and its Views know what it has sent so far.
    private func bind(
        _ model: AnyViewModel<ViewModelEvent, ViewEvent>, to session: Session, _ saver: ModelSaver?,
        _ hooks: RareHooks?, isResumed: Bool
    ) {
        let silent = session.storage == nil ? nil : SilentState(model, in: session, encode: Self.encode)
        // Looked up once, not for each event.
        let coalescingKey = Self.coalescingKey
        let maximumBytes = session.limits.messageBytes
        let sentBefore = model.output.sentCount
        // Keeps the session, and so this view, until `close()`.
        let handler = model.output.add(pace: StreamPace(session)) { event in
            do throws(JSONCodingError) {
                let payload = try Self.encode(event)
                let key = coalescingKey?(event)
                guard payload.count <= maximumBytes else { return session.refuse(eventOf: payload.count, key: key) }
                session.append(payload, key: key)
            } catch {
                session.report("\(session.viewModelName) sent an event that JSON can't express: \(error)")
                session.miss(eventWithKey: coalescingKey?(event))
            }
        }
        // Only for the first subscriber, as another session may share the view model.
        if handler == 1, sentBefore > 0, !isResumed {
            let events = sentBefore == 1 ? "an event" : "\(sentBefore) events"
            session.context.warn("\(session.viewModelName) sent \(events) in init, which no View gets; send in start()")
        }
        if !model.hasOneOutput { session.context.warn(Self.changes("output", of: session)) }
        bound.publish(
            BoundModel(
                model, model.output, handler, model.isolation, saver: saver, silent: silent,
                hooks: hooks))
    }

    private static func changes(_ property: String, of session: Session) -> String {
        "\(session.viewModelName): its \(property) is another object each time, and reaches no View: make it a let"
    }

    private func takeMake() -> (@Sendable () async throws -> Model)? {
        make.withLock { make in
            defer { make = nil }
            return make
        }
    }

    private static func encode(_ event: ViewModelEvent) throws(JSONCodingError) -> [UInt8] {
        try EventEncoder().encode(event)
    }

    private var model: AnyViewModel<ViewModelEvent, ViewEvent>? {
        guard let model = bound.object?.model else { return nil }
        // Only `bind` sets it.
        return unsafeDowncast(model, to: AnyViewModel<ViewModelEvent, ViewEvent>.self)
    }
}

extension HostedModel: SessionModel {
    func open(for session: Session) async throws -> Bool {
        guard let model = try await takeMake()?() else { return false }
        // The client that opened it was answered already, and no view is left to see its events.
        guard !session.hasEnded, !Task.isCancelled else { return false }
        let hosted = model.hosted()
        let (saver, isResumed) = try await restore(model, hosted, of: session)
        let found = PropertyNames.found(in: Model.self)
        let shared = found.contains(.shared) ? PropertyNames.shared(in: model) : []
        // Before the opening is answered, as it fails where one of them does.
        if !shared.isEmpty { try await SharedRunner(session: session).open(shared) }
        if let model = model as? any NotifiesOnChange, model.changed !== model.changed {
            session.context.warn(Self.changes("changed", of: session))
        }
        let titled = found.contains(.title) ? model as? any TitledViewModel : nil
        bind(hosted, to: session, saver, RareHooks(model as? any BackHandling, titled), isResumed: isResumed)
        if found.contains(.lists) {
            lists.follow(PropertyNames.lists(in: model), of: hosted.output, in: session, isResumed: isResumed)
        }
        // The session may have ended just before, when there was nothing to close.
        if session.hasEnded { close() }
        session.modelIsReady()
        if !shared.isEmpty { await SharedRunner(session: session).begin() }
        if hosted.isolation != nil { HandlerExecutor.current?.willCall(hops: true) }
        if isResumed { try await hosted.resume() } else { try await hosted.start() }
        hosted.addSession()
        return true
    }

    /// Gives a durable view model the state of its session's previous life.
    ///
    /// - Returns: the saver, where the view model is durable; and whether this is a later life.
    private func restore(
        _ model: Model, _ hosted: AnyViewModel<ViewModelEvent, ViewEvent>, of session: Session
    ) async throws -> (ModelSaver?, isResumed: Bool) {
        guard let storage = session.storage, let durable = model as? any DurableViewModel else { return (nil, false) }
        let saver = try await Self.saver(of: durable, in: model as? any Actor ?? MainActor.shared)
        guard let stored = storage.restored, stored.isStarted else { return (saver, false) }
        let (unread, hasFirstValues) = try await saver.restore(stored.saved, version: stored.savedVersion)
        if hasFirstValues { session.state.withLock { $0.kept?.noteFirstValues() } }
        unread.warn(of: session, older: stored.savedVersion == saver.version ? nil : stored.savedVersion)
        try await hosted.prepareToResume()
        return (saver, true)
    }

    private static func saver(
        of model: any DurableViewModel, in isolation: isolated any Actor
    ) async throws -> ModelSaver {
        try ModelSaver(of: model)
    }

    var isDurable: Bool { Model.self is any DurableViewModel.Type }

    func savedChanges() async throws -> [SavedValue] {
        let bound = bound.object
        let changes = try await bound?.saver?.changes() ?? []
        if let silent = bound?.silent, !changes.isEmpty { await silent.look() }
        return changes
    }

    func hasUnsavedChanges() async -> Bool {
        guard let bound = bound.object, let saver = bound.saver else { return false }
        return await saver.hasChanges(in: bound.isolation)
    }

    var savedVersion: Int? { bound.object?.saver?.version }

    var isToldOfViewers: Bool { PropertyNames.found(in: Model.self).contains(.presence) }

    func viewsDidChange(_ change: ViewsChange) async {
        guard let model else { return }
        switch change.hasViews {
        case true?: model.addAudience()
        case false?: model.removeAudience()
        case nil: break
        }
        if let viewers = change.viewers { model.setViewers(viewers, of: self) }
        await model.callHooks()
    }

    func stop() async {
        guard let model else { return }
        model.removeSession()
        await model.callHooks()
    }

    var backHandling: (any BackHandling)? { bound.object?.hooks?.backHandling }

    var titled: (any TitledViewModel)? { bound.object?.hooks?.titled }

    var isolation: (any Actor)? { bound.object?.isolation }

    func job(of event: ParsedValue, for request: consuming ViewEventJob.Request) -> ViewEventJob {
        jobType.init(event, of: self, for: request)
    }

    func placeSnapshot(for session: Session, _ place: @escaping @Sendable (ModelSnapshot) -> Void) async {
        // Before the view model is bound, the log has everything.
        guard let model else { return place(.none(reason: nil)) }
        do {
            try await model.placeSnapshot { [lists] in place(Self.encode($0, lists, of: session)) }
        } catch is NoSnapshot {
            place(.none(reason: nil))
        } catch {
            place(.none(reason: "\(error)"))
        }
    }

    private static func encode(
        _ events: [ViewModelEvent], _ lists: SessionLists, of session: Session
    ) -> ModelSnapshot {
        do throws(JSONCodingError) {
            var writer = JSONWriter()
            writer.beginArray()
            for event in events { try EventEncoder().encode(event, into: &writer) }
            lists.encodeSnapshot(of: session, into: &writer)
            writer.endArray()
            guard writer.count <= session.limits.messageBytes else { return session.refusal(ofSnapshot: writer.count) }
            return .events(session.context.limits.kept.text(writer.takeBytes()))
        } catch {
            let reason = "a snapshot that JSON can't express: \(error)"
            session.report("\(session.viewModelName) made \(reason)")
            return .none(reason: "it made \(reason)")
        }
    }

    var isSettled: Bool { bound.object?.output.isSettled ?? true }

    func afterPending(_ action: @escaping @Sendable () -> Void) {
        guard let bound = bound.object else { return action() }
        bound.output.afterPending(action)
    }

    func readKeptRows(_ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place) throws -> Bool
    {
        try lists.readKept(request, of: session, place)
    }

    func readRows(_ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place) async throws {
        try await lists.read(request, of: session, place)
    }

    func close() {
        lists.close()
        if let bound = bound.object { bound.output.removeHandler(bound.handler) }
    }
}

extension HostedModel: HandlerCaller {
    func run(_ runner: HandlerRunner, in isolation: isolated (any Actor)?, _ executor: HandlerExecutor?) async {
        var step = await withUnsafeContinuation(isolation: isolation) { runner.takeNextStep($0) }
        while case .handle(let next) = step {
            let end = await handle(next, runner, executor)
            step = await withUnsafeContinuation(isolation: isolation) { runner.takeNextStep($0, after: end) }
        }
        runner.wake()
    }

    /// Handles an event as `HandlerRunner.handle` does, but calls the view model directly where it can.
    @inline(never)
    private func handle(
        _ next: HandlerQueue.Running, _ runner: HandlerRunner, _ executor: HandlerExecutor?
    ) async -> HandlerEnd? {
        guard type(of: next.job) == jobType, runner.callsDirectly(next.job) else {
            return await runner.handle(next, executor)
        }
        var end = HandlerEnd(id: next.id)
        executor?.willCall()
        do {
            try runner.checkCancellation()
            // Of this type, as was found above.
            let event = try unsafeDowncast(next.job, to: EventJob.self).decoded()
            guard let model else { throw SessionError.ended }
            // The erased view model itself, for one asynchronous call less.
            try await model.base.handle(event: event)
        } catch {
            end.failure = HandlerFailure(error, isNumbered: next.job.number != nil)
        }
        return await runner.didCall(end, executor)
    }
}

extension HostedModel {
    /// A job that calls the view model, which may not be there yet when the event is taken.
    // Unchecked as its superclass: all properties are constant and Sendable.
    private class EventJob: ViewEventJob, @unchecked Sendable {
        private let value: KeptValue
        private let hosted: HostedModel

        required init(_ event: ParsedValue, of hosted: HostedModel, for request: consuming Request) {
            value = KeptValue(event)
            self.hosted = hosted
            super.init(request)
        }

        override var name: String { value.shortString("kind") ?? "\(ViewEvent.self)" }

        override nonisolated(nonsending) func handle() async throws {
            let event = try decoded()
            guard let model = hosted.model else { throw SessionError.ended }
            // The erased view model itself, for one asynchronous call less.
            try await model.base.handle(event: event)
        }

        /// Decodes the event. Called once, since the text of a long event is released then.
        func decoded() throws -> ViewEvent {
            defer { if request.bytes > KeptValue.longestHeld / 2 { value.release(keeping: "kind") } }
            do throws(JSONCodingError) {
                return try EventDecoder().decode(ViewEvent.self, from: value)
            } catch {
                throw UndecodedEvent(error, kind: value.shortString("kind"))
            }
        }
    }

    // Unchecked as its superclass: the result is set by `readSchedule()`, before the job is queued to be handled.
    private final class ScheduledJob: EventJob, @unchecked Sendable {
        private var result: Result<ViewEvent, any Error>?

        override var isScheduled: Bool { true }

        override func readSchedule() -> Schedule? {
            let result = Result { try super.decoded() }
            self.result = result
            guard case .success(let event) = result, let scheduled = event as? any ScheduledEvent else { return nil }
            return Schedule(kind: caseName(of: event), scheduled.schedule)
        }

        override func decoded() throws -> ViewEvent { try result?.get() ?? super.decoded() }
    }
}

/// The view model that a `HostedModel` is bound to. Deliberately without its types, which the runtime would look up for
/// each event.
private final class BoundModel: Sendable {
    /// The view model, an `AnyViewModel`.
    let model: any AnyObject & Sendable
    /// The view model's output.
    let output: any AnyOutput
    /// The number of the handler that brings the model's events to the session.
    let handler: Int
    /// The view model, where it is an actor.
    let isolation: (any Actor)?
    /// Saves the view model of a durable session.
    let saver: ModelSaver?
    /// Watches a durable view model that says itself when its state has changed.
    let silent: SilentState?
    let hooks: RareHooks?

    init(
        _ model: any AnyObject & Sendable, _ output: any AnyOutput, _ handler: Int, _ isolation: (any Actor)?,
        saver: ModelSaver?, silent: SilentState?, hooks: RareHooks?
    ) {
        (self.model, self.output, self.handler, self.isolation) = (model, output, handler, isolation)
        (self.saver, self.silent, self.hooks) = (saver, silent, hooks)
    }
}

/// What few view models have. Together, as each would take two words of every session.
private final class RareHooks: Sendable {
    /// The view model, where it has a say when the user goes back from it.
    let backHandling: (any BackHandling)?
    /// The view model, where it has a title.
    let titled: (any TitledViewModel)?

    /// Nil where the view model has neither.
    init?(_ backHandling: (any BackHandling)?, _ titled: (any TitledViewModel)?) {
        if backHandling == nil, titled == nil { return nil }
        (self.backHandling, self.titled) = (backHandling, titled)
    }
}
