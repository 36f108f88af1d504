import JSON
import LibC
import Synchronization
import ViewModelClient

/// Does with this client what `view-model-server conform` says, and tells what a user would see.
@main struct Driver {
    static func main() async throws {
        let address = CommandLine.arguments.last ?? ""
        guard let number = connection(to: Port(address).port), let commands = fdopen(number, "r"),
            let answers = fdopen(dup(number), "w")
        else { exit(69) }
        let screen = Screen()
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        while case let length = getline(&line, &capacity, commands), length > 0, let line {
            let text = try JSONText(validating: UnsafeRawBufferPointer(start: line, count: length))
            let answer = try await screen.answer(to: text)
            fputs("\(answer)\n", answers)
            fflush(answers)
        }
    }

    private static func connection(to port: UInt16) -> Int32? {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return status == 0 ? number : nil
    }
}

/// The port of an address on this machine.
struct Port {
    let port: UInt16

    init(_ address: String) {
        port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }
}

/// What a user has on screen.
final class Screen: Sendable {
    private let client = Mutex<Client?>(nil)
    private let state = Mutex(RemoteState.connecting)
    private let views = Mutex<[String: Shown]>([:])

    /// Does one thing, without waiting for what comes of it.
    func answer(to command: JSONText) async throws -> JSONText {
        let name = command.string("view") ?? ""
        let shown = views.withLock { $0[name] }
        switch command.string("do") ?? "" {
        case "connect":
            var options = ClientOptions()
            options.receive = { [weak self] news in if case .state(let now) = news { self?.state.withLock { $0 = now } }
            }
            let target = ClientTarget.tcp(host: "127.0.0.1", port: Port(command.string("address") ?? "").port)
            let made = try await Client.connect(to: target, options)
            client.withLock { $0 = made }
        case "open":
            let (model, arguments) = (command.string("viewModel") ?? "", command.member("arguments"))
            show(name) { try await $0.open(model, arguments: arguments, receive: $1) }
        case "attach": attach(command.string("key") ?? "", as: name)
        case "send": if let event = command.member("event") { shown?.send(event) }
        case "back": shown?.leave(isLast: false) { try await $0.back() }
        case "detach": shown?.leave { try await $0.detach() }
        case "close": shown?.leave { try await $0.close() }
        case "leave": await client.withLock { $0 }?.close(waitingForAnswers: .seconds(1))
        case "show": try shown?.show(command)
        case "look": return look()
        case let other: return JSONText { $0.raw(Array(#"{"lacks":"\#(other)"}"#.utf8)) }
        }
        return .emptyObject
    }

    private typealias Making = @Sendable (Client, @escaping @Sendable (ViewNews) -> Void) async throws -> ClientView

    private func show(_ name: String, _ make: @escaping Making) {
        let shown = Shown { [weak self] key in self?.attach(key, as: key) }
        let isNew = views.withLock { views in
            if let other = views[name], !other.hasEnded { return false }
            views[name] = shown
            return true
        }
        guard isNew, let client = client.withLock({ $0 }) else { return }
        Task {
            do { shown.begin(try await make(client) { shown.take($0) }) } catch { shown.end("\(error)") }
        }
    }

    private func attach(_ key: String, as name: String) {
        show(name) { try await $0.attach(key: key, receive: $1) }
    }

    private func look() -> JSONText {
        let state = state.withLock { $0 }
        var stall: String?
        if case .storeUnavailable(let reason) = state { stall = reason }
        return JSONText { writer in
            writer.literal(#"{"views":{"#)
            for (name, shown) in views.withLock({ $0 }) {
                writer.key(name)
                shown.write(into: &writer, isCurrent: state == .connected || stall != nil, stall: stall)
            }
            writer.literal("}}")
        }
    }
}

extension JSONText {
    func string(_ name: StaticString) -> String? { withValue { $0.member(name)?.string() } }
    func member(_ name: StaticString) -> JSONText? { withValue { $0.member(name).map { JSONText($0) } } }
}
