import Commands
import Examples
import Serving
import TerminalFinder
import ViewModelServer
import WebExamples

/// The examples, with the views that clients have of them.
@main struct ViewModelServerCommand: Server {
    static let name = Release.name
    static let version = Release.version

    func register(in registry: inout Registry) { Examples.register(in: &registry) }

    @MainActor static func main() {
        let additions = ClientAdditions(
            terminalCommands: [Finding.command],
            pageFiles: { (0..<web_examples_file_count()).map { WebFile(embedded: web_examples_file($0)) } })
        main(adding: additions)
    }
}
