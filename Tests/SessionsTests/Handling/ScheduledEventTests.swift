import JSON
import Sessions
import Synchronization
import Testing
import TestSupport
import ViewModels

/// View events that supersede others, wait for quiet, or don't wait: each test is a list of steps, with all that happened
/// after each.
@Suite(.inTurn) struct ScheduledEventTests {
    @Test func `an event cancels the one before it that runs, and is handled once that has returned`() throws {
        let field = try Field()
        field.send("find a", "find a begins")
        field.send("find b", "find a is cancelled", "1: superseded", "find b begins")
        field.finish("find b", "find b ends", "2: handled 0")
    }

    @Test func `events that wait are never handled, and are answered before those that run`() throws {
        let field = try Field()
        field.send("accept", "accept begins")
        field.send("find a")
        field.send("find b", "2: superseded")
        field.send("find c", "3: superseded")
        field.finish("accept", "accept ends", "1: handled 0", "find c begins")
        field.finish("find c", "find c ends", "4: handled 0")
    }

    @Test func `an event waits for those of other kinds, and isn't superseded by them`() throws {
        let field = try Field()
        field.send("find a", "find a begins")
        field.send("accept")
        field.send("filter x")
        field.send("filter y", "3: superseded")
        field.finish("find a", "find a ends", "1: handled 0", "accept begins")
        field.finish("accept", "accept ends", "2: handled 0", "filter y begins")
        field.finish("filter y", "filter y ends", "4: handled 0")
    }

    @Test func `a debounced event is handled when none has followed for that time`() throws {
        let field = try Field()
        field.send("query a")
        field.pass(49)
        field.send("query ab", "1: superseded")
        field.pass(49)
        field.pass(1, "query ab begins")
        field.finish("query ab", "query ab ends", "2: handled 0")
        field.send("query abc")
        field.pass(50, "query abc begins")
        field.send("query abcd", "query abc is cancelled", "3: superseded")
        field.pass(50, "query abcd begins")
    }

    @Test func `an event behind a debounced one ends its time`() throws {
        let field = try Field()
        field.send("query a")
        field.send("accept", "query a begins")
        field.finish("query a", "query a ends", "1: handled 0", "accept begins")
        field.finish("accept", "accept ends", "2: handled 0")
        field.pass(50)
    }

    @Test func `a debounced event that is cancelled is answered at once, and never handled`() throws {
        let field = try Field()
        field.send("query a")
        field.cancel(1, "1: cancelled")
        field.send("query b")
        field.pass(50, "query b begins")
        field.finish("query b", "query b ends", "2: handled 0")
    }

    @Test func `an independent event is handled while another runs, after others of its kind`() throws {
        let field = try Field()
        field.send("accept", "accept begins")
        field.send("select 1", "select 1 begins")
        field.send("select 2")
        field.send("find a")
        field.finish("select 1", "select 1 ends", "2: handled 0", "select 2 begins")
        field.cancel(3, "select 2 is cancelled", "3: cancelled")
        field.finish("accept", "accept ends", "1: handled 0", "find a begins")
    }

    @Test func `an independent event may supersede those of its kind alone`() throws {
        let field = try Field()
        field.send("accept", "accept begins")
        field.send("preview 1", "preview 1 begins")
        field.send("preview 2", "preview 1 is cancelled", "2: superseded", "preview 2 begins")
        field.finish("preview 2", "preview 2 ends", "3: handled 0")
        field.finish("accept", "accept ends", "1: handled 0")
    }

    @Test func `no event is handled before the view model has started`() throws {
        let field = try Field(startsAtOnce: false)
        field.send("select 1")
        field.send("query a")
        field.pass(60)
        field.start("select 1 begins", "query a begins")
    }

    @Test func `events of all kinds are answered when the session ends, and the view model stops after its handlers`()
        throws
    {
        let field = try Field()
        field.send("accept", "accept begins")
        field.send("find a")
        field.send("select slowly", "select slowly begins")
        field.send("select 2")
        field.end(
            "1: sessionEnded", "2: sessionEnded", "3: sessionEnded", "4: sessionEnded", "accept is cancelled",
            "select slowly is cancelled", "stops")
    }

    @Test func `events that supersede others never fill the queue`() throws {
        let field = try Field(limits: .with { $0.pendingEvents = 1 })
        field.send("accept", "accept begins")
        field.send("find a")
        field.send("find b", "2: superseded")
        field.send("accept", "refused: pendingEvents")
        // What is known of a kind is what its first event has shown.
        field.send("select 1", "select 1 begins")
        field.send("filter x")
        field.send("filter y", "6: superseded")
        field.send("select 2", "refused: pendingEvents")
    }

    @Test func `an event that can't be read is answered in its turn, behind those of the main lane`() throws {
        let field = try Field()
        field.send("accept", "accept begins")
        field.send("nonsense")
        field.finish(
            "accept", "accept ends", "1: handled 0", "2: failed the event can't be read: /kind: unknown kind 'nonsense'"
        )
    }

    @Test func `an independent event that is sent again while it is handled is answered behind it`() throws {
        let field = try Field()
        field.send("select 1", number: 1, "select 1 begins")
        field.send("select 1", number: 1)
        field.send("find a", "find a begins")
        field.finish("select 1", "select 1 ends", "1: handled 0", "2: handled 0")
    }

    @Test func `an event that hasn't been given its lane yet is cancelled as any other`() throws {
        let field = try Field(startsAtOnce: false)
        field.send("select 1")
        field.send("select 2")
        field.cancel(1, "1: cancelled")
        field.start("select 2 begins")
    }

    @Test func `a numbered event that is sent again is answered in its turn and not handled`() throws {
        let field = try Field()
        field.send("find a", number: 1, "find a begins")
        field.send("find b", number: 2, "find a is cancelled", "1: superseded", "find b begins")
        field.send("find a", number: 1)
        field.send("select 1", number: 3, "select 1 begins")
        field.send("find c", number: 5, "refused: number")
        field.finish("find b", "find b ends", "2: handled 0", "3: superseded")
    }

    @Test func `an independent event that is sent again is answered though nothing else comes`() throws {
        let field = try Field()
        field.send("select 1", number: 1, "select 1 begins")
        field.finish("select 1", "select 1 ends", "1: handled 0")
        field.send("select 1", number: 1, "2: handled 0")
    }
}

/// A session of a view model whose handlers wait for the test, one view of it, and all that happens, in the order in which it
/// happens. Every thread of it is the test's.
private final class Field {
    private let executor = StepExecutor()
    private let clock = ManualClock()
    private let script: Script
    private let session: Session
    private let view: Int
    private var count = 0
    private var ids: [Int: Int] = [:]

    init(startsAtOnce: Bool = true, limits: Limits = Limits()) throws {
        let script = Script()
        self.script = script
        var registry = Registry()
        registry.add("field") { FieldModel(script) }
        let model = try #require(try registry.sessionModel("field", arguments: nil, at: .root, in: Container()))
        session = Session(
            key: "key", viewModelName: "field", model: model, executor: executor, limits: limits, clock: clock)
        view = try session.attach(TestViewer(), number: 1, client: "me").view
        _ = session.open(ready: {}, failed: { _ in }, started: {})
        if startsAtOnce { script.finish("start") }
        executor.run()
        _ = script.taken()
    }

    deinit {
        session.end(.closed)
        script.finishAll()
        executor.run()
    }

    /// Sends an event, such as `find a`.
    func send(_ event: String, number: Int? = nil, _ expected: String..., at place: SourceLocation = #_sourceLocation) {
        count += 1
        let count = count
        let parts = event.split(separator: " ")
        let text = #"{"kind":"\#(parts[0])""# + (parts.count > 1 ? #","value":"\#(parts[1])"}"# : "}")
        do {
            let script = script
            let job = try session.decode(text) { script.note("\(count): \($0.text)") }
            ids[count] = try session.submit(job, from: view, number: number)
        } catch SessionError.limitExceeded(let name, _), SessionError.invalid(let name, _) {
            script.note("refused: \(name)")
        } catch {
            script.note("\(error)")
        }
        check(expected, place)
    }

    func cancel(_ number: Int, _ expected: String..., at place: SourceLocation = #_sourceLocation) {
        session.cancel(ids[number] ?? 0)
        check(expected, place)
    }

    func finish(_ event: String, _ expected: String..., at place: SourceLocation = #_sourceLocation) {
        script.finish(event)
        check(expected, place)
    }

    func start(_ expected: String..., at place: SourceLocation = #_sourceLocation) {
        script.finish("start")
        check(expected, place)
    }

    func pass(_ milliseconds: Int, _ expected: String..., at place: SourceLocation = #_sourceLocation) {
        clock.advance(by: .milliseconds(milliseconds))
        check(expected, place)
    }

    func end(_ expected: String..., at place: SourceLocation = #_sourceLocation) {
        session.end(.closed)
        check(expected, place)
    }

    private func check(_ expected: [String], _ place: SourceLocation) {
        executor.run()
        #expect(script.taken() == expected, sourceLocation: place)
    }
}

private actor FieldModel: ViewModel {
    enum ViewEvent: Codable, ScheduledEvent {
        case query(String)
        case find(String)
        case filter(String)
        case preview(String)
        case select(String)
        case accept

        var schedule: EventSchedule {
            switch self {
            case .query: .superseding(debounce: .milliseconds(50))
            case .find, .filter: .superseding()
            case .preview: .superseding(waits: false)
            case .select: .independent
            case .accept: .inOrder
            }
        }

        var text: String {
            switch self {
            case .query(let value): "query \(value)"
            case .find(let value): "find \(value)"
            case .filter(let value): "filter \(value)"
            case .preview(let value): "preview \(value)"
            case .select(let value): "select \(value)"
            case .accept: "accept"
            }
        }
    }

    enum ViewModelEvent: Codable { case found(Int) }

    let output = Output<ViewModelEvent>()
    private let script: Script

    init(_ script: Script) {
        self.script = script
    }

    func start() async {
        _ = await script.wait("start")
    }

    func stop() {
        script.note("stops")
    }

    func handle(event: ViewEvent) async {
        script.note("\(event.text) begins")
        let isDone = await script.wait(event.text)
        if event.text.hasSuffix("slowly") {
            for _ in 0..<100 { await Task.yield() }
        }
        script.note("\(event.text) \(isDone ? "ends" : "is cancelled")")
    }
}

/// What happened, and the handlers that wait for the test.
private final class Script: Sendable {
    private struct State {
        var notes: [String] = []
        var finished: Set<String> = []
        var waiting: [String: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    func note(_ text: String) {
        state.withLock { $0.notes.append(text) }
    }

    func taken() -> [String] {
        state.withLock { state in
            defer { state.notes = [] }
            return state.notes
        }
    }

    /// Returns false when the calling task was cancelled.
    func wait(_ name: String) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.finished.contains(name) || Task.isCancelled { return true }
                    state.waiting[name] = continuation
                    return false
                }
                if isOver { continuation.resume(returning: !Task.isCancelled) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: name) }?.resume(returning: false)
        }
    }

    func finish(_ name: String) {
        state.withLock { state in
            state.finished.insert(name)
            return state.waiting.removeValue(forKey: name)
        }?.resume(returning: true)
    }

    func finishAll() {
        for waiter in state.withLock({ Array($0.waiting.keys) }) { finish(waiter) }
    }
}
