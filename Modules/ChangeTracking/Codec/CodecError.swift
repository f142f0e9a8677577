/// Why the bytes of a change set cannot be read.
public struct CodecError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure; new ones may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// The bytes are no change set.
    public static let foreign = Code(name: "foreign")
    /// The set is in a version of the format that this library does not know.
    public static let newerVersion = Code(name: "newerVersion")
    /// The set is in a version of the format that this library reads no more.
    public static let olderVersion = Code(name: "olderVersion")
    /// The bytes contradict the format.
    public static let damaged = Code(name: "damaged")
    /// A size exceeds its limit.
    public static let exceedsLimit = Code(name: "exceedsLimit")
  }

  /// What kind of failure it is.
  public let code: Code
  /// Where in the bytes (after decompression, except for the header).
  public let offset: Int
  /// What was expected there.
  public let expected: String

  /// One line for a log or a terminal.
  public var description: String { "change set, offset \(offset): expected \(expected). \(recovery)" }

  /// What a person can do about it.
  public var recovery: String {
    switch code {
    case .newerVersion: "Update the application on this device."
    case .olderVersion: "Update the application on the device that wrote it."
    case .exceedsLimit: "No device writes so much; restore the file from a copy."
    default: "Fetch the file again; if it stays damaged, run ticds-inspect verify."
    }
  }
}
