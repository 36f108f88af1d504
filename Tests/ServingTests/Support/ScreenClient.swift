import JSON
import TestSupport

import Serving

/// A client that keeps a picture of what is on screen, only by what it is told, and says what doesn't fit.
final class ScreenClient {
    /// What a view was told to show on its session and over it.
    struct Picture: Equatable {
        var stack: [String] = []
        var presented: String?

        var keys: [String] { stack + (presented.map { [$0] } ?? []) }
    }

    struct View {
        let key: String
        var seq: Int
        var picture: Picture
    }

    /// What doesn't fit what came before.
    struct Wrong: Error {
        let reason: String
    }

    private enum Request {
        case attach(key: String)
        case open
        case leave(Int)
        case other
    }

    let client: TestClient
    private(set) var views: [Int: View] = [:]
    /// All keys that it was ever told of, in that order.
    private(set) var known: [String] = []
    private var gone: Set<Int> = []
    private var requests: [Int: Request] = [:]
    private var lastID = 0
    private(set) var messageCount = 0

    private let serverEnds: Bool

    /// - Parameter serverEnds: while this client has requests, which it may leave unfinished.
    init(_ client: TestClient, serverEnds: Bool = false) {
        (self.client, self.serverEnds) = (client, serverEnds)
    }

    var openRequests: Int { requests.count }

    func open() { send(.open) { Wire.open($0, "screen", #"{"name":"root"}"#) } }
    func attach(_ key: String) { send(.attach(key: key)) { Wire.attach($0, key) } }
    func leave(_ view: Int, _ method: String) {
        send(.leave(view)) { Wire.request($0, method, #"{"session":\#(view)}"#) }
    }
    func goBack(_ view: Int) { send(.other) { Wire.back($0, view) } }
    func event(_ view: Int, _ event: String) { send(.other) { Wire.viewEvent($0, view, event) } }
    func ping() { send(.other) { Wire.request($0, "ping") } }

    private func send(_ request: Request, _ message: (String) -> String) {
        lastID += 1
        requests[lastID] = request
        client.send(message("\(lastID)"))
    }

    /// Reads until no more than so many of its requests are unanswered.
    func read(untilOpen count: Int = 0) async throws {
        while requests.count > count { try take(try await client.next()) }
    }

    private func take(_ text: String) throws {
        messageCount += 1
        let line = Array(text.utf8)
        let message = try line.withUnsafeBytes { try JSONValue(validating: $0) }
        func wrong(_ reason: String) -> Wrong { Wrong(reason: "\(reason): \(text)") }
        if let id = message.member("id")?.integer(as: Int.self) {
            guard let request = requests.removeValue(forKey: id) else { throw wrong("no such request") }
            if let code = message.member("error")?.member("code")?.integer(as: Int.self) {
                // The session is gone, or it was opened, or it refuses, or nothing can be shown on what has ended.
                let isExpected = [-32012, -32600, -32014].contains(code)
                // The server has ended before the view was attached.
                let isCutOff = if case .attach = request, code == -32800 { serverEnds } else { false }
                guard isExpected || isCutOff else { throw wrong("not an error to be expected") }
            } else if let result = message.member("result") {
                try takeResult(result, of: request, wrong)
            }
            return
        }
        guard let method = message.member("method")?.string(), let params = message.member("params"),
            let number = params.member("session")?.integer(as: Int.self)
        else { throw wrong("no notification") }
        guard !gone.contains(number), views[number] != nil else { throw wrong("the view is gone") }
        if method == "session/closed" {
            views[number] = nil
            gone.insert(number)
            return
        }
        try takeChange(method, params, of: number, wrong)
    }

    private func takeResult(_ result: JSONValue, of request: Request, _ wrong: (String) -> Wrong) throws {
        switch request {
        case .open:
            guard let number = result.member("session")?.integer(as: Int.self), let key = result.member("key")?.string()
            else { throw wrong("no session") }
            views[number] = View(key: key, seq: 0, picture: Picture())
            known.append(key)
        case .attach(let key):
            guard let number = result.member("session")?.integer(as: Int.self),
                let seq = result.member("seq")?.integer(as: Int.self)
            else { throw wrong("no session") }
            var picture = Picture()
            result.member("navigation")?.member("stack")?.forEachElement { child in
                picture.stack.append(child.member("key")?.string() ?? "")
            }
            picture.presented = result.member("navigation")?.member("presented")?.member("key")?.string()
            views[number] = View(key: key, seq: seq, picture: picture)
            known += picture.keys.filter { !known.contains($0) }
        case .leave(let number):
            views[number] = nil
            gone.insert(number)
        case .other: break
        }
    }

    private func takeChange(
        _ method: String, _ params: JSONValue, of number: Int, _ wrong: (String) -> Wrong
    ) throws {
        guard var view = views[number], let seq = params.member("seq")?.integer(as: Int.self), seq == view.seq + 1
        else { throw wrong("not the next number") }
        view.seq = seq
        defer { views[number] = view }
        if method == "viewModel/event" { return }
        guard let key = params.member("key")?.string() else { throw wrong("no key") }
        switch method {
        case "navigation/push": view.picture.stack.append(key)
        case "navigation/present":
            guard view.picture.presented == nil else { throw wrong("two are presented") }
            view.picture.presented = key
        case "navigation/pop":
            guard view.picture.stack.popLast() == key else { throw wrong("not the top of the stack") }
        case "navigation/dismiss":
            guard view.picture.presented == key else { throw wrong("not what is presented") }
            view.picture.presented = nil
        default: throw wrong("unknown")
        }
        if !known.contains(key) { known.append(key) }
    }
}
