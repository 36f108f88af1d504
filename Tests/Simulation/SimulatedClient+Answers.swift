import JSON
import JSONRPC
import Sessions
import TestSupport
import ViewModelProtocol

/// What this client takes for right. Everything else is a violation.
extension SimulatedClient {
    func take(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            guard let message = try? JSONValue(validating: bytes) else { return violate("what came isn't JSON") }
            if message.kind == .array {
                message.forEachElement { takeAnswer($0) }
            } else if let method = message.member("method")?.string() {
                takeNotification(method, message.member("params"))
            } else {
                takeAnswer(message)
            }
        }
    }

    private func takeAnswer(_ message: JSONValue) {
        guard let id = message.member("id").map({ String(decoding: $0.text, as: UTF8.self) }) else {
            return violate("an answer has no id")
        }
        let (result, error) = (message.member("result"), message.member("error"))
        guard (result == nil) != (error == nil) else {
            return violate("an answer has both a result and an error, or none")
        }
        let code = error?.member("code")?.integer(as: Int.self).map { ErrorCode(rawValue: $0) }
        guard id != "null" else {
            expectedNulls -= 1
            if expectedNulls < 0 { violate("an answer without an id came, and none was due: \(describe(message))") }
            if let code, !ProtocolError.withoutID.contains(code) { violate("\(code) came without an id") }
            return
        }
        guard let request = asked.removeValue(forKey: id) else {
            return violate("\(id) was answered again, or never asked: \(describe(message))")
        }
        simulation.count { $0.answers += 1 }
        if let result {
            takeResult(result, of: request)
        } else if let error, let code {
            takeError(code, error, of: request)
        } else {
            violate("an error has no code: \(describe(message))")
        }
    }

    func describe(_ value: JSONValue) -> String { String(decoding: value.text.prefix(300), as: UTF8.self) }
}

/// Results.
extension SimulatedClient {
    private func takeResult(_ result: JSONValue, of request: Asked) {
        switch request {
        case .initialize:
            isInitialized = true
            comeBack()
        case .open(let held): didOpen(held, result)
        case .attach(let held, let since): didAttach(held, since: since, result)
        case .detach(let held, let view): didLeave(held, view)
        case .close(let held, let view):
            held.isGone = true
            didLeave(held, view)
        case .event: didHandle(request, result)
        case .list: checkList(result)
        case .ping: if result.kind != .null { violate("a ping was answered \(describe(result))") }
        case .unknownMethod, .wrongParams: violate("a wrong request has a result")
        case .back: break
        case .shutdown: link?.send(#"{"jsonrpc":"2.0","method":"exit"}"#)
        }
    }

    private func didOpen(_ held: HeldView, _ result: JSONValue) {
        held.isArriving = false
        held.isOpening = false
        guard let view = result.member("session")?.integer(as: Int.self), let key = result.member("key")?.string()
        else {
            return violate("an open was answered \(describe(result))")
        }
        if let name = held.name {
            if held.fails == "make" { violate("\(name) can't be made, and was opened") }
            let mayHaveEnded =
                truth[model: name].mayEnd || held.wasTakenOff || simulation.mayHaveExpired(held.key)
                || simulation.now - held.lastHere >= simulation.limits.resumeWindow
            if let before = held.key, before != key, !mayHaveEnded {
                violate("opening \(name) again gave \(key), and \(before) before")
            }
            let made = truth[model: name].made
            if made > held.mostMade, !truth[model: name].mayEnd, !held.wasTakenOff {
                violate("one opening has made \(name) \(made) times")
            }
        }
        if held.key != key {
            // A new one, in place of one that had ended.
            (held.pending, held.lastNumber, held.lastAnswered) = ([], 0, 0)
        }
        held.key = key
        held.seq = 0
        held.event = 0
        simulation.didLearn(held)
        begin(held, view)
        // The answer doesn't say which numbers were taken, so all that have no answer are sent again.
        resend(held)
    }

    private func didAttach(_ held: HeldView, since: Int?, _ result: JSONValue) {
        held.isArriving = false
        held.isOpening = false
        guard let view = result.member("session")?.integer(as: Int.self),
            let newest = result.member("seq")?.integer(as: Int.self)
        else { return violate("an attach was answered \(describe(result))") }
        held.needsSnapshot = false
        if let key = held.key, held.kind != .screen, simulation.mustHaveExpired(key) {
            violate("\(held.label) is there, though nobody held it for longer than the resume window")
        }
        if let snapshot = result.member("snapshot") {
            held.seq = newest
            takeSnapshot(snapshot, held)
        } else if let since {
            if newest < since { violate("\(held.label) is at \(newest), and was at \(since)") }
        } else {
            violate("an attach without a since has no snapshot")
        }
        simulation.didLearn(held)
        begin(held, view)
        guard held.isNamed else { return }
        guard let handled = result.member("handled")?.integer(as: Int.self) else {
            return violate("a client with a name wasn't told what was handled")
        }
        if handled < held.lastAnswered || handled > held.lastNumber {
            violate("handled is \(handled), of \(held.lastAnswered) answered and \(held.lastNumber) sent")
        }
        held.lastAnswered = handled
        resend(held)
    }

    private func takeSnapshot(_ snapshot: JSONValue, _ held: HeldView) {
        var last = -1
        snapshot.forEachElement { event in
            guard let number = event.member("number")?.integer(as: Int.self) else {
                return violate("a snapshot has \(describe(event))")
            }
            if number <= last { violate("a snapshot has \(number) after \(last)") }
            last = number
        }
        last = max(last, 0)
        held.event = last
        if held.kind != .screen, last != held.seq { violate("a snapshot of \(last) is said to be of \(held.seq)") }
        if let model = truthOf(held), last > model.sent { violate("a snapshot has \(last), which wasn't sent") }
    }

    private func begin(_ held: HeldView, _ view: Int) {
        if usedNumbers.contains(view) { violate("view \(view) was given out again") }
        if view > arrivals { violate("view \(view) is there, of \(arrivals) that were asked for") }
        usedNumbers.insert(view)
        held.number = view
        held.lastOrder = 0
        views[view] = held
        let limit = simulation.limits.sessions
        if views.count - leaving.count > limit { violate("it has \(views.count) views, and may have \(limit)") }
        if held.key == nil { violate("a view has no key") }
    }

    private func didLeave(_ held: HeldView, _ view: Int) {
        if let key = held.key, views[view] != nil { simulation.didHold(key) }
        views[view] = nil
        leaving.remove(view)
        if held.number == nil { held.isArriving = false }
    }

    private func didHandle(_ request: Asked, _ result: JSONValue) {
        guard case .event(let held, let view, let tag, let number, let order, _) = request else { return }
        guard let seq = result.member("seq")?.integer(as: Int.self) else {
            return violate("an event was answered \(describe(result))")
        }
        let deedDone = truth[deed: tag]
        if !undecodable.contains(tag), !cancelled.contains(tag) {
            if deedDone.timesApplied != 1 {
                violate("event \(tag) was answered, and applied \(deedDone.timesApplied) times")
            }
            if !deedDone.isOver { violate("event \(tag) was answered before its handler returned") }
        }
        didAnswer(held, view: view, number: number, order: order)
        if saturation?.hang == tag { endSaturation() }
        saturation?.tags.remove(tag)
        guard views[view] === held, held.kind != .latest else { return }
        if seq > held.seq { violate("an event was answered with \(seq), and \(held.seq) is all that came") }
        if let last = held.event, deedDone.lastEvent > last {
            violate("event \(tag) was answered before what its handler sent: \(deedDone.lastEvent), and \(last) came")
        }
    }

    /// It is taken for good: it isn't sent again.
    private func didAnswer(_ held: HeldView, view: Int, number: Int, order: Int) {
        if order > 0 {
            if let last = lastAnswered[view], last >= order { violate("\(held.label): answers come out of order") }
            lastAnswered[view] = order
        }
        guard number > 0 else { return }
        held.pending.removeAll { $0.number == number }
        held.lastAnswered = max(held.lastAnswered, number)
    }

    private func endSaturation() {
        guard let ended = saturation else { return }
        saturation = nil
        if ended.refused < ended.refusals {
            violate("\(ended.refused) of \(ended.tags.count) events were refused, and \(ended.refusals) were too many")
        }
    }

    private func checkList(_ result: JSONValue) {
        guard let sessions = result.member("sessions") else { return violate("a list has no sessions") }
        var listed = 0
        sessions.forEachElement { session in
            listed += 1
            guard let view = session.member("session")?.integer(as: Int.self), usedNumbers.contains(view) else {
                return violate("a list has \(describe(session))")
            }
            if let held = views[view], let key = session.member("key")?.string(), held.key != key {
                violate("view \(view) is of \(held.label), and listed with \(key)")
            }
        }
        if listed > simulation.limits.sessions { violate("\(listed) sessions are listed") }
    }
}

/// Errors.
extension SimulatedClient {
    private func takeError(_ code: ErrorCode, _ error: JSONValue, of request: Asked) {
        if error.member("message")?.string()?.isEmpty ?? true { violate("an error has no message") }
        let isLegitimate: Bool =
            switch request {
            case .initialize, .list, .ping, .shutdown: false
            case .unknownMethod: code == .methodNotFound
            case .wrongParams: code == .invalidParams
            case .back: [.invalidRequest, .unknownSession, .requestCancelled].contains(code)
            case .detach(let held, let view), .close(let held, let view): didFailToLeave(held, view, code)
            case .open(let held): didFailToOpen(held, code, error)
            case .attach(let held, let since): didFailToAttach(held, since: since, code, error)
            case .event: didRefuse(request, code, error)
            }
        if !isLegitimate, !simulation.isDraining {
            violate("\(request) was answered \(describe(error))")
        }
    }

    private var isWindingUp: Bool { isEnding || link?.isHalfClosed == true || simulation.isDraining }

    private func didFailToLeave(_ held: HeldView, _ view: Int, _ code: ErrorCode) -> Bool {
        let hadEnded = views[view] == nil
        didLeave(held, view)
        return code == .unknownSession && (hadEnded || mayBeGone(held))
    }

    func mayBeGone(_ held: HeldView) -> Bool {
        guard held.kind != .screen, let name = held.name else { return true }
        return truth[model: name].mayEnd || held.isGone || isWindingUp || simulation.mayHaveExpired(held.key)
    }

    private func didFailToOpen(_ held: HeldView, _ code: ErrorCode, _ error: JSONValue) -> Bool {
        held.isArriving = false
        held.isOpening = false
        switch code {
        case .viewModelFailed:
            held.isGone = true
            return held.fails == "make"
        case .limitExceeded:
            if held.key == nil { held.isGone = true }
            return error.isLimit("sessions") && arrivals > simulation.limits.sessions
        case .requestCancelled: return isWindingUp
        case .unknownSession:
            held.isGone = true
            return mayBeGone(held)
        default: return false
        }
    }

    private func didFailToAttach(_ held: HeldView, since: Int?, _ code: ErrorCode, _ error: JSONValue) -> Bool {
        held.isArriving = false
        held.isOpening = false
        switch code {
        case .unknownSession:
            held.isGone = true
            return mayBeGone(held)
        case .replayUnavailable:
            guard let oldest = error.member("data")?.member("oldest")?.integer(as: Int.self) else { return false }
            held.seq = max(oldest - 1, held.seq)
            held.event = held.kind == .screen ? nil : held.seq
            held.needsSnapshot = false
            return (held.kind == .plain || held.kind == .screen) && (since ?? 0) < oldest - 1
        case .limitExceeded:
            held.isGone = true
            return error.isLimit("sessions")
        case .requestCancelled: return isWindingUp
        default: return false
        }
    }

    private func didRefuse(_ request: Asked, _ code: ErrorCode, _ error: JSONValue) -> Bool {
        guard case .event(let held, let view, let tag, let number, let order, let deed) = request else { return false }
        if saturation?.hang == tag { saturation = nil }
        switch code {
        case .viewModelFailed:
            didAnswer(held, view: view, number: number, order: order)
            return deed == .fail || deed == .push || deed == .present || cancelled.contains(tag) && deed == .nap
        case .limitExceeded:
            if number > 0 { held.needsResending = true }
            held.resendTime = simulation.now + .milliseconds(100)
            if saturation?.tags.contains(tag) == true { saturation?.refused += 1 }
            return error.isLimit("pendingEvents") || error.isLimit("pendingBytes")
        case .requestCancelled:
            if number > 0, !isWindingUp { held.pending.removeAll { $0.number == number } }
            return cancelled.contains(tag) || isWindingUp
        case .invalidRequest where isEnding:
            // It came behind a `shutdown`.
            return true
        case .unknownSession:
            // The session has ended, as an attachment will say; or the view alone has, and the number isn't taken.
            if number > 0, held.number != view { held.needsResending = true }
            saturation = nil
            return mayBeGone(held) || views[view] !== held
        case .invalidParams where error.isAt("/number"):
            let isEarly = held.needsResending
            held.needsResending = true
            return isEarly
        case .invalidParams:
            didAnswer(held, view: view, number: number, order: order)
            return undecodable.contains(tag)
        default: return false
        }
    }
}

extension JSONValue {
    fileprivate func isLimit(_ name: StaticString) -> Bool {
        member("data")?.member("limit")?.isString(name) ?? false
    }

    fileprivate func isAt(_ path: StaticString) -> Bool {
        member("data")?.member("path")?.isString(path) ?? false
    }
}
