/// A store file that cannot be opened or written.
public struct StoreFileError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A stable word, for tools that print it.
    public let rawValue: String

    /// Wraps a code word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file is missing, damaged or may not be read.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The file is no Core Data store.
    public static let otherFormat = Code(rawValue: "otherFormat")
    /// The named model is not the store's.
    public static let otherModel = Code(rawValue: "otherModel")
    /// There is a file where one was to be made.
    public static let exists = Code(rawValue: "exists")
    /// Somebody else is making the file.
    public static let busy = Code(rawValue: "busy")
    /// The name of a new file leaves no room for those of what lies beside it.
    public static let nameTooLong = Code(rawValue: "nameTooLong")
    /// Long values of the store would lie in the folder of another one.
    public static let sharedFolder = Code(rawValue: "sharedFolder")
    /// Objects have values that the model wants to be unique.
    public static let notUnique = Code(rawValue: "notUnique")
    /// Stores of this kind are read only.
    public static let notWritten = Code(rawValue: "notWritten")
  }

  /// What kind of failure it is.
  public let code: Code
  /// The file.
  public let path: String
  /// What is wrong.
  public let message: String
  /// The error beneath, if there is one.
  public let underlying: (any Error)?

  init(_ code: Code, path: String, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.path = path
    self.message = message
    self.underlying = underlying
  }

  /// What a person can do about it.
  public var recovery: String {
    switch code {
    case .otherFormat: "Choose another file; this one belongs to another program."
    case .otherModel: "Name the version of the model that the store was made with, or none at all."
    case .notUnique: "Give each object values of its own; verify names all that have not."
    case .notWritten: "Make an SQLite or a binary store of it."
    case .sharedFolder: "Choose a name that differs in what stands before the last dot, or another folder."
    case .nameTooLong: "Choose a shorter name."
    case .busy: "Wait until it is done, or choose another name."
    case .exists: "Choose another name, or move the existing file away."
    default: "Check the path and your permissions; if the file is damaged, restore it from a copy."
    }
  }

  /// One line for a log or a terminal.
  public var description: String { "\(path): \(message)" }
}
