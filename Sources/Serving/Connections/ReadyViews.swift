import Queues

/// The numbers of the views that have events to send, in the order of their announcements.
///
/// Nearly always there is at most one, so the first has a place of its own, without a queue. A class, so that reading `count`
/// after each message isn't checked for exclusivity.
final class ReadyViews {
    /// The number of views that have events to send. The queue may have more numbers: those of views that have sent
    /// everything since.
    private(set) var count = 0
    private var first: Int?
    private var others = Deque<Int>()
    private var hasOthers = false

    /// Adds a view at the end.
    ///
    /// - Parameter number: the number of a view that isn't counted yet.
    func append(_ number: Int) {
        if count == 0 {
            removeAll()
            first = number
        } else {
            others.append(number)
            hasOthers = true
        }
        count += 1
    }

    /// Stops counting a view, as it has sent everything or is gone.
    func forget() {
        count -= 1
    }

    /// Takes the first number. Its view may have sent everything since, and is counted until `forget`.
    func popFirst() -> Int? {
        if let number = first {
            first = nil
            return number
        }
        guard hasOthers else { return nil }
        let number = others.popFirst()
        hasOthers = !others.isEmpty
        return number
    }

    /// Puts the number that was popped last back to the front.
    func putBack(_ number: Int) {
        first = number
    }

    func removeAll() {
        count = 0
        first = nil
        guard hasOthers else { return }
        others = Deque()
        hasOthers = false
    }
}
