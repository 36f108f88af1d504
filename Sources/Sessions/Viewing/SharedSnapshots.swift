import JSON

/// The snapshot that the views of a session share: the one that is being made, and the newest one, as long as it is being sent
/// to some view. Pure rules, guarded by the `Session`.
///
/// A snapshot isn't kept once it was sent: a view model may change what it says without an event, and few views attach.
struct SharedSnapshots {
    /// A call of the view model that hasn't returned its snapshot yet.
    private struct Making {
        let id: Int
        var task: Task<Void, Never>?
        /// Whether the call was cancelled, as no view waits for it any more. Another one isn't begun before it returns.
        var isCancelled = false
    }

    private struct Newest {
        let number: Int
        weak var text: SharedText?
    }

    private var making: Making?
    private var lastID = 0
    private var newest: Newest?
    /// The timer that fires when the view that waits longest has waited long enough.
    private(set) var timer: Task<Void, Never>?

    /// Returns the newest snapshot, where it is one of this number.
    func text(at number: Int) -> SharedText? {
        newest.flatMap { $0.number == number ? $0.text : nil }
    }

    mutating func keep(_ text: SharedText, at number: Int) {
        newest = Newest(number: number, text: text)
    }

    /// Forgets the newest snapshot, as the view model has changed what it says without a new number.
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

    /// Notes that a call has returned a snapshot, or none. Returns nil where it isn't the present call, and false where it
    /// returned none since it was cancelled.
    mutating func finish(_ id: Int, _ snapshot: ModelSnapshot) -> Bool? {
        guard let making, making.id == id else { return nil }
        self.making = nil
        if making.isCancelled, case .none = snapshot { return false }
        return true
    }

    mutating func setTimer(_ next: Task<Void, Never>?) {
        timer = next
    }

    /// Cancels the present call when no view waits any more. Returns the tasks to cancel.
    mutating func abandon() -> [Task<Void, Never>] {
        defer { timer = nil }
        making?.isCancelled = true
        return [timer, making?.task].compactMap(\.self)
    }
}
