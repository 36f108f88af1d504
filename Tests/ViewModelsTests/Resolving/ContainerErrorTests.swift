import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ContainerErrorTests {
    @Test(
        arguments: [
            (
                ContainerError.cycle(["A", "B", "A"]),
                "A needs B, which needs A; let one of them ask for the other later, when it is made"
            ),
            (.cycle(["A", "A"]), "A needs A; let one of them ask for the other later, when it is made"),
            (
                .tooDeep(["A", "B", "C", "D", "E", "F"]),
                "A needs B, which needs C, which needs D, which needs E, and so on, 6 deep; let one of them ask later, when "
                    + "it is made"
            ),
            (
                .notRegistered("OrdersProvider"),
                "nothing says how to make OrdersProvider; call register(_:make:) for it, on this container or one around "
                    + "it, before anyone asks for it"
            ),
            (.ended, "the container is gone; keep it for as long as what it has made uses it"),
        ])
    func `each says what is wrong and what to do`(error: ContainerError, description: String) {
        #expect("\(error)" == description)
    }
}
