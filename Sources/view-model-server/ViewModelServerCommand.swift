import Commands
import Examples
import TerminalFinder
import ViewModelServer

/// The examples, with the views that clients have of them.
@main struct ViewModelServerCommand: Server {
    static let name = Release.name
    static let version = Release.version

    func register(in registry: inout Registry) { Examples.register(in: &registry) }

    @MainActor static func main() async {
        await main(adding: ClientAdditions(terminalCommands: [Finding.command]))
    }
}
