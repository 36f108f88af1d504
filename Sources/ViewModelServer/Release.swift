/// The release of this package.
enum Release {
    static let version = "0.1.0"
}
