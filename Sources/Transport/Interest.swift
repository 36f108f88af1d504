/// What a descriptor is watched for, and what it was found ready for.
///
/// An error or a hang-up is no kind of its own: it makes the descriptor ready for all it is watched for, and the call that
/// then is made says what happened.
struct Interest: OptionSet {
    let rawValue: UInt8

    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
}
