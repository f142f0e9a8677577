import UntrustedBytes

/// A file whose content does not keep to its format.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The format.
  public var format: String
  /// Where in the file, in bytes.
  public var offset: Int
  /// What should have been there.
  public var expected: String

  /// What a person can do about it.
  public var recovery: String { "Run ticds-inspect verify on the remote." }

  /// One line for a log or a terminal.
  public var description: String { "no valid \(format): expected \(expected) at offset \(offset)" }
}

/// Reads the small files of a remote.
typealias RecordReader = ByteReader<[UInt8], FormatError>

extension RecordReader {
  init(_ bytes: [UInt8], format: String) {
    self.init(bytes) { FormatError(format: format, offset: $0, expected: $1) }
  }

  /// Reads a text after the number of its bytes, which takes two.
  mutating func text(_ what: String, limit: Int) throws(FormatError) -> String {
    let count: UInt16 = try integer(what)
    guard count <= limit else { throw failure("\(what) of at most \(limit) bytes") }
    return try string(Int(count), what)
  }
}
