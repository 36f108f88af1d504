/// A value of a text whose values were all found in one pass, so that its parts are read and decoded without another.
///
/// Valid only inside the call that it is lent for.
package struct ParsedValue {
    /// Not counted, as that takes longer than to find a member: `JSONValue.parse` has it.
    private let state: Unmanaged<DecodingState>
    /// Its entry on the tape.
    let index: Int

    fileprivate init(_ state: Unmanaged<DecodingState>, index: Int) {
        (self.state, self.index) = (state, index)
    }

    /// The value itself; of an array, after a pass over it.
    package var value: JSONValue {
        withTape { tape in
            let entry = tape.entries.elements[index]
            if !tape.isContainer(entry) {
                return JSONValue(validated: tape.text.part(from: entry.offset, to: entry.offset &+ entry.length))
            }
            if kind == .object { return JSONValue(validated: tape.text(ofObject: index)) }
            let text = tape.text.part(from: entry.offset, to: tape.text.count)
            var reader = JSONReader(text, maximumDepth: .max)
            return (try? reader.value()) ?? JSONValue(validated: text)
        }
    }

    package var kind: JSONValue.Kind {
        withTape { tape in JSONValue.Kind(firstByte: tape.text[tape.entries.elements[index].offset]) ?? .null }
    }

    /// Calls `body` for each member in the order of the text, duplicates included; for none when it is not an object.
    package func forEachMember(_ body: (JSONKey, ParsedValue) -> Void) {
        guard kind == .object else { return }
        withTape { tape in
            let entries = tape.entries.elements
            let end = entries[index].length
            var key = index &+ 2
            while key < end {
                body(JSONKey(tape.stringText(entries[key])), ParsedValue(state, index: key &+ 1))
                key = tape.indexAfter(key &+ 1)
            }
        }
    }

    /// The tape that it is on.
    var tape: DecodingTape { state.takeUnretainedValue().tape }

    /// - Parameter body: has this value's index checked: a value is made of an entry that is there.
    @inline(__always)
    private func withTape<R>(_ body: (DecodingTape) -> R) -> R { state._withUnsafeGuaranteedRef { body($0.tape) } }
}

extension JSONValue {
    /// Finds all values in it, and lends it to `body`.
    ///
    /// - Returns: what `body` does; nil where it can't be decoded, as it is nested too deep or too long.
    package func parse<R, E: Error>(_ body: (ParsedValue) throws(E) -> R?) throws(E) -> R? {
        let state = DecodingState.take()
        defer { DecodingState.giveBack(state) }
        do { try state.takeUnretainedValue().tape.fill(text, at: .root) } catch { return nil }
        return try body(ParsedValue(state, index: 0))
    }
}

/// Where the values inside one object or array are, noted in the pass that checks its text, so that it is read and decoded
/// without another.
///
/// Valid only inside the call that it is lent for, and while the text is.
package struct ValueNotes {
    /// Not counted, as for a `ParsedValue`: `lend` has it.
    private let state: Unmanaged<DecodingState>

    /// Lends empty notes to `body`.
    package static func lend<R, E: Error>(_ body: (ValueNotes) throws(E) -> R) throws(E) -> R {
        let state = DecodingState.take()
        defer { DecodingState.giveBack(state) }
        return try body(ValueNotes(state: state))
    }

    /// Takes the value at `start` in place of what was noted before, and returns its end; nil where a value may be too long
    /// or too deep to be decoded.
    func take(_ grammar: JSONGrammar, from start: Int, insideOf outerDepth: Int) throws(JSONError) -> Int? {
        guard grammar.count <= DecodingTape.Entry.maximumTextBytes,
            grammar.maximumDepth &- outerDepth <= CodingLimits.depth
        else { return nil }
        return try state.takeUnretainedValue().tape.fill(grammar, from: start, insideOf: outerDepth)
    }

    /// Nil where this isn't the value that was noted.
    package func parsed(_ value: JSONValue) -> ParsedValue? {
        state._withUnsafeGuaranteedRef { state in
            let tape = state.tape
            guard tape.isValid, let base = tape.text.baseAddress,
                base + tape.entries.elements[0].offset == value.text.baseAddress
            else { return nil }
            return ParsedValue(self.state, index: 0)
        }
    }
}
