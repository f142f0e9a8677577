import ShownText

/// Why a registration or a synchronisation could not be completed.
///
/// Whatever the failure, store and remote are in agreement with what was done so far, and the next attempt continues.
public struct SyncError: Error, Sendable, CustomStringConvertible {
  /// What went wrong. New codes may be added: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, stable for use in output of tools.
    public let description: String

    init(_ description: String) { self.description = description }

    /// An identifier cannot be the name of a file on a remote.
    public static let invalidIdentifier = Code("invalidIdentifier")
    /// The manager was used before it was registered.
    public static let notRegistered = Code("notRegistered")
    /// The remote holds nothing of the application, and creation was not permitted.
    public static let applicationNotFound = Code("applicationNotFound")
    /// The remote holds no such document, and creation was not permitted.
    public static let documentNotFound = Code("documentNotFound")
    /// The application's folder is there under a name that differs in the case of its letters only.
    public static let folderInOtherCase = Code("folderInOtherCase")
    /// The document was deleted or lost, and created again; this device's store belongs to the former one.
    public static let documentReplaced = Code("documentReplaced")
    /// The document was deleted, for everybody.
    public static let documentDeleted = Code("documentDeleted")
    /// This device was removed from the document.
    public static let deviceRemoved = Code("deviceRemoved")
    /// No such device takes part, or it is the one that was asked to remove it.
    public static let noSuchDevice = Code("noSuchDevice")
    /// More foundings of the document lie there than devices can have made, and nothing tells which one the devices use.
    public static let tooManyFoundings = Code("tooManyFoundings")
    /// The store is in step with another document.
    public static let storeOfAnotherDocument = Code("storeOfAnotherDocument")
    /// The document is in a format that this version does not read.
    public static let unsupportedFormat = Code("unsupportedFormat")
    /// The remote is encrypted, and no password was given.
    public static let passwordRequired = Code("passwordRequired")
    /// The password does not unlock the remote.
    public static let wrongPassword = Code("wrongPassword")
    /// The remote is encrypted with a key that is not at hand.
    public static let keyMissing = Code("keyMissing")
    /// Files of the application or the document are there, but not the record of their founding (yet).
    public static let notDelivered = Code("notDelivered")
    /// The remote is encrypted, but its key files are not there (yet).
    public static let keysNotDelivered = Code("keysNotDelivered")
    /// The keys that this device keeps cannot be read or written.
    public static let keysUnreadable = Code("keysUnreadable")
    /// The keys that this device keeps are damaged.
    public static let keysDamaged = Code("keysDamaged")
    /// The password is too short for a new remote.
    public static let weakPassword = Code("weakPassword")
    /// The password cannot be removed, for it is the last one.
    public static let lastPassword = Code("lastPassword")
    /// A password was given, but the remote exists and is not encrypted.
    public static let notEncrypted = Code("notEncrypted")
    /// The remote was encrypted before and is not any more, or the other way round.
    public static let encryptionChanged = Code("encryptionChanged")
    /// A file on the remote is damaged or was tampered with.
    public static let damaged = Code("damaged")
    /// The storage reported a failure; ``SyncError/backendError`` tells which.
    public static let storage = Code("storage")
    /// Another process is writing to the local store.
    public static let storeBusy = Code("storeBusy")
    /// The disk of this device is full.
    public static let storeFull = Code("storeFull")
    /// There is a store where one was to begin.
    public static let storeExists = Code("storeExists")
    /// The local store lacks sets that were removed from the remote, because whole stores contain them.
    public static let storeIncomplete = Code("storeIncomplete")
    /// There is no whole store on the remote that this device can take over.
    public static let noWholeStore = Code("noWholeStore")
    /// The local store cannot be read or written.
    public static let store = Code("store")
    /// Conflicts were left without an answer; nothing of their sets was applied.
    public static let conflictsUnresolved = Code("conflictsUnresolved")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
    /// What was named as a remote is a folder within one.
    public static let withinHierarchy = Code("withinHierarchy")
    /// No more can be made of something: keys were replaced as often as they can be.
    public static let limitReached = Code("limitReached")
    /// Anything else.
    public static let failed = Code("failed")
  }

  /// What went wrong.
  public var code: Code
  /// What it was about: a path on the remote, a store, an identifier. Empty if it is clear from the message.
  public var subject: String
  /// One sentence for a person.
  public var message: String
  /// What a person can do about it.
  public var recovery: String
  /// The failure behind this one.
  public var underlying: (any Error)?

  /// Describes a failure. What others have written may be part of the texts: they are made fit to be shown (`PrintableText`).
  public init(
    _ code: Code, subject: String = "", _ message: String, recovery: String, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.subject = PrintableText.line(subject)
    self.message = PrintableText.line(message)
    self.recovery = PrintableText.line(recovery)
    self.underlying = underlying
  }

  /// Whether the same may well succeed a little later, without anybody doing anything about it.
  public var isTransient: Bool {
    switch code {
    case .storage: backendError?.code.isTransient ?? false
    case .storeBusy, .cancelled: true
    default: false
    }
  }

  /// The storage's failure, if it was one.
  public var backendError: BackendError? { underlying as? BackendError }

  /// One line for a log or a terminal.
  public var description: String {
    PrintableText.line((subject.isEmpty ? "" : "\(subject): ") + "\(message) \(recovery)")
  }
}
