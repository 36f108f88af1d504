/// The limits of a server, once for all of its sessions: a copy takes 144 bytes, and each session had two.
package final class SharedLimits: Sendable {
    package let values: Limits

    package init(_ values: Limits) {
        self.values = values
    }
}
