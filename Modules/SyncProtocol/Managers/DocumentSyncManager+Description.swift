import ChangeTracking
import Crypto

/// The description of the document belongs to everybody, and can be read by whoever has the key that it is sealed with.
extension DocumentSyncManager {
  /// Writes the description of the document anew if it is gone or holds nothing that can be read, as storage leaves it that was cut off.
  /// One that others have changed stays, and so does what only those can open who founded the document elsewhere, if theirs is the one that stays.
  ///
  /// - Returns: whether it was written.
  func restoreDescription(
    _ protection: DocumentProtection, _ report: inout SyncReport
  ) async throws -> Bool {
    guard let kept = try pins.keptFiles().first(where: { $0.path == hierarchy.information }) else {
      return false
    }
    do {
      let bytes = try await backend.download(kept.path, limit: InformationFile.sizeLimit * 2)
      if bytes == kept.bytes { return false }
      if !kept.bytes.starts(with: bytes) {
        if try await isOfOthers(bytes, insteadOf: kept.bytes, protection.keys) { return false }
        if try isReadableByOthers(bytes, protection) { return false }
      }
    } catch let error as BackendError {
      guard error.isAboutOneFile else { throw error }
      if error.code == .notFound { return try await putBack(kept, &report) }
    }
    return try await tolerating(&report) { try await backend.upload(kept.bytes, to: kept.path) }
  }

  /// Whether a description can be read, or may be by those who founded the document apart, of whom this device knows.
  private func isReadableByOthers(_ bytes: [UInt8], _ protection: DocumentProtection) throws -> Bool {
    do {
      _ = try DocumentInformation(try protection.open(bytes, as: .information))
      return true
    } catch let error as CryptoError where error.code == .authenticationFailed {
      return try !pins.closerLook.unconfirmed.isEmpty
    } catch {
      return false
    }
  }

  /// Whether a description is that of devices which have founded with a key that is not at hand, and is the one of both that stays. Their
  /// members see the same from the other side, so it is written once more at most.
  private func isOfOthers(
    _ bytes: [UInt8], insteadOf own: [UInt8], _ keys: KeyRing?
  ) async throws(BackendError) -> Bool {
    guard let found = DescriptionSeal(bytes), let own = DescriptionSeal(own), found < own,
      case .sealed(let digits) = found, let key = KeyIdentifier(digits: digits[...]), keys?[key] == nil
    else { return false }
    // A key that nobody has founded with is an invention, and what it seals is read by nobody.
    let records = try await backend.listIfPresent(application.hierarchy.founding)?.entries ?? []
    return records.contains { FoundingName($0.name)?.key == key }
  }
}
