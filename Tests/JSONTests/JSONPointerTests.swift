import JSON
import TestSupport
import Testing

@Suite(.inTurn) struct JSONPointerTests {
    @Test func `names are escaped and indices are not`() {
        #expect(JSONPointer.root.description == "")
        #expect(JSONPointer.root.appending("event").appending("rows").appending(3).description == "/event/rows/3")
        #expect(JSONPointer.root.appending("a/b~c").appending("").description == "/a~1b~0c/")
        #expect(JSONPointer.root.appending("event") == "/event")
    }
}
