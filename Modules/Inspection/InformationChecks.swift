import Crypto
import SyncProtocol

/// Checks the small files that describe clients, documents and keys.
struct InformationChecks {
  let reader: ApplicationReader
  let documents: [RemoteName: DocumentReader]
  private let deletions: DeletionNotes

  init(reader: ApplicationReader, documents: [DocumentReader]) {
    self.reader = reader
    deletions = DeletionNotes(reader)
    self.documents = Dictionary(documents.map { ($0.hierarchy.document, $0) }) { first, _ in first }
  }

  private static let compare = "Compare it with a copy of the remote."

  /// - Parameter unexamined: folders in which nothing is what it seems.
  func run(_ verification: inout Verification, passingOver unexamined: Set<RemotePath>) async {
    for node in reader.entries {
      guard let path = node.path, !unexamined.contains(RemotePath(Array(path.names.prefix(3)))) else {
        continue
      }
      if verification.depth == .names {
        if node.role == .folder { verification.findings += rivals(node, path) }
        continue
      }
      do throws(ReadingFailure) {
        verification.findings += try await findings(of: node, at: path)
      } catch {
        if !verification.passesOver(error, at: path) {
          verification.findings.append(
            Finding(
              error, path: path,
              message: "The file cannot be used: \(error.description).",
              next: Self.advice(onDamageOf: node.role)))
        }
      }
    }
  }

  /// What is wrong with one file or folder that tells of others.
  func findings(of node: RemoteNode, at path: RemotePath) async throws(ReadingFailure) -> [Finding] {
    switch node.role {
    case .readMe: try await readMe(path)
    case .deviceInformation(let client): try await device(path, client)
    case .documentInformation: try await document(path)
    case .keyFile: try await keyFile(path)
    case .founding(let name): try await founding(path, name)
    case .folder: rivals(node, path)
    default: []
    }
  }

  private static func advice(onDamageOf role: FileRole) -> String {
    switch role {
    case .founding, .documentInformation:
      "Sync a device that has joined; within a day it puts the file back. If none is left, restore it from a copy of the remote."
    default: "Restore the file from a copy of the remote."
    }
  }

  private func readMe(_ path: RemotePath) async throws(ReadingFailure) -> [Finding] {
    let text = Array(ApplicationHierarchy.readMeText.utf8)
    do throws(ReadingFailure) {
      if try await reader.bytes(at: path, limit: text.count) == text { return [] }
    } catch {
      guard case .storage(let failure) = error, failure.code == .tooLarge else { throw error }
    }
    return [
      Finding(
        .readMeChanged, path: path.description,
        message:
          "The file does not say what devices write there: somebody has changed it. No device reads it.",
        next: "Do not follow what it says; remove it, and a device that is registered anew writes another.")
    ]
  }

  private func device(_ path: RemotePath, _ client: String) async throws(ReadingFailure) -> [Finding] {
    let information = try await reader.deviceInformation(path, of: client)
    guard information.identifier != client else { return [] }
    return [
      Finding(
        .misplaced, path: path.description,
        message: "The file describes the client “\(information.identifier)”.", next: Self.compare)
    ]
  }

  private func document(_ path: RemotePath) async throws(ReadingFailure) -> [Finding] {
    guard let folder = path.parent?.name, let document = documents[folder] else { return [] }
    let information = try await document.information()
    if information.identifier != folder.description {
      return [
        Finding(
          .misplaced, path: path.description,
          message: "The file describes the document “\(information.identifier)”.", next: Self.compare)
      ]
    }
    if case .compact(DocumentInformation.compactVersion) = information.format { return [] }
    if await document.isFoundedInReadableFormat() {
      throw .format("it names another format than the document's founding record")
    }
    return [
      Finding(
        .unknownFormat, path: path.description,
        message: "The document is in a format that this version does not verify.",
        next: "Use the version of the tools that belongs to the application.")
    ]
  }

  private func keyFile(_ path: RemotePath) async throws(ReadingFailure) -> [Finding] {
    let key = path.name.flatMap { KeyFileName($0) }?.key
    let isReplaced = key.map { reader.replacedKeys.contains($0) } ?? false
    do throws(ReadingFailure) {
      let findings = try await wrongs(ofKeyFile: path)
      return findings.isEmpty || !isReplaced ? findings : [Self.leftKeyFile(path)]
    } catch {
      guard isReplaced, case .format = error else { throw error }
      return [Self.leftKeyFile(path)]
    }
  }

  /// Who replaces a key removes the files that hold it, and knows none that is damaged.
  private static func leftKeyFile(_ path: RemotePath) -> Finding {
    Finding(
      .foreignEntry, path: path.description,
      message: "The file of a key that was replaced is damaged: it opens nothing, and nobody needs it.",
      next: "Remove it.")
  }

  private func wrongs(ofKeyFile path: RemotePath) async throws(ReadingFailure) -> [Finding] {
    let bytes = try await reader.bytes(at: path, limit: ApplicationKeys.sizeLimit)
    let file: KeyFile
    do {
      file = try KeyFile(parsing: bytes)
    } catch {
      throw .format(error.description)
    }
    guard file.keyIdentifier == path.name.flatMap({ KeyFileName($0) })?.key else {
      return [
        Finding(
          .misplaced, path: path.description, message: "The file holds the key \(file.keyIdentifier).",
          next: Self.compare)
      ]
    }
    let isChanged: Bool
    if case .unreadable(let name) = reader.keys {
      // It is what a key file looks like, and yet the password did not open what it should.
      isChanged = name == path.name.flatMap { KeyFileName($0) }
    } else {
      let key = reader.keys.ring?[file.keyIdentifier]
      isChanged = key.map { (try? file.authenticate(with: $0)) == nil } ?? false
    }
    guard isChanged else { return [] }
    return [
      Finding(
        .notAuthentic, path: path.description,
        message:
          "The key file was changed by somebody who does not have its key, so nobody can join with it.",
        next:
          "Sync a device that has joined; within a day it puts a good copy beside it. Then remove this one.")
    ]
  }

  private func founding(_ path: RemotePath, _ name: FoundingName) async throws(ReadingFailure) -> [Finding] {
    if name.key != nil, !reader.keys.isEncrypted, path.parent == reader.hierarchy.founding { return [] }
    let bytes = try await reader.bytes(at: path, limit: FoundingRecord.sizeLimit)
    if let key = name.key, reader.isLocked || reader.isOfOthers(key) { throw .locked }
    let record: FoundingRecord
    do {
      record = try FoundingRecord(bytes, keys: reader.keys.ring)
    } catch let error as CryptoError {
      guard error.code == .unknownKey, let key = name.key else { throw .sealed(error) }
      throw .unknownKey(key)
    } catch let error as FormatError {
      throw .format(error.description)
    } catch {
      throw .format("\(error)")
    }
    if record.integrityKey == name.integrityKey, record.key == name.key {
      return record.document.isEmpty || record.isReadable ? [] : [unknownFormat(record, path)]
    }
    return [
      Finding(
        .misplaced, path: path.description,
        message: "The file is the record of the founding \(record.integrityKey).", next: Self.compare)
    ]
  }

  private func unknownFormat(_ record: FoundingRecord, _ path: RemotePath) -> Finding {
    Finding(
      .unknownFormat, path: path.description,
      message:
        "The record founds a document in a format that this version does not read: “\(record.format)” \(record.formatVersion). Devices of this version join another founding, if there is one.",
      next:
        "If an application of yours is newer than these tools, use those that belong to it. If not, somebody has forged the record: move it away."
    )
  }

  private func rivals(_ folder: RemoteNode, _ path: RemotePath) -> [Finding] {
    let document = path.names.count > 2 ? documents[path.names[2]]?.hierarchy : nil
    // A founding whose key was replaced stands beside the one that came in its place.
    let replaced = reader.replacedKeys
    let rivals = folder.children.filter {
      guard case .founding(let name) = $0.role else { return false }
      if let document, deletions.isDeleted(name.integrityKey, of: document) { return false }
      // That a record came here from an encrypted remote is a finding of its own.
      return name.key.map { replaced.contains($0) || reader.isLost($0) || !reader.keys.isEncrypted } != true
    }
    let plain = rivals.filter { $0.isFoundingWithoutKey }
    if reader.keys.isEncrypted, plain.count < rivals.count, let stray = plain.first {
      return self.rivals(of: rivals.filter { !$0.isFoundingWithoutKey }, path) + [
        Finding(
          .rivalFoundings, path: (stray.path ?? path).description,
          message:
            "The record\(plain.count == 1 ? "" : ", one of \(plain.count),") says that this was founded without encryption, and the rest is encrypted: it comes from another remote, or from devices that founded this at the same time without a password. The two never become one.",
          next:
            "If devices use it, let them join anew in a new store with the password, and bring there what they hold. Then, or if nobody does, move it away."
        )
      ]
    }
    return self.rivals(of: rivals, path)
  }

  private func rivals(of rivals: [RemoteNode], _ path: RemotePath) -> [Finding] {
    guard rivals.count > 1 else { return [] }
    let hasOthers = rivals.contains {
      guard case .founding(let name) = $0.role, let key = name.key else { return false }
      return reader.isOfOthers(key) || reader.keys.ring.map { $0[key] == nil } ?? false
    }
    return [
      Finding(
        .rivalFoundings, path: path.description,
        message: hasOthers
          ? "\(rivals.count) foundings lie there, and the keys at hand do not open all: either devices were first at once, or the master key was replaced since, which only the present password tells."
          : "\(rivals.count) devices were first at once; their foundings become one when they synchronise.",
        next: "Sync these devices; if one asks for a password, give it, once more if it is the same.")
    ]
  }
}

extension RemoteNode {
  fileprivate var isFoundingWithoutKey: Bool {
    if case .founding(let name) = role { name.key == nil } else { false }
  }
}

extension Finding {
  /// Reports a file that cannot be used, or that the storage has not delivered: then nothing says that it is damaged, and nothing is to be
  /// restored.
  init(_ failure: ReadingFailure, path: RemotePath, message: String, next: String) {
    guard failure.findingCode == .unreadable else {
      self.init(failure.findingCode, path: path.description, message: message, next: next)
      return
    }
    self.init(
      .unreadable, path: path.description,
      message: "The storage did not deliver the file, so it could not be checked: \(failure.description).",
      next:
        "Nothing says that it is damaged: restore nothing. Try again later; if it stays so, look into the server's log, or at what else keeps the storage from delivering it."
    )
  }
}

extension ReadingFailure {
  /// What a file that fails so is called in a finding.
  var findingCode: Finding.Code {
    switch self {
    case .storage(let error): error.code == .tooLarge ? .tooLarge : .unreadable
    case .wrongHash: .damagedFile
    case .notSealed: .notSealed
    case .sealed, .locked, .unfounded: .notAuthentic
    case .unknownKey: .keyNotAtHand
    case .format: .undecodable
    }
  }
}
