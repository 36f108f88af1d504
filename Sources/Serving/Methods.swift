import JSONRPC

/// Every method, in the order of the protocol's text. Only `view/event` waits in its session's queue.
enum Methods {
    static let all: [Method] = [
        .initialize, .initialized, .shutdown, .exit, .cancelRequest, .setTrace, .ping,
        .sessionOpen, .sessionAttach, .sessionDetach, .sessionClose, .sessionList,
        .viewEvent, .navigationBack, .viewModelDescribe,
    ]

    private static let names = all.map(\.name)

    static func named(_ name: MethodName) -> Method? {
        name.place(in: names).map { all[$0] }
    }
}
