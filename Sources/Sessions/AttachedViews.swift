/// The views of one session, under ids that rise.
///
/// An array, since most sessions have one view and each event looks at every view.
struct AttachedViews {
    private var views: [SessionState.AttachedView] = []

    var count: Int { views.count }
    var isEmpty: Bool { views.isEmpty }
    var all: [SessionState.AttachedView] { views }

    /// - Parameter view: its id is greater than any before.
    mutating func append(_ view: SessionState.AttachedView) {
        views.append(view)
    }

    subscript(id: Int) -> SessionState.AttachedView? {
        index(of: id).map { views[$0] }
    }

    /// The view at a place that `index(of:)` gave, and nothing was removed since.
    subscript(at index: Int) -> SessionState.AttachedView {
        _read { yield views[index] }
        _modify { yield &views[index] }
    }

    /// Changes a view where there is one.
    mutating func change(_ id: Int, _ body: (inout SessionState.AttachedView) -> Void) {
        if let index = index(of: id) { body(&views[index]) }
    }

    mutating func changeAll(_ body: (inout SessionState.AttachedView) -> Void) {
        for index in views.indices { body(&views[index]) }
    }

    func forEach(_ body: (SessionState.AttachedView) -> Void) {
        for index in views.indices { body(views[index]) }
    }

    mutating func remove(_ id: Int) -> SessionState.AttachedView? {
        index(of: id).map { views.remove(at: $0) }
    }

    func index(of id: Int) -> Int? {
        var (low, high) = (0, views.count)
        while low < high {
            let middle = low + (high - low) / 2
            if views[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < views.count && views[low].id == id ? low : nil
    }
}
