import Examples
import JSONRPC
import Sessions
import Testing
import Transcripts

@testable import ViewModelServer

@Suite struct ContractTests {
    @Test func `the contract has every method, notification, error code and kind of event`() {
        var registry = Registry()
        Examples.register(in: &registry)
        ProbeViewModel.register(in: &registry)
        let contract = Contract(registry)
        #expect(contract.methods == Methods.all.map(\.name))
        #expect(contract.notifications == Notification.allCases.map(\.rawValue))
        #expect(contract.errorCodes == ErrorCode.allCases)
        #expect(contract.viewModels.map(\.name) == ["counter", "hello", "orders", "probe"])
        #expect(contract.viewModels.first?.viewEvents == ["increment", "load", "reset"])
        #expect(contract.viewModels.first?.viewModelEvents == ["count", "rows"])
        #expect(contract.viewModels[2].viewModelEvents == ["failed", "loading", "orders"])
    }
}
