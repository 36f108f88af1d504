import Queues

/// The numbers of a connection's views that have something to send, in the order in which they said so.
///
/// Nearly always there is one at most, and it has sent all by the time that the message which led to it is answered; so one
/// has a place of its own. An object, so that asking for the count after each message isn't checked for exclusivity.
final class NewsQueue {
    /// Of the views that have something to send. There may be more numbers: those of views that have sent all since.
    private(set) var count = 0
    private var first: Int?
    private var others = Deque<Int>()
    private var hasOthers = false

    /// - Parameter number: of a view that isn't counted yet.
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

    /// A view that is counted has sent all, or is gone.
    func forget() {
        count -= 1
    }

    /// The number that came first, of a view that may have sent all since. It is counted until it is forgotten.
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

    /// Makes the first again what was popped just now.
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
