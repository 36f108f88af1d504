import JSON
import Sessions
import TestSupport
import ViewModels

extension Session {
    /// A session whose handlers run on the default executor. Without a model of the test's own it is opened, and so handles events.
    convenience init(
        model: (any SessionModel)? = nil, limits: Limits = Limits(), clock: ManualClock = ManualClock(),
        ends: Recorder<String> = Recorder(), turn: @escaping @Sendable () -> UInt64 = { 0 }
    ) {
        self.init(
            key: "key", viewModelName: "test", model: model ?? ScriptedModel(), executor: globalConcurrentExecutor,
            limits: limits, clock: clock, turn: turn, onEnd: { ends.record($0.key) })
        if model == nil { begin() }
    }

    /// A session whose context is its own.
    convenience init(
        key: String, viewModelName: String, model: any SessionModel, scene: Scene? = nil, isChild: Bool = false,
        executor: any TaskExecutor, limits: Limits = Limits(), clock: ManualClock = ManualClock(),
        turn: @escaping @Sendable () -> UInt64 = { 0 }, onEnd: @escaping @Sendable (Session) -> Void = { _ in }
    ) {
        self.init(
            key: key, viewModelName: viewModelName, model: model, scene: scene, isChild: isChild,
            context: SessionContext(
                executor: executor, limits: SharedLimits(limits), clock: clock, turn: turn, onEnd: onEnd))
    }

    /// A session of a view model, as a registry makes it.
    static func of<Model: HostableViewModel>(
        limits: Limits = Limits(), executor: any TaskExecutor = globalConcurrentExecutor,
        _ make: @escaping @Sendable () async throws -> Model
    ) throws -> Session where Model.HostedEvent: Encodable, Model.HostedViewEvent: Decodable {
        var registry = Registry()
        registry.add("test", make: make)
        guard let model = try registry.sessionModel("test", arguments: nil, at: .root, in: Container()) else {
            throw TestFailure()
        }
        return Session(key: "key", viewModelName: "test", model: model, executor: executor, limits: limits)
    }

    /// The job that hands an event, given as JSON text, to the view model.
    func decode(
        _ event: String, complete: @escaping @Sendable (ViewEventJob.Outcome) -> Void = { _ in }
    ) throws -> ViewEventJob {
        let request = ViewEventJob.Request(complete: complete)
        let job = try Array(event.utf8).withUnsafeBytes { bytes in
            try JSONValue(validating: bytes).parse { model.job(of: $0, for: request) }
        }
        guard let job else { throw TestFailure() }
        return job
    }

    func decoded(_ event: String) throws -> ViewEventJob.Handler {
        let job = try decode(event)
        return { try await job.handle() }
    }

    /// Has it opened.
    func begin() { _ = open(ready: {}, failed: { _ in }, started: {}) }

    /// Opens it, and returns which closures were called when it has started or never will.
    func opened() async -> [String] {
        let steps = Recorder<String>()
        let isOver = Gate()
        _ = open(
            ready: { steps.record("ready") },
            failed: { steps.record("failed: \($0.text)") },
            started: {
                steps.record("started")
                isOver.open()
            })
        await isOver.wait()
        return steps.elements
    }

    /// Attaches a view that comes back or late, and has its snapshot made where it needs one.
    func attachMaking(
        _ viewer: any SessionViewer, number: Int = 1, client: String? = nil, since: Int? = nil,
        later: @escaping @Sendable (Result<Attachment, SessionError>) -> Void
    ) throws -> Attaching {
        let attaching = try attach(viewer, number: number, client: client, since: since, later: later)
        if case .waits(let view) = attaching { makeSnapshot(for: view) }
        return attaching
    }

    /// Attaches a view that comes back or late, and waits for its snapshot where it needs one.
    func attached(
        _ viewer: any SessionViewer, number: Int = 1, client: String? = nil, since: Int? = nil
    ) async throws -> Attachment {
        let answers = Recorder<Result<Attachment, SessionError>>()
        switch try attachMaking(viewer, number: number, client: client, since: since, later: { answers.record($0) }) {
        case .attached(let attachment): return attachment
        case .waits: return try await answers.elements(count: 1)[0].get()
        }
    }

    /// Submits a handler and returns its outcome, even where it is refused.
    func outcome(
        from view: Int, number: Int? = nil, progress: RequestProgress? = nil,
        of handle: @escaping ViewEventJob.Handler = {}
    ) async -> String {
        await withCheckedContinuation { continuation in
            do throws(SessionError) {
                _ = try submit(
                    ClosureJob(progress: progress, handle: handle) { continuation.resume(returning: $0.text) },
                    from: view, number: number)
            } catch {
                continuation.resume(returning: "\(error)")
            }
        }
    }

    func append(_ text: String) {
        append(Array(text.utf8))
    }

    /// The events that wait for a view, as "number payload".
    func taken(_ view: Int, upTo last: Int = .max, maximumBytes: Int = .max) -> [String] {
        take(view, upTo: last, maximumBytes: maximumBytes).texts
    }
}

extension ViewDelivery {
    var texts: [String] { events.map { "\($0.number) \($0.content.text)" } }
}

extension SessionLog.Content {
    var text: String {
        switch self {
        case .event(let payload): String(decoding: payload, as: UTF8.self)
        case .navigation(let change): "\(change.kind) \(change.child.key)"
        }
    }
}

extension Session.Attachment {
    /// The events of the snapshot, none of which has an array.
    var snapshotTexts: [String]? {
        guard let text = snapshot.map({ String(decoding: $0.bytes.dropFirst().dropLast(), as: UTF8.self) }) else {
            return nil
        }
        let separated = text.replacing("},", with: "}\n")
        return separated.contains("}")
            ? separated.split(separator: "\n").map(String.init) : text.split(separator: ",").map(String.init)
    }
}

extension ViewEventJob.Outcome {
    var text: String {
        switch self {
        case .handled(let newest, _): "handled \(newest)"
        case .failed(let error): "failed \(error)"
        case .cancelled: "cancelled"
        case .superseded: "superseded"
        case .sessionEnded: "sessionEnded"
        case .lost: "lost"
        }
    }
}

struct TestFailure: Error, Equatable {}

extension Limits {
    static func with(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }
}

/// A viewer that notes its calls.
final class TestViewer: SessionViewer {
    let views = Recorder<Int>()
    let reports = Recorder<String>()

    func viewHasEvents(_ view: Int) {
        views.record(view)
    }

    func sessionReports(_ message: String, for view: Int) {
        reports.record("\(view): \(message)")
    }

    func sessionIsLost(_ view: Int) {
        reports.record("\(view) is lost")
    }
}
