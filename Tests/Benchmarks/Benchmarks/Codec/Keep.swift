/// Takes a result that nobody needs, so that the compiler doesn't leave out the work that it came from.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
