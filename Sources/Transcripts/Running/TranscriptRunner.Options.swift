package import JSONRPC

extension TranscriptRunner {
    package struct Options: Sendable {
        package var player: Player.Options
        /// For connections on which the other side hasn't chosen one.
        package var framing = Framing.headers
        /// How long nothing may come while something is expected; nil: as long as it takes.
        package var timeout: Duration? = .seconds(10)
        /// Nobody else can connect, as on standard input and output.
        package var hasOneConnection = false
        /// When updating: what hasn't come once nothing came for so long, isn't waited for, but for answers.
        package var quietTime: Duration = .milliseconds(100)
        /// What the other side, in this process, has for the time; nil where it has the real one.
        package var clock: TranscriptClock?

        package init(side: TranscriptSide) {
            player = Player.Options(side: side)
        }
    }
}
