import JSONRPC
import ViewModelProtocol

/// The methods that clients may call, in the order of the reference.
///
/// A method consists of a type in `ViewModelProtocol`, which has the name, the params and when the method is allowed, and of
/// a line here, which says what the method does.
package enum Methods {
    package static let all: [Method] = [
        .reply(Initialize.self) { connection, params, reply in try connection.initialize(params, reply) },
        .notification(Initialized.self) { _, _ in },
        .reply(Shutdown.self) { connection, _, reply in try connection.shutDown(reply) },
        .notification(Exit.self) { connection, _ in connection.exit() },
        .notification(CancelRequest.self) { connection, params in connection.cancel(params.id) },
        .notification(SetTrace.self) { connection, params in connection.trace = TraceLevel(lenient: params.value) },
        .answer(Ping.self) { connection, _ in
            Nullable(connection.storeTrouble.map { Ping.StoreTrouble(storeUnavailable: $0.message) })
        },
        .reply(SessionOpen.self) { connection, params, reply in try connection.openSession(params, reply) },
        .reply(SessionAttach.self) { connection, params, reply in try connection.attachView(params, reply) },
        .answer(SessionDetach.self) { connection, params in try connection.views.detach(params.session.rawValue) },
        .reply(SessionClose.self) { connection, params, reply in try connection.closeSession(params, reply) },
        .reply(SessionKeyMethod.self) { connection, params, reply in try connection.giveKey(params, reply) },
        .reply(SessionList.self) { connection, params, reply in connection.listSessions(params, reply) },
        .event(ViewEvent.self) { connection, params, call throws(RPCError) in
            try connection.submitViewEvent(params, call)
        },
        .reply(SessionRows.self) { connection, params, reply in try connection.readRows(params, reply) },
        .reply(NavigationBack.self) { connection, params, reply in
            try connection.views.goBack(from: params.session.rawValue, reply)
        },
        .answer(ViewModelDescribe.self) { connection, params in
            try connection.core.describe(params.viewModel, hasPrincipal: connection.principal != nil)
        },
    ]

    private static let names = all.map(\.name)

    private static let viewEvent = all.first { $0.message == ViewEvent.self }

    static func named(_ name: MethodName) -> Method? {
        // Nearly every message is a view event.
        if name == ViewEvent.name { return viewEvent }
        return name.place(in: names).map { all[$0] }
    }
}
