import ViewModelServer

/// A program that counts what it is told on its standard input, and shows that to whoever looks.
@main struct Till {
    static func main() async throws {
        let drawer = Drawer()
        let service = ViewModelService(.init(tcp: .loopback(0))) { registry in
            registry.add("till") { TillViewModel(drawer) }
        }
        async let serving: Void = service.run()
        print("http://\(try await service.addresses[0])")

        while let line = readLine() {
            guard let price = Int(line) else { continue }
            await drawer.take(price)
        }

        service.stop()
        try await serving
        print("\(await drawer.sum) in the drawer")
    }
}

actor Drawer {
    private(set) var sum = 0
    let sums = Event<Int>()

    func take(_ price: Int) {
        sum += price
        sums.raise(sum)
    }
}

actor TillViewModel: ViewModel {
    enum ViewEvent: Codable { case ask }
    enum ViewModelEvent: Codable { case sum(Int) }

    let output = Output<ViewModelEvent>()
    private let drawer: Drawer

    init(_ drawer: Drawer) {
        self.drawer = drawer
    }

    func start() async {
        drawer.sums.subscribe(self) { model, sum in model.output.send(.sum(sum)) }
        output.send(.sum(await drawer.sum))
    }

    func handle(event: ViewEvent) async {
        output.send(.sum(await drawer.sum))
    }
}
