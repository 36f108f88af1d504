/// A value of a JSON text, all parts of which were found in one pass: reading and decoding them takes no further pass.
///
/// Valid only inside the call that it is lent for.
package struct ParsedValue {
    /// The decoding's state, unretained, as retaining it takes longer than finding a member. `JSONValue.parse` retains it.
    private let state: Unmanaged<DecodingState>
    /// The index of the value's entry on the tape.
    let index: Int

    fileprivate init(_ state: Unmanaged<DecodingState>, index: Int) {
        (self.state, self.index) = (state, index)
    }

    /// The value without its tape. For an array this takes a pass over it.
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

    /// Calls `body` for each member in the order of the text, duplicates included; never where the value isn't an object.
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

    /// The tape that holds the value.
    var tape: DecodingTape { state.takeUnretainedValue().tape }

    /// Calls `body` with the tape, which is sure to have an entry at `index`: a `ParsedValue` is made only of an existing
    /// entry.
    @inline(__always)
    private func withTape<R>(_ body: (DecodingTape) -> R) -> R { state._withUnsafeGuaranteedRef { body($0.tape) } }
}

extension JSONValue {
    /// Finds all values inside this one, and lends the result to `body`.
    ///
    /// - Returns: the result of `body`; nil if the value is too long, or nested too deep, to be decoded.
    package func parse<R, E: Error>(_ body: (ParsedValue) throws(E) -> R?) throws(E) -> R? {
        let state = DecodingState.take()
        defer { DecodingState.giveBack(state) }
        do { try state.takeUnretainedValue().tape.fill(text, at: .root) } catch { return nil }
        return try body(ParsedValue(state, index: 0))
    }
}

/// The places of all values inside one object or array, noted in the pass that checks its text: reading and decoding it
/// takes no further pass.
///
/// Valid only inside the call that it is lent for, and while the text is.
package struct ValueNotes {
    /// The decoding's state, unretained as in a `ParsedValue`. `lend` retains it.
    private let state: Unmanaged<DecodingState>

    /// Lends empty notes to `body`.
    package static func lend<R, E: Error>(_ body: (ValueNotes) throws(E) -> R) throws(E) -> R {
        let state = DecodingState.take()
        defer { DecodingState.giveBack(state) }
        return try body(ValueNotes(state: state))
    }

    /// Checks the value at `start` and notes the places in it, in place of what was noted before.
    ///
    /// - Returns: the end of the value; nil, with nothing checked, if the text may be too long, or nested too deep, to be
    ///   decoded.
    func take(_ grammar: JSONGrammar, from start: Int, insideOf outerDepth: Int) throws(JSONError) -> Int? {
        guard grammar.count <= DecodingTape.Entry.maximumTextBytes,
            grammar.maximumDepth &- outerDepth <= CodingLimits.depth
        else { return nil }
        return try state.takeUnretainedValue().tape.fill(grammar, from: start, insideOf: outerDepth)
    }

    /// Returns `value` with its notes; nil if it isn't the value that was noted last.
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
