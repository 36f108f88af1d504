import JSONRPC

/// Every method, in the order of the protocol's text. Only `view/event` waits in its session's queue.
enum Methods {
    static let all: [Method] = [
        .initialize, .initialized, .shutdown, .exit, .cancelRequest, .setTrace, .ping,
        .sessionOpen, .sessionAttach, .sessionDetach, .sessionClose, .sessionList,
        .viewEvent, .navigationBack,
    ]

    /// Each at the place that the length of its name is, since few are of one length: a dictionary of strings took 500
    /// instructions to make the string and look it up, this takes 80.
    private static let byLength: [[Method]] = {
        var lists = [[Method]](repeating: [], count: 1 + (all.map(\.name.utf8CodeUnitCount).max() ?? 0))
        for method in all { lists[method.name.utf8CodeUnitCount].append(method) }
        return lists
    }()

    static func named(_ name: MethodName) -> Method? {
        let length = name.text.count
        if length < byLength.count, let method = byLength[length].first(where: { name == $0.name }) { return method }
        // Escapes make a name longer.
        return name.hasEscapes ? all.first { name == $0.name } : nil
    }
}
