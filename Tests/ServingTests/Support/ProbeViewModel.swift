import Sessions
import Synchronization
import TestSupport
import ViewModels

/// A view model that does whatever a test of the protocol needs.
actor ProbeViewModel: ViewModel {
    struct Arguments: Decodable, Sendable {
        /// Where in its life it fails: "make" or "start".
        var fails: String?
        /// Sent on start.
        var events: Int?
        /// Names the `Hold` that `wait` waits for.
        var hold: String?
        /// Names the `Hold` that it waits for before it is made, also when it is cancelled.
        var made: String?
        /// Names the `Hold` that `start` waits for after it has sent its events, also when it is cancelled.
        var started: String?
    }

    enum ViewEvent: Codable, Sendable {
        /// Sends `one(0)` … `one(count - 1)`.
        case emit(count: Int)
        /// The same, at the pace of the views.
        case stream(count: Int)
        /// Sends `one(value)`, lets others run, and sends `one(value + 1)`.
        case emitTwice(value: Int)
        /// Sends `text` with so many bytes.
        case emitBytes(Int)
        /// Throws.
        case fail(message: String)
        /// Sends `one(-1)`, then waits until the test releases it; ends early when cancelled.
        case wait
        /// The same, but a cancellation doesn't disturb it.
        case waitRegardless
        /// Reports progress.
        case work(steps: Int, fails: Bool)
        /// Begins to report progress, then does as `wait`.
        case workAndWait
        /// Starts work that waits as `wait` does, with progress, and returns.
        case workOn
        /// Sends what JSON can't express.
        case emitNotANumber
        /// Sends from another thread.
        case emitElsewhere(count: Int)
    }

    enum ViewModelEvent: Codable, Sendable {
        case one(Int)
        case text(String)
        case number(Double)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let output = Output<ViewModelEvent>()
    private let arguments: Arguments
    private let hold: Hold

    init(_ arguments: Arguments) throws {
        if arguments.fails == "make" { throw Failure(description: "can't be made") }
        self.arguments = arguments
        hold = Hold.named(arguments.hold ?? "unnamed")
    }

    static func register(in registry: inout Registry) {
        registry.add("probe") { (arguments: Arguments) in
            await arguments.made.map { Hold.named($0) }?.stand()
            return try ProbeViewModel(arguments)
        }
    }

    func start() async throws {
        emit(arguments.events ?? 0)
        await arguments.started.map { Hold.named($0) }?.stand()
        if arguments.fails == "start" { throw Failure(description: "can't start") }
    }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .stream(let count):
            for value in 0..<count { try await output.stream(.one(value)) }
        case .emit(let count): emit(count)
        case .emitTwice(let value):
            output.send(.one(value))
            await Task.yield()
            output.send(.one(value + 1))
        case .emitBytes(let count): output.send(.text(String(repeating: "x", count: count)))
        case .fail(let message): throw Failure(description: message)
        case .wait, .waitRegardless: try await wait(event)
        case .work(let steps, let fails): try work(steps, fails)
        case .workAndWait: try await workAndWait()
        case .workOn: workOn()
        case .emitNotANumber: output.send(.number(.nan))
        case .emitElsewhere(let count):
            let output = output
            await Task.detached { for index in 0..<count { output.send(.one(index)) } }.value
        }
    }

    private func emit(_ count: Int) {
        for index in 0..<count { output.send(.one(index)) }
    }

    private func wait(_ event: ViewEvent) async throws {
        output.send(.one(-1))
        await hold.stand()
        if case .wait = event { try Task.checkCancellation() }
    }

    private func workAndWait() async throws {
        WorkDoneProgress.current?.begin(title: "Working")
        try await wait(.wait)
    }

    private func workOn() {
        Task {
            await hold.stand()
            WorkDoneProgress.current?.begin(title: "Working")
            output.send(.one(7))
        }
    }

    private func work(_ steps: Int, _ fails: Bool) throws {
        let progress = WorkDoneProgress.current
        progress?.begin(title: "Working")
        for step in 0..<steps {
            output.send(.one(step))
            progress?.report(message: "step \(step)", percentage: step * 100 / steps)
        }
        if fails { throw Failure(description: "work failed") }
    }
}

/// Where a handler of `ProbeViewModel` stands until the test lets it go on.
final class Hold: Sendable {
    let began = Recorder<Void>()
    let gate = Gate()

    private static let all = Mutex<[String: Hold]>([:])

    func stand() async {
        began.record(())
        await gate.wait()
    }

    /// Returns one with a name that no other has, also where a test is repeated.
    static func new() -> (hold: Hold, name: String) {
        let name = "hold \(all.withLock { $0.count })"
        return (named(name), name)
    }

    static func named(_ name: String) -> Hold {
        all.withLock { all in
            let hold = all[name] ?? Hold()
            all[name] = hold
            return hold
        }
    }
}
