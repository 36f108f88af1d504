import Transport

/// Ends the process when the client that spawned it does, even where other processes keep the pipes open.
///
/// A process that isn't visible from here (in a container, say) is not watched: the end of input alone decides then.
struct ParentWatch: Sendable {
    let loop: EventLoop
    let end: EndOfProcess

    func watch(_ processID: Int) {
        guard let pid = Int32(exactly: processID) else { return }
        loop.execute { [loop, end] in
            _ = ProcessWatcher(pid: pid, on: loop) { end.finish(with: .success(1)) }
        }
    }
}
