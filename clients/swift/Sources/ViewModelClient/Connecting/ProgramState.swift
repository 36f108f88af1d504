import Transport

/// A server that this client has started.
final class ProgramState {
    let name: String
    private(set) var ending: ChildProcess.Ending?

    private weak var process: ChildProcess?

    init(name: String) {
        self.name = name
    }

    func didStart(_ process: ChildProcess) {
        self.process = process
    }

    func signal(_ number: Int32) {
        process?.signal(number)
    }

    var isRunning: Bool { ending == nil }

    func didEnd(_ ending: ChildProcess.Ending) {
        self.ending = ending
    }

    /// With how the program ended, where nothing else says why the connection did.
    func explain(_ error: RemoteError) -> RemoteError {
        switch error {
        case .unreachable(ClientCore.endOfConnection): .unreachable("\(words) before it answered")
        case .connectionLost(ClientCore.endOfConnection): .connectionLost(words)
        default: error
        }
    }

    private var words: String {
        switch ending {
        case .exited(let status): "\(name) ended with status \(status)"
        case .signaled(let number): "\(name) was ended by signal \(number)"
        case nil: "\(name) ended"
        }
    }
}
