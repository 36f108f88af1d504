/// Why an `ObservableViewModel` can't be hosted.
package enum PropertyError: Error, Equatable, CustomStringConvertible {
    case notEncodable(property: String, of: String, type: String)
    case ambiguous(property: String, of: String)

    package var description: String {
        switch self {
        case .notEncodable(let property, let model, let type):
            """
            '\(property)' of \(model) can't be sent to a View, since \(type) isn't Encodable; make it so, or keep the value \
            in a property that is neither @Observed nor a Dynamic
            """
        case .ambiguous(let property, let model):
            "\(model) and its superclasses have more than one property '\(property)'; give one another name"
        }
    }
}
