import JSON

/// Who a client says it is; for the log only, so nothing about it is an error.
struct ClientInfo {
    let description: String

    init(_ value: JSONValue?) {
        let name = value?.member("name")?.string() ?? "a client"
        let version = value?.member("version")?.string()
        description = version.map { "\(name) \($0)" } ?? name
    }
}
