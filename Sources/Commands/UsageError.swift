/// The command line can't be understood, or asks for what isn't allowed.
struct UsageError: Error {
    let message: String
}
