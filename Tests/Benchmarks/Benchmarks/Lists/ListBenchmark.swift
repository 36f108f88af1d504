import Benchmarking
import ViewModels

/// A kept list of a million rows in this process, beside an array of them.
struct ListBenchmark {
    static let name = "list"
    static let work = "a kept list of 1,000,000 rows of 64 bytes beside an array, in time and memory"

    /// All of them, measured.
    static func rows(_ effort: Effort) -> [Row] {
        let rounds = (0..<effort.rounds).map { _ in ListBenchmark(effort) }
        typealias Figure = (ListBenchmark) -> Double?
        let row = { (work: String, quantity: Quantity, target: Target, list: Figure, array: Figure) in
            Row(
                benchmark: name, work: work, quantity: quantity, target: target,
                state: .measured(rounds.compactMap(list), reference: rounds.compactMap(array)))
        }
        let edit = "insert or remove a row in the middle of 1,000,000"
        let memory = "keep 1,000,000 rows of 64 bytes"
        return [
            row(edit, .p50, .atMost(50), { $0.listEdit.p50 }, { $0.arrayEdit.p50 }),
            row(edit, .p99, .atMost(50), { $0.listEdit.p99 }, { $0.arrayEdit.p99 }),
            row(memory, .newMemory, .atMostOfReference("array", 1.2), { $0.listMemory }, { $0.arrayMemory }),
            row(memory, .editedMemory, .atMostOfReference("array", 1.2), { $0.editedMemory }, { $0.arrayMemory }),
        ]
    }

    private struct Item: Sendable {
        private var words = (0, 0, 0, 0, 0, 0, 0, 0)

        init(_ word: Int = 0) {
            words.0 = word
        }
    }

    private static let count = 1_000_000

    private var listEdit: (p50: Double?, p99: Double?)
    private var arrayEdit: (p50: Double?, p99: Double?)
    /// In MiB.
    private var listMemory: Double?
    private var editedMemory: Double?
    private var arrayMemory: Double?

    private init(_ effort: Effort) {
        let before = AllocatedMemory.bytes
        var array = (0..<Self.count).map { Item($0) }
        arrayMemory = Self.mebibytes(since: before)
        let list = Rows(array)
        array = []
        listMemory = Self.mebibytes(since: before)

        let edits = Int(effort.seconds * 100_000)
        listEdit = Self.edit(edits) {
            list.insert(Item(), at: $0)
        } remove: {
            list.remove(at: $0)
        }
        editedMemory = Self.mebibytes(since: before)

        array = (0..<Self.count).map { Item($0) }
        arrayEdit = Self.edit(max(1, edits / 4_000)) {
            array.insert(Item(), at: $0)
        } remove: {
            array.remove(at: $0)
        }
        withExtendedLifetime((list, array)) {}
    }

    private static func mebibytes(since before: Int) -> Double {
        Double(AllocatedMemory.bytes - before) / 1_048_576
    }

    /// Inserts and removes as often, in the half in the middle.
    private static func edit(
        _ count: Int, insert: (Int) -> Void, remove: (Int) -> Void
    ) -> (p50: Double?, p99: Double?) {
        var latencies = Latencies()
        latencies.reserve(count * 2)
        var places = SplitMix(seed: 1)
        for _ in 0..<count {
            for isInsertion in [true, false] {
                let place = Self.count / 4 + places.next(below: Self.count / 2)
                let start = Clock.now()
                if isInsertion { insert(place) } else { remove(place) }
                latencies.add(Clock.now() - start)
            }
        }
        return (latencies.percentile(0.5), latencies.percentile(0.99))
    }
}

extension Quantity {
    fileprivate static let newMemory = Quantity("memory, new", .mebibytes)
    fileprivate static let editedMemory = Quantity("memory, edited", .mebibytes)
}

/// Numbers that look random, and are the same in each run.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, bound)))
    }
}
