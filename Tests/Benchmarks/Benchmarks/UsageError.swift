/// The command line makes no sense.
struct UsageError: Error {
    let message: String
}
