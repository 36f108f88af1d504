/// One subscriber of an `Output`.
final class OutputHandler<Event>: Sendable {
    let body: @Sendable (Event) -> Void

    init(_ body: @escaping @Sendable (Event) -> Void) {
        self.body = body
    }
}
