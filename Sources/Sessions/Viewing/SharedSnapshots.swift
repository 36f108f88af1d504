import JSON

/// The snapshot that the views of a session share: the one that is being made, and the newest, as long as anybody sends
/// it. Pure rules, guarded by the `Session`.
///
/// Nobody keeps a snapshot that was sent: a view model may change what it says without an event, and few views attach.
struct SharedSnapshots {
    /// A call of the view model that hasn't given its snapshot.
    private struct Making {
        let id: Int
        var task: Task<Void, Never>?
        /// No view waits for it any more, and so it was cancelled. Another isn't begun before it gives up.
        var isCancelled = false
    }

    private struct Newest {
        let number: Int
        weak var text: SharedText?
    }

    private var making: Making?
    private var lastID = 0
    private var newest: Newest?
    /// Fires when the view that waits longest has waited long enough.
    private(set) var timer: Task<Void, Never>?

    /// The newest snapshot, where it is one of this number.
    func text(at number: Int) -> SharedText? {
        newest.flatMap { $0.number == number ? $0.text : nil }
    }

    mutating func keep(_ text: SharedText, at number: Int) {
        newest = Newest(number: number, text: text)
    }

    /// The view model has changed what it says without a new number.
    mutating func forget() {
        newest = nil
    }

    /// Returns the number of a snapshot to be made; nil where one is being made.
    mutating func begin() -> Int? {
        guard making == nil else { return nil }
        lastID += 1
        making = Making(id: lastID)
        return lastID
    }

    /// Notes the task that makes a snapshot, which may be over by now. Returns true when it must be cancelled.
    mutating func note(_ task: Task<Void, Never>, of id: Int) -> Bool {
        guard making?.id == id else { return false }
        making?.task = task
        return making?.isCancelled == true
    }

    /// The view model has given a snapshot, or none. Returns nil where that isn't the one that is being made, and false
    /// where it gave up since it was cancelled.
    mutating func finish(_ id: Int, _ snapshot: ModelSnapshot) -> Bool? {
        guard let making, making.id == id else { return nil }
        self.making = nil
        if making.isCancelled, case .none = snapshot { return false }
        return true
    }

    mutating func setTimer(_ next: Task<Void, Never>?) {
        timer = next
    }

    /// No view waits any more. Returns the tasks to cancel.
    mutating func abandon() -> [Task<Void, Never>] {
        defer { timer = nil }
        making?.isCancelled = true
        return [timer, making?.task].compactMap(\.self)
    }
}
