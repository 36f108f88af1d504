import Contracts

/// A client of durable sessions whose server ends again and again: it comes back to the next one, with the root's key alone,
/// and goes on in the middle of its script. It keeps every event that it was ever told.
///
/// Used by one task at a time.
final class ReturningClient {
    /// One thing that a user does.
    enum Step {
        /// Opens the first view model.
        case open(String, arguments: String = "{}")
        /// Attaches a view to the child that is shown.
        case attach(String)
        /// A view event of the view model's session.
        case send(String, String)
        /// Goes back from the view model's session.
        case back(String)
        /// Lets what is told arrive.
        case wait
    }

    /// Something that no client may be told.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// A session as the client knows it.
    private final class Screen {
        let viewModel: String
        let key: String
        /// On the connection that there is; nil where it isn't attached.
        var session: Int?
        var seq = 0
        /// View events that were answered.
        var answered = 0
        /// The children by their keys, and the view models that they are of.
        var children: [(key: String, viewModel: String)] = []

        init(_ viewModel: String, key: String) {
            self.viewModel = viewModel
            self.key = key
        }
    }

    /// Every event that it was told: a view model, and its numbers with their texts.
    private(set) var told: [String: [Int: String]] = [:]
    /// The text of a number that a newer event has replaced.
    static let replaced = "replaced"
    private let connect: () async throws -> TestClient
    private var client: TestClient?
    private var screens: [Screen] = []
    private var lastID = 0

    /// - Parameter connect: an initialized connection to the server that lives, of which there may be a next one.
    init(connect: @escaping () async throws -> TestClient) {
        self.connect = connect
    }

    /// The view models on screen, the root first.
    var onScreen: [String] { screens.map(\.viewModel) }

    /// Does a step, however many servers that takes.
    func perform(_ step: Step) async throws {
        var number: Int?
        if case .send(let viewModel, _) = step { number = screen(of: viewModel).map { $0.answered + 1 } }
        while true {
            do {
                if client == nil { try await comeBack() }
                return try await perform(step, number: number)
            } catch is TestClient.Ended {
                client = nil
            }
        }
    }

    private func screen(of viewModel: String) -> Screen? { screens.last { $0.viewModel == viewModel } }

    /// - Parameter number: of the view event, the same however often it is sent.
    private func perform(_ step: Step, number: Int?) async throws {
        switch step {
        case .open(let viewModel, let arguments):
            guard screens.isEmpty else { return }
            let once = "once-\(String(repeating: "x", count: 32))"
            let result = try await request(
                "session/open",
                #"{"viewModel":"\#(viewModel)","arguments":\#(arguments),"client":"me","once":"\#(once)"}"#)
            let root = Screen(viewModel, key: text(result, "key"))
            root.session = self.number(result, "session")
            // Of a session that is found, as it was made by an open whose answer was lost, a snapshot is told.
            root.seq = max(0, self.number(result, "seq"))
            for seq in 0..<root.seq { told[viewModel, default: [:]][seq + 1] = Self.replaced }
            screens = [root]
            try await settle()
        case .attach(let viewModel):
            if screens.contains(where: { $0.viewModel == viewModel && $0.session != nil }) { return }
            for screen in screens {
                guard let child = screen.children.last(where: { $0.viewModel == viewModel }) else { continue }
                return try await attach(Screen(viewModel, key: child.key))
            }
            throw Broken(description: "\(viewModel) isn't shown by \(onScreen)")
        case .send(let viewModel, let event):
            // It may have taken itself off the screen, or have been handled without an answer.
            guard let screen = screen(of: viewModel), let session = screen.session, let number,
                number > screen.answered
            else { return }
            let params = #"{"session":\#(session),"event":\#(event),"number":\#(number)}"#
            _ = try await request("view/event", params)
            screen.answered = number
        case .back(let viewModel):
            guard let session = screen(of: viewModel)?.session else { return }
            _ = try await request("navigation/back", #"{"session":\#(session)}"#)
        case .wait: try await settle()
        }
    }

    /// Lets the events that a start sends arrive.
    func settle() async throws {
        _ = try await request("ping", nil)
    }

    private func comeBack() async throws {
        client = try await connect()
        let known = screens
        screens = []
        for screen in known { screen.session = nil }
        guard let root = known.first else { return }
        try await attach(root)
        for screen in known.dropFirst() where isShown(screen.key) { try await attach(screen) }
    }

    private func isShown(_ key: String) -> Bool {
        screens.contains { $0.children.contains { $0.key == key } }
    }

    private func attach(_ screen: Screen) async throws {
        screens.append(screen)
        let params = #"{"key":"\#(screen.key)","client":"me","since":\#(screen.seq)}"#
        let result = try await request("session/attach", params) {
            screen.session = self.number($0, "session")
        }
        let handled = number(result, "handled")
        guard handled >= screen.answered else {
            throw Broken(description: "\(screen.viewModel) has handled \(handled), and answered \(screen.answered)")
        }
        // One that was handled and not answered.
        screen.answered = handled
        if case .array(let stack)? = result["navigation"]?["stack"] {
            screen.children = stack.map { (text($0, "key"), text($0, "viewModel")) }
        } else {
            screen.children = []
        }
        if let child = result["navigation"]?["presented"], case .object = child {
            screen.children.append((text(child, "key"), text(child, "viewModel")))
        }
        try await settle()
        // What a child's start sends may come later, and never where the session ends before.
        while screen.seq == 0, let client, screens.dropFirst().contains(where: { $0 === screen }) {
            try take(JSONTree(parsing: await client.next()))
        }
    }

    /// Returns the result. What comes before it is taken.
    private func request(
        _ method: String, _ params: String?, answered: (JSONTree) -> Void = { _ in }
    ) async throws -> JSONTree {
        guard let client else { throw TestClient.Ended(unread: "") }
        lastID += 1
        client.send(Wire.request("\(lastID)", method, params))
        while true {
            let message = try JSONTree(parsing: await client.next())
            if message["method"] != nil {
                try take(message)
                continue
            }
            guard let result = message["result"] else { throw Broken(description: "\(method): \(message)") }
            answered(result)
            return result
        }
    }

    private func take(_ message: JSONTree) throws {
        let method = text(message, "method")
        guard let params = message["params"],
            let screen = screens.first(where: { $0.session == number(params, "session") })
        else { throw Broken(description: "\(message)") }
        if method == "session/closed" {
            screens.removeAll { $0 === screen }
            return
        }
        let seq = number(params, "seq")
        // Of replaceable events that come together, a client that comes back is told the newest alone.
        let before = params["after"] == nil ? seq - 1 : number(params, "after")
        guard before == screen.seq, seq > before else {
            throw Broken(description: "\(screen.viewModel) was told \(seq) after \(screen.seq)")
        }
        for replaced in before + 1..<seq { told[screen.viewModel, default: [:]][replaced] = Self.replaced }
        screen.seq = seq
        switch method {
        case "viewModel/event": told[screen.viewModel, default: [:]][seq] = params["event"].map(\.line)
        case "navigation/push", "navigation/present":
            told[screen.viewModel, default: [:]][seq] = "\(method) \(text(params, "viewModel"))"
            screen.children.append((text(params, "key"), text(params, "viewModel")))
        default:
            told[screen.viewModel, default: [:]][seq] = method
            screen.children.removeAll { $0.key == text(params, "key") }
        }
    }

    private func text(_ tree: JSONTree, _ member: String) -> String {
        if case .string(let text)? = tree[member] { text } else { "" }
    }

    private func number(_ tree: JSONTree, _ member: String) -> Int {
        if case .number(let text)? = tree[member] { Int(text) ?? -1 } else { -1 }
    }
}
