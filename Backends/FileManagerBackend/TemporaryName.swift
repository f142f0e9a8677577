import SyncProtocol

/// Hidden names of files that are being written.
enum TemporaryName {
  private static let prefix = ".ticds-"
  private static let suffix = ".part"

  /// How long a file must not have changed to be taken for that of a writer who crashed: a day.
  static let abandonedAfter = Duration.seconds(86_400)

  /// A name that nobody else uses.
  ///
  /// - Parameter mark: by which the writer finds it again if he is killed.
  static func make(_ mark: WriterMark? = nil) -> String {
    prefix + (mark.map { $0.digits + "-" } ?? "") + String(UInt64.random(in: .min ... .max), radix: 16)
      + suffix
  }

  /// Whether a name was made with a mark.
  static func matches(_ name: String, _ mark: WriterMark) -> Bool {
    matches(name) && name.hasPrefix("\(prefix)\(mark.digits)-")
  }

  static func matches(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }
}
