package import TerminalClient

/// What an executable adds to the clients that are in it, as it has views of its own for its view models.
package struct ClientAdditions: Sendable {
    /// Commands of `connect`.
    let terminalCommands: [AddedCommand]

    package init(terminalCommands: [AddedCommand] = []) {
        self.terminalCommands = terminalCommands
    }
}
