import Synchronization

/// One owner's handler of an `Event`. It holds the owner weakly, and ends when the owner unsubscribes or
/// subscribes again.
final class EventHandler<Args: Sendable>: Sendable {
    let owner: Weak<any AnyObject & Sendable>
    /// Whether the handler runs in an actor's isolation, and so not on the thread that raises.
    let isIsolated: Bool
    private let ended = Atomic(false)
    private let body: @Sendable (EventHandler, Args) async -> Void

    private init(
        _ owner: any AnyObject & Sendable, isIsolated: Bool,
        _ body: @escaping @Sendable (EventHandler, Args) async -> Void
    ) {
        self.owner = Weak(owner)
        self.isIsolated = isIsolated
        self.body = body
    }

    convenience init<Owner: AnyObject & Sendable>(
        _ owner: Owner, _ handler: @escaping @Sendable @isolated(any) (Owner, Args) -> Void
    ) {
        self.init(owner, in: handler.isolation) { await handler($0, $1) }
    }

    /// - Parameter isolation: where `handler` runs; nil for the thread that calls it.
    convenience init<Owner: AnyObject & Sendable>(
        _ owner: Owner, in isolation: (any Actor)?, _ handler: @escaping @Sendable (Owner, Args) async -> Void
    ) {
        self.init(owner, isIsolated: isolation != nil) { [owner = Weak(owner)] this, args in
            await this.call(in: isolation, owner, args, handler)
        }
    }

    /// Makes a handler in the isolation of its owner. The owner is kept while a call waits for that isolation.
    convenience init<Owner: Actor>(
        isolatedTo owner: Owner, _ handler: @escaping @Sendable (isolated Owner, Args) -> Void
    ) {
        self.init(owner, isIsolated: true) { [owner = Weak(owner)] this, args in
            guard let isolation = owner.value else { return }
            await this.call(in: isolation, owner, args) { await handler($0, $1) }
        }
    }

    /// Ends the handler: no call begins after this. Any thread may call it.
    func end() {
        ended.store(true, ordering: .sequentiallyConsistent)
    }

    var hasEnded: Bool { ended.load(ordering: .sequentiallyConsistent) }

    /// Calls the handler in its isolation, unless it has ended or its owner is gone.
    func call(_ args: Args) async {
        await body(self, args)
    }

    /// Asks for the owner in the handler's isolation: so an owner that unsubscribes there is never called after that,
    /// and one whose last reference is this ends there.
    private func call<Owner: AnyObject & Sendable>(
        in isolation: isolated (any Actor)?, _ owner: Weak<Owner>, _ args: Args,
        _ handler: @Sendable (Owner, Args) async -> Void
    ) async {
        guard !hasEnded, let owner = owner.value else { return }
        await handler(owner, args)
    }
}
