/// How a client behaves.
package struct ClientOptions: Sendable {
    /// What the client calls itself.
    package var name = "view-model-client"
    package var version: String?
    /// The server's secret, where it has one.
    package var token: String?
    package var backoff = Backoff()
    /// Measures the backoff and the patience.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// How long a server may take to answer `initialize`, and to end a connection that is closed.
    package var patience = Duration.seconds(30)
    /// Called on the client's loop, in order; must not block.
    package var receive: @Sendable (ClientNews) -> Void = { _ in }

    package init() {}
}
