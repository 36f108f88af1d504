/// The cost of a piece of work, in numbers that don't depend on how busy a machine is.
package struct Cost: Equatable, Sendable, Codable {
    package var instructions: Double
    package var allocations: Double

    package init(instructions: Double, allocations: Double) {
        self.instructions = instructions
        self.allocations = allocations
    }

    package static func - (left: Cost, right: Cost) -> Cost {
        Cost(
            instructions: left.instructions - right.instructions, allocations: left.allocations - right.allocations)
    }

    package static func / (cost: Cost, count: Int) -> Cost {
        Cost(instructions: cost.instructions / Double(count), allocations: cost.allocations / Double(count))
    }
}

extension Cost {
    /// Reads a profile that `valgrind --tool=callgrind` wrote.
    ///
    /// An allocation is a call of one of the C library's functions, in which all of Swift's end.
    ///
    /// - Parameter profile: the text of the file, with compressed names or without.
    /// - Throws: where it has no total, as when the program was killed.
    package init(profile: some Sequence<Substring>) throws(SystemFailure) {
        var (total, calls): (Double?, Double) = (nil, 0)
        // The file gives a function's name where its number comes first: `fn=(12) malloc`, and later `cfn=(12)`.
        var allocators: Set<Substring> = []
        var callsAllocator = false
        for line in profile {
            if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
                let words = line.drop { $0 != "=" }.dropFirst().split(separator: " ", maxSplits: 1)
                guard let number = words.first, let name = words.last else { continue }
                if Self.allocatorNames.contains(name) { allocators.insert(number) }
                callsAllocator = line.hasPrefix("c") && allocators.contains(number)
            } else if callsAllocator, line.hasPrefix("calls=") {
                calls += Double(line.dropFirst("calls=".count).prefix { $0 != " " }) ?? 0
            } else if line.hasPrefix("totals: ") {
                total = Double(line.dropFirst("totals: ".count))
            }
        }
        guard let total else { throw SystemFailure(description: "the profile has no total") }
        self.init(instructions: total, allocations: calls)
    }

    private static let allocatorNames: Set<Substring> = [
        "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign",
    ]
}
