extension Schema {
    /// The names of an event's cases, in order of declaration; nil where they aren't known.
    package var kinds: [String]? {
        switch form {
        case .cases(let cases, _): cases.map(\.kind)
        case .nothing: []
        default: nil
        }
    }
}
