/// NaN or an infinity, which JSON can't say.
package struct NonFiniteNumber: Error, Hashable, Sendable, CustomStringConvertible {
    package init() {}

    package var description: String { "NaN and infinities can't be written as JSON" }
}
