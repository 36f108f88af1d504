/// Why a text is not JSON, and where: what a `ParseError` tells a person.
@usableFromInline
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: Reason
    /// In bytes, counted from 0. Where the text ends too early it is the text's length.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    @usableFromInline
    package var description: String { "\(reason) at byte \(offset)" }
}
