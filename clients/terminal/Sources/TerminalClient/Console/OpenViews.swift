import Contracts
import JSON
import ViewModelClient

/// The views of a console: opens and attaches them, follows their navigation, and shows their events.
@MainActor final class OpenViews {
    private(set) var screens = Screens()
    private let client: Client
    private let inputs: ConsoleInputs
    private let output: any ConsoleOutput
    private let text: ConsoleText
    private let catalog: ViewModelCatalog
    /// The views, by the numbers of their screens.
    private var views: [Int: ClientView] = [:]
    /// By the numbers of feeds: the screens of feeds that have their view, and the news that waits for a view.
    private var screenNumbers: [Int: Int] = [:]
    private var held: [Int: [ViewNews]] = [:]
    private var lastFeed = 0
    /// Who else has a view of the session of each screen.
    private(set) var here: [Int: [String]] = [:]
    /// The number of the newest event of each screen.
    private var newestNumbers: [Int: Int] = [:]
    /// The views that the person opened, by the numbers of their screens, to be opened again.
    private var opened: [Int: (name: String, arguments: JSONText?)] = [:]
    /// The one of these that ended last without the person's doing.
    private(set) var gone: (name: String, arguments: JSONText?)?
    /// Ended views whose sessions the server may keep, by the numbers that their screens had.
    private(set) var mayBeKept: [Int: (name: String, key: String)] = [:]
    /// Called when the view on screen has ended without the person's doing, so that nothing is on screen any more.
    var onLoss: () -> Void = {}
    /// The tasks that attach children and put them on screen.
    private var attaching: [Task<Void, Never>] = []
    /// The events that `wait` looks for.
    var arrivals = Arrivals()
    private var waiter: ((Arrivals.Outcome) -> Void)?

    init(
        _ client: Client, _ inputs: ConsoleInputs, _ output: any ConsoleOutput, _ text: ConsoleText,
        _ catalog: ViewModelCatalog
    ) {
        self.client = client
        self.inputs = inputs
        self.output = output
        self.text = text
        self.catalog = catalog
    }

    subscript(number: Int) -> ClientView? { views[number] }

    /// Whether children are being attached.
    var isAttaching: Bool { !attaching.isEmpty }

    /// The number of the newest event of each view, after which it goes on, in words for a person.
    var progress: [(number: Int, name: String, words: String)] {
        screens.all.compactMap { screen in
            newestNumbers[screen.number].map { newest in
                let name = TerminalTextLine.of(screen.viewModel)
                return (screen.number, name, "\(name) goes on after event \(newest)")
            }
        }
    }

    /// Waits for an event, unless it has come since the last command that may lead to events. Only one caller may wait at a
    /// time.
    func wait(
        for arrival: Arrival, at timeout: Duration, by clock: any Clock<Duration>
    ) async -> Arrivals.Outcome {
        if let outcome = arrivals.wait(for: arrival) { return outcome }
        let (inputs, giveUp) = (inputs, { @MainActor [self] (outcome: Arrivals.Outcome) in end(outcome) })
        let timer = Task {
            guard (try? await clock.sleep(for: timeout)) != nil else { return }
            inputs.post(.resume { giveUp(.timedOut) })
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in waiter = { continuation.resume(returning: $0) } }
        } onCancel: {
            inputs.post(.resume { giveUp(.cancelled) })
        }
    }

    private func end(_ outcome: Arrivals.Outcome) {
        arrivals.stopWaiting()
        waiter?(outcome)
        waiter = nil
    }

    func use(_ number: Int) {
        screens.use(number)
        showScreen()
    }

    /// Waits until everything that was pushed or presented is on screen.
    func attachChildren() async {
        while let task = attaching.first {
            await task.value
            if attaching.first == task { attaching.removeFirst() }
        }
    }

    private func showScreen() {
        output.screen(screens.current.map { TerminalTextLine.of(screens.path(of: $0)) } ?? "")
    }

    func open(_ name: String, _ words: [TypedWord]) async throws {
        let known = client.server.viewModels
        guard known.contains(name) else {
            let names = known.isEmpty ? "none" : known.joined(separator: ", ")
            throw TypedLineError("there is no view model \"\(name)\" to open; there are \(names)")
        }
        let members = try await catalog.learnIfPossible(name).arguments.read(words, for: name)
        try await open(name, members.isEmpty ? nil : JSONText { JSONTree.object(members).write(into: &$0) })
    }

    /// Opens again the view that ended last without the person's doing, with the same arguments.
    func reopen() async throws {
        guard let (name, arguments) = gone else {
            throw TypedLineError("nothing that was opened here has ended by itself")
        }
        try await open(name, arguments)
        gone = nil
    }

    private func open(_ name: String, _ arguments: JSONText?) async throws {
        let (feed, receive) = makeFeed()
        let client = client
        let view = try await inputs.ask { try await client.open(name, arguments: arguments, receive: receive) }
        let number = screens.add(name, key: view.key, .root)
        opened[number] = (name, arguments)
        show(view, on: number, feed)
    }

    func attach(_ key: String) async throws {
        if let known = screens.screen(withKey: key) { return use(known.number) }
        let (feed, receive) = makeFeed()
        let client = client
        let view = try await inputs.ask { try await client.attach(key: key, receive: receive) }
        mayBeKept = mayBeKept.filter { $0.value.key != key }
        _ = try? await catalog.learnIfPossible(view.viewModel)
        show(view, on: screens.add(view.viewModel, key: key, .root), feed)
    }

    /// Makes the receiver of a view that is about to be opened or attached. Its news has the number `feed`, since it may come
    /// before the view.
    private func makeFeed() -> (feed: Int, receive: @Sendable (ViewNews) -> Void) {
        lastFeed += 1
        let (feed, inputs) = (lastFeed, inputs)
        held[feed] = []
        return (feed, { inputs.post(.view(feed: feed, $0)) })
    }

    private func show(_ view: ClientView, on number: Int, _ feed: Int) {
        views[number] = view
        screenNumbers[feed] = number
        showScreen()
        if view.looksOnly { output.remark("you may only look at \(TerminalTextLine.of(view.viewModel))") }
        for news in held.removeValue(forKey: feed) ?? [] { take(news, for: number) }
    }

    func take(_ news: ViewNews, feed: Int) {
        if let number = screenNumbers[feed] {
            take(news, for: number)
        } else {
            held[feed]?.append(news)
        }
    }

    private func take(_ news: ViewNews, for number: Int) {
        // The view was taken off, and this event is from before that.
        guard screens[number] != nil else { return }
        switch news {
        case .event(let event, let seq):
            newestNumbers[number] = seq
            take(event, seq: seq, for: number)
        case .snapshot(let events, let seq, let shown):
            let isAgain = newestNumbers.updateValue(seq, forKey: number) != nil
            if isAgain {
                output.remark("\(screens[number]?.viewModel ?? ""): what came meanwhile isn't kept; it is now")
            }
            screens.forget(number)
            for event in events { take(event, seq: nil, for: number) }
            take(shown, for: number)
        case .navigation(let change, let seq):
            newestNumbers[number] = seq
            if text.showsJSON { text.show(json: change.json(session: number, seq: seq)) }
            take(change, for: number)
        case .viewers(let viewers): here[number] = viewers.namesOfOthers
        case .ended(let error): didEnd(number, error)
        }
    }

    private func take(_ event: JSONText, seq: Int?, for number: Int) {
        let tree = event.withValue { JSONTree($0) }
        if let kind = tree["kind"]?.string { screens.note(tree, kind: kind, of: number) }
        show(tree, number, seq: seq)
        if arrivals.add(tree, root: screens.root(of: number)) { end(.came) }
    }

    private func take(_ change: RemoteNavigation, for host: Int) {
        switch change {
        case .push(let child): bring(child, .pushed(host: host))
        case .present(let child): bring(child, .presented(host: host))
        case .pop(let key), .dismiss(let key):
            if let child = screens.screen(withKey: key) { takeOff(child.number) }
        case .shown(let stack, let presented):
            let keys = (stack + [presented].compactMap { $0 }).map(\.key)
            let gone = screens.all.filter { screen in
                (screen.place == .pushed(host: host) || screen.place == .presented(host: host))
                    && !keys.contains(screen.key)
            }
            for screen in gone { takeOff(screen.number) }
            for child in stack { bring(child, .pushed(host: host)) }
            if let presented { bring(presented, .presented(host: host)) }
        }
    }

    private func bring(_ child: RemoteChild, _ place: Screens.Place) {
        guard screens.screen(withKey: child.key) == nil else { return }
        let number = screens.add(child.viewModel, key: child.key, place)
        showScreen()
        let (feed, receive) = makeFeed()
        attaching.append(
            Task { [self] in
                do {
                    _ = try? await catalog.learnIfPossible(child.viewModel)
                    let client = client
                    let view = try await inputs.ask { try await client.attach(key: child.key, receive: receive) }
                    // The child may have been taken off meanwhile.
                    if screens[number] != nil { show(view, on: number, feed) }
                } catch {
                    held[feed] = nil
                    guard screens[number] != nil else { return }
                    output.remark("\(TerminalTextLine.of(child.viewModel)) can't be shown: \(ConsoleText.words(error))")
                    takeOff(number)
                }
            })
    }

    /// Takes a screen off, with everything that is shown on it.
    func takeOff(_ number: Int) {
        let before = screens.all.map(\.number)
        let isAwaited = arrivals.awaitedRoot == number
        screens.remove(number)
        if isAwaited { end(.ended) }
        showScreen()
        for gone in before where screens[gone] == nil {
            views[gone] = nil
            newestNumbers[gone] = nil
            opened[gone] = nil
        }
    }

    private func didEnd(_ number: Int, _ error: RemoteError) {
        let name = TerminalTextLine.of(screens[number]?.viewModel ?? "")
        let words: String
        var canReopen = false
        switch error {
        // The new path in the prompt is enough to show such an end.
        case .sessionEnded(.popped), .sessionEnded(.dismissed), .closed: return takeOff(number)
        case .sessionEnded(let end):
            words = "\(end)"
            canReopen = opened[number] != nil
        default: words = ConsoleText.words(error)
        }
        var advice = canReopen ? "; 'reopen' opens it again" : ""
        if client.server.isDurable, error.leavesSession, let screen = screens[number], screen.place == .root {
            mayBeKept[number] = (name, screen.key)
            advice = "; if the session is kept, 'attach \(TerminalTextLine.of(screen.key))' goes back to it\(advice)"
        }
        gone = opened[number] ?? gone
        let wasInFront = screens.current.map { screens.root(of: $0) } == number
        takeOff(number)
        output.remark("\(name) has ended: \(words)\(advice)")
        // Lines that were typed for this view must not go to another one.
        if wasInFront {
            screens.leaveFront()
            showScreen()
            onLoss()
        }
    }

    private func show(_ event: JSONTree, _ number: Int, seq: Int?) {
        if text.showsJSON {
            let seqMember = seq.map { [JSONTree.Member("seq", .number("\($0)"))] } ?? []
            return text.show(
                json: .object([.init("session", .number("\(number)"))] + seqMember + [.init("event", event)]))
        }
        var lines = EventFormatter(columns: output.columns, style: output.style).lines(event)
        if number != screens.current, let screen = screens[number], !lines.isEmpty {
            let origin = output.style.dim("[\(number) \(TerminalTextLine.of(screen.viewModel))]")
            lines[0] = "  \(origin) \(lines[0].drop { $0 == " " })"
        }
        output.show(lines)
    }
}

extension RemoteNavigation {
    fileprivate func json(session: Int, seq: Int) -> JSONTree {
        let change: JSONTree.Member =
            switch self {
            case .push(let child): .init("push", child.json)
            case .present(let child): .init("present", child.json)
            case .pop(let key): .init("pop", .object([.init("key", .string(key))]))
            case .dismiss(let key): .init("dismiss", .object([.init("key", .string(key))]))
            case .shown(let stack, let presented):
                .init(
                    "shown",
                    .object([
                        .init("stack", .array(stack.map(\.json))), .init("presented", presented?.json ?? .null),
                    ]))
            }
        return .object([.init("session", .number("\(session)")), .init("seq", .number("\(seq)")), change])
    }
}

extension RemoteChild {
    fileprivate var json: JSONTree {
        .object([.init("viewModel", .string(viewModel)), .init("key", .string(key))])
    }
}

extension RemoteError {
    /// Whether, after this error, a server with a store may still have the view's session.
    fileprivate var leavesSession: Bool {
        switch self {
        case .sessionEnded(.closed), .sessionEnded(.dismissed), .sessionEnded(.popped), .sessionEnded(.forgotten): false
        default: true
        }
    }
}

extension [RemoteViewer] {
    /// The others by person and program, each once.
    fileprivate var namesOfOthers: [String] {
        var names: [String] = []
        for viewer in self where !viewer.isSelf {
            let person = viewer.principal.map { name in viewer.program.map { "\(name) (\($0))" } ?? name }
            let name = (person ?? viewer.program ?? "somebody") + (viewer.looksOnly ? ", looking" : "")
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
