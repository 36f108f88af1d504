/// The names of the protocol's requests, and of the notifications that clients send. Each stands here and nowhere else.
package enum MethodNames {
    package static let initialize: StaticString = "initialize"
    package static let initialized: StaticString = "initialized"
    package static let shutdown: StaticString = "shutdown"
    package static let exit: StaticString = "exit"
    package static let cancelRequest: StaticString = "$/cancelRequest"
    package static let setTrace: StaticString = "$/setTrace"
    package static let ping: StaticString = "ping"
    package static let sessionOpen: StaticString = "session/open"
    package static let sessionAttach: StaticString = "session/attach"
    package static let sessionDetach: StaticString = "session/detach"
    package static let sessionClose: StaticString = "session/close"
    package static let sessionList: StaticString = "session/list"
    package static let viewEvent: StaticString = "view/event"
    package static let navigationBack: StaticString = "navigation/back"
    package static let viewModelDescribe: StaticString = "viewModel/describe"
}
