/// Who holds views: a connection, as its sessions see it.
///
/// Called on any thread and never while a session's lock is held, so it may call the session back. It must not block: the
/// view model that sends waits for it.
package protocol SessionViewer: AnyObject, Sendable {
    /// There is something to `take`. Not called again before the view has taken it all.
    func sessionHasNews(for view: Int)
    /// Something about the session that a person should know and that is no event.
    func sessionReports(_ message: String, for view: Int)
}
