import Sessions
import TestSupport
import Testing

@Suite(.inTurn) struct SessionEpochsTests {
    @Test func `a first life has one name for all sessions`() {
        let epochs = SessionEpochs()
        #expect(epochs.current == "1")
        #expect(epochs.has(7, of: "1"))
        #expect(!epochs.has(0, of: "2"))
    }

    @Test func `what was told in an earlier life is here up to where the next one began`() {
        var epochs = SessionEpochs()
        epochs.begin("b", at: 5)
        #expect(epochs.current == "b")
        #expect(epochs.has(5, of: "1"))
        #expect(!epochs.has(6, of: "1"))
        #expect(epochs.has(6, of: "b"))
    }

    @Test func `a life that began before others ended cuts all of them`() {
        var epochs = SessionEpochs()
        epochs.begin("b", at: 5)
        epochs.begin("c", at: 3)
        epochs.begin("d", at: 9)
        for epoch in ["1", "b"] {
            #expect(epochs.has(3, of: epoch))
            #expect(!epochs.has(4, of: epoch), "\(epoch)")
        }
        #expect(epochs.has(9, of: "c"))
        #expect(!epochs.has(10, of: "c"))
    }

    @Test func `epochs are read back as they were written, and a life that is long ago is forgotten`() {
        var epochs = SessionEpochs()
        #expect(epochs.text == "")
        #expect(SessionEpochs(text: "") == epochs)
        for life in 2...100 {
            epochs.begin("life\(life)", at: life * 10)
            #expect(SessionEpochs(text: epochs.text) == epochs)
        }
        #expect(epochs.has(370, of: "life37"))
        #expect(!epochs.has(0, of: "life36"))
        #expect(!epochs.has(0, of: "1"))
        #expect(epochs.text.utf8.count < 1_000)
    }

    @Test(arguments: ["x", ":", "a:b", "a:1:", "a:99999999999999999999", "\0:1 :"])
    func `what isn't an epoch is left out`(_ text: String) {
        let epochs = SessionEpochs(text: text + " b:7")
        #expect(epochs.current == "b")
        #expect(!epochs.has(0, of: "a"))
    }
}
