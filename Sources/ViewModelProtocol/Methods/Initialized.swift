/// The client has the answer to initialize.
package enum Initialized: ClientMethod {
    package static let name: StaticString = "initialized"
    package static let viewEffect = ViewEffect.ofConnection
    package typealias Params = NoParams
    package typealias Result = Never

    package static let examples = [MessageExample("after initialize")]
}
