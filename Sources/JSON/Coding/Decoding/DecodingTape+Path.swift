extension DecodingTape {
    /// The steps from the outermost value to this one, found by walking down to it: so a path costs nothing until
    /// somebody asks, which is nearly always when something went wrong.
    func codingPath(to target: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = 0
        while container < target, let step = try? step(from: container, towards: target) {
            path.append(step.key)
            container = step.index
        }
        return path
    }

    private func step(from container: Int, towards target: Int) throws -> (key: PathKey, index: Int)? {
        guard isContainer(try entry(container)) else { return nil }
        let isObject = try kind(at: container) == .object
        let end = try entry(container).length
        var child = isObject ? container + 3 : container + 1
        var position = 0
        while child < end {
            let next = try index(after: child)
            if target < next {
                let key: PathKey =
                    isObject ? .member(stringText(try entry(child - 1)).string()) : .index(position)
                return (key, child)
            }
            child = isObject ? next + 1 : next
            position += 1
        }
        return nil
    }

    func corrupted(at index: Int, _ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath(to: index), debugDescription: reason))
    }

    /// "expected an integer but found a string".
    func mismatch(_ type: any Any.Type, at index: Int, expected: String) -> any Error {
        guard isValid, let kind = try? kind(at: index) else { return Self.outlived }
        let context = DecodingError.Context(
            codingPath: codingPath(to: index), debugDescription: "expected \(expected) but found \(kind)")
        return kind == .null ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
    }
}
