import Sessions
import TestSupport

/// Its actions.
extension SimulatedClient {
    func act() {
        let attached = held.filter { $0.number != nil && !$0.isGone }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<12 where held.count < 6: openSomething()
        case 12..<18 where held.count < 8: attachSomething()
        case 18..<24: if generator.chance(30) { leaveSomething(attached) }
        case 24..<27: cancelSomething()
        case 27..<29: link?.stall(Int.random(in: 3...60, using: &generator))
        case 29..<30: endSomehow()
        case 30..<34: askAside()
        case 34..<38: inBatch { for _ in 0..<Int.random(in: 1...4, using: &generator) { sendSomething(attached) } }
        case 38..<39: saturate(attached)
        case 39..<42: for held in held where held.isLeft && !held.isGone { held.isLeft = false }
        case 42..<44: sendRubbish()
        case 44..<46: goBack(attached)
        default: sendSomething(attached)
        }
        resume()
    }

    /// Goes on with what was put off.
    func resume() {
        for held in held where !held.isGone && !held.isLeft {
            if held.number == nil { arrive(held) }
            guard held.needsResending, held.number != nil, simulation.now >= held.resendTime else { continue }
            if !asked.values.contains(where: { $0.isNumberedEvent(of: held) }) { resend(held) }
        }
    }

    private func openSomething() {
        let kind = ModelKind.allCases.randomElement(using: &generator) ?? .plain
        let name = truth.newName()
        let held = HeldView(kind: kind, name: name, isNamed: generator.chance(85))
        held.isRepeatable = generator.chance(75)
        var arguments = #"{"name":"\#(name)""#
        if kind != .screen {
            if generator.chance(8) { held.fails = generator.chance(50) ? "make" : "start" }
            if let fails = held.fails { arguments += #","fails":"\#(fails)""# }
            if generator.chance(40) { arguments += #","events":\#(Int.random(in: 0...9, using: &generator))"# }
            if generator.chance(15) { arguments += #","slow":\#(Int.random(in: 1...5, using: &generator))"# }
        }
        if held.fails != nil { truth.mayEnd(name) }
        var params = #"{"viewModel":"\#(kind)","arguments":\#(arguments)}"#
        if held.isNamed { params += #","client":"\#(self.name)""# }
        if held.isRepeatable { params += #","once":"\#(name)-\#(String(repeating: "o", count: 24))""# }
        held.opening = params + "}"
        self.held.append(held)
        arrive(held)
    }

    /// A session that anybody knows, once for each client by name and more often without.
    private func attachSomething() {
        guard let (key, kind, name) = simulation.known.suffix(12).randomElement(using: &generator) else { return }
        let isNew = !held.contains { $0.key == key && $0.isNamed }
        let view = HeldView(kind: kind, name: name, isNamed: isNew && generator.chance(60))
        view.key = key
        view.needsSnapshot = true
        held.append(view)
        arrive(view)
    }

    private func sendSomething(_ attached: [HeldView]) {
        guard let held = attached.randomElement(using: &generator), let view = held.number else { return }
        let tag = truth.newTag()
        let isNumbered = held.isNamed && generator.chance(70) && !held.needsResending
        if isNumbered { held.lastNumber += 1 }
        let act = randomAct(held, tag, isNumbered ? held.lastNumber : 0)
        guard isNumbered else {
            if generator.chance(75) {
                return sendEvent(held, act.text, tag: tag, number: 0, deed: act.deed)
            }
            return notify("view/event", #"{"session":\#(view),"event":\#(act.text)}"#)
        }
        var pending = HeldView.Pending(number: held.lastNumber, tag: tag, text: act.text, deed: act.deed)
        if generator.chance(4) {
            undecodable.insert(tag)
            pending.text = #"{"kind":"act","value":{"by":7}}"#
        }
        held.pending.append(pending)
        sendEvent(held, pending.text, tag: tag, number: held.lastNumber, deed: act.deed)
    }

    private func randomAct(_ held: HeldView, _ tag: Int, _ number: Int) -> Act {
        let isScreen = held.kind == .screen
        let deed: Act.Deed =
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<50: .say
            case 50..<54: .flood
            case 54..<60: .fail
            case 60..<65: .nap
            case 65..<67: .hang
            case 67..<72: .later
            case 72..<76: .elsewhere
            case 76..<82: .yield
            case 82..<84: .nonsense
            case 84..<92: isScreen ? .push : .say
            case 92..<95: isScreen ? .present : .say
            case 95..<98: isScreen ? .pop : .say
            default: isScreen ? .dismiss : .yield
            }
        let most =
            switch deed {
            case .flood: 40
            case .nap, .hang, .later: 12
            default: 5
            }
        let least = deed == .nap || deed == .hang || deed == .later ? 1 : 0
        return Act(
            by: name, tag: tag, number: number, deed: deed, count: Int.random(in: least...most, using: &generator))
    }

    private func leaveSomething(_ attached: [HeldView]) {
        guard let held = attached.randomElement(using: &generator), let view = held.number else { return }
        if let key = held.key { simulation.didHold(key) }
        if generator.chance(60) {
            held.isLeft = true
            ask(.detach(held, view), "session/detach", #"{"session":\#(view)}"#)
        } else {
            held.name.map { truth.mayEnd($0) }
            ask(.close(held, view), "session/close", #"{"session":\#(view)}"#)
        }
        // Nothing more is sent under this number.
        held.number = nil
        held.isArriving = true
    }

    private func cancelSomething() {
        let ids = asked.filter { if case .event = $0.value { true } else { false } }.keys.sorted()
        guard let id = ids.randomElement(using: &generator), case .event(_, _, let tag, _, _, _)? = asked[id]
        else { return }
        cancelled.insert(tag)
        notify("$/cancelRequest", #"{"id":\#(id)}"#)
    }

    private func askAside() {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: ask(.list, "session/list", nil)
        case 1: ask(.ping, "ping", nil)
        case 2: ask(.unknownMethod, "no/such", nil)
        default: ask(.wrongParams, "session/attach", #"{"since":1}"#)
        }
    }

    private func sendRubbish() {
        expectedNulls += 1
        if generator.chance(70) {
            link?.send(#"{"jsonrpc":"2.0","id":1,"method":oops}"#)
        } else if simulation.limits.batchMessages < 50 {
            link?.send("[\(Array(repeating: "1", count: simulation.limits.batchMessages + 1).joined(separator: ","))]")
        } else if simulation.limits.messageBytes < 100_000 {
            isEnding = true
            link?.send(#"{"jsonrpc":"2.0","method":"\#(String(repeating: "x", count: 100_000))"}"#)
        } else {
            link?.send("[]")
        }
    }

    private func endSomehow() {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: link?.cut()
        case 1: endInput()
        default: shutDown()
        }
    }

    private func endInput() {
        isEnding = true
        simulation.note("\(name) ends its input")
        inputEnd = simulation.now
        link?.finishWriting()
    }

    func shutDown() {
        isEnding = true
        for held in views.values {
            held.name.map { truth.mayEnd($0) }
            if let key = held.key { simulation.didHold(key) }
        }
        for held in held where held.isArriving { held.name.map { truth.mayEnd($0) } }
        ask(.shutdown, "shutdown", nil)
    }

    private func goBack(_ attached: [HeldView]) {
        guard let held = attached.filter({ $0.kind == .screen }).randomElement(using: &generator),
            let view = held.number
        else { return }
        ask(.back(held), "navigation/back", #"{"session":\#(view)}"#)
    }

    /// One event that hangs, and behind it more than may wait.
    private func saturate(_ attached: [HeldView]) {
        let most = simulation.limits.pendingEvents
        guard saturation == nil, most < 20, let held = attached.randomElement(using: &generator), held.kind == .plain
        else { return }
        let hang = truth.newTag()
        let act = Act(by: name, tag: hang, number: 0, deed: .hang, count: 10)
        sendEvent(held, act.text, tag: hang, number: 0, deed: .hang)
        var tags: Set<Int> = []
        for _ in 0..<(most + 3) {
            let tag = truth.newTag()
            tags.insert(tag)
            sendEvent(
                held, Act(by: name, tag: tag, number: 0, deed: .say, count: 0).text, tag: tag, number: 0, deed: .say)
        }
        saturation = Saturation(hang: hang, tags: tags, refusals: 3)
    }

    /// From here on nothing goes wrong, and it comes to rest.
    func settle() {
        isSettling = true
        restingSteps = 0
        for held in held { held.isLeft = false }
        link?.heal()
    }

    /// The last word of this client to a server that is about to end.
    func end(_ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: cut()
        case 1: endInput()
        case 2: shutDown()
        default: break
        }
    }
}
