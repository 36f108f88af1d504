/// What a load did.
package struct LoadResult {
    /// Requests, each of which was answered.
    package var events = 0
    package var nanoseconds = 0
    /// Of each request, where one connection had only one of them in flight.
    package var latencies = Latencies()

    package init() {}

    package var seconds: Double { Double(nanoseconds) / 1e9 }
}
