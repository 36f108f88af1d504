package import JSON
package import JSONRPC
import ViewModelProtocol

/// The message by which a client initializes, with an empty string in the place of each token.
package struct InitializingMessage {
    package let text: [UInt8]
    /// Those of `initialize`, for another process of the client.
    package let params: JSONText?

    /// - Parameter message: an `initialize` that was accepted, or a batch with one.
    package init(_ message: UnsafeRawBufferPointer, _ decoder: MessageDecoder) {
        var text = Array(message)
        params = text.withUnsafeMutableBytes { text -> JSONText? in
            var params: JSONText?
            for object in Self.initializations(in: decoder.decode(UnsafeRawBufferPointer(text))) {
                Self.blankTokens(in: object, of: text)
                params = JSONText(object)
            }
            return params
        }
        self.text = text
    }

    private static func initializations(in content: MessageDecoder.Content) -> [JSONValue] {
        let messages =
            switch content {
            case .message(let message): [message]
            case .batch(let messages): messages
            case .unreadable: [Message]()
            }
        return messages.compactMap { message in
            guard case .request(_, let method, let params?) = message, method == Initialize.name else { return nil }
            return (try? Params(params))?.object
        }
    }

    /// Overwrites tokens where they are, so that the message keeps its length.
    private static func blankTokens(in params: JSONValue, of text: UnsafeMutableRawBufferPointer) {
        for object in [params, params.member("initializationOptions")].compactMap(\.self) where object.kind == .object {
            object.forEachMember { key, value in
                guard key == "token", value.kind == .string, let start = value.text.baseAddress,
                    let base = text.baseAddress
                else { return }
                let place = text[(start - UnsafeRawPointer(base))...].prefix(value.text.count)
                for index in place.indices.dropFirst() { text[index] = UInt8(ascii: " ") }
                text[place.startIndex + 1] = UInt8(ascii: "\"")
            }
        }
    }
}
