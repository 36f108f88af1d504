extension ProtocolSchema {
    /// Follows every connection of a transcript to its end.
    ///
    /// - Parameter transcript: the file's text. A matcher in it counts as its sample, and one without a sample as
    ///   wrong.
    package func follow(transcript: String) throws -> [ProtocolWatch] {
        var watches: [Int: ProtocolWatch] = [:]
        for line in transcript.split(separator: "\n").dropFirst() {
            let entry = try ExactJSON(text: String(line))
            var connection = 1
            if case .number(let number) = entry["connection"] { connection = number.count ?? 0 }
            var watch = watches[connection] ?? ProtocolWatch(self, keepsAll: true)
            if let text = entry["message"]?.withSamples.text ?? entry["text"]?.string {
                if entry["from"]?.string == "client" { watch.clientSent(text) } else { watch.serverSent(text) }
            }
            watches[connection] = watch
        }
        return watches.sorted { $0.key < $1.key }.map { _, watch in
            var watch = watch
            watch.end()
            return watch
        }
    }
}

extension ExactJSON {
    /// The value with samples in place of matchers.
    fileprivate var withSamples: ExactJSON {
        switch self {
        case .object(let members):
            if members["$match"] != nil, let sample = members["value"] { return sample.withSamples }
            return .object(members.mapValues(\.withSamples))
        case .array(let elements): return .array(elements.map(\.withSamples))
        default: return self
        }
    }
}
