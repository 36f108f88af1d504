/// The views of one session, under ids that rise.
///
/// An array, since most sessions have one view and each event looks at every view.
struct AttachedViews {
    /// In the order of their ids; at a place that `index(of:)` gave, as long as nothing is removed.
    var elements: [SessionState.AttachedView] = []

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }
    var all: [SessionState.AttachedView] { elements }

    /// - Parameter view: its id is greater than any before.
    mutating func append(_ view: SessionState.AttachedView) {
        elements.append(view)
    }

    subscript(id: Int) -> SessionState.AttachedView? {
        index(of: id).map { elements[$0] }
    }

    /// Changes a view where there is one.
    mutating func change(_ id: Int, _ body: (inout SessionState.AttachedView) -> Void) {
        if let index = index(of: id) { body(&elements[index]) }
    }

    mutating func changeAll(_ body: (inout SessionState.AttachedView) -> Void) {
        for index in elements.indices { body(&elements[index]) }
    }

    func forEach(_ body: (SessionState.AttachedView) -> Void) {
        for index in elements.indices { body(elements[index]) }
    }

    mutating func remove(_ id: Int) -> SessionState.AttachedView? {
        index(of: id).map { elements.remove(at: $0) }
    }

    func index(of id: Int) -> Int? {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = low + (high - low) / 2
            if elements[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < elements.count && elements[low].id == id ? low : nil
    }
}
