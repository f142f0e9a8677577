/// Names of files that are being written.
///
/// No name of ours holds a tilde, so they can be mistaken for nothing else; and no server hides or refuses them, as some do
/// with names that begin with a dot or end with `.part`.
enum TemporaryName {
  private static let prefix = "ticds~"
  private static let suffix = ".tmp"

  /// How long a file must not have changed to be taken for that of a writer who crashed: a day, by the server's clock.
  static let abandonedAfter: Int64 = 86_400

  /// A name that nobody else uses.
  static func make() -> String {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    return prefix + String(repeating: "0", count: 16 - number.count) + number + suffix
  }

  static func matches(_ name: String) -> Bool {
    name.hasPrefix(prefix) && name.hasSuffix(suffix) && name.utf8.count == prefix.count + 16 + suffix.count
  }
}
