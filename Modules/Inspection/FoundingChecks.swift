import ChangeTracking
import Crypto
import SyncProtocol

/// Checks who founded an application's part and its documents, and what makes foundings that met one: wrapped keys and acceptances.
struct FoundingChecks {
  let reader: ApplicationReader
  let documents: [DocumentReader]
  let remote: String

  private var ring: KeyRing? { reader.keys.ring }

  /// - Returns: the folders of documents that were deleted and of which something is left without a record: all of that is to go.
  func run(_ verification: inout Verification) async -> Set<RemotePath> {
    let names = try? NameAuthenticator(keys: ring)
    verification.findings += application(names) + keysOfPlainApplication()
    let notes = DeletionNotes(reader)
    let areDeletionsListed = reader.unlisted.isListed(reader.hierarchy.deletedDocuments)
    var gone: Set<RemotePath> = []
    for document in documents {
      // Records in a folder whose name is another in case only are there all the same.
      let isMisnamed = document.node.namesInRightCase.contains { $0 == document.hierarchy.integrityKey.name }
      let isListed = reader.unlisted.isListed(document.hierarchy.integrityKey)
      if document.foundings.isEmpty, isListed, !isMisnamed,
        let note = deletion(notes.all, of: document, names)
      {
        verification.findings.append(deleted(document, note.path))
        gone.insert(document.hierarchy.root)
        continue
      }
      // Without a record it may be one that was deleted, as notes tell.
      if isListed, !document.foundings.isEmpty || areDeletionsListed {
        verification.findings += foundings(of: document, besides: notes, names)
      }
      let deleted = (document.foundings + document.deletedFoundingsLeft).flatMap(notes.notes(of:))
      let isSucceeded = document.foundings.contains { !notes.isDeleted($0, of: document.hierarchy) }
      verification.findings += deletions(deleted, of: document, isSucceeded: isSucceeded, names)
      for node in document.entries where verification.depth == .data {
        guard case .acceptance(let name) = node.role else { continue }
        if let finding = await content(of: name, document.hierarchy) { verification.findings.append(finding) }
      }
    }
    for node in reader.entries where verification.depth == .data {
      guard case .wrappedKey(let name) = node.role, let path = node.path else { continue }
      guard let ring else {
        verification.locked += 1
        continue
      }
      if let finding = await wrappedKey(name, path, ring) { verification.findings.append(finding) }
    }
    return gone
  }

  // MARK: The application

  private func application(_ names: NameAuthenticator?) -> [Finding] {
    let hierarchy = reader.hierarchy
    guard reader.node.children.contains(where: { $0.path == hierarchy.founding }) else { return [] }
    let foundings = reader.foundingNames.filter { name in
      guard !reader.isLocked, let names else { return true }
      return hierarchy.isGenuine(name, names)
    }
    let (areFoundingsListed, areKeysListed) = (
      reader.unlisted.isListed(hierarchy.founding), reader.areKeysListed
    )
    let lost = areFoundingsListed && areKeysListed ? lostKeys() : []
    guard !foundings.isEmpty else {
      return areFoundingsListed ? [unfounded(hierarchy.founding, "the application")] + lost : []
    }
    guard areKeysListed else { return [] }
    let keys = Set(foundings.compactMap(\.key))
    let files = reader.keyFileNames.map(\.key)
    let locked = keys.subtracting(files).subtracting(reader.keysWithoutFile).map { key in
      Finding(
        .keyFileMissing, path: hierarchy.encryption.description,
        message: "There is no key file of the key \(key), so nobody can join with its password.",
        next: "Sync a device that has joined; within a day it puts the file back.")
    }
    return locked + missingWrappedKeys(keys) + lost + unnamedKeyFiles() + forgedWithdrawals(names)
  }

  /// Keys that nothing leads to any more. One finding for all of them, for whoever can write here can make thousands of names.
  private func lostKeys() -> [Finding] {
    let lost = reader.foundedKeys.filter(reader.isLost).map(\.description).sorted()
    guard let first = lost.first else { return [] }
    let keys =
      lost.count == 1 ? "The key \(first) is" : "\(lost.count) keys, \(first) among them, are"
    return [
      Finding(
        .wrappedKeyMissing, path: reader.hierarchy.encryption.description,
        message:
          "\(keys) not wrapped under one at hand, and no password opens what was sealed before the keys were replaced.",
        next:
          "Sync a device that has both keys; it writes what is missing. Or put it back from a copy: ticds-inspect repair \(remote) --from COPY"
      )
    ]
  }

  /// One finding for all of them, for whoever can write here can make thousands. Founding records that cannot be told from forged ones,
  /// because another password belongs to them, name keys as well; and a key at hand is none of a stranger's.
  private func unnamedKeyFiles() -> [Finding] {
    guard let ring else { return [] }
    let named = reader.foundedKeys
    let unnamed = reader.keyFileNames.filter { !named.contains($0.key) && ring[$0.key] == nil }.sorted {
      $0.name < $1.name
    }
    guard let first = unnamed.first else { return [] }
    let files =
      unnamed.count == 1 ? "“\(first.name)” is" : "\(unnamed.count) files, “\(first.name)” among them, are"
    return [
      Finding(
        .keyFilesUnnamed, path: reader.hierarchy.encryption.description,
        message:
          "\(files) of keys that no founding record names; the passwords of newcomers are tried on them.",
        next:
          "Sync every device, which puts back founding records that were lost; remove the files if they are named a day later and nobody uses another password."
      )
    ]
  }

  /// One finding for all of them. Of a key that is not at hand only who has it can tell.
  private func forgedWithdrawals(_ names: NameAuthenticator?) -> [Finding] {
    guard let ring, let names else { return [] }
    let forged = reader.entries.filter { node in
      guard case .withdrawal(let name) = node.roleOfName, ring[name.key] != nil else { return false }
      return !reader.hierarchy.isGenuine(name, names)
    }
    guard let first = forged.map(\.name).min() else { return [] }
    let files = forged.count == 1 ? "“\(first)” was" : "\(forged.count) files, “\(first)” among them, were"
    return [
      Finding(
        .withdrawalForged, path: reader.hierarchy.encryption.description,
        message: "\(files) not written by anybody with the key; devices take no password back for it.",
        next: "Find out who can write there, and remove it.")
    ]
  }

  private func missingWrappedKeys(_ founded: Set<KeyIdentifier>) -> [Finding] {
    let present = Set(
      reader.entries.compactMap { node in
        if case .wrappedKey(let name) = node.roleOfName { name } else { nil as WrappedKeyName? }
      })
    let keys = (ring?.all ?? []).filter { founded.contains($0.identifier) }
    guard let first = keys.first else { return [] }
    let names = KeyExchange.names(KeyRing(first, others: Array(keys.dropFirst())))
    return names.subtracting(present).sorted().map { name in
      Finding(
        .wrappedKeyMissing, path: reader.hierarchy.encryption.description,
        message:
          "The key \(name.key) is not wrapped under \(name.wrapping), so a device that has only the latter may not get it.",
        next: "Sync a device that has both, or join one with the password; it writes what is missing.")
    }
  }

  private func wrappedKey(_ name: WrappedKeyName, _ path: RemotePath, _ ring: KeyRing) async -> Finding? {
    guard ring[name.wrapping] != nil else {
      return Finding(
        .wrappedKeyForeign, path: path.description,
        message:
          "It is said to be wrapped under the key \(name.wrapping), which is not at hand; devices pass it over.",
        next: reader.foundedKeys.contains(name.wrapping)
          ? "Leave it: a founding record names that key, so what leads to it is late, lost or covered. Once that is there, verify again."
          : "Remove it, unless devices with another password use the remote.")
    }
    do throws(ReadingFailure) {
      let bytes = try await reader.bytes(at: path, limit: KeyExchange.sizeLimit)
      if KeyExchange.holds(name, bytes, ring, reader.hierarchy) { return nil }
      return Finding(
        .notAuthentic, path: path.description,
        message: "The wrapped key cannot be used: it does not hold the key that its name says.",
        next: Self.wrappedAdvice)
    } catch {
      return Finding(
        error, path: path, message: "The wrapped key cannot be used: \(error.description).",
        next: Self.wrappedAdvice)
    }
  }

  private static let wrappedAdvice =
    "Sync a device that has both keys; within a day it writes the file anew."

  // MARK: Documents

  /// - Parameter deletions: what was deleted, and of which something came back, becomes one with nothing.
  private func foundings(
    of document: DocumentReader, besides deletions: DeletionNotes, _ names: NameAuthenticator?
  ) -> [Finding] {
    let hierarchy = document.hierarchy
    guard let folder = document.node.children.first(where: { $0.path == hierarchy.integrityKey }) else {
      return []
    }
    if reader.isLocked {
      let hasRecord = folder.children.contains { if case .founding = $0.roleOfName { true } else { false } }
      return hasRecord ? [] : [unfounded(hierarchy.integrityKey, "the document")]
    }
    guard !document.foundings.isEmpty, let names else {
      // That its key is missing is a finding of its own, and tells what to do.
      return document.isOfLostKey ? [] : [unfounded(hierarchy.integrityKey, "the document")]
    }
    var findings: [Finding] = []
    var accepted: [IntegrityKey: Set<IntegrityKey>] = [:]
    for node in folder.children {
      guard case .acceptance(let name) = node.roleOfName else { continue }
      if hierarchy.isGenuine(name, names) {
        accepted[name.founding, default: []].insert(name.other)
      } else {
        findings.append(
          Finding(
            .acceptanceForged, path: hierarchy.file(of: name).description,
            message: "Nobody who has the keys at hand has written this name; devices ignore it.",
            next: "Remove it, unless devices with another password created the document at the same time."))
      }
    }
    // One finding for each founding, for whoever can write here can make thousands of them. One with a key and one without never become one,
    // which is a finding of its own.
    let sealed = Set(
      folder.children.compactMap { node in
        if case .founding(let name) = node.roleOfName, name.key != nil { name.integrityKey } else { nil }
      })
    let living = document.foundings.filter { !deletions.isDeleted($0, of: hierarchy) }
    let isSealed = Dictionary(grouping: living) { sealed.contains($0) }
    for one in living {
      let foundings = Set(isSealed[sealed.contains(one), default: []])
      let own = accepted[one, default: []].intersection(foundings).union([one])
      guard own.count < foundings.count else { continue }
      let some = foundings.sorted().lazy.filter { !own.contains($0) }.prefix(3).map { "\($0)" }
      let count = foundings.count - own.count
      findings.append(
        Finding(
          .foundingsApart, path: hierarchy.integrityKey.description,
          message:
            "No device of the founding \(one) has accepted the \(count == 1 ? "founding" : "\(count) foundings") \(some.joined(separator: ", "))\(count > 3 ? " …" : ""), so their devices do not read each other.",
          next: "Sync a device of each; if one asks for a password, give it, once more if it is the same."))
    }
    return findings
  }

  /// In an application without encryption: what makes newcomers take it for encrypted, so that they do not join.
  private func keysOfPlainApplication() -> [Finding] {
    guard case .notEncrypted = reader.keys else { return [] }
    let records = reader.entries.filter { node in
      guard case .founding(let name) = node.roleOfName else { return false }
      return name.key != nil && node.path?.parent == reader.hierarchy.founding
    }.map { node in
      Finding(
        .keysWithoutEncryption, path: (node.path ?? reader.hierarchy.founding).description,
        message:
          "Nothing here is encrypted, and this record says that a part was founded which is: nobody joins without a password. It comes from another remote.",
        next:
          "Find out who has put it here, and move it away, unless a device has just begun to encrypt this application."
      )
    }
    let folder = reader.node.children.first { $0.path == reader.hierarchy.encryption }
    return records
      + (folder?.children ?? []).map { node in
        Finding(
          .keysWithoutEncryption, path: (node.path ?? folder?.path)?.description ?? node.name,
          message:
            "Nothing here is encrypted, and “\(node.name)” lies where keys belong: nobody joins without a password.",
          next: "Remove it, unless a device has just begun to encrypt this application.")
      }
  }

  private func deletions(
    _ notes: [DeletionNotes.Note], of document: DocumentReader, isSucceeded: Bool,
    _ names: NameAuthenticator?
  ) -> [Finding] {
    guard let names, !reader.isLocked else { return [] }
    return notes.map { name, path in
      if document.hierarchy.isGenuine(name, names) {
        return deleted(document, path, isSucceeded: isSucceeded)
      }
      return Finding(
        .deletionForged, path: path.description,
        message: "Nobody who has the keys at hand has deleted the document “\(document.hierarchy.document)”.",
        next: "Remove the file; devices ignore it.")
    }
  }

  /// Notes that are compared with a document without a record, at most: whoever can write here can make thousands of both.
  private static let noteLimit = 64

  /// A note that says that a document of this name was deleted, and that what lies here without a record is of. Heads tell for which
  /// founding they were written: those of another are of a document that has had the name since, and has lost its record.
  private func deletion(
    _ notes: [DeletionNotes.Note], of document: DocumentReader, _ names: NameAuthenticator?
  ) -> DeletionNotes.Note? {
    guard let names, !reader.isLocked else { return nil }
    let heads = document.heads.prefix(Self.noteLimit)
    return notes.prefix(Self.noteLimit).first { note in
      guard document.hierarchy.isGenuine(note.name, names) else { return false }
      guard !heads.isEmpty,
        let protection = try? DocumentProtection(
          keys: ring, hierarchy: document.hierarchy, own: note.name.founding)
      else { return true }
      return heads.contains { protection.verifies($0) }
    }
  }

  /// - Parameter isSucceeded: whether another document has the name now.
  private func deleted(
    _ document: DocumentReader, _ note: RemotePath, isSucceeded: Bool = false
  ) -> Finding {
    // The codes in names prove nothing without encryption.
    let doubt =
      ring == nil
      ? " If nobody has deleted it, remove this file: whoever can write here can have put it there." : ""
    return Finding(
      .deletedDocumentLeft, path: note.description,
      message:
        "Somebody has deleted the document “\(document.hierarchy.document)”, and files of it are there still, or came back\(isSucceeded ? " beside those of the one that has its name now" : "").",
      next: isSucceeded
        ? "Delete it once more from a device that took part in the deleted one, which leaves the other alone; none synchronises it any more.\(doubt)"
        : "Delete it once more from a device that took part; none synchronises it any more.\(doubt)")
  }

  private func content(of name: AcceptanceName, _ hierarchy: DocumentHierarchy) async -> Finding? {
    let path = hierarchy.file(of: name)
    let text = Array(name.name.description.utf8)
    do throws(ReadingFailure) {
      if try await reader.bytes(at: path, limit: text.count) == text { return nil }
    } catch {
      if error.findingCode == .unreadable { return Finding(error, path: path, message: "", next: "") }
    }
    return Finding(
      .acceptanceContent, path: path.description,
      message: "An acceptance holds something else than its name, which is all that counts.",
      next: "Nothing need be done; a device that has joined writes it anew within a day.")
  }

  private func unfounded(_ folder: RemotePath, _ what: String) -> Finding {
    // Codes in names are over the founding that its record tells.
    let others =
      folder.names.count > 2 && !reader.isLocked
      ? " Until it is back, nothing tells which heads, floors and whole stores members have written." : ""
    return Finding(
      .foundingMissing, path: folder.description,
      message:
        "There is no founding record of \(what) that somebody with a key at hand has written, so nobody can join.\(others)",
      next: "Sync a device that has joined; within a day it puts the record back.")
  }
}

extension DocumentReader {
  /// The deleted foundings of which something lies beside the document, as far as names tell: those whose records do, or any.
  fileprivate var deletedFoundingsLeft: [IntegrityKey] {
    let recorded = Set(foundingNames.map(\.integrityKey))
    let left = remains.foundings.filter(recorded.contains)
    return left.isEmpty && !remains.isEmpty ? Array(remains.foundings.prefix(1)) : left
  }
}
