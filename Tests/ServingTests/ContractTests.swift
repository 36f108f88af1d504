import Examples
import JSONRPC
import SchemaValidation
import Serving
import Sessions
import TestSupport
import Testing
import Transcripts
import ViewModelProtocol
import ViewModels

@Suite(.inTurn) struct ContractTests {
    @Test func `the contract has every method, notification, error code and kind of event`() throws {
        var registry = Registry()
        Examples.register(in: &registry)
        ProbeViewModel.register(in: &registry)
        let contract = CoverageGoals(registry)
        #expect(try contract.methods == OpenRPCDocument().methods.map(\.name))
        #expect(contract.notifications == ServerNotifications.all.map { "\($0.name)" })
        #expect(contract.errorCodes == ProtocolError.all.map(\.code))
        #expect(contract.viewModels.map(\.name) == registry.allNames)
        let viewModels = Dictionary(uniqueKeysWithValues: contract.viewModels.map { ($0.name, $0) })
        #expect(viewModels["counter"]?.viewEvents == ["increment", "load", "reset"])
        #expect(viewModels["counter"]?.viewModelEvents == ["count", "rows"])
        #expect(viewModels["orders"]?.viewModelEvents == ["cancelled", "failed", "loading", "orders"])
        // Written with properties, and with a state.
        #expect(viewModels["stopwatch"]?.viewModelEvents == ["elapsedMilliseconds", "isRunning", "lapMilliseconds"])
        #expect(viewModels["hello"]?.viewModelEvents == ["helloText"])
        #expect(viewModels["todos"]?.viewModelEvents == ["changed"])
    }

    @Test func `the lists of a view model are described where there are any`() async throws {
        try await withServer(register: { $0.add("library") { Finder() } }) { server in
            let client = try await server.connected()
            client.send(Wire.request("2", "viewModel/describe", #"{"viewModel":"library"}"#))
            let lists = ##""lists":{"results":{"row":{"$ref":"#/$defs/File"},"id":"id"}},"$defs":{"##
            #expect(try await client.next().contains(lists))
            client.send(Wire.request("3", "viewModel/describe", #"{"viewModel":"hello"}"#))
            #expect(try await !client.next().contains(#""lists""#))
        }
    }
}

private actor Finder: ObservableViewModel {
    struct File: Codable, Identifiable {
        var id: String
        var size: Int
    }
    enum ViewEvent: Codable { case find(String) }

    let results = Rows<File>()

    func handle(event: ViewEvent) {}
}
