import JSON
package import JSONRPC

/// How far a view event's handler is, or the work that it started.
package enum Progress: ServerNotification {
    package static let name: StaticString = "$/progress"

    package struct Params: Codable, Sendable {
        /// The event's workDoneToken.
        package var token: ProgressToken
        package var value: WorkDone

        package init(token: ProgressToken, value: WorkDone) {
            self.token = token
            self.value = value
        }
    }

    package static let examples = [
        MessageExample(
            "at first",
            #"{"token":"load-1","value":{"kind":"begin","title":"Loading orders","cancellable":true}}"#),
        MessageExample("at last", #"{"token":"load-1","value":{"kind":"end"}}"#),
    ]
}

/// A string or an integer of the client's choosing. It comes back exactly as it was written.
package typealias ProgressToken = RequestID

/// The Language Server Protocol's values of progress: begin, any number of report, end.
package enum WorkDone: SchemaProviding, Encodable, Hashable, Sendable {
    /// The work has begun. `isCancellable`: its request isn't answered, and `$/cancelRequest` ends it.
    case begin(title: String, message: String? = nil, percentage: Int? = nil, isCancellable: Bool = true)
    case report(message: String? = nil, percentage: Int? = nil)
    /// The work is over, however it went.
    case end(message: String? = nil)

    private struct Members: Codable {
        enum Kind: String, Codable {
            case begin
            case report
            case end
        }

        var kind: Kind
        var title: String?
        var cancellable: Bool?
        var message: String?
        var percentage: Int?
    }

    package init(from decoder: any Decoder) throws {
        let members = try Members(from: decoder)
        switch members.kind {
        case .begin:
            self = .begin(
                title: members.title ?? "", message: members.message, percentage: members.percentage,
                isCancellable: members.cancellable ?? false)
        case .report: self = .report(message: members.message, percentage: members.percentage)
        case .end: self = .end(message: members.message)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        let members =
            switch self {
            case .begin(let title, let message, let percentage, let isCancellable):
                Members(
                    kind: .begin, title: title, cancellable: isCancellable, message: message, percentage: percentage)
            case .report(let message, let percentage):
                Members(kind: .report, message: message, percentage: percentage)
            case .end(let message): Members(kind: .end, message: message)
            }
        try members.encode(to: encoder)
    }

    package static var schema: String {
        let message = #""message":{"description":"For the user.","type":"string"}"#
        let percentage =
            #""percentage":{"description":"Of the whole.","type":"integer","minimum":0,"maximum":100}"#
        return """
            {"anyOf":[\
            {"description":"The work has begun.","type":"object","required":["kind","title","cancellable"],\
            "properties":{"kind":{"const":"begin"},"title":{"description":"What is done.","type":"string"},\
            "cancellable":{"description":"The request isn't answered, and $/cancelRequest ends it.","type":"boolean"},\(message),\(percentage)},\
            "additionalProperties":false},\
            {"description":"The work goes on.","type":"object","required":["kind"],\
            "properties":{"kind":{"const":"report"},\(message),\(percentage)},"additionalProperties":false},\
            {"description":"The work is over, however it went.","type":"object","required":["kind"],\
            "properties":{"kind":{"const":"end"},\(message)},"additionalProperties":false}]}
            """
    }

    package static var example: WorkDone { .end() }
}
