/// Every method, in the order of the protocol's text. Only `view/event` waits in its session's queue.
enum Methods {
    static let all: [Method] = [
        .initialize, .initialized, .shutdown, .exit, .cancelRequest, .setTrace, .ping,
        .sessionOpen, .sessionAttach, .sessionDetach, .sessionClose, .sessionList,
        .viewEvent, .navigationBack,
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    static func named(_ name: String) -> Method? {
        byName[name]
    }
}
