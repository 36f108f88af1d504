import Glibc
import ViewModelServer

/// A view model as it should not be: its handler blocks the thread that serves its client.
@main struct Sleeper: Server {
    static var limits: Limits {
        var limits = Limits()
        limits.drainGrace = .milliseconds(50)
        return limits
    }

    @Option(help: "doesn't start, and says why", valueName: "WORDS") var refusal: String?
    @Flag(help: "never shuts down") var lingers = false

    func validate() throws {
        if lingers, refusal != nil { throw ValidationError("--lingers goes without --refusal") }
    }

    func register(in registry: inout Registry) async throws {
        print("registering")
        await Task.yield()
        if let refusal { throw Refusal(description: refusal) }
        registry.add("sleeper") { SleepingViewModel() }
        registry.add("printer") { PrintingViewModel() }
        registry.add("crasher") { CrashingViewModel() }
        registry.add("mainCrasher") { MainCrashingViewModel() }
    }
}

struct Refusal: Error, CustomStringConvertible {
    let description: String
}

extension Sleeper {
    func shutDown() async {
        print("shutting down")
        if lingers { try? await Task.sleep(for: .seconds(600)) }
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
