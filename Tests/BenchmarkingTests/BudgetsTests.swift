import Benchmarking
import Testing

@Suite struct BudgetsTests {
    @Test func `a profile's cost is its total, the calls of what allocates, and what Swift code does that is atomic`()
        throws
    {
        let profile = """
            events: Ir Ge
            fn=(1) $s4main3runyyF
            16 400 3
            +2 5
            cfn=(2) malloc
            calls=3 0
            16 300 40
            cfn=(3) free
            calls=2 0
            16 90
            * 7 2
            fn=(2)
            0 250 10
            cfn=(4) _int_malloc
            calls=3 0
            0 50
            fn=(5) other
            cfn=(2)
            calls=4 0
            1 8
            cfn=(6) posix_memalign
            calls=1 0
            totals: 1240 55
            """
        #expect(
            try Cost(profile: profile.split(separator: "\n")) == Cost(instructions: 1_240, allocations: 8, atomics: 5))
    }

    @Test func `a profile of a program that was killed is an error`() {
        #expect(throws: SystemFailure.self) { try Cost(profile: "events: Ir\n".split(separator: "\n")) }
    }

    @Test(
        arguments: [
            (100, 105, .within), (100, 106, .above), (100, 96, .within), (100, 94, .farBelow), (nil, 1, .unknown),
            (0, 0, .within), (0, 1, .above),
        ] as [(Double?, Double, BudgetLine.Verdict)])
    func `a count is within its budget, above it, or so far below that the budget goes down`(
        _ budget: Double?, _ counted: Double, _ verdict: BudgetLine.Verdict
    ) {
        #expect(BudgetLine("instructions", budget: budget, counted: counted).verdict == verdict)
    }

    @Test func `budgets are read as they are written, a row on a line`() throws {
        let budgets = Budgets(rows: [
            "b": Cost(instructions: 29_763, allocations: 8, atomics: 26).quantities,
            "a": Cost(instructions: 12, allocations: 0.25, atomics: 0.5).quantities,
            "idle": ["KiB": 2.5],
        ])
        #expect(
            budgets.text == """
                {
                    "a": {"allocations": 0.25, "atomics": 0.5, "instructions": 12.0},
                    "b": {"allocations": 8.0, "atomics": 26.0, "instructions": 29763},
                    "idle": {"KiB": 2.5}
                }

                """)
        #expect(try Budgets(text: budgets.text) == budgets)
    }
}
