import Contracts
import JSON
import Serving
import ViewModelClient

// Views, and what stands on what.
extension Console {
    func open(_ name: String, _ words: [TypedWord]) async throws {
        let known = client.server.viewModels
        guard known.contains(name) else {
            let names = known.isEmpty ? "none" : known.joined(separator: ", ")
            throw TypedLineError("there is no view model \"\(name)\" to open; there are \(names)")
        }
        let members = try await learnIfPossible(name).arguments.read(words, for: name)
        let arguments = members.isEmpty ? nil : JSONText { JSONTree.object(members).write(into: &$0) }
        let (feed, receive) = makeFeed()
        let client = client
        let view = try await inputs.ask { try await client.open(name, arguments: arguments, receive: receive) }
        show(view, on: screens.add(name, key: view.key, .root), feed)
    }

    func attach(_ key: String) async throws {
        if let known = screens.screen(withKey: key) { return try use(known.number) }
        let (feed, receive) = makeFeed()
        let client = client
        let view = try await inputs.ask { try await client.attach(key: key, receive: receive) }
        _ = try? await learnIfPossible(view.viewModel)
        show(view, on: screens.add(view.viewModel, key: key, .root), feed)
    }

    /// Everything that comes for a view bears this number; it may come before the view is here.
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
        // What it sent before it was told to go.
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
            if showsJSON { showJSON(change.json(session: number, seq: seq)) }
            take(change, for: number)
        case .ended(let error): didEnd(number, error)
        }
    }

    private func take(_ event: JSONText, seq: Int?, for number: Int) {
        let tree = event.withValue { JSONTree($0) }
        if let kind = tree["kind"]?.string { screens.note(tree, kind: kind, of: number) }
        showEvent(tree, number, seq: seq)
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
                    _ = try? await learnIfPossible(child.viewModel)
                    let client = client
                    let view = try await inputs.ask { try await client.attach(key: child.key, receive: receive) }
                    // It may have been taken off meanwhile.
                    if screens[number] != nil { show(view, on: number, feed) }
                } catch {
                    held[feed] = nil
                    guard screens[number] != nil else { return }
                    output.remark("\(TerminalTextLine.of(child.viewModel)) can't be shown: \(Self.words(error))")
                    takeOff(number)
                }
            })
    }

    /// Takes a screen off with all that stands on it.
    func takeOff(_ number: Int) {
        let before = screens.all.map(\.number)
        screens.remove(number)
        showScreen()
        for gone in before where screens[gone] == nil {
            views[gone] = nil
            newestNumbers[gone] = nil
        }
    }

    private func didEnd(_ number: Int, _ error: RemoteError) {
        let name = TerminalTextLine.of(screens[number]?.viewModel ?? "")
        takeOff(number)
        switch error {
        // The prompt shows it.
        case .sessionEnded(.popped), .sessionEnded(.dismissed), .closed: break
        case .sessionEnded(let end): output.remark("\(name) has ended: \(end)")
        default: output.remark("\(name) has ended: \(Self.words(error))")
        }
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
