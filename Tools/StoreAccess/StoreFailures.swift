import CommandLineTool
import CoreDataFormats
import Foundation
import ObjectStore
import TICDSSQLite
import SystemErrors

extension ToolFailure {
  /// Returns the exit status and the sentence for an error of stores and models; `nil` for others.
  package init?(storeError error: any Error) {
    switch error {
    case let error as StoreFileError: self.init(error)
    case let error as ModelFileError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as CoreDataFormatError:
      self.init(.damaged, error.description, advice: Self.clause(error.recovery))
    case let error as BinaryStoreError:
      self.init(.damaged, error.description, advice: Self.clause(error.recovery))
    case let error as ModelError: self.init(.damaged, error.description, advice: Self.clause(error.recovery))
    case let error as SQLiteError: self.init(error)
    case let error as CocoaError: self.init(error)
    case let error as POSIXError: self.init(systemError: error.code.rawValue, "a file cannot be used")
    default: return nil
    }
  }

  private init(_ error: StoreFileError) {
    if error.code == .exists || error.code == .sharedFolder {
      self.init(.alreadyExists, error.description, advice: Self.clause(error.recovery))
    } else if error.code == .nameTooLong {
      self = .usage(error.description, advice: Self.clause(error.recovery))
    } else if error.code == .busy {
      self.init(.busy, error.description, advice: Self.clause(error.recovery))
    } else if error.code == .notUnique {
      self.init(.damaged, error.description, advice: Self.clause(error.recovery))
    } else if ModelArgument.isFolder(error.path) {
      self.init(
        .notFound, "“\(PrintableText.line(error.path))” is a folder, and no store",
        advice: "name the file of a store that lies in it")
    } else if error.code == .otherFormat || error.code == .otherModel {
      self.init(.unsupported, error.description, advice: Self.clause(error.recovery))
    } else if let beneath = error.underlying.flatMap({ ToolFailure(storeError: $0) }) {
      self.init(beneath.status, error.description, advice: beneath.advice)
    } else {
      let isMissing = !FileManager.default.fileExists(atPath: error.path)
      self.init(
        isMissing ? .notFound : error.underlying == nil ? .forbidden : .damaged, error.description,
        advice: Self.clause(error.recovery))
    }
  }

  private init(_ error: ModelFileError) {
    let status: ToolStatus =
      switch error.code {
      case .unreadable:
        error.path.map(FileManager.default.fileExists(atPath:)) == true ? .forbidden : .notFound
      case .otherFormat, .ambiguous: .unsupported
      case .exists: .alreadyExists
      case .unwritable: error.path.map(ModelArgument.isInMissingFolder) == true ? .notFound : .forbidden
      default: .damaged
      }
    self.init(status, error.description, advice: Self.clause(error.recovery))
  }

  private init(_ error: StoreError) {
    if case .database(let error) = error.reason {
      self.init(error)
      return
    }
    let status: ToolStatus =
      switch error.reason {
      case .missing: .notFound
      case .notAStore, .modelMismatch, .unknownVersion, .cannotInfer, .migrationRefused: .unsupported
      case .cancelled: .interrupted
      case .readOnly, .externalFile: .forbidden
      case .full: .full
      default: .damaged
      }
    self.init(status, error.description, advice: Self.clause(error.recovery))
  }

  private init(_ error: SQLiteError) {
    let status: ToolStatus =
      switch error.code {
      case .busy, .locked: .busy
      case .full: .full
      case .readOnly, .cannotOpen: .forbidden
      case .corrupt, .notADatabase, .inputOutput, .generic: .damaged
      case .interrupted: .interrupted
      default: .unexpected
      }
    self.init(
      status, error.description,
      advice: Self.advice(systemError: error.systemError) ?? Self.clause(error.recovery))
  }

  private init(_ error: CocoaError) {
    let place = error.filePath.map { "“\($0)”" } ?? "a file"
    let isReading = [.fileReadNoPermission, .fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
    if let number = error.systemError {
      self.init(systemError: number, "\(place) cannot be \(isReading ? "read" : "written")")
    } else {
      self.init(
        .unexpected, "\(place): \(error.localizedDescription)", advice: "check the disk, then try again")
    }
  }

  /// Libraries write sentences; here one becomes part of another.
  public static func clause(_ sentence: String) -> String {
    let words = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}
