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
