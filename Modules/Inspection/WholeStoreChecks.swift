import ChangeTracking
import Crypto
import SyncProtocol

/// Checks whole stores as a device does that begins with one: opens them, one at a time, in a temporary folder.
struct WholeStoreChecks {
  let reader: DocumentReader
  /// Those of the application.
  let documents: [DocumentReader]

  /// What the whole stores contain that open.
  struct Found {
    /// Of each, which sets.
    var contents: [RemotePath: VersionVector] = [:]
    /// Whether all were looked at that somebody with a key at hand has made.
    var isComplete = true
  }

  @discardableResult
  func run(_ verification: inout Verification) async -> Found {
    var found = Found()
    for node in reader.entries {
      guard case .wholeStore(let name) = node.role else { continue }
      if Task.isCancelled {
        found.isComplete = false
        break
      }
      switch reader.isGenuine(name) {
      case nil:
        // Without a founding record nobody can tell either, whether anything is encrypted or not.
        if reader.application.keys.isEncrypted { verification.locked += 1 }
        found.isComplete = false
      case false?:
        verification.findings += reader.forged([(name, reader.hierarchy.file(of: name))], among: documents)
      case true?:
        verification.wholeStores += 1
        guard verification.depth == .data else {
          found.isComplete = false
          continue
        }
        switch await check(name, node.size, &found) {
        case .damaged(let finding)?: verification.findings.append(finding)
        case .unread(let failure)?:
          found.isComplete = false
          _ = verification.passesOver(failure, at: reader.hierarchy.file(of: name))
        case nil: break
        }
      }
    }
    verification.storeContents.merge(found.contents) { $1 }
    return found
  }

  private enum Fault {
    case damaged(Finding)
    /// It was not opened, and is not damaged for all that is known.
    case unread(ReadingFailure)
  }

  private func check(_ name: WholeStoreName, _ size: Int64?, _ found: inout Found) async -> Fault? {
    guard let protection = reader.protection else { return nil }
    let transfer = WholeStoreTransfer(
      backend: reader.application.backend, hierarchy: reader.hierarchy, protection: protection)
    var downloaded: ScratchFolder?
    do {
      let scratch = try ScratchFolder.temporary()
      downloaded = scratch
      let snapshot = try await transfer.fetch(
        WholeStoreTransfer.Listed(name: name, size: size), through: scratch,
        to: scratch.file("store.sqlite"), progress: nil)
      _ = try SoundWholeStore(at: scratch.file("store.sqlite"))
      found.contents[reader.hierarchy.file(of: name)] = snapshot.contents
      return nil
    } catch let error where reader.application.device.note(error) {
      found.isComplete = false
      return nil
    } catch let error as BackendError {
      found.isComplete = false
      return .damaged(
        Finding(
          .storage(error), path: reader.hierarchy.file(of: name), message: "\(error)", next: error.recovery))
    } catch let refusal as WholeStoreTransfer.Refusal where refusal.storage != nil {
      found.isComplete = false
      return refusal.storage.map { error in
        .damaged(
          Finding(
            .storage(error), path: reader.hierarchy.file(of: name), message: "\(error)", next: error.recovery)
        )
      }
    } catch {
      if let failure = downloaded.flatMap({ lackOfKey($0.file("download"), name) }) {
        return .unread(failure)
      }
      return .damaged(
        Finding(
          .wholeStoreDamaged, path: reader.hierarchy.file(of: name).description,
          message: "No device can begin with this whole store: \(error)",
          next:
            "Upload another from a device that has everything, then remove it; devices that have joined do not need it."
        ))
    }
  }

  /// Whether a whole store that was transferred in full is sealed with a key that is not at hand.
  private func lackOfKey(_ file: String, _ name: WholeStoreName) -> ReadingFailure? {
    guard let beginning = try? LocalFile.beginning(of: file, count: 64),
      let key = try? SealedContainer.keyIdentifier(of: beginning),
      reader.application.keys.ring?[key] == nil, (try? LocalFile.hash(of: file)) == name.hash
    else { return nil }
    return reader.application.failure(ofSealed: beginning)
  }
}
