/// Follows one connection, and holds each message that crosses against the protocol's schema.
///
/// Messages of the server must be valid. Those of a client needn't be, but the server must not take what the schema
/// rejects.
///
/// After the first hundred messages only a sample of the server's is checked, each by itself.
package struct ProtocolWatch: Sendable {
    /// A request and its result, or a notification, which has none.
    package struct Exchange: Hashable, Sendable {
        package let method: String
        package let params: ExactJSON
        package let result: ExactJSON?

        /// - Parameter params: absent ones count as none.
        package init(method: String, params: ExactJSON?, result: ExactJSON?) {
            self.method = method
            self.params = params ?? .object([:])
            self.result = result
        }
    }

    private struct Request {
        /// Nil where it is no string.
        let method: String?
        let judgement: ProtocolSchema.Judgement
    }

    /// Everything that was held against the schema, in order; empty unless it was asked for.
    package private(set) var judgements: [ProtocolSchema.Judgement] = []
    /// The messages that shouldn't have crossed, each with the reason.
    package private(set) var complaints: [String] = []
    /// Valid requests with their results, and valid notifications; empty unless `keepsAll`.
    package private(set) var exchanges: [Exchange] = []

    private let schema: ProtocolSchema
    private let keepsAll: Bool
    private var requests: [ExactJSON: Request] = [:]
    /// The ids that were sent again before an answer was seen, so that it isn't known which request an answer is for.
    private var ambiguousIDs: Set<ExactJSON> = []
    /// Rejected messages that no answer can name, and errors that name no message.
    private var anonymousRejections = 0
    private var anonymousErrors = 0
    private var rejectedNotifications: [String] = []
    private var logMessages = 0
    private var messageCount = 0

    /// After so many messages those of the client are passed by, and those of the server but for one in
    /// `samplingPeriod`.
    private static let floodCount = 100
    private static let samplingPeriod = 50

    private var isFlooded: Bool { !keepsAll && messageCount > Self.floodCount }

    /// - Parameter keepsAll: whether all that crosses is kept, however much it is.
    package init(_ schema: ProtocolSchema, keepsAll: Bool = false) {
        self.schema = schema
        self.keepsAll = keepsAll
    }

    /// - Parameter text: what the client sent, one frame; no JSON need be.
    package mutating func clientSent(_ text: String) {
        messageCount += 1
        if isFlooded { return }
        guard let judgement = schema.judgeClientMessage(text: text) else {
            anonymousRejections += 1
            return
        }
        guard let elements = judgement.value.elements, !elements.isEmpty else { return clientSent(judgement) }
        keep(judgement)
        for element in elements { clientSent(schema.judgeClientMessage(element)) }
    }

    /// - Parameter judgement: of no batch, unless it is empty.
    private mutating func clientSent(_ judgement: ProtocolSchema.Judgement) {
        let message = judgement.value
        keep(judgement)
        // Neither is answered.
        if ["/$defs/clientResponse", "/$defs/cancellation"].contains(judgement.pointer), judgement.isValid { return }
        switch message["id"] {
        case .string, .number:
            guard let id = message["id"] else { return }
            let request = Request(method: message["method"]?.string, judgement: judgement)
            if requests.updateValue(request, forKey: id) != nil { ambiguousIDs.insert(id) }
        case nil where message["method"]?.string != nil && message["jsonrpc"]?.string == "2.0":
            if !judgement.isValid { rejectedNotifications.append(message.text) }
        default:
            if !judgement.isValid { anonymousRejections += 1 }
        }
    }

    /// - Parameters:
    ///   - text: what the server sent, one frame.
    ///   - knowsRequests: false where requests may have been sent that weren't told to `clientSent`.
    package mutating func serverSent(_ text: String, knowsRequests: Bool = true) {
        messageCount += 1
        if isFlooded, !messageCount.isMultiple(of: Self.samplingPeriod) { return }
        guard let judgement = schema.judgeServerMessage(text: text) else {
            complaints.append("the server sent no JSON: \(text)")
            return
        }
        record(judgement)
        if isFlooded { return }
        for message in judgement.value.elements ?? [judgement.value] { answer(message, knowsRequests) }
    }

    private mutating func answer(_ message: ExactJSON, _ knowsRequests: Bool) {
        if message["method"]?.string == "window/logMessage" { logMessages += 1 }
        guard message["method"] == nil, let id = message["id"] else { return }
        if id == .null { anonymousErrors += 1 }
        guard !ambiguousIDs.contains(id) else { return }
        guard let request = requests.removeValue(forKey: id) else {
            if id != .null, knowsRequests { complaints.append("an answer to nothing that was asked: \(message)") }
            return
        }
        guard let result = message["result"] else { return }
        if let violation = request.judgement.violations.first {
            complaints.append("the schema rejects what the server took, \(request.judgement.value): \(violation)")
        } else if let method = request.method {
            let params = request.judgement.value["params"]
            if keepsAll { exchanges.append(Exchange(method: method, params: params, result: result)) }
            record(schema.judgeResult(result, of: method))
        }
    }

    private mutating func keep(_ judgement: ProtocolSchema.Judgement) {
        guard keepsAll else { return }
        judgements.append(judgement)
        if ["/$defs/clientNotification", "/$defs/serverNotification"].contains(judgement.pointer), judgement.isValid,
            let method = judgement.value["method"]?.string
        {
            exchanges.append(Exchange(method: method, params: judgement.value["params"], result: nil))
        }
    }

    private mutating func record(_ judgement: ProtocolSchema.Judgement) {
        keep(judgement)
        for violation in judgement.violations {
            complaints.append("the schema rejects what the server sent, \(judgement.value): \(violation)")
        }
    }

    /// Complains about rejected messages without an error. To be called once, for a connection that ended in good
    /// order.
    package mutating func end() {
        if anonymousErrors < anonymousRejections {
            complaints.append("\(anonymousRejections) rejected messages led to \(anonymousErrors) errors without an id")
        }
        if logMessages < rejectedNotifications.count {
            complaints.append("nobody was told of one of these notifications: \(rejectedNotifications)")
        }
    }
}
