import JSON
import JSONRPC
import Sessions
import ViewModelProtocol
import ViewModels

/// The progress that the view events of one connection have asked for, from the request until its end is sent.
///
/// It ends with its view at the latest. Confined to the connection's loop.
final class ProgressTable {
    /// The progress of one request. An object, so that the way of the many events without any costs nothing more.
    final class Asked: Sendable {
        let request: RequestProgress
        fileprivate let id: Int
        fileprivate let view: Int

        fileprivate init(_ request: RequestProgress, id: Int, view: Int) {
            self.request = request
            self.id = id
            self.view = view
        }
    }

    private struct Entry {
        let token: ProgressToken
        /// The client waits for an end: it has seen the beginning, or an answer that says that the progress goes on.
        var isShown = false
    }

    /// By the numbers of the views, then by the order of the requests.
    private var entries: [Int: [Int: Entry]] = [:]
    private var tokens: Set<ProgressToken> = []
    private var lastID = 0

    /// A request asks for its progress. `forget` or `didHandle` follows.
    ///
    /// - Throws: `InvalidParams` for a token whose progress hasn't ended: two requests' would be one.
    func ask(_ token: ProgressToken, of view: AttachedView, _ handle: ConnectionHandle) throws(RPCError) -> Asked {
        guard tokens.insert(token).inserted else {
            let reason = "is the token of another view event, whose progress hasn't ended"
            throw .invalidParams(at: Params.path("workDoneToken"), reason)
        }
        lastID += 1
        let (id, number) = (lastID, view.number)
        entries[number, default: [:]][id] = Entry(token: token)
        let request = RequestProgress { [weak session = view.session] value in
            // Now: later events may come before the connection's thread comes to it.
            let newest = session?.summary.newest
            handle.perform { $0.views.report(value, id: id, of: number, after: newest) }
        }
        return Asked(request, id: id, view: number)
    }

    func forget(_ asked: Asked) {
        forget(asked.id, of: asked.view)
    }

    /// The request is about to be answered.
    ///
    /// - Returns: whether its progress goes on. Then an end follows.
    func didHandle(_ asked: Asked, _ outcome: ViewEventJob.Outcome) -> Bool {
        guard case .handled = outcome, asked.request.goesOn, entries[asked.view]?[asked.id] != nil else {
            forget(asked)
            return false
        }
        entries[asked.view]?[asked.id]?.isShown = true
        return true
    }

    /// A step of the progress, as the client is told it; nil where it isn't.
    func params(of value: WorkDoneProgress.Value, id: Int, of view: Int) -> Progress.Params? {
        guard let entry = entries[view]?[id] else { return nil }
        switch value {
        case .begin: entries[view]?[id]?.isShown = true
        case .report: break
        case .end:
            forget(id, of: view)
            if !entry.isShown { return nil }
        }
        // Once the request is answered, it can't be cancelled.
        return .init(token: entry.token, value: WorkDone(value, isCancellable: !entry.isShown))
    }

    /// The view is gone, and its progress with it.
    ///
    /// - Returns: the ends that are to be sent, in the order of their requests.
    func endAll(of view: Int) -> [Progress.Params] {
        guard let ended = entries.removeValue(forKey: view) else { return [] }
        for entry in ended.values { tokens.remove(entry.token) }
        let shown = ended.sorted { $0.key < $1.key }.filter(\.value.isShown)
        return shown.map { Progress.Params(token: $0.value.token, value: .end()) }
    }

    private func forget(_ id: Int, of view: Int) {
        guard let entry = entries[view]?.removeValue(forKey: id) else { return }
        tokens.remove(entry.token)
        if entries[view]?.isEmpty == true { entries[view] = nil }
    }
}
