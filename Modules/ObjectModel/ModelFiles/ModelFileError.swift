import CoreDataFormats

/// A model file that cannot be read or written, with the file and the place in it.
public struct ModelFileError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A stable word, for tools that print it.
    public let rawValue: String

    /// Wraps a code word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no such file, or it cannot be read.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The file is no model of a kind that is known here.
    public static let otherFormat = Code(rawValue: "otherFormat")
    /// The file begins as a model and then is not one.
    public static let malformed = Code(rawValue: "malformed")
    /// A bundle of versions does not say which one is current.
    public static let ambiguous = Code(rawValue: "ambiguous")
    /// There is a file already where one was to be made.
    public static let exists = Code(rawValue: "exists")
    /// A file cannot be written.
    public static let unwritable = Code(rawValue: "unwritable")
    /// The model contradicts itself; ``underlying`` is a ``ModelError``.
    public static let invalid = Code(rawValue: "invalid")
  }

  /// What kind of failure it is.
  public let code: Code
  /// The file, if the model came from one.
  public internal(set) var path: String?
  /// What is wrong, and where.
  public let message: String
  /// The error of the format or of the model, if there is one.
  public let underlying: (any Error)?

  init(_ code: Code, path: String? = nil, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.path = path
    self.message = message
    self.underlying = underlying
  }

  init(_ error: CoreDataFormatError) {
    self.init(error.code == .otherFormat ? .otherFormat : .malformed, "\(error)", underlying: error)
  }

  init(_ error: ModelError) {
    self.init(.invalid, "\(error)", underlying: error)
  }

  /// What a person can do about it.
  public var recovery: String {
    switch code {
    case .unreadable: "Check the path and that you may read it."
    case .exists: "Give another name, or move that file away."
    case .unwritable: "Check the path, that you may write there, and that there is room."
    case .ambiguous: "Name the version that you mean, one .xcdatamodel or .mom file."
    case .invalid:
      "Correct the model in the editor that made it; each line names the entity and the property."
    default: "Give a .xcdatamodeld, .xcdatamodel, .momd or .mom, or restore the file from a copy."
    }
  }

  /// One line for a log or a terminal.
  public var description: String { path.map { "\($0): \(message)" } ?? message }
}
