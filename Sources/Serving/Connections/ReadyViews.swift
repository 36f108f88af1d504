import Queues

/// The numbers of the views that have events to send, in the order of their announcements.
///
/// Nearly always there is at most one, so one has a place of its own without a queue. An object, so that asking for the
/// count after each message isn't checked for exclusivity.
final class ReadyViews {
    /// Views that have events to send. There may be more numbers in the queue: those of views that have sent all since.
    private(set) var count = 0
    private var first: Int?
    private var others = Deque<Int>()
    private var hasOthers = false

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

    /// A view that is counted has sent everything, or is gone.
    func forget() {
        count -= 1
    }

    /// The first number, of a view that may have sent everything since. The view is counted until `forget`.
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
