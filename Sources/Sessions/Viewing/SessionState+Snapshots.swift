// Views that attach and wait for a snapshot, which is made once for all that wait.
extension SessionState {
    /// The next step of a view that waits for its snapshot.
    enum SnapshotStep {
        /// The view no longer waits, or its snapshot was asked for already.
        case nothing
        case answered(SnapshotAnswers)
        /// A snapshot is being made.
        case waits
        /// A snapshot must be made, under this number.
        case make(Int)
    }

    mutating func beginSnapshot(for id: Int, deadline: Duration) -> SnapshotStep {
        guard let arrival = feed.views[id]?.arrival, arrival.deadline == nil else { return .nothing }
        feed.setDeadline(deadline, of: id)
        if let text = feed.sharedSnapshot { return .answered(answers(to: [id], .events(text))) }
        if let refusal = feed.limits.kept.refusal { return .answered(refuse(id, refusal)) }
        return feed.snapshots.begin().map { .make($0) } ?? .waits
    }

    /// Refuses a view whose snapshot isn't asked for yet.
    mutating func refuseArrival(of id: Int, _ error: SessionError) -> SnapshotAnswers? {
        guard let arrival = feed.views[id]?.arrival, arrival.deadline == nil else { return nil }
        return refuse(id, error)
    }

    private mutating func refuse(_ id: Int, _ error: SessionError) -> SnapshotAnswers {
        var answers = SnapshotAnswers()
        if let arrival = feed.detach(id)?.arrival { answers.append(arrival, .failure(error)) }
        answers.isAbandoned = isAbandoned
        return answers
    }

    /// Takes the snapshot that the view model has given, or none. Returns the answers to the views that waited, and the number
    /// of another snapshot to be made, for views that came when this one was given up.
    mutating func place(_ snapshot: ModelSnapshot, _ id: Int) -> (SnapshotAnswers, next: Int?) {
        guard let isAnswer = feed.snapshots.finish(id, snapshot) else { return (SnapshotAnswers(), nil) }
        let waiting = feed.viewsAwaitingSnapshot
        if isAnswer { return (answers(to: waiting, snapshot), nil) }
        return (SnapshotAnswers(), waiting.isEmpty ? nil : feed.snapshots.begin())
    }

    /// Ends the waits whose time is over. Returns the next deadline, where another view waits.
    mutating func endWaits(_ now: Duration, _ time: Duration) -> (SnapshotAnswers, next: Duration?) {
        feed.snapshots.setTimer(nil)
        let deadlines = feed.viewsAwaitingSnapshot.map { ($0, feed.views[$0]?.arrival?.deadline ?? now) }
        let late = deadlines.filter { $0.1 <= now }.map(\.0)
        let reason = "it made none within \(time)"
        return (answers(to: late, .none(reason: reason)), deadlines.map(\.1).filter { $0 > now }.min())
    }

    /// Ends the waits of these views with the view model's snapshot, or else with all events of the log.
    private mutating func answers(to views: [Int], _ snapshot: ModelSnapshot) -> SnapshotAnswers {
        var answers = SnapshotAnswers()
        var (text, failure) = (feed.sharedSnapshot, SessionError.ended)
        switch snapshot {
        case .events(let made): text = made
        case .none where feed.log.hasAllEvents: text = text ?? feed.limits.kept.text(feed.log.eventArray)
        case .none(let reason): failure = .replayUnavailable(oldest: feed.log.firstReplayable + 1, reason: reason)
        }
        if let text { feed.snapshots.keep(text, at: feed.log.newest) }
        for id in views {
            if let text, let (arrival, client) = feed.place(id) {
                answers.append(arrival, .success(attachment(of: id, client, snapshot: text)))
            } else if let arrival = feed.detach(id)?.arrival {
                answers.append(arrival, .failure(failure))
            }
        }
        answers.isAbandoned = isAbandoned
        if feed.viewsAwaitingSnapshot.isEmpty { answers.idle = feed.snapshots.abandon() }
        return answers
    }

    /// Whether a view waits, and no timer watches its time.
    var needsSnapshotTimer: Bool { feed.snapshots.timer == nil && !feed.viewsAwaitingSnapshot.isEmpty }

    /// Keeps the timer of the views that wait. False when it isn't needed any more.
    mutating func keep(snapshotTimer: Task<Void, Never>) -> Bool {
        guard needsSnapshotTimer else { return false }
        feed.snapshots.setTimer(snapshotTimer)
        return true
    }
}
