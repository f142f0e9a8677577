/// Hidden names of files that are being written.
enum TemporaryName {
  private static let prefix = ".ticds-"
  private static let suffix = ".part"

  /// After how many seconds without a change a file is taken to belong to a writer that crashed: a day.
  static let abandonedAfter = 86_400

  /// A name that nobody else uses.
  static func make() -> String {
    prefix + String(UInt64.random(in: .min ... .max), radix: 16) + suffix
  }

  static func matches(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }
}
