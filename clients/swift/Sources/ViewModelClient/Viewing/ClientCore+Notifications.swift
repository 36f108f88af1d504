import JSON
import JSONRPC

extension ClientCore {
    func take(_ notification: Notification, _ params: JSONValue) {
        switch notification {
        case .viewModelEvent:
            guard let record = viewAfterNumber(of: params) else { return }
            guard let event = params.member("event") else {
                return violate("an event is missing in \(params.shortText)")
            }
            if record.leaving == nil { record.receive(.event(JSONText(event), seq: record.seq)) }
        case .navigationPush, .navigationPresent, .navigationPop, .navigationDismiss:
            guard let record = viewAfterNumber(of: params) else { return }
            guard let change = RemoteNavigation(notification, params) else {
                return violate("\(notification.name) lacks a member: \(params.shortText)")
            }
            if record.leaving == nil { record.receive(.navigation(change, seq: record.seq)) }
        case .sessionClosed: didCloseSession(params)
        case .progress:
            guard let token = params.member("token")?.integer(as: Int.self), let value = params.member("value") else {
                return
            }
            progress[token]?(JSONText(value))
        case .logMessage:
            tell(
                .log(
                    type: params.member("type")?.integer(as: Int.self) ?? 4,
                    params.member("message")?.string() ?? ""))
        case .logTrace: break
        }
    }

    /// The view whose stream this is the next of; nil where there is none, or something is missing between.
    private func viewAfterNumber(of params: JSONValue) -> ViewRecord? {
        guard let session = params.member("session")?.integer(as: Int.self),
            let seq = params.member("seq")?.integer(as: Int.self)
        else {
            violate("session or seq is missing in \(params.shortText)")
            return nil
        }
        guard let record = attached[session] else { return nil }
        let before = params.member("after")?.integer(as: Int.self) ?? seq - 1
        guard before == record.seq, seq > before else {
            violate("number \(seq) of session \(session) came after \(record.seq)")
            return nil
        }
        record.seq = seq
        return record
    }

    private func didCloseSession(_ params: JSONValue) {
        guard let session = params.member("session")?.integer(as: Int.self), let record = attached[session] else {
            return
        }
        attached[session] = nil
        let reason = params.member("reason")?.string()
        if reason == "overflow" {
            // What came too fast is kept by the session.
            record.didLoseConnection()
            attachAgain(record)
        } else {
            end(record, .sessionEnded(.init(reason)))
        }
    }
}

extension JSONValue {
    /// As much of it as fits a message for people.
    fileprivate var shortText: String { String(decoding: text.prefix(200), as: UTF8.self) }
}
