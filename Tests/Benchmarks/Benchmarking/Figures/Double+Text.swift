extension Double {
    /// With so many digits behind the point, and a comma between each three in front of it.
    package func text(decimals: Int) -> String {
        guard isFinite, magnitude < 1e15 else { return description }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int((magnitude * scale).rounded())
        let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: Int(scale))
        var text = sign == .minus && scaled != 0 ? "-" : ""
        let digits = String(whole)
        for (place, digit) in digits.enumerated() {
            if place > 0 && (digits.count - place) % 3 == 0 { text += "," }
            text.append(digit)
        }
        guard decimals > 0 else { return text }
        let places = String(fraction)
        return text + "." + String(repeating: "0", count: decimals - places.count) + places
    }
}
