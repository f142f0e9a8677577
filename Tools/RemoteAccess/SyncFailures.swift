import CommandLineTool
import TICDSSQLite
import SyncProtocol

extension ToolFailure {
  /// Returns the exit status and the sentence for a failure of a registration or synchronisation.
  ///
  /// - Parameter remote: the remote as a person named it.
  public init(_ error: SyncError, remote: String) {
    if let failure = error.backendError, error.code == .storage {
      self.init(failure, remote: remote)
      return
    }
    if let failure = error.underlying as? SQLiteError {
      self.init(failure)
      return
    }
    let number = error.systemError ?? 0
    let refused = ToolStatus(systemError: number)
    let status: ToolStatus =
      switch error.code {
      case .invalidIdentifier, .notEncrypted, .withinHierarchy: .usage
      case .notRegistered, .applicationNotFound, .documentNotFound, .documentReplaced,
        .documentDeleted, .folderInOtherCase:
        .notFound
      case .notDelivered, .keysNotDelivered: .notFound
      case .storeOfAnotherDocument: .usage
      case .unsupportedFormat: .unsupported
      case .passwordRequired, .wrongPassword, .weakPassword, .lastPassword, .keyMissing: .wrongPassword
      case .encryptionChanged, .damaged, .keysDamaged: .damaged
      case .keysUnreadable: .forbidden
      case .storeExists: .alreadyExists
      case .noSuchDevice: .notFound
      case .storeIncomplete, .noWholeStore, .deviceRemoved, .tooManyFoundings: .blocked
      case .storeBusy: .busy
      case .storeFull, .limitReached: .full
      case .store: refused ?? .damaged
      case .conflictsUnresolved: .undecided
      case .cancelled: .interrupted
      default: .unexpected
      }
    let subject = error.subject.isEmpty ? "" : "\(error.subject): "
    let isRefused = [.full, .forbidden].contains(status)
    self.init(
      status, subject + Wording.clause(error.message),
      advice: isRefused
        ? Self.advice(systemError: number) ?? Wording.clause(error.recovery) : Wording.clause(error.recovery))
  }

  /// Returns the exit status and the sentence for a failure of the local database.
  public init(_ error: SQLiteError) {
    let status: ToolStatus =
      switch error.code {
      case .busy, .locked: .busy
      case .readOnly, .cannotOpen: .forbidden
      case .full: .full
      case .corrupt, .notADatabase, .inputOutput: .damaged
      case .interrupted: .interrupted
      default: .unexpected
      }
    self.init(
      status, "the store “\(error.path)” reports: \(Wording.clause(error.message))",
      advice: Self.advice(systemError: error.systemError) ?? Wording.clause(error.recovery))
  }
}
