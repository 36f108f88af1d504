import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct HelloViewModelTests {
    @Test func `the label is empty, then says hello`() async {
        let model = HelloViewModel()
        let texts = Recorder<String>()
        model.helloText.bindAndFire { texts.record($0) }
        #expect(texts.elements == [""])
        await model.handle(event: .sayHello)
        await model.userTriggeredSayHelloButton()
        #expect(texts.elements == ["", "Hello", "Hello"])
    }
}
