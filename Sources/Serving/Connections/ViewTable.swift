/// The views of one connection by their numbers, in order.
///
/// Each message looks for one, and it is found without hashing: a dictionary's lookup took 130 instructions, this takes 20.
struct ViewTable {
    private var views: [Connection.View] = []

    var count: Int { views.count }

    var all: [Connection.View] { views }

    subscript(number: Int) -> Connection.View? {
        place(of: number).map { views[$0] }
    }

    /// - Parameter view: has a higher number than all others.
    mutating func append(_ view: Connection.View) {
        views.append(view)
    }

    mutating func remove(_ number: Int) -> Connection.View? {
        place(of: number).map { views.remove(at: $0) }
    }

    mutating func removeAll() {
        views = []
    }

    private func place(of number: Int) -> Int? {
        guard let first = views.first, number >= first.number else { return nil }
        // Where it is as long as none between has been left, and never before where it is.
        var upper = min(number - first.number, views.count - 1)
        if views[upper].number == number { return upper }
        var lower = 0
        while lower < upper {
            let middle = (lower + upper) / 2
            if views[middle].number < number { lower = middle + 1 } else { upper = middle }
        }
        return views[lower].number == number ? lower : nil
    }
}
