/// A request that came in and is owed exactly one answer.
package struct Call: Hashable, Sendable {
    package let id: RequestID
    /// The batch that its answer goes into; nil when it is answered on its own.
    package let batch: Int?
}
