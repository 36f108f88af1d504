import Testing

@testable import Contracts

struct SourceNamesTests {
    @Test(arguments: [
        ("selectOrder", "SelectOrder"), ("Order", "Order"), ("order list", "OrderList"), ("List.Item", "ListItem"),
        ("log_in", "Log_in"), ("_x", "X"), ("__init__", "Init__"), ("1st", "N1st"), ("none", "None"),
        ("größe", "Größe"),
        ("ßa", "SSa"), ("日本", "日本"), ("", "Value"), ("🎉", "Value"), ("\u{2028}*/\"\\", "Value"), ("a\nb", "AB"),
        // Python takes these for others.
        ("ﬁx", "X"), ("１", "Value"),
    ])
    func `a type's name is an identifier that starts with a capital`(_ name: String, _ type: String) {
        var names = SourceNames()
        #expect(names.type(name) == type)
    }

    @Test(arguments: [
        ("isDone", "isDone"), ("is_done", "is_done"), ("from json", "from_json"), ("a-b", "a_b"), ("_0", "n0"),
        ("__x", "x"), ("1st", "n1st"), ("", "value"), ("Größe", "Größe"), ("a\"b", "a_b"),
    ])
    func `a member's name stays as it is where that can be`(_ name: String, _ member: String) {
        var names = SourceNames()
        #expect(names.member(name) == member)
    }

    @Test func `no name is there twice, or means something else`() {
        var names = SourceNames(reserved: ["from", "None"])
        #expect(
            ["from", "a b", "a-b", "a_b", "from"].map { names.member($0) } == [
                "from_", "a_b", "a_b_", "a_b_2", "from_2",
            ])
        #expect(["none", "None", "none_"].map { names.type($0) } == ["None_", "None_2", "None__"])
        // The same to people, and to Python.
        #expect(["ö", "o\u{308}"].map { names.member($0) } == ["ö", "ö_"])
    }
}
