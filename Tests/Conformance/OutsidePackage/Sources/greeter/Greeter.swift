import ViewModelServer

@main struct Greeter: Server {
    static let version = "1.2.3"

    func register(in registry: inout Registry) {
        registry.add("greeting") { await GreetingViewModel() }
    }
}

@MainActor final class GreetingViewModel: ViewModel {
    /// What the user did.
    enum ViewEvent: Codable { case greet(name: String) }
    enum ViewModelEvent: Codable { case greeting(String, number: Int) }

    let output = Output<ViewModelEvent>()
    private var count = 0

    func handle(event: ViewEvent) {
        guard case .greet(let name) = event else { return }
        print("greeting \(name)")  // goes to standard error: standard output is the protocol's
        count += 1
        output.send(.greeting("Hello, \(name)", number: count))
    }
}
