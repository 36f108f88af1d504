import JSON
import TestSupport

/// Notifications.
extension SimulatedClient {
    func takeNotification(_ method: String, _ params: JSONValue?) {
        guard let params, params.kind == .object else { return violate("\(method) has no params") }
        switch method {
        case "window/logMessage", "$/logTrace", "$/progress": return
        default: break
        }
        guard let view = params.member("session")?.integer(as: Int.self), let held = views[view] else {
            return violate("\(method) came for a view that isn't there: \(describe(params))")
        }
        switch method {
        case "session/closed": didClose(held, view, params.member("reason")?.string() ?? "none")
        case "viewModel/event":
            let skipped = advance(held, params)
            takeEvent(held, params.member("event"), skipped: skipped)
        case "navigation/push", "navigation/present":
            _ = advance(held, params)
            didShow(params.member("key")?.string())
        case "navigation/pop", "navigation/dismiss": _ = advance(held, params)
        default: violate("\(method) is unknown")
        }
    }

    /// Guarantees 2 and 5. Returns how many numbers were replaced before this one.
    private func advance(_ held: HeldView, _ params: JSONValue) -> Int {
        guard let seq = params.member("seq")?.integer(as: Int.self) else {
            violate("a notification has no seq: \(describe(params))")
            return 0
        }
        let after = params.member("after")?.integer(as: Int.self)
        defer { held.seq = seq }
        if let after {
            if after != held.seq || after >= seq - 1 {
                violate("\(held.label): \(seq) came after \(after), and \(held.seq) before")
            }
            if held.kind != .latest { violate("\(held.label): \(seq) replaces others") }
        } else if seq != held.seq + 1 {
            violate("\(held.label): \(seq) came after \(held.seq)")
        }
        return seq - held.seq - 1
    }

    private func takeEvent(_ held: HeldView, _ event: JSONValue?, skipped: Int) {
        guard let number = event?.member("number")?.integer(as: Int.self) else {
            return violate("an event has no number")
        }
        if let last = held.event, number != last + 1 + skipped {
            violate("\(held.label): event \(number) came after \(last)")
        }
        if held.kind != .screen, number != held.seq { violate("\(held.label): event \(number) came as \(held.seq)") }
        if let model = truthOf(held), number > model.sent { violate("\(held.label): \(number) wasn't sent") }
        held.event = number
    }

    private func didShow(_ key: String?) {
        guard let key, held.count < 10, !held.contains(where: { $0.key == key && $0.isNamed }) else { return }
        let child = HeldView(kind: .screen, name: nil, isNamed: true)
        child.key = key
        child.needsSnapshot = true
        // Some are left to others, or to nobody.
        child.isLeft = generator.chance(30)
        held.append(child)
    }

    private func didClose(_ held: HeldView, _ view: Int, _ reason: String) {
        if let key = held.key { simulation.didHold(key) }
        views[view] = nil
        if held.number == view { held.number = nil }
        switch reason {
        case "overflow":
            held.needsSnapshot = false
            return
        // By what it sent on an earlier connection, which came late.
        case "replaced": return
        case "serverShutdown":
            if !simulation.isDraining { violate("\(held.label) ended with the server, which goes on") }
        case "failed":
            if held.fails != "start", held.name.map({ !truth[model: $0].mayEnd }) ?? false {
                violate("\(held.label) failed, and wasn't to")
            }
        case "closed": if !mayBeGone(held) { violate("\(held.label) was closed, and nobody asked for that") }
        case "popped", "dismissed": if held.kind != .screen { violate("\(held.label) was \(reason)") }
        default: violate("\(held.label) ended for \(reason)")
        }
        held.isGone = true
        held.pending = []
    }

    /// What its view model did; nil where there was another one of this name before, whose events may still come.
    func truthOf(_ held: HeldView) -> Truth.Model? {
        guard let model = held.name.map({ truth[model: $0] }), model.made == 1 else { return nil }
        return model
    }

    /// At rest: it has everything that its view models have sent, and all that it was told was applied once.
    func compare() {
        for held in held where !held.isGone {
            guard let model = truthOf(held), let event = held.event else { continue }
            if event != model.sent { violate("\(held.label) has \(event) events of \(model.sent)") }
            guard held.isNamed, let applied = model.numbers[self.name] else { continue }
            if applied > held.lastNumber { violate("\(held.label): \(applied) was applied, and never sent") }
        }
    }
}
