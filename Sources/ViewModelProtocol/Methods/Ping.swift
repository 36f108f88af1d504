/// Asks for an answer, and for nothing else.
package enum Ping: ClientMethod {
    package static let name: StaticString = "ping"
    package typealias Params = NoParams
    package typealias Result = Null

    package static let examples = [MessageExample("an empty answer", result: "null")]
}
