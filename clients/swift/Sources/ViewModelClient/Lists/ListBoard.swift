import Synchronization
import ViewModels

/// The state of a list, for any thread, and the readers that wait for its changes.
final class ListBoard<Row: Sendable>: Sendable {
    private struct State {
        var newest = RemoteListChange<Row>(rows: RemoteRows(), edits: nil, failure: nil)
        var isOver = false
        var readers: [Reader] = []
    }

    /// A reader that waits for changes. The iterator owns the box, which is released with it.
    private struct Reader {
        weak var box: ListChangeBox<Row>?
    }

    private let state = Mutex(State())

    /// The list as its newest change has left it.
    var newest: RemoteListChange<Row> { state.withLock { $0.newest } }

    func tell(_ change: RemoteListChange<Row>) {
        let boxes = state.withLock { state in
            state.newest = change
            state.readers.removeAll { $0.box == nil }
            return state.readers.map(\.box)
        }
        for box in boxes { box?.put(change) }
    }

    func end() {
        let boxes = state.withLock { state in
            state.isOver = true
            defer { state.readers = [] }
            return state.readers.map(\.box)
        }
        for box in boxes { box?.end() }
    }

    /// Returns a box that joins all changes from now on until they are taken. It begins with the list as it is now.
    func makeBox() -> ListChangeBox<Row> {
        let box = ListChangeBox<Row>()
        let isOver = state.withLock { state in
            box.put(RemoteListChange(rows: state.newest.rows, edits: nil, failure: state.newest.failure))
            if !state.isOver { state.readers.append(Reader(box: box)) }
            return state.isOver
        }
        if isOver { box.end() }
        return box
    }
}

/// The changes that one reader hasn't taken yet, joined to one.
final class ListChangeBox<Row: Sendable>: Sendable {
    private let change = Mutex<RemoteListChange<Row>?>(nil)
    /// Yields when there is a change to take, and ends with the list.
    let bell: AsyncStream<Void>
    private let ringing: AsyncStream<Void>.Continuation

    init() {
        (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ next: RemoteListChange<Row>) {
        change.withLock { $0 = $0?.followed(by: next) ?? next }
        ringing.yield()
    }

    func take() -> RemoteListChange<Row>? {
        change.withLock { change in
            defer { change = nil }
            return change
        }
    }

    func end() {
        ringing.finish()
    }
}
