import JSON

/// Who a client says it is; for the log only, so nothing about it is an error.
struct ClientInfo {
    let description: String

    init(_ value: JSONValue?) {
        let name = value?.member("name")?.string() ?? "a client"
        description = [name, value?.member("version")?.string()].compactMap { $0 }.joined(separator: " ")
    }
}
