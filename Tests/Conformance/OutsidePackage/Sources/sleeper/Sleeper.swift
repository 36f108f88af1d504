import Glibc
import ViewModelServer

/// A view model as it should not be: its handler blocks the thread that serves its client.
@main struct Sleeper: Server {
    static var limits: Limits {
        var limits = Limits()
        limits.drainGrace = .milliseconds(50)
        return limits
    }

    static func register(in registry: inout Registry) {
        registry.add("sleeper") { SleepingViewModel() }
        registry.add("printer") { PrintingViewModel() }
    }
}

/// Another: it prints more than anybody reads, and ends the process.
actor PrintingViewModel: ViewModel {
    enum ViewEvent: Codable { case printLines(count: Int), trap, abort }
    enum ViewModelEvent: Codable { case printed }

    let output = Output<ViewModelEvent>()

    func handle(event: ViewEvent) {
        switch event {
        case .printLines(let count):
            for number in 0..<count { print("line", number, String(repeating: "x", count: 1_000)) }
            output.send(.printed)
        case .trap:
            fatalError("the last words of a trap")
        case .abort:
            print("the last words of an abort")
            Glibc.abort()
        }
    }
}

actor SleepingViewModel: ViewModel {
    enum ViewEvent: Codable { case sleepOnce }
    enum ViewModelEvent: Codable { case slept }

    let output = Output<ViewModelEvent>()

    func handle(event: ViewEvent) {
        print("sleeping")
        sleep(600)
    }
}
