/// The limits of a server, once for all of its sessions: a copy in each took a tenth of an idle session's memory.
package final class SharedLimits: Sendable {
    package let values: Limits

    package init(_ values: Limits) {
        self.values = values
    }
}
