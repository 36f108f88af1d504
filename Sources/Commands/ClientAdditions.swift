package import Serving
package import TerminalClient

/// What an executable adds to the clients inside it, for its own view models.
package struct ClientAdditions: Sendable {
    /// More commands for `connect`.
    let terminalCommands: [AddedCommand]
    /// Returns files for the web page, which replace those with the same path. Called when the page is first needed.
    let pageFiles: @Sendable () -> [WebFile]

    package init(
        terminalCommands: [AddedCommand] = [], pageFiles: @escaping @Sendable () -> [WebFile] = { [] }
    ) {
        self.terminalCommands = terminalCommands
        self.pageFiles = pageFiles
    }
}
