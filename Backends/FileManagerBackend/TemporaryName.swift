/// Hidden names of files that are being written.
enum TemporaryName {
  private static let prefix = ".ticds-"
  private static let suffix = ".part"

  /// How long a file must not have changed to be taken for that of a writer who crashed: a day.
  static let abandonedAfter = Duration.seconds(86_400)

  /// A name that nobody else uses.
  static func make() -> String {
    prefix + String(UInt64.random(in: .min ... .max), radix: 16) + suffix
  }

  static func matches(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }
}
