import Commands
import Contracts
import Examples
import Sessions
import TestSupport
import Testing
import ViewModels

/// Parts of a view model that compile and do nothing: what is said of each, and that nothing is said of right ones. Those
/// that only the source shows are in `OutsidePackageTests`.
@Suite(.inTurn) struct OversightTests {
    typealias Register = @Sendable (inout Registry) -> Void

    /// What is said, each line without this file's types around the names.
    private static func oversights(_ register: Register) -> [String] {
        var registry = Registry()
        register(&registry)
        return Oversight.all(in: registry).map { $0.text.replacing("CommandsTests.", with: "") }
    }

    /// The misuses of each public wrapper, protocol and attribute that the types show, and what is said of them.
    static let mistakes: [(register: Register, said: [String])] = saving + fields + objects + events

    private static let saving: [(Register, [String])] = [
        ({ $0.add("a") { NotDurable() } }, ["a: 'count' of NotDurable isn't saved: conform to DurableViewModel"]),
        (
            { $0.add("a") { OwnState() } },
            [
                """
                a: 'count' and 'name' of OwnState aren't saved, as its SavedState is stored in place of properties: put \
                what it needs into that, or leave out SavedState
                """
            ]
        ),
        (
            { $0.add("a") { PlainVariables() } },
            [
                """
                a: nothing of PlainVariables is saved: make 'count' and 'basket' @Saved, or keep what may be lost in a \
                type that isn't Codable
                """
            ]
        ),
        (
            { $0.add("a") { PlainState() } },
            [
                """
                a: nothing of PlainState is saved: make 'state' @Saved, or keep what may be lost in a type that isn't \
                Codable
                """
            ]
        ),
        (
            { $0.addChild("a", DurableChild.self) },
            ["a: nothing of DurableChild is saved, as no view model that clients open is a DurableViewModel"]
        ),
    ]

    private static let fields: [(Register, [String])] = [
        (
            { $0.add("a") { Containers() } },
            [
                "a: 'pages' of Containers has a Rows in it that is never shown: make that a property of its own, a let",
                "a: 'page' of Containers is a var, and only the first Rows in it is shown: make it a let",
                "a: 'later' of Containers is lazy, and its Rows is never shown: make it a let",
                "a: 'maybe' of Containers has a Rows in it that is never shown: make that a property of its own, a let",
            ]
        ),
        (
            { $0.add("a") { VariableProperties() } },
            [
                "a: 'title' of VariableProperties is a var, and only the first Dynamic in it is sent: make it a let",
                "a: 'later' of VariableProperties is lazy, and its Dynamic is never sent: make it a let",
            ]
        ),
        (
            { $0.add("a") { VariableSaved() } },
            [
                "a: 'count' of VariableSaved is a var, and only the first Saved in it is saved: make it a let",
                """
                a: 'counts' of VariableSaved has a Saved in it that is never saved: make that a property of its own, a let
                """,
            ]
        ),
        (
            { $0.add("a") { Output2() } },
            [
                """
                a: what 'output' of Output2 sends reaches no View: set a property that is @Observed in its place, or \
                conform to ViewModel
                """
            ]
        ),
        (
            { $0.add("a") { Output3() } },
            [
                """
                a: what 'output' of Output3 sends reaches no View: raise changed in its place, or conform to ViewModel
                """
            ]
        ),
        ({ $0.add("a") { Silent() } }, ["a: it sends nothing: no property of it is @Observed, a Dynamic or Rows"]),
    ]

    private static let objects: [(Register, [String])] = [
        (
            { $0.add("a", Keeper<PlainSingleton>.self) },
            ["PlainSingleton: 'ids' isn't saved: conform to DurableSingleton"]
        ),
        (
            { $0.add("a", Keeper<Helper>.self) },
            [
                "Helper: 'count' isn't saved: make it a property of a DurableViewModel or a DurableSingleton",
                "Draft: 'text' isn't saved: make it a property of a DurableViewModel or a DurableSingleton",
            ]
        ),
        (
            {
                $0.add("a", Keeper<EmptySingleton>.self)
                $0.add("b", Keeper<EmptySingleton>.self)
            }, ["EmptySingleton: nothing of this DurableSingleton is saved: make its properties Saved"]
        ),
        (
            { $0.add("a", Passing<Basket>.self) },
            ["Basket: nothing of it is saved, as no view model that clients open is a DurableViewModel"]
        ),
        (
            { $0.add("a", Keeper<InstanceNames>.self) },
            [
                "InstanceNames: scope is never asked for: make it static",
                "InstanceNames: savedName is never asked for: make it static",
                "InstanceNames: savedStateVersion is never asked for: make it static",
            ]
        ),
        (
            { $0.add("a") { InstanceVersion() } },
            ["InstanceVersion: savedStateVersion is never asked for: make it static"]
        ),
        (
            { $0.add("a") { (_: Versioned) in Sound() } },
            ["a: DurableArguments does nothing, as arguments of a view model that isn't durable aren't stored"]
        ),
    ]

    private static let events: [(Register, [String])] = [
        (
            { $0.add("a") { Replacing() } },
            ["a: ReplaceableEvent does nothing on a view event: conform to ScheduledEvent"]
        ),
        (
            { $0.add("a") { Scheduling() } },
            ["a: ScheduledEvent does nothing on a view model event: conform to ReplaceableEvent"]
        ),
        (
            { $0.add("a", Refusing.self) },
            ["a: willGoBack() is never called, as no view model shows it: register it with addChild"]
        ),
    ]

    @Test(arguments: Self.mistakes.indices) func `a mistake is named, with what to do`(_ index: Int) {
        let (register, said) = Self.mistakes[index]
        #expect(Self.oversights(register) == said)
    }

    /// Right ones that look like one of those.
    static let rightUses: [Register] = [
        { $0.add("a") { Sound() } },
        { $0.add("a") { SavedAndOthers() } },
        { $0.add("a") { NoState() } },
        { $0.add("a", SavedElsewhere.self) },
        { $0.add("a") { SavedAsAWhole() } },
        { $0.add("a") { Plumbing() } },
        { $0.add("a") { Listing() } },
        { $0.add("a", Keeper<Basket>.self) },
        { $0.add("a", Keeper<Growing<Int>>.self) },
        { $0.addChild("a", Refusing.self, canBeOpened: true) },
        {
            $0.add("a") { SavedAndOthers() }
            $0.addChild("b", DurableChild.self)
        },
        // Each is something elsewhere.
        {
            $0.add("a") { Both() }
            $0.add("b") { (_: Versioned) in Sound() }
            $0.add("c") { (_: Versioned) in SavedAndOthers() }
        },
        { Examples.register(in: &$0) },
    ]

    @Test(arguments: Self.rightUses.indices) func `nothing is said of what has an effect`(_ index: Int) {
        #expect(Self.oversights(Self.rightUses[index]) == [])
    }
}
