import JSON
import JSONRPC
import TestSupport
import Testing
import ViewModelProtocol

/// Every notification's params are read and written as they are on the wire.
@Suite(.inTurn) struct NotificationTests {
    @Test(arguments: ServerNotifications.all.map { NotificationType($0) })
    func `examples are read and written without a change`(_ type: NotificationType) throws {
        try roundTrip(type.value)
    }

    private func roundTrip<N: ServerNotification>(_ notification: N.Type) throws {
        #expect(!N.examples.isEmpty)
        for example in N.examples {
            let params = try N.params(of: example.params)
            #expect(try JSONText(encoding: params).description == example.params)
        }
    }

    @Test func `names differ`() {
        let names = ServerNotifications.all.map { "\($0.name)" }
        #expect(Set(names).count == names.count)
    }

    @Test func `params of another form are an error that names the member`() {
        #expect(throws: JSONCodingError(path: JSONPointer.root.appending("session"), reason: "missing")) {
            try SessionClosed.params(of: #"{"reason":"closed"}"#)
        }
    }
}

/// A notification as a test's argument.
struct NotificationType: CustomTestStringConvertible {
    let value: any ServerNotification.Type

    init(_ value: any ServerNotification.Type) { self.value = value }

    var testDescription: String { "\(value.name)" }
}

extension ServerNotification {
    fileprivate static func params(of text: String) throws -> Params {
        try JSONText(text).withValue { try params($0) }
    }
}

extension JSONText {
    init(_ text: String) throws {
        self = try Array(text.utf8).withUnsafeBytes { try JSONText(validating: $0) }
    }
}
