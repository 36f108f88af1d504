import Synchronization

extension Session {
    /// Takes a view off. The session stays for the others, and without any for the resume window.
    ///
    /// - Parameter endsWithLast: without any other view it ends at once.
    package func detach(_ view: Int, endsWithLast: Bool = false) {
        let (detached, isAbandoned) = state.withLock { state in
            let view = state.detach(view)
            return (view, view != nil && state.isAbandoned)
        }
        detached?.arrival?.fail(.detached)
        wakeHandlers()
        guard isAbandoned else { return }
        if endsWithLast {
            end(.closed) { $0.views.isEmpty }
        } else {
            beginExpiry()
        }
    }

    /// Lets the session end after the resume window, unless a view has come back in the meantime.
    func beginExpiry() {
        let now = context.elapsed()
        let expiry = startExpiry(after: limits.resumeWindow)
        let isKept = state.withLock { state in
            guard state.isAbandoned else { return false }
            state.expiry = expiry
            if state.hadViews { state.leavingTime = now }
            return true
        }
        if !isKept { expiry.cancel() }
    }

    /// Hands over what waits for a view. One that was ended by itself (`overflow`) is gone with that news.
    ///
    /// - Parameters:
    ///   - last: the last number wanted; nil for all there is, and then the view's end.
    ///   - maximumBytes: stop after about so many; at least one event is handed over.
    package func take(_ view: Int, upTo last: Int? = nil, maximumBytes: Int = .max) -> SessionNews {
        let (news, isAbandoned) = state.withLock { state in
            let news = state.take(view, upTo: last, maximumBytes: maximumBytes)
            return (news, news.end != nil && state.isAbandoned)
        }
        if isAbandoned { beginExpiry() }
        return news
    }

    /// Bytes of events that wait for a view, and of all that the session ever sent.
    package func eventBytes(of view: Int) -> (waiting: Int, sent: Int) {
        state.withLock { state in
            (state.views[view]?.cursor?.waitingBytes ?? 0, state.log.sentBytes)
        }
    }

    /// The newest number and how many views there are.
    package var summary: (newest: Int, views: Int) {
        state.withLock { ($0.log.newest, $0.views.count) }
    }
}
