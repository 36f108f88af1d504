import JSON
import JSONRPC
import Sessions
import ViewModelProtocol
import ViewModels

/// The progress that the view events of one connection have asked for, from each request until the end of its progress is
/// sent.
///
/// Progress ends with its view at the latest. Confined to the connection's loop.
final class ProgressTable {
    /// The progress of one request. A class, so that the many events without progress cost nothing more.
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
        /// Whether the client waits for an end: it has seen the beginning, or an answer that says that the progress goes on.
        var isShown = false
    }

    /// The entries by view number, then by the order of the requests.
    private var entries: [Int: [Int: Entry]] = [:]
    private var tokens: Set<ProgressToken> = []
    private var lastID = 0

    /// Adds the progress that a request asks for. `forget` or `didHandle` must follow.
    ///
    /// - Throws: `InvalidParams` for a token whose progress hasn't ended, as the progress of two requests would be mixed.
    func ask(_ token: ProgressToken, of view: AttachedView, _ handle: ConnectionHandle) throws(RPCError) -> Asked {
        guard tokens.insert(token).inserted else {
            let reason = "is the token of another view event, whose progress hasn't ended"
            throw .invalidParams(at: Params.path("workDoneToken"), reason)
        }
        lastID += 1
        let (id, number) = (lastID, view.number)
        entries[number, default: [:]][id] = Entry(token: token)
        let request = RequestProgress { [weak session = view.session] value in
            // Read now: later events may come before the connection's thread handles this report.
            let newest = session?.summary.newest
            handle.perform { $0.views.report(value, id: id, of: number, after: newest) }
        }
        return Asked(request, id: id, view: number)
    }

    func forget(_ asked: Asked) {
        forget(asked.id, of: asked.view)
    }

    /// Notes that the request is about to be answered.
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

    /// Returns the notification of a step of the progress; nil where the client isn't told of the step.
    func params(of value: WorkDoneProgress.Value, id: Int, of view: Int) -> Progress.Params? {
        guard let entry = entries[view]?[id] else { return nil }
        switch value {
        case .begin: entries[view]?[id]?.isShown = true
        case .report: break
        case .end:
            forget(id, of: view)
            if !entry.isShown { return nil }
        }
        // Progress can be cancelled only by its request, so no longer once that is answered.
        return .init(token: entry.token, value: WorkDone(value, isCancellable: !entry.isShown))
    }

    /// Ends all progress of a view that is gone.
    ///
    /// - Returns: the ends to be sent, in the order of the requests.
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
