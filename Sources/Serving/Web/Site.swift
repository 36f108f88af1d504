import JSON
import JSONRPC
import Sessions
package import Transport
import ViewModelProtocol

/// The HTTP side of a TCP port: the web client, the WebSocket, two pages for monitoring, and the state of the build.
package final class Site: Sendable {
    private struct Page {
        let response: HTTPResponse
        let entityTag: String
    }

    /// Returns the content security policy of a page. Scripts and styles may only be the site's own, and no other page may
    /// embed it.
    ///
    /// The page may connect to no host but its own. WebSocket addresses are listed explicitly, as not every browser includes
    /// them in `'self'`.
    private static func policy(for host: String?) -> String {
        let hosts = host.map { " ws://\($0) wss://\($0)" } ?? ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'\(hosts); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }

    private let core: ServerCore
    private let origins: AllowedOrigins
    private let pages: [String: Page]
    private let opensMetrics: Bool
    private let buildState: (@Sendable () -> [UInt8]?)?

    /// - Parameters:
    ///   - files: the web client; nil where there is none.
    ///   - opensMetrics: whether `/metrics` needs no token, even where the server has one.
    ///   - buildState: reads the JSON text of `/build.json`, on any loop; nil where the server isn't rebuilt while it runs.
    package init(
        core: ServerCore, files: [WebFile]? = nil, origins: AllowedOrigins = AllowedOrigins(),
        opensMetrics: Bool = false, buildState: (@Sendable () -> [UInt8]?)? = nil
    ) {
        self.core = core
        self.origins = origins
        self.opensMetrics = opensMetrics
        self.buildState = buildState
        var pages: [String: Page] = [:]
        for file in files ?? [] { pages[file.path] = Self.page(buildState == nil ? file : file.showingBuild) }
        pages["/"] = pages["/index.html"]
        self.pages = pages
    }

    private static func page(_ file: WebFile) -> Page {
        let headers = [
            (name: "Content-Type", value: file.contentType),
            // Browsers ask each time, and are mostly answered 304, so that a new server's page is used at once.
            (name: "Cache-Control", value: "no-cache"),
            (name: "ETag", value: file.entityTag),
            (name: "X-Content-Type-Options", value: "nosniff"),
            (name: "Referrer-Policy", value: "no-referrer"),
        ]
        return Page(response: HTTPResponse(.ok, headers: headers, body: file.contents), entityTag: file.entityTag)
    }

    /// Serves HTTP on a stream. Called on the stream's loop.
    func serve(_ stream: any ByteStream) {
        var limits = HTTPConnection.Limits()
        limits.headerBytes = core.limits.headerBytes
        limits.requestTime = core.limits.httpRequestTime
        limits.idleTime = core.limits.httpIdleTime
        // The stream retains the HTTP connection.
        let (core, client) = (core, stream.peerDescription)
        _ = HTTPConnection(
            stream, limits: limits, budget: core.inputBudget,
            didExceed: { limit in
                switch limit {
                case .headerBytes:
                    let reason = "sent an HTTP request, or empty lines, of more than \(limits.headerBytes) bytes"
                    core.didRefuse(client, "headerBytes", reason)
                case .requestTime:
                    let reason = "sent no HTTP request, or read no answer, within \(limits.requestTime)"
                    core.didRefuse(client, "httpRequestTime", reason)
                }
            },
            answer: { [self] in answer($0, of: client) })
    }

    /// Answers a request.
    ///
    /// - Parameter client: the client's name for the log.
    package func answer(_ request: HTTPRequest, of client: String = "HTTP") -> HTTPConnection.Answer {
        if request.path == "/ws" { return answerWebSocket(request) }
        guard let response = page(request) else {
            return .response(.text(.notFound, "there is nothing at this address"))
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            let allow = [(name: "Allow", value: "GET, HEAD")]
            return .response(.text(.methodNotAllowed, "this can only be read", headers: allow))
        }
        // A client without a token hasn't guessed one.
        guard response.status == .unauthorized, request.bearerToken != nil else { return .response(response) }
        let delay = core.noteWrongToken(of: client)
        return delay > .zero ? .last(response, after: delay) : .response(response)
    }

    private func page(_ request: HTTPRequest) -> HTTPResponse? {
        switch request.path {
        case "/healthz":
            refusal.map { .text(.serviceUnavailable, $0) } ?? .text(.ok, health)
        case "/metrics":
            metrics(request)
        case "/build.json":
            buildState.map { build(request, $0) }
        default:
            pages[request.path].map { answer($0, to: request) }
        }
    }

    /// Why a load balancer should send new clients elsewhere; nil where it needn't.
    private var refusal: String? {
        if core.isDraining { return "draining" }
        return core.sessions.journal?.failure.map { "without store: \($0.reason)" }
    }

    /// The text of `/healthz`: "ready", a line for each handler that holds a thread, one where tasks block Swift's own pool,
    /// and one about the processes of clients.
    private var health: String {
        let held = (core.watch?.heldWork ?? []).map { work in
            "\(work.name) has held a thread for \(Int(work.duration / .milliseconds(1))) ms"
        }
        let poolTime = core.watch?.poolHeldTime ?? .zero
        let pool =
            poolTime > .zero
            ? ["Swift's own pool of threads has begun no task for \(Int(poolTime / .milliseconds(1))) ms"] : []
        let heldInProcesses = (core.isolation?.figures.heldWork ?? []).map { process, work in
            "\(work.name) in process \(process) has held a thread for \(work.milliseconds) ms"
        }
        let processes = core.isolation.map(\.counts).map { counts in
            "\(counts.running) processes run for clients, of \(counts.started) started; \(counts.crashed) crashed"
        }
        return (["ready"] + held + pool + heldInProcesses + [processes].compactMap(\.self)).joined(separator: "\n")
    }

    /// Answers `/build.json`. The compiler's messages quote the source, so only those who may connect get them.
    private func build(_ request: HTTPRequest, _ read: () -> [UInt8]?) -> HTTPResponse {
        guard AllowedOrigins.isOwn(request.value("host")?.lowercased() ?? "") else {
            return .text(.forbidden, "the build is shown under a number or localhost alone")
        }
        guard core.judge(token: request.bearerToken) != .refused else {
            return .text(.unauthorized, "send the server's token", headers: [("WWW-Authenticate", "Bearer")])
        }
        let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return HTTPResponse(.ok, headers: headers, body: read() ?? Array("{}".utf8))
    }

    /// Answers `/metrics`. No cookie is accepted, deliberately: browsers send a host's cookies to all its ports, so other
    /// users' servers would get the token.
    private func metrics(_ request: HTTPRequest) -> HTTPResponse {
        guard opensMetrics || core.judge(token: request.bearerToken) != .refused else {
            let advice = "send the server's token as 'Authorization: Bearer TOKEN'"
            return .text(.unauthorized, advice, headers: [("WWW-Authenticate", "Bearer")])
        }
        guard opensMetrics || core.hasTokens || origins.allow(host: request.value("host")) else {
            let advice = "--allow-origin lets another name in, and --open-metrics all of them"
            return .text(.forbidden, "the figures are shown under a number or localhost; \(advice)")
        }
        return HTTPResponse(
            .ok, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
            body: Array(ServerMetrics.text(of: core).utf8))
    }

    private func answer(_ page: Page, to request: HTTPRequest) -> HTTPResponse {
        let policy = (name: "Content-Security-Policy", value: Self.policy(for: request.host))
        // RFC 9110, section 13.1.2: compared weakly.
        let known = request.elements(of: "if-none-match").map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
        guard known.contains(page.entityTag) || known == ["*"] else {
            return HTTPResponse(.ok, headers: page.response.headers + [policy], body: page.response.body)
        }
        return HTTPResponse(.notModified, headers: page.response.headers + [policy])
    }

    private func answerWebSocket(_ request: HTTPRequest) -> HTTPConnection.Answer {
        guard origins.allow(request.value("origin"), host: request.value("host")) else {
            let advice = "the server's option --allow-origin lets it in"
            return .response(.text(.forbidden, "pages of \(request.value("origin") ?? "") may not connect; \(advice)"))
        }
        guard !core.isDraining else { return .response(.text(.serviceUnavailable, "draining")) }
        switch WebSocketHandshake.check(request) {
        case .failure(let refusal): return .response(refusal.response)
        case .success(let handshake): return .webSocket(handshake) { [self] in accept($0) }
        }
    }

    private func accept(_ stream: WebSocketStream) {
        stream.settings.messageBytes = core.limits.messageBytes
        stream.settings.tooLongNotice = { [core, client = stream.peerDescription] in
            Self.tooLongNotice($0, client, core)
        }
        stream.settings.closeCode = { [core] in Self.closeCode(of: core) }
        core.serve(stream)
    }

    private static func closeCode(of core: ServerCore) -> WebSocketCloseCode {
        guard core.isDraining else { return .normal }
        // With a store, the client may come back, to the next process or to another server.
        return core.sessions.journal == nil ? .goingAway : .serviceRestart
    }

    private static func tooLongNotice(_ maximumBytes: Int, _ client: String, _ core: ServerCore) -> [UInt8] {
        let name = maximumBytes < core.limits.messageBytes ? "initialBytes" : "messageBytes"
        let error = RPCError.limitExceeded(name, "a message is longer than \(maximumBytes) bytes")
        core.didRefuse(client, name, error.message)
        var writer = JSONWriter()
        MessageEncoder.response(nil, into: &writer, error: error)
        return writer.withUnsafeBytes { Array($0) }
    }
}
