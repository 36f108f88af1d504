import Contracts
import JSON
import JSONRPC
import ViewModelClient

/// The contracts of the server's view models. Each is asked for once.
@MainActor package final class ViewModelCatalog {
    private(set) var forms: [String: ViewModelForms] = [:]
    private let client: Client
    private let inputs: ConsoleInputs

    init(_ client: Client, _ inputs: ConsoleInputs) {
        self.client = client
        self.inputs = inputs
    }

    subscript(name: String) -> ViewModelForms? { forms[name] }

    /// Returns a view model's contract, and asks the server for it if it isn't known.
    ///
    /// - Throws: the server's refusal, or `CancellationError`.
    func learn(_ name: String) async throws -> ViewModelForms {
        if let known = forms[name] { return known }
        let client = client
        let contract = try await inputs.ask { try await client.describe(name) }
        let learnt = ViewModelForms(name: name, contract: contract.withValue { JSONTree($0) })
        forms[name] = learnt
        return learnt
    }

    /// Returns a view model's contract as `learn` does, or an empty one from a server that describes nothing.
    package func learnIfPossible(_ name: String) async throws -> ViewModelForms {
        do {
            return try await learn(name)
        } catch RemoteError.refused(let refusal) where refusal.code == ErrorCode.methodNotFound.rawValue {
            return ViewModelForms(name: name)
        }
    }
}
