package import JSON
import Synchronization
package import ViewModels

// The views of a session: they are attached, take events, and are detached.
extension Session {
    /// The answer to a view that attaches.
    package struct Attachment: Sendable {
        /// The number of the view in this session.
        package let view: Int
        /// The newest number of the session when the view was attached.
        package let newest: Int
        /// The events that bring a new view up to `newest`; nil where the missing events follow by themselves.
        package let snapshot: SharedText?
        /// The highest number taken from this client; nil when it has no name, or that isn't known any more.
        package let handled: Int?
        /// The screens on and over the session at the number that the notifications go on from.
        package let navigation: HostNavigation
    }

    /// The outcome of attaching a view.
    package enum Attaching: Sendable {
        case attached(Attachment)
        /// The view's snapshot is being made. The view is attached already: its events are handled, and it can be detached.
        case waits(view: Int)
    }

    /// Adds a view, which gets every event from now on.
    ///
    /// - Parameters:
    ///   - number: the view's number on its connection, which comes back to the viewer.
    ///   - client: the client's name for itself, kept over its reconnects.
    ///   - visitor: the one who looks, as others are told.
    ///   - fromFirst: whether the view gets the events so far, too. Where they are no longer kept, the view is ended at once
    ///     (`overflow`), so that its client attaches again and gets a snapshot.
    /// - Throws: a `SessionError` that says why the session takes no view, such as `.ended`; `.invalid` for a name that is too
    ///   long.
    package func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, visitor: Client? = nil, _ options: ViewOptions = [],
        fromFirst: Bool = false
    ) throws(SessionError) -> Attachment {
        let (attachment, replaced) = try state.withLock { state throws(SessionError) in
            try state.checkAttaching(client, limits)
            let replaced = state.replaceView(of: client)
            let canReplay = fromFirst && state.feed.log.canReplay(after: 0)
            let seen = canReplay ? 0 : state.feed.newest
            let view = state.attach(viewer, number: number, client: client, after: seen)
            if fromFirst, !canReplay { state.feed.end(view, .overflow) }
            state.feed.introduce(view, visitor, options)
            return (state.attachment(of: view, client), replaced)
        }
        replaced?.send()
        scene?.resume()
        viewersDidChange(besides: attachment.view)
        return attachment
    }

    /// Adds a view that comes back or comes late: it gets the events after `since`, where they are kept, or else a
    /// snapshot and the events after that.
    ///
    /// - Parameters:
    ///   - visitor: the one who looks, as others are told.
    ///   - epoch: the epoch of the history that `since` is a number of; nil where the client doesn't know it. For another
    ///     history than this one, the view gets a snapshot.
    ///   - isPatient: whether the view has no room for a snapshot now, so that it waits even where one is there already.
    ///   - later: called once where `waits` was returned, on any thread, after the caller has called `makeSnapshot(for:)` or
    ///     during that call. After a failure the view is detached again.
    /// - Throws: a `SessionError` that says why the session takes no view, such as `.ended`; `.invalid` for a name that is too
    ///   long, and for a `since` beyond the newest number.
    package func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, visitor: Client? = nil, _ options: ViewOptions = [],
        since: Int?, epoch: String? = nil, isPatient: Bool = false,
        later: @escaping @Sendable (Result<Attachment, SessionError>) -> Void
    ) throws(SessionError) -> Attaching {
        let since = since.flatMap { epochs.has($0, of: epoch) ? $0 : nil }
        let (attaching, replaced, view) = try state.withLock {
            state throws(SessionError) -> (Attaching, Wakeup?, Int) in
            try state.checkAttaching(client, limits)
            let newest = state.feed.newest
            if let since, !(0...newest).contains(since) {
                throw .invalid(member: "since", reason: "\(since) is not between 0 and \(newest), the newest number")
            }
            let replaced = state.replaceView(of: client)
            if let since, state.feed.log.canReplay(after: since) {
                let view = state.attach(
                    viewer, number: number, client: client, after: since, isComplete: since == 0)
                state.feed.introduce(view, visitor, options)
                return (.attached(state.attachment(of: view, client)), replaced, view)
            }
            // A newest event that isn't stored yet is waited for.
            if !isPatient, newest == state.feed.log.newest, let text = state.feed.sharedSnapshot {
                let view = state.attach(viewer, number: number, client: client, after: newest)
                state.feed.introduce(view, visitor, options)
                return (.attached(state.attachment(of: view, client, snapshot: text)), replaced, view)
            }
            let arrival = Arrival(answer: later)
            let view = state.attach(viewer, number: number, client: client, after: nil, arrival: arrival)
            state.feed.introduce(view, visitor, options)
            return (.waits(view: view), replaced, view)
        }
        replaced?.send()
        scene?.resume()
        viewersDidChange(besides: view)
        return attaching
    }

    /// Has a snapshot made for a view that waits, or shared with others. Does nothing for a view that no longer waits.
    package func makeSnapshot(for view: Int) {
        guard isRestored else { return SnapshotMaker(session: self).begin(for: view) }
        // In a later life the log may not have everything, so the view model is waited for.
        let begin = { @Sendable [self] in SnapshotMaker(session: self).begin(for: view) }
        _ = open(ready: begin, failed: { _ in begin() }, started: {})
    }

    /// Detaches a view whose snapshot is being made. Does nothing once the snapshot is there.
    package func cancelAttaching(_ view: Int) {
        if state.withLock({ $0.feed.views[view]?.arrival != nil }) { detach(view) }
    }

    /// Detaches a view. The session stays for the other views, and without any for the resume window.
    ///
    /// - Parameter endsWithLast: whether the whole screen ends at once where no view is left of this session, nor of any other
    ///   on the screen.
    package func detach(_ view: Int, endsWithLast: Bool = false) {
        let (detached, isAbandoned, idle) = state.withLock { state in
            let view = state.detach(view)
            let isLast = view?.arrival != nil && state.feed.viewsAwaitingSnapshot.isEmpty
            return (view, view != nil && state.isAbandoned, isLast ? state.feed.snapshots.abandon() : [])
        }
        for task in idle { task.cancel() }
        StreamPace(self).wake()
        detached?.arrival?.fail(.detached)
        HandlerRunner(session: self).wake()
        if detached != nil { viewersDidChange() }
        guard isAbandoned else { return }
        // As long as a session on this screen has a view, its client may come back to any of them.
        let root = isChild ? scene?.root ?? self : self
        if endsWithLast, root.hasNoViewOnScreen {
            root.end(.closed) { $0.feed.views.isEmpty }
        } else {
            ResumeWindow(session: self).begin()
        }
    }

    /// Whether neither this session nor anything else on its screen has a view.
    private var hasNoViewOnScreen: Bool { !(scene?.views ?? ResumeWindow(session: self).views).are }

    /// Whether clients find the session again when it has no views: it is stored, or a client finds it by opening its view
    /// model; or so is what it is shown on.
    package var isFoundAgain: Bool { scene?.committer != nil || scope != .each }

    /// Which clients find the session, or what it is shown on, by opening the view model.
    package var scope: SessionScope { scene?.scope ?? .each }

    /// Hands over the events that wait for a view. A view that has ended without its session (`overflow`, `replaced`) is
    /// detached by this call.
    ///
    /// - Parameters:
    ///   - last: the last number wanted; nil for all events, and then the view's end.
    ///   - maximumBytes: about how many bytes are handed over at most; at least one event is.
    package func take(_ view: Int, upTo last: Int? = nil, maximumBytes: Int = .max) -> ViewDelivery {
        let (delivery, isAbandoned, hasStreams) = state.withLock { state in
            let delivery = state.take(view, upTo: last, maximumBytes: maximumBytes)
            return (delivery, delivery.end != nil && state.isAbandoned, !state.streams.isEmpty)
        }
        if hasStreams { StreamPace(self).wake() }
        if isAbandoned { ResumeWindow(session: self).begin() }
        if case .overflow? = delivery.end { viewersDidChange() }
        return delivery
    }

    /// Returns the bytes of the events that wait for a view, and of all events that the session ever sent.
    package func eventBytes(of view: Int) -> (waiting: Int, sent: Int) {
        state.withLock { ($0.feed.views[view]?.cursor?.waitingBytes ?? 0, $0.feed.log.sentBytes) }
    }

    /// The newest number, and how many views there are.
    package var summary: (newest: Int, views: Int) {
        state.withLock { ($0.feed.newest, $0.feed.views.count) }
    }

    /// Sends every view's client a message that is no event.
    package func report(_ message: String) {
        for view in state.withLock({ $0.feed.views.elements }) { view.viewer.sessionReports(message, for: view.number) }
    }
}
