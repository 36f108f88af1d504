import Synchronization
import ViewModels

/// What a list shows, for any thread, and those who wait for its changes.
final class ListBoard<Row: Sendable>: Sendable {
    private struct State {
        var newest = RemoteListChange<Row>(rows: RemoteRows(), edits: nil, failure: nil)
        var isOver = false
        var readers: [Reader] = []
    }

    /// One who waits for changes. The reader itself holds the box, and is gone with it.
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

    /// A box in which the changes from now on are joined until they are taken. The list as it is, is the first.
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

/// The changes that one reader hasn't taken, as one.
final class ListChangeBox<Row: Sendable>: Sendable {
    private let change = Mutex<RemoteListChange<Row>?>(nil)
    /// Rung when a change is there.
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
