import Sessions
import TestSupport
import Testing
import ViewModels

/// A server whose sessions can show each other.
func withScreens(
    limits: Limits = Limits(), released: Recorder<String> = Recorder(), loops: Int = 1,
    _ body: (TestServer) async throws -> Void
) async throws {
    try await withServer(
        loops: loops, limits: limits,
        register: { registry in
            ScreenViewModel.register(in: &registry)
            registry.container.register(Recorder<String>.self) { _ in released }
        }, body)
}

/// The first view of a screen with the key "key-1", attached as session 1.
func openedScreen(_ server: TestServer, _ arguments: String = "{}") async throws -> TestClient {
    let client = try await server.connected()
    client.send(Wire.open("1", "screen", arguments))
    try await client.expect(Wire.opened("1", 1, "key-1", "screen"))
    return client
}

/// Session 2 is pushed onto session 1.
func pushedScreen(_ server: TestServer, _ arguments: String = "{}") async throws -> TestClient {
    let client = try await openedScreen(server)
    client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":\#(arguments)}"#))
    try await client.expect(Wire.shown("push", 1, 1, "screen", "key-2"), Wire.seq("2", 1))
    client.send(Wire.attach("3", "key-2"))
    try await client.expect(Wire.attached("3", 2, "screen"))
    return client
}
