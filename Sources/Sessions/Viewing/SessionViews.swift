import ViewModels

/// One attachment of a client to a session, as the session knows it.
struct SessionView {
    /// The number of the view in its session.
    let id: Int
    let viewer: any SessionViewer
    /// The view's number on its connection.
    let number: Int
    /// The client's name for itself, under which its view events are numbered.
    let client: String?
    /// How far the view has come. Nil while its snapshot is being made: then the view isn't woken, and no events are kept for
    /// it.
    var cursor: ViewCursor?
    /// The answer that a view without a cursor waits for.
    @Rare var arrival: Arrival?
    /// Whether the view has taken nothing for long, so that no stream waits for it until it has caught up.
    var isLeftBehind = false
    /// Why this view was ended while the session goes on.
    var end: EndReason?
    /// Nil for a view of which nothing is known, and which has no options.
    var introduction: Introduction?

    /// What is known of a view. A class, as many views have none.
    final class Introduction: Sendable {
        let visitor: Client?
        let options: ViewOptions
        /// Those who look at the view model whose view it is.
        let viewers: [Client]

        init(_ visitor: Client?, _ options: ViewOptions, viewers: [Client] = []) {
            (self.visitor, self.options, self.viewers) = (visitor, options, viewers)
        }
    }

    mutating func introduce(_ visitor: Client?, _ options: ViewOptions) {
        if visitor != nil || !options.isEmpty { introduction = Introduction(visitor, options) }
    }

    mutating func setViewers(_ viewers: [Client]) {
        introduction = Introduction(visitor, options, viewers: viewers)
    }

    var options: ViewOptions { introduction?.options ?? [] }
    /// The one who looks, as others are told; nil where nothing is known.
    var visitor: Client? { introduction?.visitor }

    /// Whether others are told of it: it is a person's or a program's, and its client hasn't come back in another view.
    var isPresent: Bool { !options.contains(.isOfViewModel) && end != .replaced }

    /// Whether a handler that streams waits for the view.
    var isBehind: Bool {
        guard end == nil, !isLeftBehind, let cursor else { return false }
        return cursor.isBehind && cursor.isWaiting
    }
}

/// The views of one session, under ascending ids.
///
/// They are in an array, since most sessions have one view and each event looks at every view.
struct SessionViews {
    /// The views in the order of their ids. An index from `index(of:)` is valid until a view is removed.
    var elements: [SessionView] = []

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// - Parameter view: its id is greater than any before.
    mutating func append(_ view: SessionView) {
        elements.append(view)
    }

    subscript(id: Int) -> SessionView? {
        index(of: id).map { elements[$0] }
    }

    /// Changes the view, if it is there.
    mutating func change(_ id: Int, _ body: (inout SessionView) -> Void) {
        if let index = index(of: id) { body(&elements[index]) }
    }

    mutating func changeAll(_ body: (inout SessionView) -> Void) {
        for index in elements.indices { body(&elements[index]) }
    }

    mutating func remove(_ id: Int) -> SessionView? {
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
