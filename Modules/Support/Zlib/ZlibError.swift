/// A failure to compress or decompress.
public struct ZlibError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: Hashable, Sendable {
    private enum Kind: Hashable, Sendable { case corrupt, truncated, limit, trailing, library }
    private let kind: Kind

    /// The bytes are not what the format permits, or a checksum does not fit.
    public static let corrupt = Code(kind: .corrupt)
    /// The bytes end before the stream does.
    public static let truncated = Code(kind: .truncated)
    /// The output would be longer than its caller permits.
    public static let exceedsLimit = Code(kind: .limit)
    /// Bytes follow the end of the stream.
    public static let trailingBytes = Code(kind: .trailing)
    /// zlib failed for a reason of its own, such as want of memory.
    public static let libraryFailure = Code(kind: .library)
  }

  /// What kind of failure it is.
  public let code: Code
  /// How many bytes of input were consumed before the failure.
  public let offset: Int
  /// What was found, without the data itself.
  public let message: String

  /// Describes a failure.
  public init(_ code: Code, offset: Int, message: String) {
    self.code = code
    self.offset = offset
    self.message = message
  }

  /// What a person can do about it.
  public var recovery: String {
    switch code {
    case .corrupt, .trailingBytes: "The data is damaged; fetch it again or restore it from a copy."
    case .truncated: "The data is incomplete; wait until it has arrived completely or fetch it again."
    case .exceedsLimit: "The data is larger than expected; raise the limit only if its origin is trusted."
    default: "Free some memory and try again; otherwise report the message."
    }
  }

  /// One line for a log or a terminal.
  public var description: String { "compressed data, offset \(offset): \(message)" }
}
