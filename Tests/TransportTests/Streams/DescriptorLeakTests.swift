import Testing
import Transport

extension TransportTests {
    @Suite struct DescriptorLeakTests {
        /// In a process of its own, where no other suite opens any.
        @Test func `no descriptor is left of a stream, whether it or its loop ended first`() async {
            await #expect(processExitsWith: .success) {
                for (poller, endsFirst) in [(PollerKind.epoll, true), (.epoll, false), (.poll, true), (.poll, false)] {
                    for kind in StreamKind.allCases {
                        let before = openDescriptors()
                        try await withLoop(poller) { loop in
                            let (server, client) = try await kind.open(on: loop)
                            try await loop.run {
                                server.value.stream.start()
                                client.value.stream.start()
                                client.value.send("a few bytes")
                                if endsFirst { client.value.stream.finish() }
                            }
                            try await server.until("the bytes", on: loop) { !$0.bytes.isEmpty }
                            if endsFirst {
                                try await loop.run { server.value.stream.finish() }
                                try await server.until("the close", on: loop) { $0.isClosed }
                                try await client.until("the close", on: loop) { $0.isClosed }
                            }
                        }
                        try await expectDescriptors(before)
                    }
                }
            }
        }
    }
}
