/// Where a console shows what there is to show.
@MainActor protocol ConsoleOutput: AnyObject {
    var columns: Int { get }
    var style: Style { get }

    /// What is on screen now, with what it stands on; "" without anything. It may be the same as before.
    func screen(_ path: String)
    /// What was asked for, and events.
    func show(_ lines: [String])
    /// What the client has to say by itself: a connection was lost, a session has ended.
    func remark(_ line: String)
    /// A command failed.
    func fail(_ message: String)
    /// How far the running command is.
    func progress(_ text: String)
}
