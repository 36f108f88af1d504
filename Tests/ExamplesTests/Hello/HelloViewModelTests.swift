import Examples
import TestSupport
import Testing

@Suite struct HelloViewModelTests {
    @Test func `the label is empty, then says hello`() async {
        let hello = Recorded(HelloViewModel())
        await hello.model.start()
        #expect(hello.events.elements == [.helloText("")])
        await hello.model.handle(event: .sayHello)
        await hello.model.handle(event: .sayHello)
        #expect(hello.events.elements == [.helloText(""), .helloText("Hello"), .helloText("Hello")])
    }
}
