/// What a peer did wrong, and the code that its connection is closed with.
package struct WebSocketError: Error, Equatable, CustomStringConvertible {
    package let code: WebSocketCloseCode
    package let description: String

    init(_ code: WebSocketCloseCode, _ description: String) {
        self.code = code
        self.description = description
    }
}
