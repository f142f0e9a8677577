/// A file or archive that is not what its format promises, with the place where that shows.
///
/// Compare ``code`` with the static members of ``Code``. Values of the user never appear in an error; names of
/// classes, keys and entities do.
public struct CoreDataFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A stable word, for tools that print it.
    public let rawValue: String

    /// Wraps a code word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes do not start as this format does.
    public static let otherFormat = Code(rawValue: "otherFormat")
    /// The bytes end before what they announce.
    public static let truncated = Code(rawValue: "truncated")
    /// A field holds what the format does not permit there.
    public static let malformed = Code(rawValue: "malformed")
    /// The format permits it, this reader does not know it.
    public static let unsupported = Code(rawValue: "unsupported")
    /// A limit of ``DecodingLimits`` was exceeded.
    public static let limitExceeded = Code(rawValue: "limitExceeded")
    /// An object contains itself.
    public static let cycle = Code(rawValue: "cycle")
    /// An archive holds an object of a class that the caller did not allow.
    public static let classNotAllowed = Code(rawValue: "classNotAllowed")
    /// A value cannot be written in this format.
    public static let notEncodable = Code(rawValue: "notEncodable")
  }

  /// The format that was being read or written.
  public enum Format: String, Hashable, Sendable {
    /// A property list in Apple's binary format, version 00.
    case binaryPropertyList = "binary property list"
    /// An archive in the shape of NSKeyedArchiver.
    case keyedArchive = "keyed archive"
    /// A Core Data binary store.
    case binaryStore = "Core Data binary store"
    /// A Core Data XML store.
    case xmlStore = "Core Data XML store"
  }

  /// What kind of failure it is.
  public let code: Code
  /// The format that was being read or written.
  public let format: Format
  /// Byte offset of the field in question from the start of the file, if there is one.
  public let offset: Int?
  /// What was expected there, and what was found where that helps.
  public let expectation: String

  /// Describes a failure.
  public init(_ code: Code, in format: Format, at offset: Int? = nil, expected expectation: String) {
    self.code = code
    self.format = format
    self.offset = offset
    self.expectation = expectation
  }

  /// What a person can do about it.
  public var recovery: String {
    switch code {
    case .otherFormat: "Check that this is the file you meant; its first bytes belong to another format."
    case .truncated: "The file is incomplete; wait until it has arrived completely or fetch it again."
    case .limitExceeded:
      "The file is larger or deeper than is reasonable; raise the limits only if you trust it."
    case .classNotAllowed: "Allow the class explicitly if you trust where the file comes from."
    case .notEncodable: "Change the value to one that the format can hold."
    default: "The file is damaged or was written by an unknown program; restore it from a copy."
    }
  }

  /// One line for a log or a terminal.
  public var description: String {
    let place = offset.map { " at offset \($0)" } ?? ""
    return "\(format.rawValue): \(code.rawValue)\(place): expected \(expectation)"
  }
}
