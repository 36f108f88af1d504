/// The cost of a piece of work, in numbers that don't depend on how busy a machine is.
package struct Cost: Equatable, Sendable {
    package var instructions: Double
    package var allocations: Double
    /// Atomic operations of Swift code: two for a lock, and one for most of what `Atomic` does. What the runtime does, which counts
    /// references and runs tasks, isn't among them.
    package var atomics: Double

    package init(instructions: Double, allocations: Double, atomics: Double) {
        self.instructions = instructions
        self.allocations = allocations
        self.atomics = atomics
    }

    package var quantities: [String: Double] {
        ["instructions": instructions, "allocations": allocations, "atomics": atomics]
    }

    package static func - (left: Cost, right: Cost) -> Cost { left.combined(with: right, -) }

    package static func / (cost: Cost, count: Int) -> Cost {
        cost.combined(with: cost) { value, _ in value / Double(count) }
    }

    /// Each of its numbers with that of another one.
    package func combined(with other: Cost, _ body: (Double, Double) -> Double) -> Cost {
        Cost(
            instructions: body(instructions, other.instructions), allocations: body(allocations, other.allocations),
            atomics: body(atomics, other.atomics))
    }
}

extension Cost {
    /// Reads a profile that `valgrind --tool=callgrind --collect-bus=yes` wrote.
    ///
    /// An allocation is a call of one of the C library's functions, in which all of Swift's end. An atomic operation of Swift code is
    /// one in a function whose name is mangled as Swift's are.
    ///
    /// - Parameter profile: the text of the file, with compressed names or without.
    /// - Throws: where it has no total, as when the program was killed.
    package init(profile: some Sequence<Substring>) throws(SystemFailure) {
        var (total, calls, atomics): (Double?, Double, Double) = (nil, 0, 0)
        // The file gives a function's name where its number comes first: `fn=(12) malloc`, and later `cfn=(12)`.
        var (allocators, swiftFunctions): (Set<Substring>, Set<Substring>) = ([], [])
        var (callsAllocator, isSwift, isCallee) = (false, false, false)
        for line in profile {
            if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
                let words = line.drop { $0 != "=" }.dropFirst().split(separator: " ", maxSplits: 1)
                guard let number = words.first, let name = words.last else { continue }
                if Self.allocatorNames.contains(name) { allocators.insert(number) }
                if name.hasPrefix("$s") { swiftFunctions.insert(number) }
                callsAllocator = line.hasPrefix("c") && allocators.contains(number)
                if line.hasPrefix("f") { isSwift = swiftFunctions.contains(number) }
            } else if line.hasPrefix("calls=") {
                if callsAllocator { calls += Double(line.dropFirst("calls=".count).prefix { $0 != " " }) ?? 0 }
                // The next line has what the callee costs.
                isCallee = true
            } else if let first = line.first, first.isNumber || "+-*".contains(first) {
                // A place, instructions, and atomic operations where there are any.
                let words = isSwift && !isCallee ? line.split(separator: " ") : []
                if words.count > 2 { atomics += Double(words[2]) ?? 0 }
                isCallee = false
            } else if line.hasPrefix("totals: ") {
                total = line.dropFirst("totals: ".count).split(separator: " ").first.flatMap { Double($0) }
            }
        }
        guard let total else { throw SystemFailure(description: "the profile has no total") }
        self.init(instructions: total, allocations: calls, atomics: atomics)
    }

    private static let allocatorNames: Set<Substring> = [
        "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign",
    ]
}
