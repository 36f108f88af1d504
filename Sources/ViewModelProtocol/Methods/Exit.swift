/// Ends the process on stdio, with status 0 after shutdown and 1 without; on a socket, closes the connection.
package enum Exit: ClientMethod {
    package static let name: StaticString = "exit"
    package static let allowance = Allowance.always
    package static let viewEffect = ViewEffect.ofConnection
    package typealias Params = NoParams
    package typealias Result = Never

    package static let examples = [MessageExample("after shutdown")]
}
