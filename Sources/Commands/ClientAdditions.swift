package import Serving
package import TerminalClient

/// What an executable adds to the clients that are in it, as it has views of its own for its view models.
package struct ClientAdditions: Sendable {
    /// Commands of `connect`.
    let terminalCommands: [AddedCommand]
    /// Files of the web page, which take the place of those with the same path. Asked for when the page is first needed.
    let pageFiles: @Sendable () -> [WebFile]

    package init(
        terminalCommands: [AddedCommand] = [], pageFiles: @escaping @Sendable () -> [WebFile] = { [] }
    ) {
        self.terminalCommands = terminalCommands
        self.pageFiles = pageFiles
    }
}
